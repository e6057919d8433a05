#include "state.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "poolkit/env.h"

namespace poolkit {
namespace {

constexpr std::string_view kMagic = "poolkit state\n";
constexpr uint32_t kVersion = 1;

int append(void* context, const void* data, size_t size) {
  auto& out = *static_cast<std::vector<unsigned char>*>(context);
  const auto* bytes = static_cast<const unsigned char*>(data);
  try {
    out.insert(out.end(), bytes, bytes + size);
  } catch (const std::bad_alloc&) {
    return 1;
  }
  return 0;
}

// FNV-1a: finds accidents, not malice.
uint64_t checksum(std::span<const unsigned char> bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

// What the engine keeps of an env. The fields one by one: padding has no place in a file.
void write_slot(Writer& out, const Slot& slot, Phase phase) {
  out.value(slot.rng);
  out.value(slot.episode.total);
  out.value(slot.episode.length);
  out.value(static_cast<uint8_t>(slot.episode.seeded));
  out.value(static_cast<uint8_t>(phase));
}

Phase read_slot(Reader& in, Slot& slot) {
  slot.rng = in.value<pk_rng>();
  slot.episode.total = in.value<double>();
  slot.episode.length = in.value<int32_t>();
  slot.episode.seeded = in.value<uint8_t>() != 0;
  const auto phase = in.value<uint8_t>();
  if (phase > static_cast<uint8_t>(Phase::soft_ended))
    throw std::invalid_argument("state: altered");
  return static_cast<Phase>(phase);
}

void need_state_functions(const EnvType& type) {
  if (!type.api().save)
    throw UsageError(std::string(type.api().name) + " has no states to save or load");
}

void check_same(Reader& in, std::string_view expected, const std::string& otherwise) {
  std::string found(expected.size(), '\0');
  in.bytes(found.data(), found.size());
  if (found != expected) throw std::invalid_argument(otherwise);
}

}  // namespace

std::vector<unsigned char> save_state(const EnvType& type, Roster& roster, int32_t id) {
  need_state_functions(type);
  const Slot& slot = roster[id];
  const Phase phase = roster.phase(id);
  if (phase == Phase::broken || !slot.env)
    throw UsageError("env " + std::to_string(id) + " is broken since it threw: reset it first");
  std::vector<unsigned char> state;
  const pk_sink sink{&state, append};
  Writer out(sink);
  const std::string_view name = type.api().name;
  out.bytes(kMagic.data(), kMagic.size());
  out.value(kVersion);
  out.value(static_cast<uint32_t>(name.size()));
  out.bytes(name.data(), name.size());
  write_slot(out, slot, phase);
  pk_error error{};
  if (type.api().save(slot.env, &sink, &error)) throw EnvError(id, error.message);
  out.value(checksum(state));
  return state;
}

namespace {

// A state's parts, checked except for the environment's own.
struct Saved {
  std::string name;
  Slot slot;
  Phase phase = Phase::broken;
  std::span<const unsigned char> own;
};

Saved read_state(std::span<const unsigned char> state) {
  uint64_t expected = 0;
  if (state.size() < kMagic.size() + sizeof expected)
    throw std::invalid_argument("state: too short");
  const auto content = state.first(state.size() - sizeof expected);
  std::memcpy(&expected, state.data() + content.size(), sizeof expected);
  Reader in(content);
  check_same(in, kMagic, "state: not a state of a poolkit environment");
  if (const auto version = in.value<uint32_t>(); version != kVersion)
    throw std::invalid_argument("state: of version " + std::to_string(version) + ", this is " +
                                std::to_string(kVersion));
  if (checksum(content) != expected) throw std::invalid_argument("state: truncated or altered");
  Saved saved;
  saved.name.resize(std::min<size_t>(in.value<uint32_t>(), in.left()));
  in.bytes(saved.name.data(), saved.name.size());
  saved.phase = read_slot(in, saved.slot);
  saved.own = content.last(in.left());
  return saved;
}

Saved read_state_of(const EnvType& type, std::span<const unsigned char> state) {
  need_state_functions(type);
  Saved saved = read_state(state);
  const std::string_view name = type.api().name;
  if (saved.name != name)
    throw std::invalid_argument("state: of " + saved.name + ", not of " + std::string(name));
  return saved;
}

}  // namespace

std::span<const unsigned char> own_part(std::span<const unsigned char> state) {
  return read_state(state).own;
}

void check_state(const EnvType& type, std::span<const unsigned char> state) {
  static_cast<void>(read_state_of(type, state));
}

void load_state(const EnvType& type, Roster& roster, int32_t id,
                std::span<const unsigned char> state) {
  const Saved saved = read_state_of(type, state);
  Slot& slot = roster[id];
  pk_error error{};
  if (!slot.env) {
    const auto& options = type.options(id);
    if (type.api().create(options.data(), options.size(), &slot.env, &error))
      throw EnvError(id, error.message);
  }
  if (type.api().load(slot.env, saved.own.data(), saved.own.size(), &error)) {
    roster.phase(id) = Phase::broken;
    type.api().destroy(slot.env);
    slot.env = nullptr;
    slot.episode.seeded = true;  // for the first reset of the next object
    throw std::invalid_argument("env " + std::to_string(id) + " refused the state and must be " +
                                "reset: " + error.message);
  }
  slot.rng = saved.slot.rng;
  slot.episode = saved.slot.episode;
  roster.phase(id) = saved.phase;
}

}  // namespace poolkit

#include "failing.h"

#include <atomic>
#include <stdexcept>

namespace poolkit::debug {
namespace {

std::atomic<int64_t> alive{0};

// Counts an object as alive from here on, whatever its constructor does then.
struct Alive {
  const int64_t before = alive.fetch_add(1);
  ~Alive() {
    if (!kept) alive.fetch_sub(1);
  }
  bool kept = false;
};

int64_t index_of_new(const Options& options, const std::string& at) {
  Alive counted;
  if (at == "constructor" && counted.before == options.integer("index"))
    throw std::runtime_error("told to throw in the constructor");
  counted.kept = true;
  return counted.before;
}

}  // namespace

std::vector<OptionSpec> Failing::options() {
  return {option::text("at", {},
                       "Where the chosen object throws, always: constructor, reset, "
                       "step or observe."),
          option::integer("index", 0, "The chosen object: how many are alive when it is built.")};
}

Spec Failing::spec(const Options&) {
  return {.observation = {array<int64_t>("", {2})}, .action = {discrete("", 5)}};
}

Failing::Failing(const Options& options)
    : at_(options.has("at") ? options.text("at") : ""),
      index_(index_of_new(options, at_)),
      chosen_(index_ == options.integer("index")) {}

Failing::~Failing() { alive.fetch_sub(1); }

void Failing::reset(Reset, Rng&) {
  if (trap_ == Trap::reset || (chosen_ && at_ == "reset"))
    throw std::runtime_error("told to throw in the reset");
  trap_ = Trap::none;
  count_ = 0;
}

Transition Failing::step(Action action, Rng&) {
  const auto choice = action.scalar<int64_t>();
  if (choice == 1 || (chosen_ && at_ == "step"))
    throw std::runtime_error("told to throw in the step");
  if (choice == 2) trap_ = Trap::observe;
  if (choice == 3) trap_ = Trap::reset;
  ++count_;
  return {.reward = 1, .terminated = choice >= 3};
}

void Failing::observe(Row row) const {
  if (trap_ == Trap::observe || (chosen_ && at_ == "observe"))
    throw std::runtime_error("told to throw in the observation");
  const std::span<int64_t> out = row.observation<int64_t>();
  out[0] = count_;
  out[1] = index_;
}

}  // namespace poolkit::debug

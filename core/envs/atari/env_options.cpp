#include "env_options.h"

#include <limits>
#include <stdexcept>

namespace poolkit::atari {
namespace {

constexpr int kMaxSide = 4096;
constexpr int kMaxCount = 10'000;

std::string game_of(const Options& values) {
  if (!values.has("game")) throw std::invalid_argument("game=None: which ROM is it?");
  return std::string(values.text("game"));
}

std::vector<uint8_t> rom_of(const Options& values) {
  if (!values.has("rom")) throw std::invalid_argument("rom=None: must be the content of a ROM");
  const std::string_view bytes = values.bytes("rom");
  return {bytes.begin(), bytes.end()};
}

int count(const Options& values, std::string_view name, int least) {
  return static_cast<int>(values.integer_in(name, least, kMaxCount));
}

int side(const Options& values, std::string_view name) {
  return static_cast<int>(values.integer_in(name, 1, kMaxSide));
}

std::optional<int> number(const Options& values, std::string_view name) {
  if (!values.has(name)) return std::nullopt;
  return static_cast<int>(values.integer_in(name, 0, std::numeric_limits<int>::max()));
}

double probability(const Options& values, std::string_view name) {
  const double value = values.real(name);
  if (!(value >= 0 && value <= 1)) {
    throw std::invalid_argument(std::string(name) + "=" + std::to_string(value) +
                                ": must be in 0 .. 1");
  }
  return value;
}

}  // namespace

std::vector<OptionSpec> declared_options() {
  return {
      option::text("game", std::nullopt, "The name of the ROM, as in ale_py.roms."),
      option::bytes("rom", std::nullopt, "The content of the ROM."),
      option::integer("stack_num", 4, "How many pictures an observation shows."),
      option::integer("frame_skip", 4, "Frames that one action lasts."),
      option::integer("noop_max", 30,
                      "An episode starts after 1 to noop_max frames, uniformly; 0: at once."),
      option::flag(
          "zero_discount_on_life_loss", false,
          "Give the info 'discount': 0 where a life was lost or the game is over, else 1."),
      option::flag("episodic_life", false, "A lost life ends the episode, but not the game."),
      option::flag("reward_clip", false, "Only the sign of a reward counts."),
      option::flag("use_fire_reset", true,
                   "The last action of a start is FIRE, in games that have it."),
      option::integer("img_height", 84, "Rows of a picture."),
      option::integer("img_width", 84, "Columns of a picture."),
      option::flag("gray_scale", true, "Gray pictures; else red, green and blue of each."),
      option::flag("full_action_space", false, "All actions of the console, not the game's few."),
      option::real("repeat_action_probability", 0.0,
                   "At each frame the action before is repeated with this probability."),
      option::integer("mode", std::nullopt, "A mode of the game; None: its first."),
      option::integer("difficulty", std::nullopt, "A difficulty of the game; None: its first."),
      option::flag("ram", false, "Give the info 'ram': the console's 128 bytes."),
  };
}

EnvOptions::EnvOptions(const Options& values)
    : game(game_of(values)),
      rom(rom_of(values)),
      stack_num(count(values, "stack_num", 1)),
      frame_skip(count(values, "frame_skip", 1)),
      noop_max(count(values, "noop_max", 0)),
      use_fire_reset(values.flag("use_fire_reset")),
      episodic_life(values.flag("episodic_life")),
      zero_discount_on_life_loss(values.flag("zero_discount_on_life_loss")),
      reward_clip(values.flag("reward_clip")),
      img_height(side(values, "img_height")),
      img_width(side(values, "img_width")),
      gray_scale(values.flag("gray_scale")),
      full_action_space(values.flag("full_action_space")),
      repeat_action_probability(probability(values, "repeat_action_probability")),
      mode(number(values, "mode")),
      difficulty(number(values, "difficulty")),
      ram(values.flag("ram")) {}

}  // namespace poolkit::atari

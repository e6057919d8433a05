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

std::optional<int> number(const Options& values, std::string_view name, int least, int most) {
  if (!values.has(name)) return std::nullopt;
  return static_cast<int>(values.integer_in(name, least, most));
}

std::optional<int> side(const Options& values, std::string_view name) {
  return number(values, name, 1, kMaxSide);
}

std::optional<int> choice(const Options& values, std::string_view name) {
  return number(values, name, 0, std::numeric_limits<int>::max());
}

bool is_ram(const Options& values) {
  const std::string_view type = values.text("obs_type");
  if (type == "ram" || type == "pixels") return type == "ram";
  throw std::invalid_argument("obs_type='" + std::string(type) +
                              "': must be 'pixels' or 'ram'; gray_scale says whether pixels are "
                              "gray or coloured");
}

double fraction(const Options& values, std::string_view name) {
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
      option::text("obs_type", "pixels", "What is seen: 'pixels', or 'ram', the 128 bytes."),
      option::integer("img_height", std::nullopt, "Rows of a picture; None: the screen's."),
      option::integer("img_width", std::nullopt, "Columns of a picture; None: the screen's."),
      option::flag("gray_scale", true, "Gray pictures; else red, green and blue of each."),
      option::flag("maxpool", true,
                   "A picture is the brighter of an action's last two frames at each pixel; else "
                   "the last frame."),
      option::flag("full_action_space", false, "All actions of the console, not the game's few."),
      option::flag("continuous", false, "Actions are a joystick's radius, angle and fire."),
      option::real("continuous_action_threshold", 0.5,
                   "How far the joystick must be pushed for a direction to count."),
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
      sees_ram(is_ram(values)),
      img_height(side(values, "img_height")),
      img_width(side(values, "img_width")),
      gray_scale(values.flag("gray_scale")),
      maxpool(values.flag("maxpool")),
      full_action_space(values.flag("full_action_space")),
      continuous(values.flag("continuous")),
      continuous_action_threshold(
          static_cast<float>(fraction(values, "continuous_action_threshold"))),
      repeat_action_probability(fraction(values, "repeat_action_probability")),
      mode(choice(values, "mode")),
      difficulty(choice(values, "difficulty")),
      ram(values.flag("ram")) {}

}  // namespace poolkit::atari

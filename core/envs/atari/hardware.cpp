#include <algorithm>
#include <stdexcept>

#include "rom.h"

namespace poolkit::atari {
namespace {

using enum CartridgeType;
using enum Port;

constexpr Hardware kHardware[] = {
    {.game = "adventure"},
    {.game = "air_raid"},
    {.game = "alien"},
    {.game = "amidar"},
    {.game = "assault"},
    {.game = "asterix", .cartridge = kF8},
    {.game = "asteroids", .cartridge = kF8, .hmove_blanks = false},
    {.game = "atlantis"},
    {.game = "atlantis2"},
    {.game = "backgammon", .left = kPaddles, .paddle_max = 1'000'000},
    {.game = "bank_heist"},
    {.game = "basic_math", .cartridge = k2K},
    {.game = "battle_zone", .cartridge = kF8, .hmove_blanks = false},
    {.game = "beam_rider", .cartridge = kF8},
    {.game = "berzerk"},
    {.game = "blackjack", .cartridge = k2K, .left = kPaddles, .paddle_max = 795'000},
    {.game = "bowling", .cartridge = k2K},
    {.game = "boxing", .cartridge = k2K},
    {.game = "breakout", .cartridge = k2K, .left = kPaddles, .right = kPaddles},
    {.game = "carnival", .first_line = 26, .lines = 214},
    {.game = "casino", .left = kPaddles},
    {.game = "centipede", .cartridge = kF8},
    {.game = "chopper_command"},
    {.game = "crazy_climber", .cartridge = kF8},
    {.game = "crossbow", .cartridge = kF6},
    {.game = "darkchambers", .cartridge = kF6SC, .hmove_blanks = false},
    {.game = "defender"},
    {.game = "demon_attack"},
    {.game = "donkey_kong"},
    {.game = "double_dunk", .cartridge = kF6},
    {.game = "earthworld", .cartridge = kF8},
    {.game = "elevator_action", .cartridge = kF8SC},
    {.game = "enduro"},
    {.game = "entombed"},
    {.game = "et", .cartridge = kF8},
    {.game = "fishing_derby", .cartridge = k2K},
    {.game = "flag_capture", .cartridge = k2K},
    {.game = "freeway", .cartridge = k2K},
    {.game = "frogger"},
    {.game = "frostbite"},
    {.game = "galaxian", .cartridge = kF8},
    {.game = "gopher"},
    {.game = "gravitar", .cartridge = kF8},
    {.game = "hangman"},
    {.game = "haunted_house"},
    {.game = "hero", .cartridge = kF8},
    {.game = "human_cannonball", .cartridge = k2K},
    {.game = "ice_hockey"},
    {.game = "jamesbond", .cartridge = kE0},
    {.game = "journey_escape", .lines = 230},
    {.game = "kaboom", .cartridge = k2K, .left = kPaddles, .right = kPaddles},
    {.game = "kangaroo", .cartridge = kF8},
    {.game = "keystone_kapers"},
    {.game = "king_kong"},
    {.game = "klax", .cartridge = kF6SC},
    {.game = "koolaid"},
    {.game = "krull", .cartridge = kF8},
    {.game = "kung_fu_master", .cartridge = kF8},
    {.game = "laser_gates"},
    {.game = "lost_luggage"},
    {.game = "mario_bros", .cartridge = kF8},
    {.game = "miniature_golf", .cartridge = k2K},
    {.game = "montezuma_revenge", .cartridge = kE0},
    {.game = "mr_do", .cartridge = kF8},
    {.game = "ms_pacman", .cartridge = kF8, .hmove_blanks = false},
    {.game = "name_this_game"},
    {.game = "othello", .cartridge = k2K},
    {.game = "pacman"},
    {.game = "phoenix", .cartridge = kF8},
    {.game = "pitfall"},
    {.game = "pitfall2", .cartridge = kDPC},
    {.game = "pong",
     .cartridge = k2K,
     .left = kPaddles,
     .right = kPaddles,
     .swapped_paddles = true},
    {.game = "pooyan", .first_line = 26, .lines = 220},
    {.game = "private_eye", .cartridge = kF8},
    {.game = "qbert", .first_line = 40},
    {.game = "riverraid"},
    {.game = "road_runner", .cartridge = kF6},
    {.game = "robotank", .cartridge = kFE},
    {.game = "seaquest"},
    {.game = "sir_lancelot", .cartridge = kF8},
    {.game = "skiing", .cartridge = k2K},
    {.game = "solaris", .cartridge = kF6},
    {.game = "space_invaders"},
    {.game = "space_war", .cartridge = k2K},
    {.game = "star_gunner"},
    {.game = "superman"},
    {.game = "surround", .cartridge = k2K, .swapped_ports = true},
    {.game = "tennis", .cartridge = k2K},
    {.game = "tetris", .cartridge = k2K},
    {.game = "tic_tac_toe_3d", .cartridge = k2K},
    {.game = "time_pilot", .cartridge = kF8},
    {.game = "trondead"},
    {.game = "turmoil"},
    {.game = "tutankham", .cartridge = kE0},
    {.game = "up_n_down", .cartridge = kF8, .first_line = 30},
    {.game = "venture"},
    {.game = "video_checkers"},
    {.game = "video_chess"},
    {.game = "video_cube"},
    {.game = "video_pinball"},
    {.game = "wizard_of_wor", .swapped_ports = true},
    {.game = "word_zapper"},
    {.game = "yars_revenge"},
    {.game = "zaxxon", .cartridge = kF8},
};

}  // namespace

const Hardware* find_hardware(std::string_view game) {
  const auto* found = std::ranges::find(kHardware, game, &Hardware::game);
  return found == std::end(kHardware) ? nullptr : found;
}

std::shared_ptr<const Rom> Rom::load(std::string_view game, const std::vector<uint8_t>& bytes) {
  auto rom = std::make_shared<Rom>();
  rom->game = game;
  rom->hardware = find_hardware(game);
  if (rom->hardware == nullptr) throw std::invalid_argument("unknown Atari game: " + rom->game);
  try {
    rom->banks = banks_of(rom->hardware->cartridge, bytes);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(rom->game + ": " + error.what());
  }
  rom->program = program_of(rom->hardware->cartridge, rom->banks);
  return rom;
}

}  // namespace poolkit::atari

// poolkit._core.Emulator: one Atari game, frame by frame. For tests and tools; environments use
// the C++ class itself.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "atari/emulator.h"
#include "atari/observer.h"
#include "bindings.h"

namespace nb = nanobind;

namespace poolkit {
namespace {

using atari::Action;
using atari::Emulator;
using atari::kWidth;

Action to_action(int action) {
  if (action < 0 || action >= atari::kNumActions) {
    throw nb::value_error(("action " + std::to_string(action) + " is not in 0..17").c_str());
  }
  return static_cast<Action>(action);
}

using Array = nb::ndarray<nb::numpy, uint8_t>;

Array to_array(std::span<const uint8_t> bytes, std::initializer_list<size_t> shape) {
  auto* data = new uint8_t[bytes.size()];
  std::ranges::copy(bytes, data);
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<uint8_t*>(p); });
  return Array(data, shape, owner);
}

size_t height(const Emulator& emulator) { return static_cast<size_t>(emulator.console().height()); }

Array screen(const Emulator& emulator) {
  return to_array(emulator.console().screen(), {height(emulator), kWidth});
}

Array screen_rgb(const Emulator& emulator) {
  std::vector<uint8_t> rgb(3 * emulator.console().screen().size());
  atari::write_rgb(emulator.console(), rgb);
  return to_array(rgb, {height(emulator), kWidth, 3});
}

std::span<const uint8_t> span_of(nb::bytes bytes) {
  return {static_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

template <typename T>
std::vector<int> numbers_of(std::span<const T> values) {
  std::vector<int> numbers;
  for (const T value : values) numbers.push_back(static_cast<int>(value));
  return numbers;
}

}  // namespace

void bind_atari(nb::module_& m) {
  nb::class_<Emulator>(m, "Emulator",
                       "One Atari 2600 game, as ale_py.ALEInterface plays it, bit for bit.")
      .def(
          "__init__",
          [](Emulator* self, std::string_view game, nb::bytes rom) {
            const auto bytes = span_of(rom);
            new (self) Emulator(atari::Rom::load(game, {bytes.begin(), bytes.end()}));
          },
          nb::arg("game"), nb::arg("rom"),
          "The game by the name of its ROM ('space_invaders'), and that file's content.\n\n"
          "Raises ValueError for an unknown game or a ROM of the wrong size.")
      .def("__copy__", [](const Emulator& self) { return Emulator(self); })
      .def(
          "act",
          [](Emulator& self, int action, int frames, float strength) {
            if (frames < 1) throw nb::value_error("frames: must be at least 1");
            return self.play({to_action(action), strength}, frames);
          },
          nb::arg("action"), nb::arg("frames") = 1, nb::arg("strength") = 1.0f,
          "Play some frames, fewer if the game ends, with one of ALE's 18 actions, paddles turned "
          "with\n"
          "that strength; return the sum of their rewards. Nothing happens once the game is over.")
      .def("reset", &Emulator::reset, "Start a new game; RAM and random numbers go on.")
      .def("reboot", &Emulator::reboot, nb::arg("random_seed") = 0,
           nb::arg("repeat_action_probability") = 0.0,
           "Return to the state of a new emulator, with these settings of ALE's.")
      .def("set_mode", &Emulator::set_mode, nb::arg("mode"), "Choose a mode for the next reset.")
      .def("set_difficulty", &Emulator::set_difficulty, nb::arg("difficulty"),
           "Set the difficulty switches.")
      .def_prop_ro("lives", &Emulator::lives)
      .def_prop_ro("game_over", &Emulator::game_over)
      .def_prop_ro("minimal_actions",
                   [](const Emulator& self) { return numbers_of(self.rules().minimal_actions); })
      .def_prop_ro("modes",
                   [](const Emulator& self) { return numbers_of(self.rules().mode.modes); })
      .def_prop_ro("difficulties",
                   [](const Emulator& self) { return numbers_of(self.rules().difficulties); })
      .def(
          "ram", [](const Emulator& self) { return to_array(self.ram(), {128}); },
          "The 128 bytes of RAM: uint8[128].")
      .def(
          "set_ram",
          [](Emulator& self, int index, uint8_t value) {
            if (index < 0 || index > 127) {
              throw nb::value_error(
                  ("index " + std::to_string(index) + " is not in 0..127").c_str());
            }
            self.set_ram(index, value);
          },
          nb::arg("index"), nb::arg("value"), "Change a byte of RAM between two frames.")
      .def("screen", &screen, "The last frame's colour numbers: uint8[height, 160].")
      .def("screen_rgb", &screen_rgb, "The last frame's colours: uint8[height, 160, 3].")
      .def(
          "save",
          [](const Emulator& self) {
            const std::vector<uint8_t> bytes = self.save();
            return nb::bytes(bytes.data(), bytes.size());
          },
          "The complete state.")
      .def(
          "load", [](Emulator& self, nb::bytes state) { self.load(span_of(state)); },
          nb::arg("state"),
          "Continue exactly where save() was. Raises ValueError for other bytes.");
}

}  // namespace poolkit

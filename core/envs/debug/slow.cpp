#include "slow.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace poolkit::debug {

std::vector<OptionSpec> Slow::options() {
  return {option::text("gate", {}, "Path of a file that action 1 waits for."),
          option::flag("gated_constructor", false, "Wait for the gate in the constructor."),
          option::integer("sleep_us", 1000, "How long action 2 sleeps.")};
}

Spec Slow::spec(const Options&) {
  return {.observation = {array<int64_t>("", {1})}, .action = {discrete("", 3)}};
}

Slow::Slow(const Options& options)
    : gate_(options.has("gate") ? options.text("gate") : ""),
      sleep_us_(options.integer_in("sleep_us", 0, 60'000'000)) {
  if (options.flag("gated_constructor")) wait_for_gate();
}

void Slow::wait_for_gate() const {
  if (gate_.empty()) throw std::invalid_argument("needs the option gate");
  std::ofstream(gate_ + ".waits").flush();
  while (!std::filesystem::exists(gate_))
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

void Slow::reset(Reset, Rng&) { count_ = 0; }

Transition Slow::step(Action action, Rng&) {
  const auto choice = action.scalar<int64_t>();
  if (choice == 1) {
    wait_for_gate();
  } else if (choice == 2) {
    std::this_thread::sleep_for(std::chrono::microseconds(sleep_us_));
  }
  ++count_;
  return {.reward = 1};
}

void Slow::observe(Row row) const { row.observation<int64_t>()[0] = count_; }

}  // namespace poolkit::debug

#include "boot.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace poolkit::atari {

std::shared_ptr<const Emulator> booted(const EnvOptions& options) {
  using Key = std::tuple<std::string, std::vector<uint8_t>, std::optional<int>, std::optional<int>>;
  // Weak: when the last environment of a game is gone, so is its boot.
  static std::mutex mutex;
  static std::map<Key, std::weak_ptr<const Emulator>> games;

  const std::scoped_lock lock(mutex);
  std::weak_ptr<const Emulator>& known =
      games[{options.game, options.rom, options.mode, options.difficulty}];
  if (auto emulator = known.lock()) return emulator;
  const auto emulator = std::make_shared<Emulator>(Rom::load(options.game, options.rom));
  emulator->boot(options.mode, options.difficulty);
  known = emulator;
  return emulator;
}

}  // namespace poolkit::atari

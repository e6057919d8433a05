#include "boot.h"

#include <map>
#include <mutex>
#include <utility>

namespace poolkit::atari {

std::shared_ptr<const Emulator> booted(const std::string& game, const std::vector<uint8_t>& rom) {
  // Weak: when the last environment of a game is gone, so is its boot.
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::vector<uint8_t>>, std::weak_ptr<const Emulator>>
      games;

  const std::scoped_lock lock(mutex);
  std::weak_ptr<const Emulator>& known = games[{game, rom}];
  if (auto emulator = known.lock()) return emulator;
  const auto emulator = std::make_shared<const Emulator>(Rom::load(game, rom));
  known = emulator;
  return emulator;
}

}  // namespace poolkit::atari

// Actions that stick: at each frame the one before is repeated with some probability.
#pragma once

#include <cstdint>

#include "action.h"
#include "mt19937.h"

namespace poolkit::atari {

// ALE's generator and its use of it: two draws a frame, the second for a player who is absent, also
// when nothing can stick.
class StickyActions {
 public:
  StickyActions() = default;
  StickyActions(uint32_t seed, double probability) : random_(seed), probability_(probability) {}

  Push next(Push wanted) {
    constexpr double kRange = 4294967296.0;
    const double draw = random_() / kRange;
    random_();
    if (draw < probability_) return last_;
    return last_ = wanted;
  }
  // One more draw, for games that need a random number.
  uint32_t draw() { return random_(); }

  // The console's RESET was pressed: nothing is held any more.
  void release() { last_ = {}; }

  bool operator==(const StickyActions&) const = default;

  bool valid() const { return random_.valid() && static_cast<int>(last_.action) < kNumActions; }

  template <class Archive>
  void fields(Archive& archive) {
    archive(random_, probability_, last_);
  }

 private:
  Mt19937 random_;
  double probability_ = 0;
  Push last_;
};

}  // namespace poolkit::atari

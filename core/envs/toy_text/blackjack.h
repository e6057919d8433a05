// Blackjack of Gymnasium's toy text, number for number.
#ifndef POOLKIT_ENVS_TOY_TEXT_BLACKJACK_H_
#define POOLKIT_ENVS_TOY_TEXT_BLACKJACK_H_

#include <vector>

#include "poolkit/env.h"

namespace poolkit::toy_text {

// Stick (0) or take another card (1), against a dealer who sticks at 17. After Sutton and
// Barto (2020), example 5.1, as gymnasium/envs/toy_text/blackjack.py.
class Blackjack {
 public:
  static std::vector<OptionSpec> options();
  static Spec spec(const Options& options);
  explicit Blackjack(const Options& options);

  void reset(Reset why, Rng& rng);
  Transition step(Action action, Rng& rng);
  void observe(Row row) const;
  void save(Writer& out) const;
  void load(Reader& in);

  struct Hand {
    int64_t cards = 0, hard_sum = 0;  // an ace counted as 1
    bool has_ace = false;

    void draw(Rng& rng);
    bool usable_ace() const { return has_ace && hard_sum + 10 <= 21; }
    int64_t sum() const { return usable_ace() ? hard_sum + 10 : hard_sum; }
    int64_t score() const { return sum() > 21 ? 0 : sum(); }
    bool is_natural() const { return cards == 2 && has_ace && hard_sum == 11; }
  };

 private:
  const bool natural_, sab_;
  Hand player_, dealer_;
  int64_t shown_ = 0;            // the dealer's first card
  int64_t suit_ = 0, face_ = 0;  // of that card: C, D, H, S; a ten is J, Q or K
};

}  // namespace poolkit::toy_text

#endif  // POOLKIT_ENVS_TOY_TEXT_BLACKJACK_H_

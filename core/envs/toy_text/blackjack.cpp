#include "blackjack.h"

#include <algorithm>

namespace poolkit::toy_text {

void Blackjack::Hand::draw(Rng& rng) {
  const int64_t card = std::min<int64_t>(rng.integers(0, 13) + 1, 10);
  ++cards;
  hard_sum += card;
  has_ace = has_ace || card == 1;
}

std::vector<OptionSpec> Blackjack::options() {
  return {option::flag("natural", false, "Reward 1.5 for winning with an ace and a ten; see sab."),
          option::flag("sab", true,
                       "Sutton and Barto's rules: an ace and a ten win unless the dealer has them "
                       "too; `natural` is then ignored.")};
}

Spec Blackjack::spec(const Options&) {
  return {.observation = {discrete("0", 32), discrete("1", 11), discrete("2", 2)},
          .action = {discrete("", 2)},
          .light = true};
}

Blackjack::Blackjack(const Options& options)
    : natural_(options.flag("natural")), sab_(options.flag("sab")) {}

void Blackjack::reset(Reset, Rng& rng) {
  dealer_ = player_ = {};
  dealer_.draw(rng);
  shown_ = dealer_.hard_sum;
  dealer_.draw(rng);
  player_.draw(rng);
  player_.draw(rng);
  suit_ = rng.integers(0, 4);
  face_ = shown_ == 10 ? rng.integers(0, 3) : 0;
}

Transition Blackjack::step(Action action, Rng& rng) {
  if (action.scalar<int64_t>() == 1) {
    player_.draw(rng);
    const bool bust = player_.sum() > 21;
    return {.reward = bust ? -1.0 : 0.0, .terminated = bust};
  }
  while (dealer_.sum() < 17) dealer_.draw(rng);
  const int64_t lead = player_.score() - dealer_.score();
  double reward = (lead > 0) - (lead < 0);
  if (sab_ && player_.is_natural() && !dealer_.is_natural()) reward = 1;
  if (!sab_ && natural_ && player_.is_natural() && lead > 0) reward = 1.5;
  return {.reward = reward, .terminated = true};
}

void Blackjack::observe(Row row) const {
  row.observation<int64_t>(0)[0] = player_.sum();
  row.observation<int64_t>(1)[0] = shown_;
  row.observation<int64_t>(2)[0] = player_.usable_ace();
}

void Blackjack::save(Writer& out) const {
  for (const Hand* hand : {&player_, &dealer_}) {
    out.value(hand->cards);
    out.value(hand->hard_sum);
    out.value(int64_t{hand->has_ace});
  }
  for (int64_t value : {shown_, suit_, face_}) out.value(value);
}

void Blackjack::load(Reader& in) {
  for (Hand* hand : {&player_, &dealer_}) {
    hand->cards = in.value<int64_t>();
    hand->hard_sum = in.value<int64_t>();
    hand->has_ace = in.value<int64_t>() != 0;
  }
  for (int64_t* value : {&shown_, &suit_, &face_}) *value = in.value<int64_t>();
}

}  // namespace poolkit::toy_text

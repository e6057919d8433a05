// One channel of a picture as wide as the console's screen.
//
// Most rows of a screen repeat the row above. Equal neighbours are stored once, and whoever works
// on the channel can tell by same() and need not work twice.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace poolkit::atari {

inline constexpr int kScreenWidth = 160;
inline constexpr int kMaxScreenHeight = 250;

class Channel {
 public:
  using Row = std::span<const uint8_t, kScreenWidth>;
  using NewRow = std::span<uint8_t, kScreenWidth>;

  // Rows are made from top to bottom. Neither the pixels of a new channel nor of a new row are set.
  NewRow add() {
    rows_[height_++] = used_++;
    return NewRow(&pixels_[(used_ - 1) * kScreenWidth], kScreenWidth);
  }
  void repeat() {
    rows_[height_] = static_cast<uint8_t>(used_ - 1);
    ++height_;
  }

  int height() const { return height_; }
  Row operator[](int y) const { return Row(&pixels_[rows_[y] * kScreenWidth], kScreenWidth); }

  // Whether all rows from `first` to `last` are the same.
  bool same(int first, int last) const { return rows_[first] == rows_[last]; }

 private:
  static constexpr int kPadding = 16;  // vectors may be read across the end of a row

  int height_ = 0;
  uint8_t used_ = 0;
  std::array<uint8_t, kMaxScreenHeight> rows_;
  std::array<uint8_t, kMaxScreenHeight * kScreenWidth + kPadding> pixels_;
};

}  // namespace poolkit::atari

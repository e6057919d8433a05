#include "resize.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "resize_84.h"

namespace poolkit::atari {
namespace {

// Source pixels for each target pixel. The two divisions are OpenCV's: the result may differ from
// from / to in the last bit, and which formula is used hangs on it.
double scale_of(int from, int to) { return 1.0 / (static_cast<double>(to) / from); }

class Copy final : public Resizer {
 public:
  void run(const Channel& from, std::span<uint8_t> to) const override {
    for (int y = 0; y < from.height(); ++y) {
      std::ranges::copy(from[y], to.subspan(y * kScreenWidth).begin());
    }
  }
};

// Both sides shrink by whole numbers: the mean of blocks.
class Blocks final : public Resizer {
 public:
  Blocks(ImageSize block, ImageSize to) : block_(block), to_(to) {}

  void run(const Channel& from, std::span<uint8_t> to) const override {
    for (int y = 0; y < to_.height; ++y) {
      for (int x = 0; x < to_.width; ++x) {
        int sum = 0;
        for (int dy = 0; dy < block_.height; ++dy) {
          const Channel::Row row = from[y * block_.height + dy];
          for (int dx = 0; dx < block_.width; ++dx) sum += row[x * block_.width + dx];
        }
        to[y * to_.width + x] = mean(sum);
      }
    }
  }

 private:
  uint8_t mean(int sum) const {
    if (block_ == ImageSize{2, 2}) return static_cast<uint8_t>((sum + 2) >> 2);  // half goes up
    return to_pixel(static_cast<float>(sum) * (1.0f / block_.area()));
  }

  ImageSize block_;
  ImageSize to_;
};

// Neither side grows: sums of weighted pixels, in the order and precision of OpenCV.
class Area final : public Resizer {
 public:
  Area(int height, ImageSize to)
      : to_(to), across_(kScreenWidth, to.width), down_(height, to.height) {}

  void run(const Channel& from, std::span<uint8_t> to) const override {
    Line line;
    Line sum;
    int in_line = -1;
    for (int y = 0; y < to_.height; ++y) {
      sum.fill(0.0f);
      for (size_t t = 0; t < down_.weights.size(); ++t) {
        const int source = down_.sources[t][y];
        if (in_line < 0 || !from.same(in_line, source)) shrink(from[source], line);
        in_line = source;
        const float weight = down_.weights[t][y];
        for (int x = 0; x < to_.width; ++x) sum[x] += weight * line[x];
      }
      for (int x = 0; x < to_.width; ++x) to[y * to_.width + x] = to_pixel(sum[x]);
    }
  }

 private:
  using Line = std::array<float, kScreenWidth>;

  void shrink(Channel::Row from, Line& to) const {
    to.fill(0.0f);
    for (size_t t = 0; t < across_.weights.size(); ++t) {
      const int* sources = across_.sources[t].data();
      const float* weights = across_.weights[t].data();
      for (int x = 0; x < to_.width; ++x) to[x] += from[sources[x]] * weights[x];
    }
  }

  ImageSize to_;
  Shrinking across_;
  Shrinking down_;
};

// A side grows: bilinear between two pixels, with weights of 11 bits.
class Linear final : public Resizer {
 public:
  Linear(int height, ImageSize to)
      : across_(blend(kScreenWidth, to.width)), down_(blend(height, to.height)) {}

  void run(const Channel& from, std::span<uint8_t> to) const override {
    size_t at = 0;
    for (const Between& row : down_) {
      for (const Between& column : across_) {
        const int above = row.weights[0] * (mix(from[row.first], column) >> 4) >> 16;
        const int below = row.weights[1] * (mix(from[row.second], column) >> 4) >> 16;
        to[at++] = static_cast<uint8_t>((above + below + 2) >> 2);
      }
    }
  }

 private:
  struct Between {
    int first;
    int second;
    std::array<int, 2> weights;
  };

  static std::vector<Between> blend(int from, int to) {
    constexpr float kOne = 2048;
    const double scale = scale_of(from, to);
    const double inverse = static_cast<double>(to) / from;
    std::vector<Between> result(to);
    for (int i = 0; i < to; ++i) {
      const int first = static_cast<int>(std::floor(i * scale));
      const auto part = static_cast<float>((i + 1) - (first + 1) * inverse);
      const bool between = part > 0 && first < from - 1;
      const float second = between ? part - std::floor(part) : 0.0f;
      result[i] = {.first = std::min(first, from - 1),
                   .second = std::min(first + 1, from - 1),
                   .weights = {static_cast<int>(std::nearbyint((1.0f - second) * kOne)),
                               static_cast<int>(std::nearbyint(second * kOne))}};
    }
    return result;
  }

  static int mix(Channel::Row row, const Between& column) {
    return row[column.first] * column.weights[0] + row[column.second] * column.weights[1];
  }

  std::vector<Between> across_;
  std::vector<Between> down_;
};

}  // namespace

Shrinking::Shrinking(int from, int to) {
  // Parts of a pixel smaller than this are left out.
  constexpr double kNothing = 1e-3;
  const double scale = scale_of(from, to);
  const auto most_terms = static_cast<size_t>(std::ceil(scale)) + 1;
  sources.assign(most_terms, std::vector<int>(to));
  weights.assign(most_terms, std::vector<float>(to, 0.0f));
  for (int i = 0; i < to; ++i) {
    size_t term = 0;
    const auto add = [&](int source, double weight) {
      sources[term][i] = source;
      weights[term++][i] = static_cast<float>(weight);
    };
    const double left = i * scale;
    const double right = left + scale;
    const double size = std::min(scale, from - left);
    const int last = std::min(static_cast<int>(std::floor(right)), from - 1);
    const int whole = std::min(static_cast<int>(std::ceil(left)), last);
    if (whole - left > kNothing) add(whole - 1, (whole - left) / size);
    for (int source = whole; source < last; ++source) add(source, 1.0 / size);
    if (right - last > kNothing) add(last, std::min({right - last, 1.0, size}) / size);
    for (; term < most_terms; ++term) sources[term][i] = sources[term - 1][i];
  }
  while (std::ranges::all_of(weights.back(), [](float weight) { return weight == 0.0f; })) {
    sources.pop_back();
    weights.pop_back();
  }
}

std::unique_ptr<const Resizer> make_resizer(int height, ImageSize to, Kernels kernels) {
  const ImageSize from = {height, kScreenWidth};
  if (from == to) return std::make_unique<Copy>();
  if (Resize84::fits(from, to)) return std::make_unique<Resize84>(kernels);
  const double down = scale_of(from.height, to.height);
  const double across = scale_of(from.width, to.width);
  if (down < 1 || across < 1) return std::make_unique<Linear>(height, to);
  const ImageSize block = {static_cast<int>(std::nearbyint(down)),
                           static_cast<int>(std::nearbyint(across))};
  if (std::abs(down - block.height) < DBL_EPSILON && std::abs(across - block.width) < DBL_EPSILON) {
    return std::make_unique<Blocks>(block, to);
  }
  return std::make_unique<Area>(height, to);
}

}  // namespace poolkit::atari

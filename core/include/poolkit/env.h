// The environment author's API: write a class with these members, nothing to inherit, and hand it
// to POOLKIT_MODULE (module.h).
//
//   class Grid {
//    public:
//     static std::vector<OptionSpec> options();          // optional: what make() accepts
//     static Spec spec(const Options&);                  // arrays, time limit
//     explicit Grid(const Options&);
//     void reset(Reset why, Rng& rng);
//     Transition step(Action action, Rng& rng);
//     void observe(Row row) const;                       // writes observation and info in place
//     void render(Image& image) const;                   // optional
//     void save(Writer& out) const; void load(Reader& in);  // optional, both or none
//   };
//
// Errors are thrown as std::exception; the pool reports them with the env's number and goes on. All
// randomness comes from `rng`, so that a seed repeats an episode.
#ifndef POOLKIT_ENV_H_
#define POOLKIT_ENV_H_

#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "poolkit/abi.h"
#include "poolkit/rng.h"
#include "poolkit/spec.h"

namespace poolkit {

enum class Reset : uint32_t {
  fresh = PK_RESET_FRESH,
  // Fresh, and `rng` was just seeded: forget every earlier episode. Also an object's first reset.
  seeded = PK_RESET_SEEDED,
  continue_game = PK_RESET_CONTINUE,  // after a step with soft_end: the same game goes on
};

struct Transition {
  double reward = 0;
  bool terminated = false;
  bool truncated = false;
  bool soft_end = false;  // with terminated: a lost life that ends the trainer's episode
  std::optional<double> raw_reward = {};  // before clipping; none: the same as reward
};

// One env's row of a group of arrays, checked against the dtype it was declared with.
class View {
 public:
  explicit View(const pk_view& raw) : raw_(raw) {}

 protected:
  template <class T>
  std::span<T> at(size_t k) const {
    if (k >= raw_.count || raw_.dtype[k] != static_cast<uint32_t>(dtype_of<std::remove_cv_t<T>>()))
      throw std::logic_error("array " + std::to_string(k) + " is read as a type it does not have");
    auto* bytes = static_cast<unsigned char*>(raw_.data[k]) + raw_.row * raw_.bytes[k];
    return {reinterpret_cast<T*>(bytes), raw_.bytes[k] / sizeof(T)};
  }

  const pk_view& raw_;
};

// What the trainer chose for this env: inside the declared bounds, always.
class Action : public View {
 public:
  using View::View;

  template <class T>
  std::span<const T> array(size_t k = 0) const {
    return at<const T>(k);
  }
  // A scalar, or the first element: Discrete actions are scalar<int64_t>().
  template <class T>
  T scalar(size_t k = 0) const {
    return at<const T>(k)[0];
  }
};

// Where observe() writes: one row of the batch, in place. Arrays are counted in the order of the
// Spec.
class Row : public View {
 public:
  using View::View;

  template <class T>
  std::span<T> observation(size_t k = 0) const {
    return at<T>(k);
  }
  template <class T>
  std::span<T> info(size_t k = 0) const {
    return at<T>(raw_.first_info + k);
  }
};

// Where render() draws: `resize` once, then write RGB rows.
class Image {
 public:
  explicit Image(const pk_canvas& raw) : raw_(raw) {}

  std::span<uint8_t> resize(size_t height, size_t width) {
    uint8_t* pixels = raw_.resize(raw_.context, height, width);
    if (!pixels) throw std::bad_alloc();
    return {pixels, height * width * 3};
  }

 private:
  const pk_canvas& raw_;
};

// Takes an env's state, piece by piece.
class Writer {
 public:
  explicit Writer(const pk_sink& raw) : raw_(raw) {}

  void bytes(const void* data, size_t size) {
    if (raw_.write(raw_.context, data, size)) throw std::bad_alloc();
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void value(const T& value) {
    bytes(&value, sizeof value);
  }

 private:
  const pk_sink& raw_;
};

// Gives an env's state back in the order in which it was written.
class Reader {
 public:
  explicit Reader(std::span<const unsigned char> data) : data_(data) {}

  void bytes(void* out, size_t size) {
    if (size > data_.size()) throw std::invalid_argument("state: too short");
    if (size) std::memcpy(out, data_.data(), size);
    data_ = data_.subspan(size);
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  T value() {
    T value;
    bytes(&value, sizeof value);
    return value;
  }
  size_t left() const { return data_.size(); }
  // To be called last: what is left over is as wrong as what is missing.
  void expect_end() const {
    if (!data_.empty()) throw std::invalid_argument("state: too long");
  }

 private:
  std::span<const unsigned char> data_;
};

}  // namespace poolkit

#endif  // POOLKIT_ENV_H_

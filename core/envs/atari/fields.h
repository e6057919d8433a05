// Objects as bytes and back, field by field: no pointers, no padding, so that equal objects are
// equal bytes. A class lists what it keeps:
//
//   template <class Archive> void fields(Archive& archive) { archive(pc, a, x); }
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace poolkit::atari {

// Hands every field that is a block of bytes to `Archive::block(void*, size_t)`.
template <class Archive>
class EachField {
 public:
  template <class... Fields>
  void operator()(Fields&... fields) {
    (visit(fields), ...);
  }

 private:
  template <class Field>
  void visit(Field& field) {
    auto& archive = static_cast<Archive&>(*this);
    if constexpr (requires { field.fields(archive); }) {
      field.fields(archive);
    } else if constexpr (std::has_unique_object_representations_v<Field> ||
                         std::is_floating_point_v<Field>) {
      static_assert(std::is_trivially_copyable_v<Field> && !std::is_pointer_v<Field>);
      archive.block(&field, sizeof field);
    } else {
      for (auto& element : field) visit(element);
    }
  }
};

class ToBytes : public EachField<ToBytes> {
 public:
  explicit ToBytes(std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  void block(const void* data, size_t size) {
    const auto* first = static_cast<const uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

 private:
  std::vector<uint8_t>& bytes_;
};

// Of bytes that ToBytes made of the same class.
class FromBytes : public EachField<FromBytes> {
 public:
  explicit FromBytes(std::span<const uint8_t> bytes) : left_(bytes) {}

  void block(void* data, size_t size) {
    if (size > left_.size()) throw std::invalid_argument("too few bytes");
    std::memcpy(data, left_.data(), size);
    left_ = left_.subspan(size);
  }
  bool all_read() const { return left_.empty(); }

 private:
  std::span<const uint8_t> left_;
};

}  // namespace poolkit::atari

// Flat arrays with names like "arm/angle" as the nested objects that Python shows, and back.
#ifndef POOLKIT_BINDINGS_STRUCTURE_H_
#define POOLKIT_BINDINGS_STRUCTURE_H_

#include <nanobind/nanobind.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "poolkit/abi.h"

namespace poolkit {

std::vector<std::string> names_of(std::span<const pk_array> arrays);

// The names' tree. A name's parts are keys of a dict; keys that are all digits make a tuple; the
// single name "" is the bare value.
class Structure {
 public:
  // Throws std::invalid_argument where names contradict each other.
  explicit Structure(std::span<const std::string> names);

  // The nested object of `leaves`, which come in the names' order.
  nanobind::object build(std::span<nanobind::object> leaves) const;

  // The leaves of `value`, in the names' order. Throws TypeError or ValueError that names the
  // part of `argument` which has another structure.
  void flatten(nanobind::handle value, std::string_view argument,
               std::vector<nanobind::object>& leaves) const;

  bool bare() const { return nodes_.front().kind == Kind::leaf; }
  size_t leaf_count() const { return leaf_count_; }

 private:
  enum class Kind { leaf, dict, tuple };
  struct Node {
    Kind kind = Kind::leaf;
    size_t leaf = 0;
    nanobind::object key = {};  // in its parent, a dict
    std::string name = {};      // the same, or its digits in a tuple
    std::vector<size_t> children = {};
  };

  void insert(std::string_view name, size_t leaf);
  void settle(size_t node);
  nanobind::object build(const Node& node, std::span<nanobind::object> leaves) const;
  void flatten(const Node& node, nanobind::handle value, const std::string& path,
               std::vector<nanobind::object>& leaves) const;

  std::vector<Node> nodes_;  // the root is the first
  size_t leaf_count_;
};

}  // namespace poolkit

#endif  // POOLKIT_BINDINGS_STRUCTURE_H_

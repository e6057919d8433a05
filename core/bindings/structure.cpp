#include "structure.h"

#include <algorithm>
#include <stdexcept>

#include "type_error.h"

namespace nb = nanobind;

namespace poolkit {
namespace {

bool all_digits(const std::string& key) {
  return !key.empty() &&
         std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::vector<std::string> names_of(std::span<const pk_array> arrays) {
  std::vector<std::string> names;
  for (const pk_array& array : arrays) names.emplace_back(array.name);
  return names;
}

Structure::Structure(std::span<const std::string> names) : leaf_count_(names.size()) {
  nodes_.emplace_back();
  if (names.size() == 1 && names[0].empty()) return;
  nodes_[0].kind = Kind::dict;
  for (size_t i = 0; i < names.size(); ++i) insert(names[i], i);
  for (size_t i = 0; i < nodes_.size(); ++i) settle(i);
}

void Structure::insert(std::string_view name, size_t leaf) {
  const auto contradicts = [&] {
    return std::invalid_argument("array name '" + std::string(name) + "' contradicts another");
  };
  size_t at = 0;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string key(name.substr(begin, end - begin));
    if (key.empty())
      throw std::invalid_argument("array name '" + std::string(name) + "' has an empty part");
    const bool last = end == name.size();
    const auto& children = nodes_[at].children;
    const auto found = std::find_if(children.begin(), children.end(),
                                    [&](size_t child) { return nodes_[child].name == key; });
    if (found != children.end()) {
      at = *found;
      if (last || nodes_[at].kind == Kind::leaf) throw contradicts();
    } else {
      nodes_.push_back({last ? Kind::leaf : Kind::dict, leaf,
                        nb::steal(PyUnicode_InternFromString(key.c_str())), key});
      nodes_[at].children.push_back(nodes_.size() - 1);
      at = nodes_.size() - 1;
    }
    begin = end + 1;
  }
}

// A dict whose keys are 0, 1, ... is a tuple.
void Structure::settle(size_t index) {
  Node& node = nodes_[index];
  const auto digits = [this](size_t child) { return all_digits(nodes_[child].name); };
  if (node.children.empty() || std::none_of(node.children.begin(), node.children.end(), digits))
    return;
  std::vector<size_t> ordered;
  for (size_t position = 0; position < node.children.size(); ++position)
    for (size_t child : node.children)
      if (nodes_[child].name == std::to_string(position)) ordered.push_back(child);
  if (ordered.size() != node.children.size())
    throw std::invalid_argument("array names: the keys of a tuple must be 0, 1, 2, ...");
  node.children = std::move(ordered);
  node.kind = Kind::tuple;
}

nb::object Structure::build(std::span<nb::object> leaves) const {
  return build(nodes_.front(), leaves);
}

nb::object Structure::build(const Node& node, std::span<nb::object> leaves) const {
  if (node.kind == Kind::leaf) return leaves[node.leaf];
  if (node.kind == Kind::tuple) {
    nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(node.children.size())));
    if (!tuple) throw nb::python_error();
    for (size_t i = 0; i < node.children.size(); ++i)
      PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                       build(nodes_[node.children[i]], leaves).release().ptr());
    return tuple;
  }
  nb::object dict = nb::steal(PyDict_New());
  if (!dict) throw nb::python_error();
  for (size_t child : node.children) {
    const nb::object value = build(nodes_[child], leaves);
    if (PyDict_SetItem(dict.ptr(), nodes_[child].key.ptr(), value.ptr()) < 0)
      throw nb::python_error();
  }
  return dict;
}

void Structure::flatten(nb::handle value, std::string_view argument,
                        std::vector<nb::object>& leaves) const {
  leaves.assign(leaf_count_, nb::object());
  if (bare())
    leaves[0] = nb::borrow(value);
  else
    flatten(nodes_.front(), value, std::string(argument), leaves);
}

void Structure::flatten(const Node& node, nb::handle value, const std::string& path,
                        std::vector<nb::object>& leaves) const {
  if (node.kind == Kind::leaf) {
    leaves[node.leaf] = nb::borrow(value);
    return;
  }
  const bool is_tuple = node.kind == Kind::tuple;
  const bool sequence = PyTuple_Check(value.ptr()) || PyList_Check(value.ptr());
  if (is_tuple ? !sequence : !PyDict_Check(value.ptr()))
    throw_type_error(path + ": must be a " + (is_tuple ? "tuple" : "dict"), value);
  if (nb::len(value) != node.children.size())
    throw nb::value_error((path + ": has " + std::to_string(nb::len(value)) +
                           " entries; must have " + std::to_string(node.children.size()))
                              .c_str());
  for (size_t i = 0; i < node.children.size(); ++i) {
    const Node& child = nodes_[node.children[i]];
    const std::string part = path + (is_tuple ? "[" + child.name + "]" : "['" + child.name + "']");
    const nb::object entry =
        is_tuple ? nb::steal(PySequence_GetItem(value.ptr(), static_cast<Py_ssize_t>(i)))
                 : nb::steal(PyObject_GetItem(value.ptr(), child.key.ptr()));
    if (!entry) {
      PyErr_Clear();
      throw nb::value_error((part + ": is missing").c_str());
    }
    flatten(child, entry, part, leaves);
  }
}

}  // namespace poolkit

// What an environment says about itself, for Python: options, arrays, limits.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.h"
#include "env_type.h"
#include "numpy_api.h"
#include "structure.h"
#include "type_error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace poolkit {
namespace {

// The table in a capsule of another module, which may have been built against another poolkit.
const pk_env_api* api_of(nb::handle capsule) {
  if (!PyCapsule_IsValid(capsule.ptr(), POOLKIT_CAPSULE_NAME))
    throw_type_error("an environment is a capsule of a POOLKIT_MODULE", capsule);
  const auto* api =
      static_cast<const pk_env_api*>(PyCapsule_GetPointer(capsule.ptr(), POOLKIT_CAPSULE_NAME));
  if (api->abi_version != POOLKIT_ABI_VERSION)
    throw std::invalid_argument(
        "an environment built for ABI " + std::to_string(api->abi_version) +
        " of poolkit, which here has ABI " + std::to_string(POOLKIT_ABI_VERSION) +
        (api->abi_version < POOLKIT_ABI_VERSION ? ": build it again with this poolkit"
                                                : ": it needs a newer poolkit"));
  return api;
}

struct OptionInfo {
  std::string name;
  std::string doc;
  std::string type;
  nb::object fallback;
};

nb::object to_python(const pk_value& value) {
  switch (value.type) {
    case PK_FLAG:
      return nb::bool_(value.integer != 0);
    case PK_INTEGER:
      return nb::int_(value.integer);
    case PK_REAL:
      return nb::float_(value.real);
    case PK_TEXT:
      return nb::str(value.text, value.size);
    case PK_BYTES:
      return nb::bytes(value.text, value.size);
    default:
      return nb::none();
  }
}

const char* type_name(uint32_t type) {
  constexpr const char* kNames[] = {"None", "bool", "int", "float", "str", "bytes"};
  return kNames[type];
}

std::vector<OptionInfo> options_of(nb::handle capsule) {
  const pk_env_api* api = api_of(capsule);
  std::vector<OptionInfo> options;
  for (const pk_option_spec& option : std::span(api->options, api->option_count))
    options.push_back(
        {option.name, option.doc, type_name(option.type), to_python(option.fallback)});
  return options;
}

OptionValue to_value(const pk_option_spec& declared, nb::handle given) {
  PyObject* object = given.ptr();
  if (given.is_none() && declared.fallback.type == PK_NONE) return {};
  switch (declared.type) {
    case PK_FLAG: {
      nb::object flag = nb::module_::import_("numpy").attr("bool_");
      if (PyBool_Check(object) || nb::isinstance(given, flag)) return PyObject_IsTrue(object) == 1;
      break;
    }
    case PK_INTEGER:
      if (PyIndex_Check(object) && !PyBool_Check(object))
        return nb::cast<int64_t>(nb::steal(PyNumber_Index(object)));
      break;
    case PK_REAL:
      if (!PyBool_Check(object) && PyNumber_Check(object))
        return nb::cast<double>(nb::float_(given));
      break;
    case PK_TEXT:
      if (PyUnicode_Check(object)) return nb::cast<std::string>(given);
      break;
    case PK_BYTES:
      if (PyBytes_Check(object))
        return std::string(PyBytes_AS_STRING(object),
                           static_cast<size_t>(PyBytes_GET_SIZE(object)));
      break;
  }
  throw_type_error(std::string(declared.name) + ": must be " + type_name(declared.type) +
                       (declared.fallback.type == PK_NONE ? " or None" : ""),
                   given);
}

std::shared_ptr<EnvType> make_env_type(nb::handle capsule, const nb::dict& given) {
  const pk_env_api* api = api_of(capsule);
  std::vector<NamedValue> values;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    for (const pk_option_spec& option : std::span(api->options, api->option_count))
      if (name == option.name) values.push_back({name, to_value(option, value)});
    if (values.empty() || values.back().name != name)
      throw nb::type_error((std::string(api->name) + " has no option '" + name + "'").c_str());
  }
  return std::make_shared<EnvType>(api, std::move(values));
}

struct ArrayInfo {
  std::string name;
  nb::object dtype;
  std::string space;
  nb::tuple shape;
  nb::object low, high;
};

// Copies, because the spec's memory ends with its pool.
nb::object bounds(const pk_array& array, const void* from) {
  if (array.bound_count == 0) return nb::none();
  std::vector<npy_intp> shape(array.shape, array.shape + array.ndim);
  const int type = numpy_type(static_cast<pk_dtype>(array.dtype));
  npy_intp count = array.bound_count;
  nb::object flat = nb::steal(PyArray_SimpleNew(1, &count, type));
  if (!flat) throw nb::python_error();
  std::memcpy(PyArray_DATA(as_array(flat)), from,
              static_cast<size_t>(PyArray_NBYTES(as_array(flat))));
  nb::object full = nb::steal(PyArray_SimpleNew(static_cast<int>(array.ndim), shape.data(), type));
  if (!full) throw nb::python_error();
  if (count > 1) return flat.attr("reshape")(full.attr("shape"));
  if (PyArray_CopyInto(as_array(full), as_array(flat)) < 0) throw nb::python_error();
  return full;
}

std::vector<ArrayInfo> describe(const pk_array* arrays, uint32_t count) {
  constexpr const char* kSpaces[] = {"box", "discrete", "binary"};
  std::vector<ArrayInfo> out;
  for (const pk_array& array : std::span(arrays, count)) {
    nb::list shape;
    for (int64_t extent : std::span(array.shape, array.ndim)) shape.append(extent);
    nb::object dtype = nb::steal(reinterpret_cast<PyObject*>(
        PyArray_DescrFromType(numpy_type(static_cast<pk_dtype>(array.dtype)))));
    out.push_back({array.name, dtype, kSpaces[array.space], nb::tuple(shape),
                   bounds(array, array.low), bounds(array, array.high)});
  }
  return out;
}

nb::object nest(const std::vector<std::string>& names, const nb::list& values) {
  if (names.size() != nb::len(values)) throw nb::value_error("one value for each name");
  std::vector<nb::object> leaves;
  for (nb::handle value : values) leaves.push_back(nb::borrow(value));
  return Structure(names).build(leaves);
}

}  // namespace

void bind_spec(nb::module_& m) {
  nb::class_<OptionInfo>(m, "OptionInfo", "An option that an environment declares.")
      .def_ro("name", &OptionInfo::name)
      .def_ro("doc", &OptionInfo::doc)
      .def_ro("type", &OptionInfo::type, "bool, int, float, str or bytes.")
      .def_ro("default", &OptionInfo::fallback, "None: None is accepted.");

  nb::class_<ArrayInfo>(m, "ArrayInfo",
                        "One named array of an environment, without the batch axis.")
      .def_ro("name", &ArrayInfo::name, "Parts between '/' nest.")
      .def_ro("dtype", &ArrayInfo::dtype)
      .def_ro("space", &ArrayInfo::space, "'box', 'discrete' or 'binary'.")
      .def_ro("shape", &ArrayInfo::shape)
      .def_ro("low", &ArrayInfo::low, "Inclusive, of the array's shape; None: unbounded.")
      .def_ro("high", &ArrayInfo::high);

  nb::class_<EnvType>(m, "EnvType", "An environment with its options chosen.")
      .def(nb::new_(&make_env_type), "capsule"_a, "options"_a)
      .def_static(
          "mixed",
          [](const std::vector<std::shared_ptr<EnvType>>& each) {
            return std::make_shared<EnvType>(
                std::vector<std::shared_ptr<const EnvType>>(each.begin(), each.end()));
          },
          "each"_a, "For a pool whose env i has the options of each[i], with the same spaces.")
      .def_prop_ro("name", [](const EnvType& self) { return self.api().name; })
      .def_prop_ro("doc", [](const EnvType& self) { return self.api().doc; })
      .def_prop_ro("observation",
                   [](const EnvType& self) {
                     return describe(self.spec().observation, self.spec().observation_count);
                   })
      .def_prop_ro("action",
                   [](const EnvType& self) {
                     return describe(self.spec().action, self.spec().action_count);
                   })
      .def_prop_ro(
          "info",
          [](const EnvType& self) { return describe(self.spec().info, self.spec().info_count); })
      .def_prop_ro(
          "max_episode_steps", [](const EnvType& self) { return self.spec().max_episode_steps; },
          "The time limit unless make() says another; 0: none.")
      .def_prop_ro(
          "light", [](const EnvType& self) { return self.spec().light != 0; },
          "A step is shorter than queueing it.")
      .def_prop_ro("can_render", [](const EnvType& self) {
        return self.api().render != nullptr || self.api().group_render != nullptr;
      });

  m.def("options_of", &options_of, "capsule"_a, "The options that an environment declares.");
  m.def("nest", &nest, "names"_a, "values"_a,
        "The dicts and tuples that names like 'arm/angle' stand for, with the values in them.");
}

}  // namespace poolkit

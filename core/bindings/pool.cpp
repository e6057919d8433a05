// poolkit._core.Pool.
#include "pool.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bindings.h"
#include "cpus.h"
#include "python_pool.h"
#include "state.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace poolkit {
namespace {

Autoreset read_autoreset(const std::string& name) {
  if (name == "next_step") return Autoreset::next_step;
  if (name == "same_step") return Autoreset::same_step;
  if (name == "disabled") return Autoreset::disabled;
  throw std::invalid_argument("autoreset: must be 'next_step', 'same_step' or 'disabled', not '" +
                              name + "'");
}

std::vector<Seed> every_seed(nb::handle seeds) {
  std::vector<Seed> out;
  for (const auto& seed : read_seeds(seeds)) out.push_back(seed.value());
  return out;
}

// Placement new, as nanobind asks of a constructor that reads its arguments.
void make_pool(PythonPool* self, std::shared_ptr<EnvType> type, size_t num_envs, size_t batch_size,
               size_t num_threads, std::vector<int> affinity, const std::string& autoreset,
               int64_t max_episode_steps, const nb::list& seeds) {
  new (self) PythonPool(std::move(type), {.num_envs = num_envs,
                                          .batch_size = batch_size,
                                          .num_threads = num_threads,
                                          .affinity = std::move(affinity),
                                          .autoreset = read_autoreset(autoreset),
                                          .max_episode_steps = max_episode_steps,
                                          .seeds = every_seed(seeds)});
}

}  // namespace

void bind_pool(nb::module_& m) {
  nb::class_<PythonPool>(m, "Pool", nb::is_weak_referenceable(),
                         "Environments of one type, stepped by worker threads.")
      .def("__init__", &make_pool, "env_type"_a, nb::kw_only(), "num_envs"_a, "batch_size"_a,
           "num_threads"_a, "affinity"_a, "autoreset"_a, "max_episode_steps"_a, "seeds"_a,
           "Seeds are (entropy, spawn key or None), one for each env; an empty affinity is none.")
      .def("send", nb::overload_cast<nb::handle, nb::handle>(&PythonPool::send), "action"_a,
           "env_id"_a.none() = nb::none(),
           "Queue a step of each env of env_id, by default those of the last recv.")
      .def("recv", &PythonPool::recv, "timeout"_a.none() = nb::none(),
           "(observation, reward, terminated, truncated, info) of min(batch_size, pending) envs.")
      .def("step", &PythonPool::step, "action"_a, "send and recv; in lock-step, row i is env i.")
      .def("reset", &PythonPool::reset, "env_id"_a.none() = nb::none(),
           "seeds"_a.none() = nb::none(), "Queue a reset of each env of env_id, by default all.")
      .def("observe", &PythonPool::observe, "env_id"_a.none() = nb::none(),
           "(observation, info) of envs as they are, by default all; counts as a recv.")
      .def("drain", &PythonPool::drain, "Wait for all pending results and drop them.")
      .def("render", &PythonPool::render, "env_id"_a, "uint8[height, width, 3].")
      .def("save", &PythonPool::save, "env_id"_a)
      .def("load", &PythonPool::load, "env_id"_a, "state"_a)
      .def("close", &PythonPool::close)
      .def_prop_ro("pending", &PythonPool::pending)
      .def_prop_ro("closed", &PythonPool::closed);

  m.def(
      "own_state",
      [](const nb::bytes& state) {
        const auto own = own_part({static_cast<const unsigned char*>(state.data()), state.size()});
        return nb::bytes(own.data(), own.size());
      },
      "state"_a, "What the environment's own save() wrote, of the bytes that Pool.save gave.");

  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&PythonPool::close_all));

  m.def(
      "usable_cpu_count", [] { return usable_cpu_count(); },
      "How many CPUs this process may really use: the affinity mask and the cgroup's quota.");
}

}  // namespace poolkit

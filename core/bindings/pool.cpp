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
#include "workers.h"

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

// An int is for all envs; a list has an entry for each.
void read_pool_seed(nb::handle seed, PoolConfig& config) {
  if (PyLong_Check(seed.ptr())) {
    config.seed = nb::cast<uint64_t>(seed);
    return;
  }
  for (nb::handle entry : seed) config.seeds.push_back({nb::cast<uint64_t>(entry)});
}

// Placement new, as nanobind asks of a constructor that reads its arguments.
void make_pool(PythonPool* self, std::shared_ptr<EnvType> type, size_t num_envs, size_t batch_size,
               size_t num_threads, std::vector<std::vector<int>> affinity,
               const std::string& autoreset, int64_t max_episode_steps, nb::handle seed,
               std::shared_ptr<WorkerNodes> workers) {
  PoolConfig config{.num_envs = num_envs,
                    .batch_size = batch_size,
                    .workers = std::move(workers),
                    .num_threads = num_threads,
                    .affinity = std::move(affinity),
                    .autoreset = read_autoreset(autoreset),
                    .max_episode_steps = max_episode_steps};
  read_pool_seed(seed, config);
  new (self) PythonPool(std::move(type), std::move(config));
}

std::shared_ptr<WorkerNodes> make_workers(size_t num_threads,
                                          const std::vector<std::vector<int>>& affinity) {
  return {new WorkerNodes(num_threads, affinity), [](WorkerNodes* workers) {
            if (!workers->forked()) delete workers;
          }};
}

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

nb::dict stats_of(const PythonPool& pool) {
  const Stats stats = pool.stats();
  nb::dict out;
  out["steps"] = stats.steps;
  out["errors"] = stats.errors;
  out["batches"] = stats.batches;
  out["caller_wait"] = seconds(stats.caller_wait);
  out["worker_busy"] = seconds(stats.worker_busy);
  out["queue_wait"] = seconds(stats.queue_wait);
  out["buffers"] = stats.buffers;
  out["buffers_out"] = stats.buffers_out;
  return out;
}

}  // namespace

void bind_pool(nb::module_& m) {
  nb::class_<WorkerNodes>(m, "Workers", "Threads that step the environments of several pools.")
      .def(nb::new_(&make_workers), "num_threads"_a, "affinity"_a)
      .def_prop_ro("num_threads", &WorkerNodes::size);

  nb::class_<PythonPool>(m, "Pool", nb::is_weak_referenceable(),
                         "Environments of one type, stepped by worker threads.")
      .def("__init__", &make_pool, "env_type"_a, nb::kw_only(), "num_envs"_a, "batch_size"_a,
           "num_threads"_a, "affinity"_a, "autoreset"_a, "max_episode_steps"_a, "seed"_a,
           "workers"_a.none() = nb::none(),
           "An int seeds env i with the i-th stream spawned from it, a list with its entry; "
           "affinity has the CPUs of each NUMA node, and an empty one is none.")
      .def("send", nb::overload_cast<nb::handle, nb::handle>(&PythonPool::send), "action"_a.none(),
           "env_id"_a.none() = nb::none(),
           "Queue a step of each env of env_id, by default those of the last recv.")
      .def("recv", &PythonPool::recv, "timeout"_a.none() = nb::none(),
           "(observation, reward, terminated, truncated, info) of min(batch_size, pending) envs.")
      .def("step", &PythonPool::step, "action"_a.none(),
           "send and recv; in lock-step, row i is env i.")
      .def("reset", &PythonPool::reset, "env_id"_a.none() = nb::none(),
           "seeds"_a.none() = nb::none(), "Queue a reset of each env of env_id, by default all.")
      .def("observe", &PythonPool::observe, "env_id"_a.none() = nb::none(),
           "(observation, info) of envs as they are, by default all; counts as a recv.")
      .def("drain", &PythonPool::drain, "Wait for all pending results and drop them.")
      .def("finish", &PythonPool::finish,
           "Drain, but raise the EnvError of an env that failed; what it did not come to stays "
           "pending.")
      .def("idle", &PythonPool::idle, "env_id"_a.none() = nb::none(),
           "The ids, by default all; ValueError for one that is pending or no env's.")
      .def("render", &PythonPool::render, "env_id"_a, "uint8[height, width, 3].")
      .def("save", &PythonPool::save, "env_id"_a.none() = nb::none())
      .def("load", &PythonPool::load, "env_id"_a.none(), "states"_a.none())
      .def("stats", &stats_of, "What it has done so far; times in seconds.")
      .def("close", &PythonPool::close, "timeout"_a.none() = nb::none(),
           "Stop the workers; TimeoutError where an environment does not return.")
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

// poolkit._core's part of Python environments in workers: both sides of the shared memory.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bindings.h"
#include "env_type.h"
#include "fleet.h"
#include "numpy_api.h"
#include "pool.h"
#include "seat.h"
#include "signals.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace poolkit {
namespace {

pk_dtype dtype_of_numpy(PyArray_Descr* descr) {
  for (size_t k = 0; k < kNumpyTypes.size(); ++k)
    if (PyArray_EquivTypenums(kNumpyTypes[k], descr->type_num)) return static_cast<pk_dtype>(k);
  throw nb::type_error("a dtype that shared memory does not carry");
}

std::vector<unsigned char> bytes_of(nb::handle array) {
  if (array.is_none()) return {};
  const auto* data = static_cast<const unsigned char*>(PyArray_DATA(as_array(array)));
  return {data, data + PyArray_NBYTES(as_array(array))};
}

// (name, dtype, space, shape, low, high), the bounds C-contiguous and of the dtype, or None.
Array read_array(nb::handle described) {
  const nb::object dtype = described[1];
  return {nb::cast<std::string>(described[0]),
          dtype_of_numpy(reinterpret_cast<PyArray_Descr*>(dtype.ptr())),
          static_cast<pk_space>(nb::cast<int>(described[2])),
          nb::cast<std::vector<int64_t>>(described[3]),
          bytes_of(described[4]),
          bytes_of(described[5])};
}

std::vector<Array> read_arrays(nb::handle described) {
  std::vector<Array> arrays;
  for (nb::handle one : described) arrays.push_back(read_array(one));
  return arrays;
}

std::shared_ptr<Segment> make_segment(nb::handle observation, nb::handle action, size_t num_envs,
                                      size_t num_workers, bool eager, uint32_t spin, int memory,
                                      int bell) {
  return std::make_shared<Segment>(Plan{.observation = read_arrays(observation),
                                        .action = read_arrays(action),
                                        .num_envs = num_envs,
                                        .num_workers = num_workers,
                                        .eager = eager,
                                        .spin = spin},
                                   memory, bell);
}

// A Python function for threads that do not hold the GIL.
template <class Result, class... Arguments>
std::function<Result(Arguments...)> callable(nb::object function) {
  const std::shared_ptr<nb::object> held(new nb::object(std::move(function)),
                                         [](nb::object* object) {
                                           const nb::gil_scoped_acquire gil;
                                           delete object;
                                         });
  return [held](Arguments... arguments) {
    const nb::gil_scoped_acquire gil;
    try {
      return nb::cast<Result>((*held)(arguments...));
    } catch (nb::python_error& error) {
      throw std::runtime_error(error.what());
    }
  };
}

std::shared_ptr<Fleet> make_fleet(std::shared_ptr<Segment> segment, std::vector<int> watched,
                                  nb::object start, nb::object describe_end, nb::object end) {
  if (watched.size() != segment->plan().num_workers)
    throw nb::value_error("watched: must have a descriptor for each worker");
  return Fleet::add(std::make_shared<Fleet>(
      std::move(segment), std::move(watched),
      Staff{.start = callable<int, size_t>(std::move(start)),
            .describe_end = callable<std::string, size_t>(std::move(describe_end)),
            .end = callable<void>(std::move(end))}));
}

std::shared_ptr<EnvType> type_of(const Fleet& fleet) {
  return std::make_shared<EnvType>(&fleet_api(),
                                   std::vector<NamedValue>{{"fleet", fleet.number()}});
}

void check_signals() {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() < 0) throw nb::python_error();
}

nb::list call(Fleet& fleet, const std::vector<int32_t>& ids, const nb::bytes& question) {
  std::vector<Fleet::Reply> replies;
  {
    const nb::gil_scoped_release release;
    replies = fleet.call(ids, {question.c_str(), question.size()}, check_signals);
  }
  nb::list out;
  for (const Fleet::Reply& reply : replies)
    out.append(nb::make_tuple(static_cast<int>(reply.kind),
                              nb::bytes(reply.message.data(), reply.message.size())));
  return out;
}

void attach(const Fleet& fleet, int32_t id, const nb::bytes& question) {
  fleet.attach(id, {question.c_str(), question.size()});
}

nb::bytes message(const Fleet& fleet, int32_t id, bool before) {
  const std::vector<char> text = fleet.message(id, before);
  return nb::bytes(text.data(), text.size());
}

// The rows of an int32 array of ids whose last answer came with a message.
nb::list with_messages(const Fleet& fleet, nb::handle ids) {
  const auto* values = static_cast<const int32_t*>(PyArray_DATA(as_array(ids)));
  nb::list rows;
  for (npy_intp row = 0; row < PyArray_SIZE(as_array(ids)); ++row)
    if (fleet.message_bytes(values[row])) rows.append(row);
  return rows;
}

// Arrays between shared memory and NumPy, for the Python loop of a worker.
class PythonSeat {
 public:
  PythonSeat(std::shared_ptr<Segment> segment, size_t worker, nb::handle observation_dtypes,
             nb::handle action_dtypes)
      : seat_(segment, worker),
        observation_(leaves_of(segment->plan().observation, observation_dtypes)),
        action_(leaves_of(segment->plan().action, action_dtypes)) {}

  // 4 * id + task.
  int64_t next() {
    std::optional<int32_t> id;
    while (!seat_.over() && !(id = seat_.take())) {
      const nb::gil_scoped_release release;
      seat_.wait();
    }
    if (!id) throw nb::stop_iteration();
    return int64_t{4} * *id + static_cast<int64_t>(env(*id).task);
  }

  // The bare array's value, or a list of all arrays' values.
  nb::object action(int32_t id) const {
    if (action_.size() == 1) return value(id, 0);
    nb::list values;
    for (size_t k = 0; k < action_.size(); ++k) values.append(value(id, k));
    return values;
  }

  uint64_t seed(int32_t id) const { return env(id).seed; }

  // Once.
  nb::bytes question(int32_t id) const {
    const size_t bytes = std::exchange(env(id).question, 0);
    const auto text = seat_.segment().read(id, Message::question, bytes);
    return nb::bytes(text.data(), text.size());
  }

  // `observation`: the bare array's value, or a sequence of all arrays' values.
  void outcome(int32_t id, nb::handle observation, nb::handle reward, nb::handle terminated,
               nb::handle truncated, const nb::bytes& message) {
    if (observation_.size() == 1) {
      put(id, 0, observation);
    } else {
      for (size_t k = 0; k < observation_.size(); ++k) put(id, k, observation[k]);
    }
    const double amount = PyFloat_AsDouble(reward.ptr());
    if (amount == -1 && PyErr_Occurred()) throw_not("reward", "a number", reward);
    seat_.outcome(id, amount, truth("terminated", terminated), truth("truncated", truncated),
                  {message.c_str(), message.size()});
    seat_.answer(id);
  }

  void failure(int32_t id, const std::string& message) {
    seat_.failure(id, message);
    seat_.answer(id);
  }

  void reply(int32_t id, const nb::bytes& message, bool failed) {
    seat_.reply(id, {message.c_str(), message.size()}, failed);
    seat_.answer(id);
  }

 private:
  struct Leaf {
    std::string name;
    nb::object dtype;
    std::vector<npy_intp> shape;
    size_t bytes = 1;

    PyArray_Descr* descr() const { return reinterpret_cast<PyArray_Descr*>(dtype.ptr()); }
    // A new reference, for NumPy's functions that take one away.
    PyArray_Descr* own_descr() const {
      return reinterpret_cast<PyArray_Descr*>(nb::object(dtype).release().ptr());
    }
  };

  static std::vector<Leaf> leaves_of(const std::vector<Array>& arrays, nb::handle dtypes) {
    std::vector<Leaf> leaves;
    for (size_t k = 0; k < arrays.size(); ++k) {
      Leaf leaf{arrays[k].name, dtypes[k], {arrays[k].shape.begin(), arrays[k].shape.end()}};
      leaf.bytes = static_cast<size_t>(PyDataType_ELSIZE(leaf.descr()));
      for (npy_intp extent : leaf.shape) leaf.bytes *= static_cast<size_t>(extent);
      leaves.push_back(std::move(leaf));
    }
    return leaves;
  }

  EnvBlock& env(int32_t id) const { return seat_.segment().env(id); }

  static bool truth(const char* name, nb::handle value) {
    const int yes = PyObject_IsTrue(value.ptr());
    if (yes < 0) throw_not(name, "true or false", value);
    return yes;
  }

  // For what step returned; Python's own error, which does not name it, becomes the cause.
  [[noreturn]] static void throw_not(const char* name, const char* kind, nb::handle value) {
    nb::python_error error;
    nb::raise_from(error, PyExc_TypeError, "step returned a %s that is not %s: %R", name, kind,
                   value.ptr());
    throw nb::python_error();
  }

  nb::object value(int32_t id, size_t k) const {
    const Leaf& leaf = action_[k];
    unsigned char* data = seat_.segment().action(id, k);
    if (leaf.shape.empty()) return nb::steal(PyArray_Scalar(data, leaf.descr(), nullptr));
    // The env's own: the memory is written to again by the next action.
    nb::object array =
        nb::steal(PyArray_Empty(static_cast<int>(leaf.shape.size()),
                                const_cast<npy_intp*>(leaf.shape.data()), leaf.own_descr(), 0));
    if (!array) throw nb::python_error();
    std::memcpy(PyArray_DATA(as_array(array)), data, leaf.bytes);
    return array;
  }

  static bool fits(const Leaf& leaf, nb::handle array) {
    return static_cast<size_t>(PyArray_NDIM(as_array(array))) == leaf.shape.size() &&
           std::equal(leaf.shape.begin(), leaf.shape.end(), PyArray_DIMS(as_array(array)));
  }

  void put(int32_t id, size_t k, nb::handle given) const {
    const Leaf& leaf = observation_[k];
    unsigned char* to = seat_.segment().observation(id, k);
    if (PyArray_Check(given.ptr()) && fits(leaf, given) && PyArray_ISCARRAY_RO(as_array(given)) &&
        PyArray_DESCR(as_array(given))->type_num == leaf.descr()->type_num) {
      std::memcpy(to, PyArray_DATA(as_array(given)), leaf.bytes);
      return;
    }
    const nb::object array = nb::steal(PyArray_FromAny(given.ptr(), nullptr, 0, 0, 0, nullptr));
    if (!array) throw nb::python_error();
    if (!fits(leaf, array)) refuse(leaf, array, "shape");
    if (!PyArray_CanCastArrayTo(as_array(array), leaf.descr(), NPY_SAME_KIND_CASTING))
      refuse(leaf, array, "dtype");
    const nb::object place = nb::steal(PyArray_NewFromDescr(
        &PyArray_Type, leaf.own_descr(), static_cast<int>(leaf.shape.size()),
        const_cast<npy_intp*>(leaf.shape.data()), nullptr, to, NPY_ARRAY_CARRAY, nullptr));
    if (!place || PyArray_CopyInto(as_array(place), as_array(array)) < 0) throw nb::python_error();
  }

  [[noreturn]] static void refuse(const Leaf& leaf, nb::handle array, const char* what) {
    nb::list shape;
    for (npy_intp extent : leaf.shape) shape.append(extent);
    const nb::object wanted = *what == 's' ? nb::object(nb::tuple(shape)) : leaf.dtype;
    const std::string name = leaf.name.empty() ? "" : " " + leaf.name;
    const std::string text = "the observation" + name + " has " + what + " " +
                             nb::str(nb::object(array.attr(what))).c_str() + "; its space has " +
                             nb::str(wanted).c_str();
    if (*what == 's') throw nb::value_error(text.c_str());
    throw nb::type_error(text.c_str());
  }

  Seat seat_;
  const std::vector<Leaf> observation_, action_;
};

// Kills this process when another one has ended, whatever this one is at. `process` is a pidfd.
void die_with(int process) {
  const SignalsBlocked blocked;  // the new thread inherits the mask
  std::thread([process] {
    pollfd watched{process, POLLIN, 0};
    while (poll(&watched, 1, -1) < 0) {
    }
    kill(getpid(), SIGKILL);
  }).detach();
}

}  // namespace

void bind_processes(nb::module_& m) {
  nb::class_<Segment>(m, "Segment", "Memory that a pool shares with workers of Python envs.")
      .def(nb::new_(&make_segment), "observation"_a, "action"_a, nb::kw_only(), "num_envs"_a,
           "num_workers"_a, "eager"_a, "spin"_a, "memory"_a = -1, "bell"_a = -1,
           "memory and bell are descriptors of a Segment of the same plan; -1 makes one.")
      .def_prop_ro("memory", &Segment::memory)
      .def_prop_ro("bell", &Segment::bell)
      .def("first", &Segment::first, "worker"_a, "Worker w has envs first(w) .. first(w + 1) - 1.");

  nb::class_<Fleet>(m, "Fleet", "The pool's side of workers of Python envs.")
      .def(nb::new_(&make_fleet), "segment"_a, "watched"_a, "start"_a, "describe_end"_a, "end"_a)
      .def("env_type", &type_of, "What a Pool is made of, once.")
      .def("call", &call, "ids"_a, "question"_a,
           "(kind, message) of each idle env's worker; kind is 0: answer, 1: failure, 2: its end.")
      .def("attach", &attach, "id"_a, "question"_a, "For the next request of an idle env.")
      .def("message", &message, "id"_a, "before"_a = false,
           "What came with the last answer about an idle env, or the one before.")
      .def("with_messages", &with_messages, "ids"_a,
           "The rows of int32[n] whose env's last answer came with a message.");

  nb::class_<PythonSeat>(m, "Seat", "A worker's side: yields 4 * env + task.")
      .def(nb::init<std::shared_ptr<Segment>, size_t, nb::handle, nb::handle>(), "segment"_a,
           "worker"_a, "observation_dtypes"_a, "action_dtypes"_a)
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &PythonSeat::next)
      .def("action", &PythonSeat::action, "id"_a)
      .def("seed", &PythonSeat::seed, "id"_a)
      .def("question", &PythonSeat::question, "id"_a)
      .def("outcome", &PythonSeat::outcome, "id"_a, "observation"_a.none(), "reward"_a.none(),
           "terminated"_a.none(), "truncated"_a.none(), "message"_a)
      .def("failure", &PythonSeat::failure, "id"_a, "message"_a)
      .def("reply", &PythonSeat::reply, "id"_a, "message"_a, "failed"_a);

  m.def("die_with", &die_with, "process"_a,
        "Kill this process as soon as that of a pidfd has ended, whatever this one is at.");
}

}  // namespace poolkit

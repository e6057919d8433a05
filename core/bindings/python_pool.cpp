#include "python_pool.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <thread>

#include "arrays.h"
#include "numpy_api.h"
#include "type_error.h"

namespace nb = nanobind;

namespace poolkit {
namespace {

std::span<const pk_array> observations(const EnvType& type) {
  return {type.spec().observation, type.spec().observation_count};
}

std::span<const pk_array> actions_of(const EnvType& type) {
  return {type.spec().action, type.spec().action_count};
}

std::vector<std::string> info_names(const EnvType& type) {
  auto names = names_of({type.spec().info, type.spec().info_count});
  for (const char* name : {"env_id", "elapsed_step", "episode_return", "episode_length"})
    names.emplace_back(name);
  return names;
}

std::vector<PythonPool*> live;  // guarded by the GIL

// Lets Ctrl-C end a wait.
void check_signals() {
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() < 0) throw nb::python_error();
}

std::optional<std::chrono::nanoseconds> read_timeout(nb::handle timeout) {
  if (timeout.is_none()) return {};
  const double seconds = PyFloat_AsDouble(timeout.ptr());
  if (PyErr_Occurred() || PyBool_Check(timeout.ptr())) {
    PyErr_Clear();
    throw_type_error("timeout: must be None or seconds", timeout);
  }
  if (!(seconds >= 0)) throw nb::value_error("timeout: must be None or seconds >= 0");
  constexpr double kForever = 1e9;  // about 30 years; more nanoseconds would not fit
  return std::chrono::nanoseconds(static_cast<int64_t>(std::min(seconds, kForever) * 1e9));
}

std::vector<nb::bytes> read_states(nb::handle states, size_t expected) {
  if (!PyList_Check(states.ptr()) && !PyTuple_Check(states.ptr()))
    throw_type_error("states: must be a list of bytes", states);
  if (nb::len(states) != expected)
    throw nb::value_error(("states: has " + std::to_string(nb::len(states)) +
                           " entries; must have " + std::to_string(expected))
                              .c_str());
  std::vector<nb::bytes> out;
  for (nb::handle state : states) {
    if (!PyBytes_Check(state.ptr()))
      throw_type_error("states: row " + std::to_string(out.size()) + " must be bytes", state);
    out.push_back(nb::borrow<nb::bytes>(state));
  }
  return out;
}

std::span<const unsigned char> bytes_of(const nb::bytes& state) {
  return {static_cast<const unsigned char*>(state.data()), state.size()};
}

}  // namespace

// Lets the GIL go, and counts that.
class PythonPool::Outside {
 public:
  explicit Outside(PythonPool& pool) : pool_(pool) {
    ++pool_.outside_;
    thread_ = PyEval_SaveThread();
  }
  ~Outside() {
    PyEval_RestoreThread(thread_);
    --pool_.outside_;
  }
  Outside(const Outside&) = delete;

 private:
  PythonPool& pool_;
  PyThreadState* thread_;
};

PythonPool::PythonPool(std::shared_ptr<EnvType> type, PoolConfig config)
    : pool_(open(std::move(type), std::move(config))),
      ids_(pool_->config().num_envs),
      observation_(names_of(observations(pool_->type()))),
      info_(info_names(pool_->type())),
      all_(pool_->config().num_envs) {
  std::iota(all_.begin(), all_.end(), 0);
  const Layout& layout = pool_->layout();
  for (size_t i = layout.first_info; i < layout.first_engine; ++i) info_columns_.push_back(i);
  for (size_t i = Layout::env_id; i < Layout::engine_columns; ++i)
    info_columns_.push_back(layout.first_engine + i);
  live.push_back(this);
}

// Before all else that grows with the number of envs: too many of them fail here, where it is
// quick.
std::unique_ptr<Pool> PythonPool::open(std::shared_ptr<EnvType> type, PoolConfig config) {
  const Outside outside(*this);
  return std::make_unique<Pool>(std::move(type), std::move(config), check_signals);
}

PythonPool::~PythonPool() {
  std::erase(live, this);
  const Outside outside(*this);
  pool_.reset();
}

void PythonPool::close_all() {
  std::exception_ptr hung;
  std::vector<nb::object> pools;
  for (PythonPool* pool : live) pools.push_back(nb::find(*pool));
  for (const nb::object& object : pools) {
    auto& pool = nb::cast<PythonPool&>(object);
    if (pool.pool_->given_up()) continue;
    try {
      const Outside outside(pool);
      pool.pool_->close(Pool::kLastWait);
    } catch (const Timeout&) {
      hung = std::current_exception();
      continue;
    }
    while (pool.outside_ > 0 && pool.generation_ == fork_generation()) {
      nb::gil_scoped_release release;
      std::this_thread::yield();
    }
  }
  if (hung) std::rethrow_exception(hung);
}

void PythonPool::close(nb::handle timeout) {
  const auto limit = read_timeout(timeout);
  const Outside outside(*this);
  pool_->close(limit, check_signals);
}

void PythonPool::send(nb::handle action, nb::handle env_id) {
  if (env_id.is_none()) {
    if (received_.empty())
      throw UsageError(pool_->closed() ? "the pool is closed"
                                       : "send: without env_id it answers the last recv, and "
                                         "there was none: reset first");
    send(action, std::vector<int32_t>(received_));
  } else {
    send(action, ids_.read(env_id));
  }
}

void PythonPool::send(nb::handle action, std::span<const int32_t> ids) {
  // Its rows are read while the GIL is let go: a second thread needs a reader of its own.
  auto reader = std::move(actions_);
  if (!reader) reader = std::make_unique<ActionReader>(actions_of(pool_->type()));
  const auto rows = reader->read(action, ids);
  try {
    const Outside outside(*this);
    pool_->send(rows, ids);
  } catch (const UsageError&) {
    expect_idle(*pool_, ids);  // the user's mistake, rather than the pool's state
    throw;
  }
  actions_ = std::move(reader);
}

nb::object PythonPool::recv(nb::handle timeout) {
  const auto limit = read_timeout(timeout);
  Batch batch;
  {
    const Outside outside(*this);
    batch = pool_->recv(limit, check_signals);
  }
  return to_python(std::move(batch));
}

nb::object PythonPool::step(nb::handle action) {
  if (lock_step())
    send(action, all_);
  else
    send(action, nb::none());
  return recv(nb::none());
}

void PythonPool::reset(nb::handle env_id, nb::handle seeds) {
  const std::vector<int32_t> ids = read_idle(env_id);
  std::vector<std::optional<Seed>> read;
  if (!seeds.is_none()) read = read_seeds(seeds);
  const Outside outside(*this);
  pool_->reset(ids, read);
}

nb::object PythonPool::observe(nb::handle env_id) {
  std::vector<int32_t> ids = read_idle(env_id);
  Batch batch;
  {
    const Outside outside(*this);
    batch = pool_->observe(ids);
  }
  received_ = std::move(ids);
  const nb::object observation = observation_of(batch.columns, batch.rows);
  return nb::make_tuple(observation, info_of(batch.columns, batch.rows));
}

void PythonPool::drain() {
  const Outside outside(*this);
  pool_->drain(check_signals);
}

void PythonPool::finish() {
  const Outside outside(*this);
  while (pool_->pending() > 0) pool_->recv({}, check_signals);
}

std::vector<int32_t> PythonPool::read_idle(nb::handle env_id, bool twice) {
  if (env_id.is_none()) {
    expect_all_idle(*pool_);
    return all_;
  }
  std::vector<int32_t> ids = ids_.read(env_id, twice);
  expect_idle(*pool_, ids);
  return ids;
}

nb::object PythonPool::render(int32_t id) {
  expect_idle(*pool_, {&id, 1});
  Pool::Frame frame;
  {
    const Outside outside(*this);
    frame = pool_->render(id);
  }
  npy_intp shape[] = {static_cast<npy_intp>(frame.height), static_cast<npy_intp>(frame.width), 3};
  nb::object image = nb::steal(PyArray_SimpleNew(3, shape, NPY_UINT8));
  if (!image) throw nb::python_error();
  std::memcpy(PyArray_DATA(as_array(image)), frame.pixels.data(), frame.pixels.size());
  return image;
}

nb::list PythonPool::save(nb::handle env_id) {
  nb::list states;
  for (int32_t id : read_idle(env_id, true)) {
    std::vector<unsigned char> state;
    {
      const Outside outside(*this);
      state = pool_->save(id);
    }
    states.append(nb::bytes(state.data(), state.size()));
  }
  return states;
}

void PythonPool::load(nb::handle env_id, nb::handle states) {
  const std::vector<int32_t> ids = read_idle(env_id);
  const std::vector<nb::bytes> given = read_states(states, ids.size());
  for (const nb::bytes& state : given) pool_->check_state(bytes_of(state));
  for (size_t row = 0; row < ids.size(); ++row) {
    const std::span bytes = bytes_of(given[row]);
    const Outside outside(*this);
    pool_->load(ids[row], bytes);
  }
}

nb::object PythonPool::observation_of(std::vector<BufferRef>& columns, size_t rows) const {
  std::vector<nb::object> leaves(observation_.leaf_count());
  for (size_t i = 0; i < leaves.size(); ++i)
    leaves[i] = to_numpy(std::move(columns[i]), pool_->layout().columns[i], rows);
  return observation_.build(leaves);
}

nb::object PythonPool::info_of(std::vector<BufferRef>& columns, size_t rows) const {
  std::vector<nb::object> leaves(info_columns_.size());
  for (size_t i = 0; i < leaves.size(); ++i) {
    const size_t column = info_columns_[i];
    leaves[i] = to_numpy(std::move(columns[column]), pool_->layout().columns[column], rows);
  }
  return info_.build(leaves);
}

// (observation, reward, terminated, truncated, info)
nb::object PythonPool::to_python(Batch batch) {
  const Layout& layout = pool_->layout();
  const auto engine = [&](size_t column) {
    const size_t index = layout.first_engine + column;
    return to_numpy(std::move(batch.columns[index]), layout.columns[index], batch.rows);
  };
  const auto* ids =
      static_cast<const int32_t*>(batch.columns[layout.first_engine + Layout::env_id].data());
  received_.assign(ids, ids + batch.rows);

  const nb::object observation = observation_of(batch.columns, batch.rows);
  nb::object info = info_of(batch.columns, batch.rows);
  if (batch.final_mask) {
    const nb::object mask = to_numpy(std::move(batch.final_mask), {"", PK_BOOL, {}, 1}, batch.rows);
    info["final_obs"] = observation_of(batch.final_columns, batch.rows);
    info["final_info"] = info_of(batch.final_columns, batch.rows);
    info["_final_obs"] = mask;
    info["_final_info"] = mask;
  }
  return nb::make_tuple(observation, engine(Layout::reward), engine(Layout::terminated),
                        engine(Layout::truncated), info);
}

}  // namespace poolkit

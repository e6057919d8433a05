#include "pool.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <sstream>
#include <system_error>

#include "aside.h"
#include "collector.h"
#include "finals.h"
#include "fork.h"
#include "patience.h"
#include "roster.h"
#include "state.h"
#include "stepper.h"
#include "workers.h"

namespace poolkit {
namespace {

PoolConfig checked(PoolConfig config, const EnvType& type) {
  const auto require = [](bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
  };
  require(config.num_envs >= 1 && config.num_envs <= INT32_MAX, "num_envs must be at least 1");
  require(config.batch_size >= 1 && config.batch_size <= config.num_envs,
          "batch_size must be in 1 .. num_envs");
  require(config.num_threads >= 1, "num_threads must be at least 1");
  require(config.max_episode_steps >= 0 && config.max_episode_steps <= INT32_MAX,
          "max_episode_steps must be in 0 .. 2**31 - 1");
  require(config.seeds.empty() || config.seeds.size() == config.num_envs,
          "seeds: there must be one for each env");
  require(type.own_options() == 0 || type.own_options() == config.num_envs,
          "options: there must be one set for each env");
  require(!config.workers || !config.workers->forked(),
          "workers: their threads stayed in the parent of this process; make others");
  require(config.allocator != nullptr, "allocator must not be null");
  return config;
}

// The calling thread is one of the threads where it helps. Even then there is a worker, for the
// times when it does not.
size_t worker_count(const EnvType& type, const PoolConfig& config) {
  if (type.grouped()) return 1;  // it has threads of its own
  const bool callers_help = type.spec().light && config.affinity.empty();
  return callers_help && config.num_threads > 1 ? config.num_threads - 1 : config.num_threads;
}

std::shared_ptr<WorkerNodes> workers_of(const EnvType& type, const PoolConfig& config) {
  if (config.workers) return config.workers;
  return std::make_shared<WorkerNodes>(worker_count(type, config), config.affinity);
}

}  // namespace

struct Pool::Impl {
  Impl(std::shared_ptr<const EnvType> type_, PoolConfig config_)
      : type(std::move(type_)),
        config(checked(std::move(config_), *type)),
        layout(make_layout(type->spec())),
        roster(*type, config.num_envs),
        finals(config.autoreset == Autoreset::same_step
                   ? std::make_unique<Finals>(layout, config.num_envs, config.batch_size,
                                              config.allocator)
                   : nullptr),
        collector(layout, config, finals.get()),
        workers(workers_of(*type, config)) {
    const PoolParts parts{*type, config, roster, collector, finals.get(), *workers};
    stepper = type->grouped() ? make_group_stepper(parts) : make_env_stepper(parts);
    for (size_t i = 0; i < config.num_envs; ++i)
      stepper->seed(static_cast<int32_t>(i), config.seeds.empty()
                                                 ? Seed{config.seed, static_cast<uint32_t>(i)}
                                                 : config.seeds[i]);
  }

  // Takes an env out of use for as long as this lives.
  struct Borrowed {
    Borrowed(Impl& pool, int32_t id) : pool(pool), id(id) { pool.collector.borrow(id); }
    ~Borrowed() { pool.collector.release(id); }
    Borrowed(const Borrowed&) = delete;
    Impl& pool;
    const int32_t id;
  };

  // Whether the env can be observed.
  bool shows(int32_t id) const {
    return roster.phase(id) != Phase::unreset && roster.phase(id) != Phase::broken;
  }

  // Ends `self` in a thread of its own, which keeps it until then. Null: it was ended at once.
  static Aside* close(const std::shared_ptr<Impl>& self) {
    self->collector.close();
    const std::lock_guard lock(self->mutex);
    if (self->ended) return nullptr;
    if (self->closing) return &*self->closing;
    try {
      return &self->closing.emplace([self] { self->end(); });
    } catch (const std::system_error&) {  // no more threads: then without giving up
      self->end();
      self->ended = true;
      return nullptr;
    }
  }

  void end() {
    collector.await_leavers();
    stepper->stop();
    if (!config.workers) workers->stop();
  }

  const uint32_t generation = fork_generation();
  const std::shared_ptr<const EnvType> type;
  const PoolConfig config;
  const Layout layout;
  Roster roster;
  const std::unique_ptr<Finals> finals;
  Collector collector;
  const std::shared_ptr<WorkerNodes> workers;
  std::unique_ptr<Stepper> stepper;
  std::atomic<bool> given_up{false};
  std::mutex mutex;  // of what follows
  std::optional<Aside> closing;
  bool ended = false;
};

Pool::Pool(std::shared_ptr<const EnvType> type, PoolConfig config, const Interrupt& interrupt) {
  const auto built = std::make_shared<std::shared_ptr<Impl>>();
  Aside building([built, type = std::move(type), config = std::move(config)] {
    *built = std::make_shared<Impl>(type, config);
  });
  Patience patience({}, interrupt);
  building.wait(patience);
  impl_ = std::move(*built);
}

Pool::~Pool() {
  // In a forked child there are no workers to join, and locks may be held for ever: leave it all.
  if (impl_->generation != fork_generation()) {
    static_cast<void>(new std::shared_ptr<Impl>(std::move(impl_)));
    return;
  }
  if (impl_->given_up.load()) return;
  try {
    close(kLastWait);
  } catch (const Timeout&) {
  }
}

Pool::Impl& Pool::usable() const {
  if (impl_->generation != fork_generation())
    throw UsageError("this pool was forked: its threads stayed in the parent; make another one");
  return *impl_;
}

const EnvType& Pool::type() const { return *impl_->type; }
const PoolConfig& Pool::config() const { return impl_->config; }
const Layout& Pool::layout() const { return impl_->layout; }

void Pool::send(std::span<const void* const> actions, std::span<const int32_t> ids) {
  Impl& pool = usable();
  if (actions.size() != pool.type->spec().action_count)
    throw std::invalid_argument("send: one pointer for each action array");
  const RowRange rows = pool.collector.admit(ids, &pool.roster);
  pool.roster.store_actions(actions, ids);
  pool.stepper->start(ids, rows);
}

void Pool::reset(std::span<const int32_t> ids, std::span<const std::optional<Seed>> seeds) {
  Impl& pool = usable();
  if (!seeds.empty() && seeds.size() != ids.size())
    throw std::invalid_argument("reset: no seeds, or one for each env");
  const RowRange rows = pool.collector.admit(ids, nullptr);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!seeds.empty() && seeds[i]) pool.stepper->seed(ids[i], *seeds[i]);
    pool.roster.phase(ids[i]) = Phase::resetting;
  }
  pool.stepper->start(ids, rows);
}

Batch Pool::recv(std::optional<std::chrono::nanoseconds> timeout, const Interrupt& interrupt) {
  Impl& pool = usable();
  Patience patience(timeout, interrupt);
  Source* const helper = pool.stepper->helper(!patience.unlimited());
  if (!helper) pool.stepper->call_workers();
  return pool.collector.receive(patience, helper);
}

void Pool::drain(const Interrupt& interrupt) {
  while (pending() > 0) {
    try {
      recv({}, interrupt);
    } catch (const EnvError&) {
    }
  }
}

Batch Pool::observe(std::span<const int32_t> ids) {
  Impl& pool = usable();
  ColumnStores stores(pool.layout, ids.size(), pool.config.allocator);
  Batch batch;
  batch.rows = ids.size();
  stores.take(batch.columns);
  std::vector<void*> data;
  for (const BufferRef& column : batch.columns) data.push_back(column.data());
  pk_view row = stores.shape().view(data.data());
  for (size_t i = 0; i < ids.size(); ++i) {
    const Impl::Borrowed borrowed(pool, ids[i]);
    row.row = i;
    pk_error error{};
    if (!pool.shows(ids[i])) {
      const std::vector<size_t>& bytes = stores.shape().bytes();
      for (size_t k = 0; k < data.size(); ++k)
        std::memset(row_of(data[k], bytes[k], i), 0, bytes[k]);
      static_cast<int32_t*>(data[pool.layout.first_engine + Layout::env_id])[i] = ids[i];
      continue;
    }
    if (pool.stepper->observe(ids[i], row, error)) throw EnvError(ids[i], error.message);
    EngineColumns(data.data() + pool.layout.first_engine)
        .write(i, ids[i], {}, pool.roster[ids[i]].episode);
  }
  return batch;
}

Stats Pool::stats() const {
  const Impl& pool = usable();
  Stats stats = pool.collector.stats();
  stats.worker_busy = pool.stepper->busy();
  stats.queue_wait = pool.stepper->queue_wait();
  return stats;
}

size_t Pool::pending() const { return usable().collector.owed(); }
bool Pool::is_pending(int32_t id) const { return usable().collector.is_pending(id); }

Pool::Frame Pool::render(int32_t id) {
  Impl& pool = usable();
  const Impl::Borrowed borrowed(pool, id);
  if (!pool.stepper->can_render())
    throw UsageError(std::string(pool.type->api().name) + " cannot be rendered");
  if (!pool.shows(id))
    throw UsageError("env " + std::to_string(id) + " cannot be rendered before it is reset");
  Frame frame;
  const pk_canvas canvas{&frame, [](void* context, size_t height, size_t width) -> uint8_t* {
                           auto& frame = *static_cast<Frame*>(context);
                           try {
                             frame.pixels.assign(height * width * 3, 0);
                           } catch (const std::bad_alloc&) {
                             return nullptr;
                           }
                           frame.height = height;
                           frame.width = width;
                           return frame.pixels.data();
                         }};
  pk_error error{};
  if (pool.stepper->render(id, canvas, error)) throw EnvError(id, error.message);
  return frame;
}

std::vector<unsigned char> Pool::save(int32_t id) {
  Impl& pool = usable();
  const Impl::Borrowed borrowed(pool, id);
  return save_state(*pool.type, pool.roster, id);
}

void Pool::load(int32_t id, std::span<const unsigned char> state) {
  Impl& pool = usable();
  const Impl::Borrowed borrowed(pool, id);
  load_state(*pool.type, pool.roster, id, state);
}

void Pool::check_state(std::span<const unsigned char> state) const {
  poolkit::check_state(*usable().type, state);
}

void Pool::close(std::optional<std::chrono::nanoseconds> timeout, const Interrupt& interrupt) {
  if (impl_->generation != fork_generation()) return;
  Aside* const closing = Impl::close(impl_);
  Patience patience(timeout, interrupt);
  if (!closing || closing->wait(patience)) return;
  impl_->given_up.store(true);
  std::ostringstream text;
  text << "close: an environment of " << impl_->type->api().name
       << " does not return; its thread is left behind (envs with work pending:";
  for (int32_t id : impl_->collector.pending_ids()) text << ' ' << id;
  throw Timeout(text.str() + ")");
}

bool Pool::given_up() const { return impl_->given_up.load(); }

bool Pool::closed() const {
  return impl_->generation != fork_generation() || impl_->collector.closed();
}

}  // namespace poolkit

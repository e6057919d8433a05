#include "segment.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <system_error>

namespace poolkit {
namespace {

constexpr size_t kLine = 64;
constexpr int64_t kMessageRoom = int64_t{1} << 34;  // bytes of the file; only written ones exist

size_t aligned(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace

Segment::Rows::Rows(const std::vector<Array>& arrays) {
  constexpr size_t kSizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  for (const Array& array : arrays) {
    size_t size = kSizes[array.dtype];
    for (int64_t extent : array.shape) size *= static_cast<size_t>(extent);
    bytes.push_back(size);
    offset.push_back(stride);
    stride += (size + 15) / 16 * 16;
  }
  stride = aligned(stride);
}

Segment::Segment(Plan plan, int memory, int bell)
    : plan_(std::move(plan)),
      observation_(plan_.observation),
      action_(plan_.action),
      memory_(memory),
      bell_(bell) {
  size_t most = 1;
  for (size_t w = 0; w < plan_.num_workers; ++w) {
    const auto count = static_cast<size_t>(first(w + 1) - first(w));
    most = std::max(most, count);
    worker_of_.insert(worker_of_.end(), count, w);
  }
  ring_mask_ = std::bit_ceil(static_cast<uint32_t>(most)) - 1;
  const auto place = [this](size_t bytes) {
    const size_t at = size_;
    size_ += aligned(bytes);
    return at;
  };
  place(sizeof(Header));
  workers_at_ = place(plan_.num_workers * sizeof(WorkerBlock));
  envs_at_ = place(plan_.num_envs * sizeof(EnvBlock));
  rings_at_ = place(plan_.num_workers * 2 * aligned((ring_mask_ + 1) * sizeof(int32_t)));
  actions_at_ = place(plan_.num_envs * action_.stride);
  observations_at_ = place(plan_.num_envs * observation_.stride);

  const bool made = memory_ < 0;
  if (made) {
    memory_ = memfd_create("poolkit", MFD_CLOEXEC);
    bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  }
  void* base = MAP_FAILED;
  if (memory_ >= 0 && bell_ >= 0 && (!made || ftruncate(memory_, static_cast<off_t>(size_)) == 0))
    base = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
  if (base == MAP_FAILED) {
    const int reason = errno;
    if (memory_ >= 0) close(memory_);
    if (bell_ >= 0) close(bell_);
    errno = reason;
    fail("shared memory for the workers");
  }
  base_ = static_cast<unsigned char*>(base);
}

Segment::~Segment() {
  munmap(base_, size_);
  close(memory_);
  close(bell_);
}

int32_t Segment::first(size_t worker) const {
  return static_cast<int32_t>(worker * plan_.num_envs / plan_.num_workers);
}

WorkerBlock& Segment::worker(size_t w) const {
  return reinterpret_cast<WorkerBlock*>(base_ + workers_at_)[w];
}

EnvBlock& Segment::env(int32_t id) const {
  return reinterpret_cast<EnvBlock*>(base_ + envs_at_)[id];
}

int32_t* Segment::ring(size_t w, size_t which) const {
  const size_t bytes = aligned((ring_mask_ + 1) * sizeof(int32_t));
  return reinterpret_cast<int32_t*>(base_ + rings_at_ + (2 * w + which) * bytes);
}

unsigned char* Segment::observation(int32_t id, size_t k) const {
  return base_ + observations_at_ + static_cast<size_t>(id) * observation_.stride +
         observation_.offset[k];
}

unsigned char* Segment::action(int32_t id, size_t k) const {
  return base_ + actions_at_ + static_cast<size_t>(id) * action_.stride + action_.offset[k];
}

int64_t Segment::place_of(int32_t id, Message which) const {
  return static_cast<int64_t>((size_ + 4095) / 4096 * 4096) +
         (int64_t{4} * id + static_cast<int64_t>(which)) * kMessageRoom;
}

void Segment::write(int32_t id, Message which, std::string_view message) const {
  if (static_cast<int64_t>(message.size()) > kMessageRoom) {
    errno = EFBIG;
    fail("a message between the pool and its workers");
  }
  for (int64_t at = place_of(id, which); !message.empty();) {
    const ssize_t n = pwrite(memory_, message.data(), message.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("a message between the pool and its workers");
    message.remove_prefix(static_cast<size_t>(n));
    at += n;
  }
}

std::vector<char> Segment::read(int32_t id, Message which, size_t bytes) const {
  std::vector<char> message(bytes);
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = pread(memory_, message.data() + done, bytes - done,
                            place_of(id, which) + static_cast<int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("a message between the pool and its workers");
    done += static_cast<size_t>(n);
  }
  return message;
}

void Segment::ring_bell() const {
  Header& h = header();
  // Seq_cst: the pool listens, then looks for answers; these were published before.
  if (h.listening.load() == 0 || h.listening.exchange(0) == 0) return;
  const uint64_t one = 1;
  static_cast<void>(!::write(bell_, &one, sizeof one));  // it counts; more than one is one
}

}  // namespace poolkit

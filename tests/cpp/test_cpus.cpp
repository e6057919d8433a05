// CPUs: the allowed set, cgroup quotas read below a root of the test's own, and affinity.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "check.h"
#include "cpus.h"
#include "workers.h"

namespace poolkit::tests {
namespace {

namespace fs = std::filesystem;

// A file system root with the files that a test puts there.
class Root {
 public:
  Root() : path_(fs::temp_directory_path() / ("poolkit-root-" + std::to_string(getpid()))) {
    fs::remove_all(path_);
  }
  ~Root() { fs::remove_all(path_); }
  Root(const Root&) = delete;

  Root& put(const std::string& file, const std::string& content) {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << content;
    return *this;
  }
  size_t cpus() const { return usable_cpu_count(path_.string()); }

 private:
  fs::path path_;
};

// Runs `body` in a thread that may use only these CPUs.
void with_cpus(const std::vector<int>& cpus, const auto& body) {
  std::thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int cpu : cpus) CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    body();
  }).join();
}

TEST(the_allowed_cpus_are_those_of_the_affinity_mask) {
  const int first = allowed_cpus().front();
  with_cpus({first}, [&] { CHECK_EQUAL(allowed_cpus(), std::vector<int>{first}); });
}

TEST(without_a_quota_all_allowed_cpus_are_usable) {
  const size_t all = allowed_cpus().size();
  Root root;
  CHECK_EQUAL(root.cpus(), all);
  root.put("proc/self/cgroup", "0::/user/job\n").put("sys/fs/cgroup/cpu.max", "max 100000\n");
  CHECK_EQUAL(root.cpus(), all);
}

TEST(a_quota_of_cgroup_v2_is_rounded_up) {
  const size_t all = allowed_cpus().size();
  Root root;
  root.put("proc/self/cgroup", "0::/user/job\n");
  root.put("sys/fs/cgroup/user/job/cpu.max", "100000 100000\n");
  CHECK_EQUAL(root.cpus(), 1u);
  root.put("sys/fs/cgroup/user/job/cpu.max", "110000 100000\n");
  CHECK_EQUAL(root.cpus(), std::min<size_t>(2, all));
  root.put("sys/fs/cgroup/user/job/cpu.max", "5000 100000\n");
  CHECK_EQUAL(root.cpus(), 1u);
  root.put("sys/fs/cgroup/user/job/cpu.max", "99900000 100000\n");
  CHECK_EQUAL(root.cpus(), all);
}

TEST(a_quota_of_a_group_above_counts) {
  Root root;
  root.put("proc/self/cgroup", "0::/user/job\n");
  root.put("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  root.put("sys/fs/cgroup/user/cpu.max", "50000 100000\n");
  CHECK_EQUAL(root.cpus(), 1u);
}

TEST(in_a_container_the_quota_lies_at_the_mount) {
  Root root;
  root.put("proc/self/cgroup", "0::/not/visible/here\n");
  root.put("sys/fs/cgroup/cpu.max", "100000 100000\n");
  CHECK_EQUAL(root.cpus(), 1u);
}

TEST(a_quota_of_cgroup_v1_counts) {
  const size_t all = allowed_cpus().size();
  for (const char* folder : {"cpu,cpuacct", "cpu"}) {
    const std::string group = std::string("sys/fs/cgroup/") + folder + "/job/";
    Root root;
    root.put("proc/self/cgroup", "7:memory:/job\n4:cpu,cpuacct:/job\n");
    root.put(group + "cpu.cfs_period_us", "50000\n").put(group + "cpu.cfs_quota_us", "50000\n");
    CHECK_EQUAL(root.cpus(), 1u);
    root.put(group + "cpu.cfs_quota_us", "-1\n");
    CHECK_EQUAL(root.cpus(), all);
  }
}

TEST(files_that_make_no_sense_are_no_limit) {
  Root root;
  root.put("proc/self/cgroup", "nonsense\n0::/job\n").put("sys/fs/cgroup/job/cpu.max", "many\n");
  CHECK_EQUAL(root.cpus(), allowed_cpus().size());
}

TEST(a_cpu_outside_the_allowed_set_is_refused) {
  CHECK_THROWS(std::invalid_argument, "CPU 100000", Workers(1, {100000}));
  CHECK_THROWS(std::invalid_argument, "CPU -1", Workers(1, {-1}));
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() > 1)
    with_cpus({cpus[0]},
              [&] { CHECK_THROWS(std::invalid_argument, "CPU", Workers(1, {cpus[1]})); });
}

// Notes on which CPUs its workers may run.
class Where : public Source {
 public:
  explicit Where(int rounds) : left_(rounds) {}
  bool work() override {
    if (left_.fetch_sub(1) <= 0) return false;
    const std::vector<int> cpus = allowed_cpus();
    const std::lock_guard lock(mutex_);
    seen_.insert(seen_.end(), cpus.begin(), cpus.end());
    return true;
  }
  bool has_work() const override { return left_.load() > 0; }
  const std::vector<int>& seen() const { return seen_; }

 private:
  std::atomic<int> left_;
  std::mutex mutex_;
  std::vector<int> seen_;
};

TEST(workers_run_where_they_are_told_to) {
  const int last = allowed_cpus().back();
  Where where(20);
  Workers workers(2, {last});
  workers.attach(where);
  workers.wake(2);
  while (where.has_work()) std::this_thread::yield();
  workers.detach(where);
  CHECK_EQUAL(where.seen(), std::vector<int>(20, last));
}

}  // namespace
}  // namespace poolkit::tests

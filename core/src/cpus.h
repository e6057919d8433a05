// Which CPUs, and how much of them, this process may really use.
#ifndef POOLKIT_SRC_CPUS_H_
#define POOLKIT_SRC_CPUS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace poolkit {

// The affinity mask of the calling thread, ascending.
std::vector<int> allowed_cpus();

// min(allowed CPUs, the cgroup's CPU quota rounded up), at least 1. `root` is put before
// /proc/self/cgroup and /sys/fs/cgroup (cgroup v1 and v2).
size_t usable_cpu_count(const std::string& root = "");

}  // namespace poolkit

#endif  // POOLKIT_SRC_CPUS_H_

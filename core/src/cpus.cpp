#include "cpus.h"

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

namespace poolkit {
namespace {

// CPUs that quota/period allow, e.g. 1.5; none: no limit.
using Quota = std::optional<double>;

Quota smaller(Quota a, Quota b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

Quota quota_v2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");  // "max 100000" or "150000 100000"
  double quota = 0, period = 0;
  if (file >> quota >> period && quota > 0 && period > 0) return quota / period;
  return {};
}

Quota quota_v1(const std::string& folder) {
  double quota = 0, period = 0;
  std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;  // -1: no limit
  std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  if (quota > 0 && period > 0) return quota / period;
  return {};
}

// The tightest quota of the group `path` and of all groups above it. In a container the group's
// own path may not exist below `mount`; the limit is then found at the mount itself.
Quota tightest(const std::string& mount, std::string path, Quota (*read)(const std::string&)) {
  Quota quota = read(mount);
  while (path.size() > 1) {
    quota = smaller(quota, read(mount + path));
    path.resize(path.rfind('/'));
  }
  return quota;
}

Quota cgroup_quota(const std::string& root) {
  Quota quota;
  std::ifstream groups(root + "/proc/self/cgroup");  // lines of id:controllers:path
  for (std::string line; std::getline(groups, line);) {
    std::istringstream fields(line);
    std::string id, controllers, path;
    std::getline(fields, id, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    const std::string mount = root + "/sys/fs/cgroup";
    if (controllers.empty())
      quota = smaller(quota, tightest(mount, path, quota_v2));
    else if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      for (const std::string& name : {controllers, std::string("cpu")})
        quota = smaller(quota, tightest(mount + "/" + name, path, quota_v1));
  }
  return quota;
}

}  // namespace

#if defined(__linux__)
std::vector<int> allowed_cpus() {
  // The kernel's mask may be larger than cpu_set_t; it says so with an error.
  for (size_t size = CPU_SETSIZE; size <= (1u << 20); size *= 2) {
    cpu_set_t* set = CPU_ALLOC(size);
    if (!set) break;
    const size_t bytes = CPU_ALLOC_SIZE(size);
    std::vector<int> cpus;
    if (sched_getaffinity(0, bytes, set) == 0)
      for (size_t cpu = 0; cpu < size; ++cpu)
        if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(static_cast<int>(cpu));
    CPU_FREE(set);
    if (!cpus.empty()) return cpus;
  }
  return {0};
}
#else
std::vector<int> allowed_cpus() {
  std::vector<int> cpus(std::max(1u, std::thread::hardware_concurrency()));
  std::iota(cpus.begin(), cpus.end(), 0);
  return cpus;
}
#endif

size_t usable_cpu_count(const std::string& root) {
  const size_t allowed = allowed_cpus().size();
  const Quota quota = cgroup_quota(root);
  if (!quota) return allowed;
  const auto whole = static_cast<size_t>(*quota);
  const size_t rounded = static_cast<double>(whole) < *quota ? whole + 1 : whole;
  return std::clamp<size_t>(rounded, 1, allowed);
}

}  // namespace poolkit

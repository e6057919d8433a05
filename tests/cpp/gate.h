// What debug::Slow's action 1 waits for.
#ifndef POOLKIT_TESTS_GATE_H_
#define POOLKIT_TESTS_GATE_H_

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace poolkit::tests {

class Gate {
 public:
  Gate() {
    static std::atomic<int> number{0};
    path_ = (std::filesystem::temp_directory_path() /
             ("poolkit-gate-" + std::to_string(getpid()) + "-" + std::to_string(++number)))
                .string();
  }
  ~Gate() {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".waits");
  }
  Gate(const Gate&) = delete;

  const std::string& path() const { return path_; }
  // Returns once an env is there.
  void await_waiter() const {
    while (!std::filesystem::exists(path_ + ".waits")) std::this_thread::yield();
  }
  void open() const { std::ofstream(path_).flush(); }

 private:
  std::string path_;
};

}  // namespace poolkit::tests

#endif  // POOLKIT_TESTS_GATE_H_

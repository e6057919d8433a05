// The test harness: TEST(name) { CHECK(...); }, each file a program.
#ifndef POOLKIT_TESTS_CHECK_H_
#define POOLKIT_TESTS_CHECK_H_

#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace check {

struct Failed : std::logic_error {
  using std::logic_error::logic_error;
};

struct Case {
  const char* name;
  void (*body)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

inline bool add(const char* name, void (*body)()) {
  cases().push_back({name, body});
  return true;
}

[[noreturn]] inline void fail(const char* file, int line, const std::string& what) {
  throw Failed(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

template <class T>
std::string show(const T& value) {
  if constexpr (requires(std::ostream& out) { out << value; }) {
    std::ostringstream out;
    out.precision(17);
    out << value;
    return out.str();
  } else if constexpr (requires { value.begin(); }) {
    std::string text = "[";
    for (const auto& item : value) text += (text.size() > 1 ? ", " : "") + show(item);
    return text + "]";
  } else {
    return "?";
  }
}

template <class A, class B>
void equal(const A& a, const B& b, const char* text, const char* file, int line) {
  if (!(a == b)) fail(file, line, std::string(text) + ": " + show(a) + " is not " + show(b));
}

inline int run(int argc, char** argv) {
  int failures = 0;
  for (const Case& test : cases()) {
    if (argc > 1 && std::string(test.name).find(argv[1]) == std::string::npos) continue;
    try {
      test.body();
      std::printf("ok    %s\n", test.name);
    } catch (const std::exception& e) {
      ++failures;
      std::printf("FAIL  %s\n      %s\n", test.name, e.what());
    }
    std::fflush(stdout);
  }
  return failures != 0;
}

}  // namespace check

#define TEST(NAME)                                                           \
  static void NAME();                                                        \
  [[maybe_unused]] static const bool added_##NAME = check::add(#NAME, NAME); \
  static void NAME()

#define CHECK(CONDITION) \
  if (!(CONDITION)) check::fail(__FILE__, __LINE__, #CONDITION)

#define CHECK_EQUAL(A, B) check::equal(A, B, #A " == " #B, __FILE__, __LINE__)

// Evaluates to nothing; checks that the expression throws E with a message that contains TEXT.
#define CHECK_THROWS(E, TEXT, ...)                                                   \
  do {                                                                               \
    bool thrown = false;                                                             \
    try {                                                                            \
      static_cast<void>(__VA_ARGS__);                                                \
    } catch (const E& e) {                                                           \
      thrown = true;                                                                 \
      if (std::string(e.what()).find(TEXT) == std::string::npos)                     \
        check::fail(__FILE__, __LINE__, std::string("message is: ") + e.what());     \
    }                                                                                \
    if (!thrown) check::fail(__FILE__, __LINE__, #__VA_ARGS__ " did not throw " #E); \
  } while (false)

int main(int argc, char** argv) { return check::run(argc, argv); }

#endif  // POOLKIT_TESTS_CHECK_H_

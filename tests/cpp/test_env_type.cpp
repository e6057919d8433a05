// What an environment must say of itself, and what a user may say of its options.
#include <limits>

#include "check.h"
#include "debug/counter.h"
#include "pools.h"

namespace poolkit::tests {
namespace {

using std::vector;

// Shows the options it was given as its spec's time limit and names.
struct Optional {
  static vector<OptionSpec> options() {
    return {option::integer("steps", 5, ""), option::real("rate", 0.5, ""),
            option::flag("on", {}, ""), option::text("name", "x", ""),
            option::bytes("rom", {}, "")};
  }
  static Spec spec(const Options& options) {
    Spec spec{.observation = {array<float>(std::string(options.text("name")), {1})},
              .action = {discrete("", 2)},
              .max_episode_steps = options.integer("steps")};
    if (options.has("on")) spec.info.push_back(array<bool>(options.flag("on") ? "on" : "off"));
    if (options.real("rate") != 0.5) spec.info.push_back(array<bool>("rated"));
    if (options.has("rom"))
      spec.info.push_back(array<bool>(std::to_string(options.bytes("rom").size())));
    return spec;
  }
};

// The table of a class that is never built: only its options and its spec are asked for.
template <class E>
pk_env_api table() {
  pk_env_api api = env_api<debug::Counter>("Tested");
  detail::fill_common<E>(api, "Tested", "");
  return api;
}

EnvType optional(vector<NamedValue> values) {
  static const pk_env_api api = table<Optional>();
  return EnvType(&api, std::move(values));
}

TEST(options_have_defaults) {
  const EnvType type = optional({});
  CHECK_EQUAL(type.spec().max_episode_steps, 5);
  CHECK_EQUAL(std::string(type.spec().observation[0].name), "x");
  CHECK_EQUAL(type.spec().info_count, 0u);
}

TEST(options_arrive) {
  const EnvType type = optional({{"steps", int64_t{9}},
                                 {"rate", int64_t{1}},
                                 {"on", false},
                                 {"name", std::string("y")},
                                 {"rom", std::string("\0\1\2", 3)}});
  CHECK_EQUAL(type.spec().max_episode_steps, 9);
  CHECK_EQUAL(std::string(type.spec().observation[0].name), "y");
  CHECK_EQUAL(std::string(type.spec().info[0].name), "off");
  CHECK_EQUAL(std::string(type.spec().info[1].name), "rated");
  CHECK_EQUAL(std::string(type.spec().info[2].name), "3");
}

TEST(wrong_options_are_refused) {
  CHECK_THROWS(std::invalid_argument, "unknown option 'step'; it takes steps, rate",
               optional({{"step", int64_t{1}}}));
  CHECK_THROWS(std::invalid_argument, "'steps' must be int", optional({{"steps", 1.5}}));
  CHECK_THROWS(std::invalid_argument, "'steps' must be int", optional({{"steps", true}}));
  CHECK_THROWS(std::invalid_argument, "'on' must be bool or None", optional({{"on", int64_t{1}}}));
  CHECK_THROWS(std::invalid_argument, "'rate' must be float",
               optional({{"rate", std::string("1")}}));
  CHECK_THROWS(std::invalid_argument, "'name' must not be None",
               optional({{"name", std::monostate()}}));
  CHECK_EQUAL(optional({{"on", std::monostate()}}).spec().info_count, 0u);
}

TEST(an_error_of_the_environment_is_passed_on) {
  CHECK_THROWS(std::invalid_argument, "already taken: name", [] {
    struct Refusing {
      static Spec spec(const Options&) { throw std::runtime_error("already taken: name"); }
    };
    static const pk_env_api api = table<Refusing>();
    return EnvType(&api, {}).spec().light;
  }());
}

TEST(a_table_of_another_abi_is_refused) {
  pk_env_api api = env_api<debug::Counter>("Old");
  api.abi_version = POOLKIT_ABI_VERSION + 1;
  CHECK_THROWS(std::invalid_argument, "Old: built for poolkit's ABI 2", EnvType(&api, {}));
  api = env_api<debug::Counter>("Old");
  api.struct_size = 40;
  CHECK_THROWS(std::invalid_argument, "too short", EnvType(&api, {}));
  api = env_api<debug::Counter>("Old");
  api.step = nullptr;
  CHECK_THROWS(std::invalid_argument, "neither", EnvType(&api, {}));
  api = env_api<debug::Counter>("Old");
  api.load = nullptr;
  CHECK_THROWS(std::invalid_argument, "neither", EnvType(&api, {}));
}

// What is said of a spec.
std::string verdict(Spec spec) {
  static Spec given;
  struct Given {
    static Spec spec(const Options&) { return given; }
  };
  static const pk_env_api api = table<Given>();
  given = std::move(spec);
  try {
    EnvType(&api, {});
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "fine";
}

// A spec that is fine but for this observation, or this info.
std::string verdict(Array observation) {
  return verdict(Spec{.observation = {std::move(observation)}, .action = {discrete("", 2)}});
}
std::string verdict_of_info(const std::string& name) {
  return verdict(Spec{.observation = {array<float>("")},
                      .action = {discrete("", 2)},
                      .info = {array<float>(name)}});
}

TEST(specs_that_make_no_sense_are_refused) {
  const auto says = [](const std::string& verdict, const char* text) {
    CHECK(verdict.find(text) != std::string::npos);
  };
  CHECK_EQUAL(verdict(array<float>("", {2, 3})), "fine");
  CHECK_EQUAL(verdict_of_info("reward"), "fine");
  says(verdict(Spec{.observation = {}, .action = {discrete("", 2)}}), "needs an observation");
  says(verdict(Spec{.observation = {array<float>("")}, .action = {}}), "and an action");
  says(verdict(array<float>("", {2, 0})), "extents must be positive");
  says(verdict(array<float>("", {-1})), "extents must be positive");
  says(verdict(array<float>("", {1 << 30, 1 << 30, 1 << 30})), "not absurd");
  says(verdict(box<float>("", {2}, 1, -1)), "low is not below high");
  says(verdict(box<float>("", {2}, std::numeric_limits<float>::quiet_NaN(), 1)), "low is not");
  says(verdict(discrete("", 0)), "low is not below high");
  Array half = array<float>("");
  half.space = PK_DISCRETE;
  says(verdict(half), "does not fit its dtype");
  Array unbounded = array<int64_t>("");
  unbounded.space = PK_DISCRETE;
  says(verdict(unbounded), "needs bounds");
  says(verdict(Spec{.observation = {array<float>("a"), array<float>("a")},
                    .action = {discrete("", 2)}}),
       "'a' is taken");
  says(verdict(
           Spec{.observation = {array<float>("a"), array<float>("")}, .action = {discrete("", 2)}}),
       "must be the only one");
  for (const char* name : {"env_id", "elapsed_step", "episode_return", "episode_length", "episode"})
    says(verdict_of_info(name), "is taken");
  Spec limited{.observation = {array<float>("")}, .action = {discrete("", 2)}};
  limited.max_episode_steps = -1;
  says(verdict(limited), "must not be negative");
}

TEST(a_pool_that_makes_no_sense_is_refused) {
  const auto build = [](PoolConfig config) {
    return Pool(type_of<debug::Counter>(), std::move(config)).closed();
  };
  CHECK_THROWS(std::invalid_argument, "num_envs", build({.num_envs = 0}));
  CHECK_THROWS(std::invalid_argument, "batch_size", build({.num_envs = 2, .batch_size = 3}));
  CHECK_THROWS(std::invalid_argument, "batch_size", build({.num_envs = 2, .batch_size = 0}));
  CHECK_THROWS(std::invalid_argument, "num_threads", build({.num_threads = 0}));
  CHECK_THROWS(std::invalid_argument, "max_episode_steps", build({.max_episode_steps = -1}));
  CHECK_THROWS(std::invalid_argument, "seeds", build({.seeds = {Seed{1}, Seed{2}}}));
  CHECK_THROWS(std::invalid_argument, "CPU 99999", build({.affinity = {{99999}}}));
}

}  // namespace
}  // namespace poolkit::tests

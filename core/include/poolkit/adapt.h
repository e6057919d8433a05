// From an author's class to the C table of functions (abi.h). Authors need not read this.
#ifndef POOLKIT_ADAPT_H_
#define POOLKIT_ADAPT_H_

#include <exception>
#include <string>
#include <vector>

#include "poolkit/env.h"

namespace poolkit::detail {

// Runs `body`; a throw becomes the message in `error`, so that none crosses the C border.
template <class Body>
int guarded(pk_error* error, Body&& body) noexcept {
  const auto report = [error](const char* message) {
    std::strncpy(error->message, message, sizeof error->message - 1);
    error->message[sizeof error->message - 1] = '\0';
    return 1;
  };
  try {
    body();
    return 0;
  } catch (const std::exception& e) {
    return report(e.what());
  } catch (...) {
    return report("unknown exception");
  }
}

inline pk_array flat(const Array& a) {
  size_t elements = 1;
  for (int64_t extent : a.shape) elements *= static_cast<size_t>(extent);
  const bool bounded = !a.low.empty();
  constexpr size_t sizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  const size_t count = a.low.size() / sizes[a.dtype];
  if (a.low.size() != a.high.size() || (bounded && count != 1 && count != elements))
    throw std::logic_error("array '" + a.name + "': bounds are one value or one an element");
  return {a.name.c_str(),
          static_cast<uint32_t>(a.dtype),
          static_cast<uint32_t>(a.space),
          static_cast<uint32_t>(a.shape.size()),
          static_cast<uint32_t>(count),
          a.shape.data(),
          bounded ? a.low.data() : nullptr,
          bounded ? a.high.data() : nullptr};
}

// A Spec with its C picture, which points into it.
struct SpecHolder : pk_spec {
  explicit SpecHolder(Spec from) : pk_spec{}, spec(std::move(from)) {
    const auto list = [](const std::vector<Array>& arrays, std::vector<pk_array>& out) {
      for (const Array& a : arrays) out.push_back(flat(a));
    };
    list(spec.observation, observation_arrays);
    list(spec.action, action_arrays);
    list(spec.info, info_arrays);
    static_cast<pk_spec&>(*this) = {sizeof(pk_spec),
                                    spec.light,
                                    1,
                                    static_cast<uint32_t>(observation_arrays.size()),
                                    static_cast<uint32_t>(action_arrays.size()),
                                    static_cast<uint32_t>(info_arrays.size()),
                                    spec.max_episode_steps,
                                    observation_arrays.data(),
                                    action_arrays.data(),
                                    info_arrays.data()};
  }
  SpecHolder(const SpecHolder&) = delete;

  Spec spec;
  std::vector<pk_array> observation_arrays, action_arrays, info_arrays;
};

// The declared options of E with their C picture.
struct OptionsHolder {
  explicit OptionsHolder(std::vector<OptionSpec> from) : options(std::move(from)) {
    for (const OptionSpec& o : options)
      raw.push_back({o.name.c_str(),
                     o.doc.c_str(),
                     static_cast<uint32_t>(o.type),
                     0,
                     {static_cast<uint32_t>(o.fallback_type), static_cast<uint32_t>(o.text.size()),
                      o.integer, o.real, o.text.c_str()}});
  }
  OptionsHolder(const OptionsHolder&) = delete;

  std::vector<OptionSpec> options;
  std::vector<pk_option_spec> raw;
};

template <class E>
const OptionsHolder& options_of() {
  if constexpr (requires { E::options(); }) {
    static const OptionsHolder holder(E::options());
    return holder;
  } else {
    static const OptionsHolder holder({});
    return holder;
  }
}

template <class E>
int make_spec(const pk_option* options, size_t n, const pk_spec** out, pk_error* error) {
  return guarded(error, [&] { *out = new SpecHolder(E::spec(Options({options, n}))); });
}

inline void free_spec(const pk_spec* raw) { delete static_cast<const SpecHolder*>(raw); }

// The functions of the per-env form.
template <class E>
struct PerEnv {
  static int create(const pk_option* options, size_t n, void** env, pk_error* error) {
    return guarded(error, [&] { *env = new E(Options({options, n})); });
  }
  static void destroy(void* env) { delete static_cast<E*>(env); }
  static int reset(void* env, uint32_t why, pk_rng* rng, pk_error* error) {
    return guarded(error,
                   [&] { static_cast<E*>(env)->reset(static_cast<Reset>(why), Rng::of(*rng)); });
  }
  static int step(void* env, const pk_view* action, pk_rng* rng, pk_transition* out,
                  pk_error* error) {
    return guarded(error, [&] {
      const Transition t = static_cast<E*>(env)->step(Action(*action), Rng::of(*rng));
      *out = {t.reward, t.raw_reward.value_or(t.reward), t.terminated, t.truncated, t.soft_end, {}};
    });
  }
  static int observe(const void* env, const pk_view* row, pk_error* error) {
    return guarded(error, [&] { static_cast<const E*>(env)->observe(Row(*row)); });
  }
  static int render(void* env, const pk_canvas* canvas, pk_error* error) {
    return guarded(error, [&] {
      Image image(*canvas);
      static_cast<const E*>(env)->render(image);
    });
  }
  static int save(const void* env, const pk_sink* sink, pk_error* error) {
    return guarded(error, [&] {
      Writer writer(*sink);
      static_cast<const E*>(env)->save(writer);
    });
  }
  static int load(void* env, const void* data, size_t size, pk_error* error) {
    return guarded(error, [&] {
      Reader reader({static_cast<const unsigned char*>(data), size});
      static_cast<E*>(env)->load(reader);
      reader.expect_end();
    });
  }
};

template <class E>
void fill_common(pk_env_api& api, const char* name, const char* doc) {
  api.abi_version = POOLKIT_ABI_VERSION;
  api.struct_size = sizeof(pk_env_api);
  api.name = name;
  api.doc = doc;
  api.options = options_of<E>().raw.data();
  api.option_count = options_of<E>().raw.size();
  api.spec = make_spec<E>;
  api.free_spec = free_spec;
}

}  // namespace poolkit::detail

namespace poolkit {

// The C table of an author's per-env class. `name` and `doc` must outlive it; literals do.
template <class E>
pk_env_api env_api(const char* name, const char* doc = "") {
  using F = detail::PerEnv<E>;
  pk_env_api api{};
  detail::fill_common<E>(api, name, doc);
  api.create = F::create;
  api.destroy = F::destroy;
  api.reset = F::reset;
  api.step = F::step;
  api.observe = F::observe;
  if constexpr (requires(const E& e, Image& image) { e.render(image); }) api.render = F::render;
  constexpr bool saves = requires(const E& e, Writer& w) { e.save(w); };
  constexpr bool loads = requires(E& e, Reader& r) { e.load(r); };
  static_assert(saves == loads, "an environment has both save() and load(), or neither");
  if constexpr (saves && loads) {
    api.save = F::save;
    api.load = F::load;
  }
  return api;
}

}  // namespace poolkit

#endif  // POOLKIT_ADAPT_H_

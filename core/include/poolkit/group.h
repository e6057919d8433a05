// The group form: for environments that live elsewhere (other processes, a simulator that steps
// many at once). One object serves all envs of a pool.
//
//   class Farm {
//    public:
//     static std::vector<OptionSpec> options();
//     static Spec spec(const Options&);
//     Farm(const Options&, size_t num_envs, Host host);
//     void submit(std::span<const pk_request> requests, std::span<const pk_view> actions);
//     void observe(int32_t id, Row row) const;
//     void render(int32_t id, Image& image) const;     // optional
//     bool poll();                                     // optional
//     ~Farm();                                         // returns when the host is called no more
//   };
//
// submit() copies what it needs, starts the work and returns; any thread then reports each request
// exactly once, by Host::complete (many at a time) or Host::fail. poll() is for callers that wait
// for results: it waits briefly, reports what is ready from the caller's thread, and tells whether
// there was anything; that spares the wake-up of another thread.
#ifndef POOLKIT_GROUP_H_
#define POOLKIT_GROUP_H_

#include "poolkit/adapt.h"

namespace poolkit {

// The pool, as a group sees it. Copyable; usable from any thread.
class Host {
 public:
  explicit Host(const pk_host& raw) : raw_(raw) {}

  void complete(std::span<const int32_t> ids, std::span<const pk_transition> transitions) const {
    raw_.complete(raw_.context, ids.data(), transitions.data(), ids.size());
  }
  void fail(int32_t id, const char* message) const { raw_.fail(raw_.context, id, message); }

 private:
  pk_host raw_;
};

namespace detail {

template <class G>
struct Grouped {
  static int create(const pk_option* options, size_t n, size_t num_envs, const pk_host* host,
                    void** group, pk_error* error) {
    return guarded(error, [&] { *group = new G(Options({options, n}), num_envs, Host(*host)); });
  }
  static void destroy(void* group) { delete static_cast<G*>(group); }
  static int submit(void* group, const pk_request* requests, const pk_view* actions, size_t n,
                    pk_error* error) {
    return guarded(error, [&] { static_cast<G*>(group)->submit({requests, n}, {actions, n}); });
  }
  static int observe(const void* group, int32_t id, const pk_view* row, pk_error* error) {
    return guarded(error, [&] { static_cast<const G*>(group)->observe(id, Row(*row)); });
  }
  static int poll(void* group) { return static_cast<G*>(group)->poll(); }
  static int render(void* group, int32_t id, const pk_canvas* canvas, pk_error* error) {
    return guarded(error, [&] {
      Image image(*canvas);
      static_cast<const G*>(group)->render(id, image);
    });
  }
};

}  // namespace detail

// The C table of an author's group class.
template <class G>
pk_env_api group_api(const char* name, const char* doc = "") {
  using F = detail::Grouped<G>;
  pk_env_api api{};
  detail::fill_common<G>(api, name, doc);
  api.create_group = F::create;
  api.destroy_group = F::destroy;
  api.submit = F::submit;
  api.group_observe = F::observe;
  if constexpr (requires(const G& g, Image& image) { g.render(0, image); })
    api.group_render = F::render;
  if constexpr (requires(G& g) { g.poll(); }) api.group_poll = F::poll;
  return api;
}

}  // namespace poolkit

#endif  // POOLKIT_GROUP_H_

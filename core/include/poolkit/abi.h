/* The frozen C interface between poolkit and an environment.
 *
 * An environment is one `pk_env_api`, handed to Python as a PyCapsule named POOLKIT_CAPSULE_NAME.
 * Plain C structs cross the border and nothing else, so host and guest may come from different
 * compilers and standard libraries. Authors write C++ against env.h and never see this file.
 *
 * Rules. A struct grows only at its end; `struct_size` tells which functions are there. Functions
 * that return int return 0, or fill `error` and return 1; nothing is thrown across. Strings are
 * UTF-8.
 */
#ifndef POOLKIT_ABI_H_
#define POOLKIT_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POOLKIT_ABI_VERSION 1u
#define POOLKIT_CAPSULE_NAME "poolkit.env"

typedef enum pk_dtype {
  PK_BOOL = 0,
  PK_INT8 = 1,
  PK_UINT8 = 2,
  PK_INT16 = 3,
  PK_UINT16 = 4,
  PK_INT32 = 5,
  PK_UINT32 = 6,
  PK_INT64 = 7,
  PK_UINT64 = 8,
  PK_FLOAT32 = 9,
  PK_FLOAT64 = 10
} pk_dtype;

/* How Python shows an array's values: Box; Discrete (shape ()) or MultiDiscrete; MultiBinary. */
typedef enum pk_space { PK_BOX = 0, PK_DISCRETE = 1, PK_BINARY = 2 } pk_space;

/* One named array. Names nest with '/': "arm/angle" is key "angle" of the Dict "arm"; all-digit
 * keys make a Tuple; the name "" is the bare array. Bounds are inclusive and in the array's own
 * dtype. */
typedef struct pk_array {
  const char* name;
  uint32_t dtype;
  uint32_t space;
  uint32_t ndim;
  uint32_t bound_count; /* 0: the dtype's whole range; 1: the same for all elements; or one each */
  const int64_t* shape;
  const void* low;
  const void* high;
} pk_array;

typedef enum pk_type {
  PK_NONE = 0,
  PK_FLAG = 1,
  PK_INTEGER = 2,
  PK_REAL = 3,
  PK_TEXT = 4,
  PK_BYTES = 5
} pk_type;

typedef struct pk_value {
  uint32_t type;
  uint32_t size; /* of text, in bytes */
  int64_t integer;
  double real;
  const char* text;
} pk_value;

typedef struct pk_option {
  const char* name;
  pk_value value;
} pk_option;

typedef struct pk_option_spec {
  const char* name;
  const char* doc;
  uint32_t type;
  uint32_t reserved;
  pk_value fallback; /* the default; PK_NONE: None is accepted */
} pk_option_spec;

typedef struct pk_spec {
  uint32_t struct_size;
  uint32_t light;      /* a step is shorter than queueing it: poolkit steps ranges of such envs */
  uint32_t max_agents; /* reserved: 1 */
  uint32_t observation_count;
  uint32_t action_count;
  uint32_t info_count;
  int64_t max_episode_steps; /* the default time limit in steps; 0: none */
  const pk_array* observation;
  const pk_array* action;
  const pk_array* info;
} pk_spec;

typedef struct pk_error {
  char message[1024];
} pk_error;

/* NumPy's PCG64 with Generator's 32-bit buffer; rng.h has the algorithm, which is part of this
 * interface. */
typedef struct pk_rng {
  uint64_t state_high, state_low;
  uint64_t increment_high, increment_low;
  uint32_t has_uint32, uinteger;
} pk_rng;

/* Row `row` of some arrays: array k's values for this env start at data[k] + row * bytes[k]. */
typedef struct pk_view {
  void* const* data;
  const size_t* bytes;
  const uint32_t* dtype;
  uint32_t count;
  uint32_t first_info; /* observation arrays come before this index, info arrays from it on */
  size_t row;
} pk_view;

typedef struct pk_transition {
  double reward;
  double raw_reward; /* before any clipping: what episode_return adds up */
  uint8_t terminated;
  uint8_t truncated;
  uint8_t
      soft_end; /* ends the trainer's episode, but the game goes on: the next reset continues it */
  uint8_t reserved[5];
} pk_transition;

typedef enum pk_reset {
  PK_RESET_FRESH = 0,   /* a new episode */
  PK_RESET_SEEDED = 1,  /* a new episode, right after the random stream was seeded; also an
                           object's first */
  PK_RESET_CONTINUE = 2 /* the episode after a soft end */
} pk_reset;

typedef struct pk_sink { /* takes bytes, in pieces */
  void* context;
  int (*write)(void* context, const void* data, size_t size);
} pk_sink;

typedef struct pk_canvas { /* gives room for an RGB image, height x width x 3 */
  void* context;
  uint8_t* (*resize)(void* context, size_t height, size_t width);
} pk_canvas;

/* Group form: what is asked of env `id`. */
typedef struct pk_request {
  int32_t id;
  uint32_t is_step; /* else reset */
  uint32_t reset;   /* pk_reset */
  uint32_t reserved;
  uint64_t seed; /* of a PK_RESET_SEEDED */
} pk_request;

/* Group form: the host's side. Any thread may call these, once for each request. */
typedef struct pk_host {
  void* context;
  void (*complete)(void* context, const int32_t* ids, const pk_transition* transitions, size_t n);
  void (*fail)(void* context, int32_t id, const char* message);
} pk_host;

typedef struct pk_env_api {
  uint32_t abi_version;
  uint32_t struct_size;
  const char* name;
  const char* doc;

  const pk_option_spec* options;
  size_t option_count;

  /* The host passes every declared option, checked and with its default filled in. */
  int (*spec)(const pk_option* options, size_t n, const pk_spec** out, pk_error* error);
  void (*free_spec)(const pk_spec* spec);

  /* Per-env form: one object an env; calls for one env never overlap. NULL in a group. */
  int (*create)(const pk_option* options, size_t n, void** env, pk_error* error);
  void (*destroy)(void* env);
  int (*reset)(void* env, uint32_t why, pk_rng* rng, pk_error* error);
  int (*step)(void* env, const pk_view* action, pk_rng* rng, pk_transition* out, pk_error* error);
  int (*observe)(const void* env, const pk_view* row, pk_error* error);
  int (*render)(void* env, const pk_canvas* canvas, pk_error* error);     /* may be NULL */
  int (*save)(const void* env, const pk_sink* sink, pk_error* error);     /* may be NULL */
  int (*load)(void* env, const void* data, size_t size, pk_error* error); /* may be NULL */

  /* Group form: one object for all envs of a pool. NULL in the per-env form. `actions` points to n
   * views; those of resets are not read. `submit` copies what it needs and returns without waiting;
   * `group_observe` may be called from inside `complete`. `destroy_group` returns when no thread of
   * the group will call the host again. */
  int (*create_group)(const pk_option* options, size_t n, size_t num_envs, const pk_host* host,
                      void** group, pk_error* error);
  void (*destroy_group)(void* group);
  int (*submit)(void* group, const pk_request* requests, const pk_view* actions, size_t n,
                pk_error* error);
  int (*group_observe)(const void* group, int32_t id, const pk_view* row, pk_error* error);
  int (*group_render)(void* group, int32_t id, const pk_canvas* canvas,
                      pk_error* error); /* may be NULL */

  /* Group form; may be NULL, and is not there in tables that are older. For a caller that waits for
   * results: waits briefly, gives the host what is ready from this very thread, and returns whether
   * there was anything. */
  int (*group_poll)(void* group);
} pk_env_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* POOLKIT_ABI_H_ */

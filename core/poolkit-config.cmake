# find_package(poolkit): the target poolkit::env has all that an environment of one's own needs.
if(NOT TARGET poolkit::env)
  add_library(poolkit::env INTERFACE IMPORTED)
  target_include_directories(poolkit::env INTERFACE ${CMAKE_CURRENT_LIST_DIR}/../include)
  target_compile_features(poolkit::env INTERFACE cxx_std_20)
  # Contraction would make an environment's numbers depend on the compiler.
  target_compile_options(poolkit::env INTERFACE -ffp-contract=off)
endif()

# How every target of the project is built: one place for language level, warnings, sanitizers,
# and the few functions with which a folder declares its library, tests, fuzzers and benchmarks.

find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
if(SANSCOPE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(SANSCOPE_BUILD_TESTS AND NOT SANSCOPE_BUILD_FUZZERS)
  # <fuzzer/FuzzedDataProvider.h>: of clang's, but any compiler can read it.
  file(GLOB headers /usr/lib/llvm-*/lib/clang/*/include /usr/lib/clang/*/include)
  find_path(SANSCOPE_FUZZER_HEADERS fuzzer/FuzzedDataProvider.h HINTS ${headers} NO_DEFAULT_PATH)
  mark_as_advanced(SANSCOPE_FUZZER_HEADERS)
endif()
if(SANSCOPE_BUILD_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

# The engine is also loaded into Wireshark as part of a shared library, of which others must see but the plugin's own
# entry.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_library(sanscope_options INTERFACE)
target_compile_features(sanscope_options INTERFACE cxx_std_20)
target_include_directories(sanscope_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_options(sanscope_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Wcast-align -Woverloaded-virtual)
if(SANSCOPE_WARNINGS_ARE_ERRORS)
  target_compile_options(sanscope_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC, from 12 to 14 at least, sees overruns in std::vector's own copying that are not there, once it optimises.
  target_compile_options(sanscope_options INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Where sources are compiled together it also tells of each parameter that has the name of another source's constant. What a
  # source shadows of its own, GCC tells.
  target_compile_options(sanscope_options INTERFACE -Wno-shadow)
endif()
if(SANSCOPE_SANITIZERS)
  target_compile_options(sanscope_options INTERFACE
    -fsanitize=${SANSCOPE_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(sanscope_options INTERFACE -fsanitize=${SANSCOPE_SANITIZERS})
  # GCC and clang say it in two ways.
  if(SANSCOPE_SANITIZERS MATCHES address)
    target_compile_definitions(sanscope_options INTERFACE SANSCOPE_ADDRESS_SANITIZER)
  endif()
endif()
if(SANSCOPE_BUILD_FUZZERS)
  target_compile_options(sanscope_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# GNU ld takes seconds for each of some 70 test programs.
find_program(SANSCOPE_MOLD mold)
mark_as_advanced(SANSCOPE_MOLD)
if(SANSCOPE_MOLD)
  target_link_options(sanscope_options INTERFACE -fuse-ld=mold)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

include(SanscopeHardening)
include(SanscopeFastBuild)
sanscope_precompiled(sanscope_precompiled_library library.h)
if(SANSCOPE_BUILD_TESTS)
  sanscope_precompiled(sanscope_precompiled_test test.h PIE OPTIONS -O0 DEPENDS GTest::gmock GTest::gtest_main)
endif()

# sanscope_library(NAME SOURCES ... [DEPENDS ...] [PRECOMPILED ...]): the static library `sanscope_NAME` of one folder.
function(sanscope_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "SOURCES;DEPENDS" ${ARGN})
  add_library(sanscope_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(sanscope_${name} PUBLIC sanscope_options fmt::fmt ${ARG_DEPENDS})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED sanscope_precompiled_library)
  endif()
  sanscope_use_precompiled(sanscope_${name} ${ARG_PRECOMPILED})
  sanscope_compile_together(sanscope_${name})
endfunction()

# sanscope_test(NAME SOURCES ... [DEPENDS ...]): the Google Test program `NAME_test`, each case a ctest test. What is
# tested is built as always; the tests themselves are not optimised, which would take longer than all they test.
function(sanscope_test name)
  if(NOT SANSCOPE_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  target_compile_options(${name}_test PRIVATE -O0)
  set_target_properties(${name}_test PROPERTIES SANSCOPE_NOT_OPTIMIZED ON)
  target_link_libraries(${name}_test PRIVATE sanscope_options GTest::gmock GTest::gtest_main ${ARG_DEPENDS})
  sanscope_use_precompiled(${name}_test sanscope_precompiled_test)
  sanscope_compile_together(${name}_test)
  gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300)
endfunction()

# sanscope_fuzzer(NAME SOURCES ... [DEPENDS ...]): the libFuzzer program `NAME_fuzz`. Where its source's folder has
# inputs to begin with, `seeds/NAME`, builds without libFuzzer have a test `fuzz_seeds.NAME` that runs it on each of
# them.
function(sanscope_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  if(SANSCOPE_BUILD_FUZZERS)
    add_executable(${name}_fuzz ${ARG_SOURCES})
    target_link_libraries(${name}_fuzz PRIVATE sanscope_options ${ARG_DEPENDS})
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    return()
  endif()
  list(GET ARG_SOURCES -1 source)
  cmake_path(GET source PARENT_PATH folder)
  set(seeds ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/seeds/${name})
  if(NOT SANSCOPE_BUILD_TESTS OR NOT SANSCOPE_FUZZER_HEADERS OR NOT EXISTS ${seeds})
    return()
  endif()
  add_executable(${name}_seeds ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/cmake/fuzz_seeds_main.cpp)
  # Behind all others: among them are clang's own versions of GCC's headers.
  target_compile_options(${name}_seeds PRIVATE "SHELL:-idirafter ${SANSCOPE_FUZZER_HEADERS}")
  target_link_libraries(${name}_seeds PRIVATE sanscope_options ${ARG_DEPENDS})
  add_test(NAME fuzz_seeds.${name} COMMAND ${name}_seeds ${seeds})
  set_tests_properties(fuzz_seeds.${name} PROPERTIES TIMEOUT 60)
endfunction()

# sanscope_benchmark(NAME SOURCES ... [DEPENDS ...]): the Google Benchmark program `NAME_bench`.
function(sanscope_benchmark name)
  if(NOT SANSCOPE_BUILD_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name}_bench ${ARG_SOURCES})
  target_link_libraries(${name}_bench PRIVATE sanscope_options benchmark::benchmark_main ${ARG_DEPENDS})
endfunction()

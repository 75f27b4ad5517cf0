# Precompiled headers. Half of the time of a build from nothing was spent on reading the same standard headers again in
# each of 720 sources. What is in cmake/precompiled/ comes from the distribution only: no header of ours is there, so
# that nothing is compiled anew because one of ours changed, and each source still includes what it uses
# (SANSCOPE_FAST_BUILD=OFF builds without, as clang-tidy sees it).
#
# One precompiled header serves every target that is compiled with the same options: GCC refuses it otherwise, which
# -Winvalid-pch makes an error.

option(SANSCOPE_FAST_BUILD "Compile the headers of libraries once, and small sources together" ON)

# sanscope_precompiled(NAME HEADER [PIE] [OPTIONS ...] [DEFINITIONS ...] [DEPENDS ...]): cmake/precompiled/HEADER,
# compiled once, for sanscope_use_precompiled(TARGET NAME). PIE: for executables, whose code is compiled otherwise than
# that of libraries.
function(sanscope_precompiled name header)
  if(NOT SANSCOPE_FAST_BUILD)
    return()
  endif()
  cmake_parse_arguments(ARG "PIE" "" "OPTIONS;DEFINITIONS;DEPENDS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
  if(ARG_PIE)
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
  else()
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${source})
  endif()
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  if(-O0 IN_LIST ARG_OPTIONS)
    set_target_properties(${name} PROPERTIES SANSCOPE_NOT_OPTIMIZED ON)
  endif()
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  target_link_libraries(${name} PRIVATE sanscope_options fmt::fmt ${ARG_DEPENDS})
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${header})
  set_target_properties(${name} PROPERTIES AUTOMOC OFF)
endfunction()

function(sanscope_use_precompiled target name)
  if(SANSCOPE_FAST_BUILD)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# Sources compiled together. Of what a build from nothing still took, two thirds went into reading our own headers, and into
# instantiating the same templates, once for each source that uses them.

option(SANSCOPE_COMPILE_TOGETHER
       "Compile a target's sources several at a time; off, a change of one source compiles that one only"
       ${SANSCOPE_FAST_BUILD})

# sanscope_compile_together(TARGET): its sources compiled eight at a time.
function(sanscope_compile_together target)
  if(SANSCOPE_COMPILE_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# sanscope_reads_options(SOURCE...): of main programs, for which most of the time goes into CLI11's own functions, of which
# none is hot.
function(sanscope_reads_options)
  if(SANSCOPE_FAST_BUILD)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O1)
  endif()
endfunction()

# sanscope_compile_apart(SOURCE...): alone, as they give a name to something of their own that another source of the target
# gives too.
function(sanscope_compile_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

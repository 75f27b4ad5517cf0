# BPF programs: compiled by clang for the kernel, and put into the library that loads them.

# sanscope_find_bpf(WHAT): the compiler and libbpf, or an end with what is missing for `WHAT`.
macro(sanscope_find_bpf what)
  find_program(SANSCOPE_BPF_CLANG clang DOC "The compiler of BPF programs")
  if(NOT SANSCOPE_BPF_CLANG)
    message(FATAL_ERROR "The BPF program of ${what} is compiled by clang, which is not there: "
                        "install the package clang, or configure with -DSANSCOPE_WITH_KERNEL_TRUTH=OFF")
  endif()
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(LIBBPF IMPORTED_TARGET libbpf>=1.0)
  if(NOT LIBBPF_FOUND)
    message(FATAL_ERROR "${what} needs libbpf 1.0 or later, which is not there: install the package libbpf-dev, "
                        "or configure with -DSANSCOPE_WITH_KERNEL_TRUTH=OFF")
  endif()
endmacro()

# sanscope_bpf_object(NAME HEADERS ...): of NAME.bpf.c in this folder, the source NAME_bpf_object.cpp in the build's, which
# defines what NAME_bpf_object.h declares. HEADERS: of ours that it includes.
function(sanscope_bpf_object name)
  cmake_parse_arguments(ARG "" "" "HEADERS" ${ARGN})
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${SANSCOPE_BPF_CLANG} -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror
            -I${PROJECT_SOURCE_DIR} -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
            -c ${CMAKE_CURRENT_SOURCE_DIR}/${name}.bpf.c -o ${object}
    DEPENDS ${name}.bpf.c ${ARG_HEADERS}
    COMMENT "Compiling ${name}.bpf.c for the kernel")
  sanscope_embedded(${name}_bpf_object ${object})
endfunction()

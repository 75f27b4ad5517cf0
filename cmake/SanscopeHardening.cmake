# What compiler and linker do for programs that read what others wrote. All that is built here has it but tests, which
# are not optimised, and what sanitizers watch; analyzer/tests/hardening_test.py looks for it in what was built.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

# Tables of addresses are filled in at the start and read-only from then on, and no stack is executable.
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

# Sanitizers find more than these, and replace the functions that the C library would check.
if(SANSCOPE_SANITIZERS)
  return()
endif()

# A canary before the return address of each function that has an array or gives away the address of a variable.
set(hardening -fstack-protector-strong)

# A frame larger than a page is touched page by page, so that none steps over the guard page below the stack.
check_cxx_compiler_flag(-fstack-clash-protection SANSCOPE_HAS_STACK_CLASH_PROTECTION)
if(SANSCOPE_HAS_STACK_CLASH_PROTECTION)
  list(APPEND hardening -fstack-clash-protection)
endif()

# memcpy(), read(), snprintf() and others that know how large what they write to is; level 3 knows it also where it was
# computed. Of optimised code only: the C library warns in any other. -U: some distributions' compilers define it of
# themselves.
set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -Werror")
check_cxx_source_compiles("#include <cstdio>
                           static_assert(__USE_FORTIFY_LEVEL == 3);
                           int main() {}" SANSCOPE_HAS_FORTIFY_SOURCE_3)
unset(CMAKE_REQUIRED_FLAGS)
set(level 2)
if(SANSCOPE_HAS_FORTIFY_SOURCE_3)
  set(level 3)
endif()
list(APPEND hardening -U_FORTIFY_SOURCE $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=${level}>)

# SANSCOPE_NOT_OPTIMIZED: a property of tests.
foreach(option IN LISTS hardening)
  add_compile_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:SANSCOPE_NOT_OPTIMIZED>>>:${option}>)
endforeach()

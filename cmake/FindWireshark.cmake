# Wireshark's libraries: targets Wireshark::epan (with wiretap, wsutil and GLib), variables Wireshark_VERSION and
# Wireshark_EPAN_PLUGIN_DIR (where it looks for dissector plugins).
#
# Its pkg-config file leaves libwiretap out, and the version in it is asked for by the plugin folder only; the one that
# counts when compiling is that of the headers.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PC_WIRESHARK QUIET IMPORTED_TARGET wireshark)
pkg_check_modules(PC_GLIB QUIET IMPORTED_TARGET glib-2.0)

find_path(Wireshark_INCLUDE_DIR epan/packet.h HINTS ${PC_WIRESHARK_INCLUDE_DIRS} PATH_SUFFIXES wireshark)
find_library(Wireshark_EPAN_LIBRARY wireshark HINTS ${PC_WIRESHARK_LIBRARY_DIRS})
find_library(Wireshark_WIRETAP_LIBRARY wiretap HINTS ${PC_WIRESHARK_LIBRARY_DIRS})
find_library(Wireshark_WSUTIL_LIBRARY wsutil HINTS ${PC_WIRESHARK_LIBRARY_DIRS})

if(Wireshark_INCLUDE_DIR)
  file(STRINGS ${Wireshark_INCLUDE_DIR}/ws_version.h version_lines REGEX "define WIRESHARK_VERSION_(MAJOR|MINOR|MICRO) ")
  set(Wireshark_VERSION "")
  foreach(line IN LISTS version_lines)
    string(REGEX REPLACE ".* ([0-9]+)$" "\\1" part "${line}")
    list(APPEND Wireshark_VERSION ${part})
  endforeach()
  string(REPLACE ";" "." Wireshark_VERSION "${Wireshark_VERSION}")
endif()
if(PC_WIRESHARK_FOUND)
  pkg_get_variable(plugin_dir wireshark plugindir)
  set(Wireshark_EPAN_PLUGIN_DIR ${plugin_dir}/epan)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Wireshark
  REQUIRED_VARS Wireshark_EPAN_LIBRARY Wireshark_WIRETAP_LIBRARY Wireshark_WSUTIL_LIBRARY Wireshark_INCLUDE_DIR
  PC_GLIB_FOUND
  VERSION_VAR Wireshark_VERSION
  REASON_FAILURE_MESSAGE
    "install libwireshark-dev and libglib2.0-dev, or leave it out with -DSANSCOPE_WITH_WIRESHARK=OFF")

if(Wireshark_FOUND AND NOT TARGET Wireshark::epan)
  add_library(Wireshark::epan INTERFACE IMPORTED)
  # Debian 13's pkg-config file of GLib asks for -pthread, with which no precompiled header of ours would fit.
  get_target_property(glib_options PkgConfig::PC_GLIB INTERFACE_COMPILE_OPTIONS)
  if(glib_options)
    list(REMOVE_ITEM glib_options -pthread)
    set_target_properties(PkgConfig::PC_GLIB PROPERTIES INTERFACE_COMPILE_OPTIONS "${glib_options}")
  endif()
  # SYSTEM: its headers do not compile under our warnings.
  target_include_directories(Wireshark::epan SYSTEM INTERFACE ${Wireshark_INCLUDE_DIR})
  target_link_libraries(Wireshark::epan INTERFACE
    ${Wireshark_EPAN_LIBRARY} ${Wireshark_WIRETAP_LIBRARY} ${Wireshark_WSUTIL_LIBRARY} PkgConfig::PC_GLIB)
endif()
mark_as_advanced(Wireshark_INCLUDE_DIR Wireshark_EPAN_LIBRARY Wireshark_WIRETAP_LIBRARY Wireshark_WSUTIL_LIBRARY)

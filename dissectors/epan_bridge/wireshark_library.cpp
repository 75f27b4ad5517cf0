// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/epan_bridge/wireshark_library.h"

#include <cstdio>
#include <epan/packet.h>
#include <epan/prefs.h>
#include <epan/timestamp.h>
#include <fmt/format.h>
#include <string>
#include <vector>
#include <wsutil/privileges.h>

#include "dissectors/wireshark_version.h"

namespace sanscope::wireshark {
namespace {

void complain(const char* format, va_list arguments) {
    std::vfprintf(stderr, format, arguments);
    std::fputc('\n', stderr);
}

Result<std::monostate> set_preferences(const std::vector<std::string>& preferences) {
    for (const std::string& preference : preferences) {
        std::string text = preference;
        char* details = nullptr;
        const prefs_set_pref_e outcome = prefs_set_pref(text.data(), &details);
        const std::string reason = details == nullptr ? "" : fmt::format(" ({})", details);
        g_free(details);
        if (outcome == PREFS_SET_SYNTAX_ERR)
            return Error{fmt::format("\"{}\" is not of the form NAME:VALUE{}", preference, reason)};
        if (outcome == PREFS_SET_NO_SUCH_PREF || outcome == PREFS_SET_OBSOLETE)
            return Error{fmt::format("Wireshark has no preference \"{}\"{}", preference, reason)};
    }
    return std::monostate{};
}

// As Wireshark's Decode As does, for as long as the process lives.
Result<std::monostate> decode_as(const DecodeAs& rules) {
    for (const auto& [port, protocol] : rules.rules()) {
        const std::string name(name_of(protocol));
        dissector_handle_t const dissector = find_dissector(name.c_str());
        if (dissector == nullptr) return Error{fmt::format("Wireshark has no dissector \"{}\"", name)};
        dissector_change_uint("tcp.port", port, dissector);
    }
    return std::monostate{};
}

// Nothing that leads out of the folder of profiles.
bool is_profile_name(const std::string& name) {
    return name.find('/') == std::string::npos && name != "." && name != "..";
}

void add_path(const char* path, std::vector<std::string>& paths) {
    if (path != nullptr && path[0] == '/') paths.emplace_back(path);
}

// Wireshark reads some of them again and again, as a log of keys that grows.
guint add_named_file(pref_t* preference, gpointer paths) {
    char* const value = prefs_pref_to_str(preference, pref_current);
    add_path(value, *static_cast<std::vector<std::string>*>(paths));
    wmem_free(nullptr, value);
    return 0;
}

guint add_named_files(module_t* module, gpointer paths) {
    prefs_pref_foreach(module, add_named_file, paths);
    return 0;
}

}  // namespace

Result<std::monostate> start_library(const EpanBridge::Options& options) {
    begin_log("sanscope-dissectd", complain);
    init_process_policies();
    relinquish_special_privs_perm();
    g_free(find_folders(options.program_path.c_str()));
    if (!options.profile.empty()) {
        if (!is_profile_name(options.profile) || !profile_exists(options.profile.c_str(), FALSE))
            return Error{fmt::format("Wireshark has no profile \"{}\"", options.profile)};
        set_profile_name(options.profile.c_str());
    }
    timestamp_set_type(TS_RELATIVE);
    timestamp_set_precision(TS_PREC_AUTO);
    timestamp_set_seconds_type(TS_SECONDS_DEFAULT);
    wtap_init(TRUE);
    if (!epan_init(nullptr, nullptr, TRUE)) return Error{"Wireshark's library could not be started"};
    epan_load_settings();
    if (const auto set = set_preferences(options.preferences); !set) return set.error();
    prefs_apply_all();
    return decode_as(options.decode_as);
}

std::vector<std::string> files_of_library() {
    std::vector<std::string> paths;
    add_path(get_datafile_dir(), paths);
    add_path(get_systemfile_dir(), paths);
    add_path(get_plugins_dir(), paths);
    add_path(get_plugins_pers_dir(), paths);
    char* const settings = get_persconffile_path("", FALSE);
    add_path(settings, paths);
    g_free(settings);
    prefs_modules_foreach(add_named_files, &paths);
    // A folder by itself would be too much, whoever named it.
    std::erase_if(paths,
                  [](const std::string& path) { return path.find_first_not_of('/') == std::string::npos; });
    return paths;
}

}  // namespace sanscope::wireshark

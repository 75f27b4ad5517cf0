// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/dissector_options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/core.h>

#include "analyzer/base/print_text.h"

namespace sanscope {

void DissectorOptions::add_to(CLI::App& command) {
    command
        .add_option("--preference", preferences,
                    "A Wireshark preference over those of the profile, NAME:VALUE; may be given again")
        ->allow_extra_args(false);
    command.add_option("--profile", profile, "A configuration profile of yours in Wireshark");
}

DissectClient::Options DissectorOptions::client() const {
    DissectClient::Options options;
    for (const std::string& preference : preferences) {
        options.arguments.emplace_back("--preference");
        options.arguments.push_back(preference);
    }
    if (!profile.empty()) {
        options.arguments.emplace_back("--profile");
        options.arguments.push_back(profile);
    }
    options.notice = [](std::string_view line) { print_text(stderr, "sanscope: {}\n", line); };
    return options;
}

}  // namespace sanscope

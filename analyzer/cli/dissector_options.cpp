// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/dissector_options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/core.h>

#include "dissectors/client/decode_as_arguments.h"

#include "analyzer/base/print_text.h"
#include "analyzer/cli/decode_as_option.h"

namespace sanscope {

void DissectorOptions::add_to(CLI::App& command) {
    command
        .add_option("--preference", preferences,
                    "A Wireshark preference over those of the profile, NAME:VALUE; may be given again")
        ->allow_extra_args(false);
    add_decode_as(command, decode_as);
    command.add_option("--profile", profile, "A configuration profile of yours in Wireshark");
}

DissectClient::Options DissectorOptions::client() const {
    DissectClient::Options options;
    for (const std::string& preference : preferences) {
        options.arguments.emplace_back("--preference");
        options.arguments.push_back(preference);
    }
    sanscope::add_decode_as(decode_as_of(decode_as), options);
    if (!profile.empty()) {
        options.arguments.emplace_back("--profile");
        options.arguments.push_back(profile);
    }
    options.notice = [](std::string_view line) { print_text(stderr, "sanscope: {}\n", line); };
    return options;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/missing_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <vector>

#include "analyzer/query/spelling.h"

namespace sanscope {

std::string missing_command(const CLI::App& app) {
    if (!app.get_subcommands().empty()) return "";
    const std::vector<std::string> rest = app.remaining();
    const auto word =
        std::ranges::find_if(rest, [](const std::string& one) { return !one.starts_with('-'); });
    if (word == rest.end()) return "";

    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty()) names.push_back(command->get_name());
    const std::vector<std::string_view> commands(names.begin(), names.end());
    if (const std::string_view meant = nearest_word(*word, commands); !meant.empty())
        return fmt::format("there is no command \"{}\"; did you mean {}?", *word, meant);
    std::error_code error;
    if (std::filesystem::exists(*word, error)) {
        return fmt::format("{} is no command; for a report on that file: sanscope report {}", *word, *word);
    }
    return fmt::format("there is no command \"{}\"; there are {}", *word, fmt::join(names, ", "));
}

}  // namespace sanscope

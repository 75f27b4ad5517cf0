// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/manual/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace sanscope {
namespace {

// Of "TEXT:{headers,all}", what stands in braces; nothing where that is no list of words.
std::vector<std::string> choices_of(const std::string& type) {
    const size_t begin = type.find('{');
    const size_t end = type.find('}', begin);
    if (begin == std::string::npos || end == std::string::npos) return {};
    std::vector<std::string> choices(1);
    for (const char c : std::string_view(type).substr(begin + 1, end - begin - 1)) {
        if (c == ',') {
            choices.emplace_back();
        } else {
            choices.back() += c;
        }
    }
    const bool words = std::ranges::all_of(choices, [](const std::string& choice) {
        return !choice.empty() && choice.find_first_of(" \t>") == std::string::npos;
    });
    return words ? choices : std::vector<std::string>();
}

OptionValue value_of(const CLI::Option& option, const CommandOption& read) {
    if (option.get_items_expected_max() == 0) return OptionValue::none;
    if (!read.choices.empty()) return OptionValue::choice;
    if (std::ranges::find(read.names, "--interface") != read.names.end()) return OptionValue::interface;
    const std::string type = option.get_type_name();
    const bool number = type.starts_with("UINT") || type.starts_with("INT") || type.starts_with("FLOAT");
    return number ? OptionValue::number : OptionValue::other;
}

CommandOption read_option(const CLI::Option& option) {
    CommandOption read;
    for (const std::string& name : option.get_snames()) read.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) read.names.push_back("--" + name);
    if (option.get_positional()) read.placeholder = option.get_name(true);
    read.value_text = CLI::Formatter().make_option_opts(&option);
    read.value_text.erase(0, read.value_text.find_first_not_of(' '));
    read.group = option.get_group();
    read.description = option.get_description();
    read.choices = choices_of(option.get_type_name());
    read.value = value_of(option, read);
    read.required = option.get_required();
    read.several = option.get_items_expected_max() > 1;
    return read;
}

CommandTree read_tree(const CLI::App& app, const std::string& before) {
    CommandTree tree;
    tree.name = before.empty() ? app.get_name() : before + " " + app.get_name();
    tree.description = app.get_description();
    tree.footer = app.get_footer();
    for (const CLI::Option* const option : app.get_options({})) {
        if (!option->get_group().empty()) tree.options.push_back(read_option(*option));
    }
    for (const CLI::App* const command : app.get_subcommands({})) {
        if (!command->get_group().empty()) tree.commands.push_back(read_tree(*command, tree.name));
    }
    return tree;
}

}  // namespace

CommandTree read_command_tree(const CLI::App& app) {
    return read_tree(app, "");
}

}  // namespace sanscope

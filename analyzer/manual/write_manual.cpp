// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/manual/write_manual.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "analyzer/base/print_text.h"
#include "analyzer/manual/command_tree.h"
#include "analyzer/manual/man_page.h"
#include "analyzer/manual/shell_completions.h"

namespace sanscope {
namespace {

// An exit status other than 0 where it cannot be written.
void write_file(const std::filesystem::path& path, const std::string& text) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (file) return;
    print_text(stderr, "{}: {}\n", path.string(), std::strerror(errno));
    throw CLI::RuntimeError(1);
}

void offer(CommandTree& command, const OfferedWords& offered) {
    for (CommandOption& option : command.options) {
        const bool meant = command.name == offered.command &&
                           (option.placeholder == offered.option ||
                            std::ranges::find(option.names, offered.option) != option.names.end());
        if (!meant) continue;
        option.choices = offered.words;
        option.value = OptionValue::choice;
    }
    for (CommandTree& one : command.commands) offer(one, offered);
}

void write_manual(const CLI::App& app, const std::string& folder, const std::vector<OfferedWords>& offered,
                  std::vector<std::string> pages) {
    CommandTree program = read_command_tree(app);
    for (const OfferedWords& words : offered) offer(program, words);
    pages.push_back(program.name);
    for (const CommandTree& command : program.commands) pages.push_back(man_page_name(command.name));
    std::ranges::sort(pages);
    const std::filesystem::path share(folder);
    const auto write_page = [&](const CommandTree& command, CommandPages kind) {
        write_file(share / "man" / "man1" / (man_page_name(command.name) + ".1"),
                   man_page(command, "sanscope " SANSCOPE_VERSION, kind, pages));
    };
    write_page(program, CommandPages::of_its_own);
    for (const CommandTree& command : program.commands) write_page(command, CommandPages::within);
    write_file(share / "bash-completion" / "completions" / program.name, bash_completion(program));
    write_file(share / "zsh" / "site-functions" / ("_" + program.name), zsh_completion(program));
    write_file(share / "fish" / "vendor_completions.d" / (program.name + ".fish"), fish_completion(program));
}

}  // namespace

void add_write_manual(CLI::App& app, std::vector<OfferedWords> offered,
                      std::vector<std::string> pages_beside) {
    app.add_option_function<std::string>(
           "--write-manual",
           [&app, offered = std::move(offered),
            pages_beside = std::move(pages_beside)](const std::string& folder) {
               write_manual(app, folder, offered, pages_beside);
               throw CLI::Success();
           },
           "")
        ->trigger_on_parse()
        ->group("");
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace sanscope {

// Words that may follow an option or a positional argument and that --help does not list as its choices.
struct OfferedWords {
    std::string command;  // "sanscope table"
    std::string option;   // "--tables" or "TABLE"
    std::vector<std::string> words;
};

// Adds the option --write-manual FOLDER, which --help does not show and the build uses: it writes man pages of the program and its
// commands, and completions for bash, zsh and fish, into folders as they lie under /usr/share, and ends with the status 0, or 1 where
// they cannot be written. `pages_beside`: of other programs, to be named as related. To be called when all else was added.
void add_write_manual(CLI::App& app, std::vector<OfferedWords> offered = {},
                      std::vector<std::string> pages_beside = {});

}  // namespace sanscope

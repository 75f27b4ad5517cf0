// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/manual/command_tree.h"

namespace sanscope {

// Scripts that complete a command line of the program: its commands, the options of each, and what may follow them. One is read by
// bash from bash-completion's folder, one by zsh from its fpath (`#compdef`), one by fish.
std::string bash_completion(const CommandTree& program);
std::string zsh_completion(const CommandTree& program);
std::string fish_completion(const CommandTree& program);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/manual/command_tree.h"

namespace sanscope {

// Whether the commands below a command have pages of their own, or stand in its page.
enum class CommandPages : bool { of_its_own, within };

// The command's page in roff (man(7)), of what --help tells. Paragraphs of its footer that begin with "Exit status:" or "Examples:"
// are sections of their own; an indented line with two spaces or more in it is a term and what it means. `source`: what stands below
// the page, as "sanscope 1.0.0"; `see_also`: names of pages, this one's own among them or not.
std::string man_page(const CommandTree& command, std::string_view source, CommandPages pages,
                     const std::vector<std::string>& see_also);

// What a page is called, of the command's name: "sanscope-fair-tcp".
std::string man_page_name(std::string_view command);

}  // namespace sanscope

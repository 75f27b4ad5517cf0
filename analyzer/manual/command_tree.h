// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace sanscope {

// What can follow an option, for shells that complete it.
enum class OptionValue : uint8_t {
    none,       // it is a flag
    choice,     // one of `choices`
    number,     //
    interface,  // a network interface of this host
    other,      // text; likely a file
};

struct CommandOption {
    std::vector<std::string> names;  // as "-i" and "--interface"; none: a positional argument
    std::string placeholder;         // of a positional argument: "FILE"
    std::string value_text;          // what --help says behind the names: "TEXT:{headers,all}"; may be empty
    std::string group;               // the heading under which --help has it
    std::string description;
    OptionValue value = OptionValue::none;
    std::vector<std::string> choices;
    bool required = false;
    bool several = false;
};

// A command with all that --help tells of it; what is hidden there is not in it.
struct CommandTree {
    std::string name;  // with those of the commands it belongs to: "sanscope fair-tcp start"
    std::string description;
    std::string footer;
    std::vector<CommandOption> options;  // positional arguments among them, in --help's order
    std::vector<CommandTree> commands;
};

CommandTree read_command_tree(const CLI::App& app);

}  // namespace sanscope

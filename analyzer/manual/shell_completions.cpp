// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/manual/shell_completions.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sanscope {
namespace {

// Between single quotes: for bash and zsh.
std::string in_single_quotes(std::string_view text) {
    std::string safe = "'";
    for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return safe + "'";
}

std::string in_fish_quotes(std::string_view text) {
    std::string safe = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') safe += '\\';
        safe += c;
    }
    return safe + "'";
}

// The first sentence or line: what is shown beside an option.
std::string brief(std::string_view description) {
    const size_t end = std::min(
        {description.find('\n'), description.find(". "), description.find("; "), description.size()});
    return std::string(description.substr(0, end));
}

std::string last_word(std::string_view name) {
    return std::string(name.substr(name.rfind(' ') + 1));
}

// The words behind the program's: "fair-tcp start".
std::string path_of(const CommandTree& command) {
    const size_t end = command.name.find(' ');
    return end == std::string::npos ? std::string() : command.name.substr(end + 1);
}

std::string function_name(std::string_view program) {
    std::string name = "_";
    for (const char c : program) name += c == '-' || c == ' ' ? '_' : c;
    return name;
}

template <class Visit>
void visit_commands(const CommandTree& command, const Visit& visit) {
    visit(command);
    for (const CommandTree& one : command.commands) visit_commands(one, visit);
}

std::vector<std::string> positional_choices(const CommandTree& command) {
    for (const CommandOption& option : command.options)
        if (option.names.empty() && !option.choices.empty()) return option.choices;
    return {};
}

// ---- bash

std::string bash_words(const CommandTree& command) {
    std::vector<std::string> words;
    for (const CommandTree& one : command.commands) words.push_back(last_word(one.name));
    for (const CommandOption& option : command.options)
        words.insert(words.end(), option.names.begin(), option.names.end());
    return fmt::format("{}", fmt::join(words, " "));
}

std::string bash_value(const CommandOption& option) {
    switch (option.value) {
        case OptionValue::none:
            break;
        case OptionValue::choice:
            return "words=" + in_single_quotes(fmt::format("{}", fmt::join(option.choices, " ")));
        case OptionValue::number:
            return "return";
        case OptionValue::interface:
            return "words=\"any $(ls /sys/class/net 2>/dev/null)\"";
        case OptionValue::other:
            return "files=1";
    }
    return {};
}

// ---- zsh

std::string zsh_description(std::string_view description) {
    std::string safe;
    for (const char c : brief(description)) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
        safe += c;
    }
    return safe;
}

std::string zsh_action(const CommandOption& option) {
    switch (option.value) {
        case OptionValue::none:
            break;
        case OptionValue::choice:
            return fmt::format("({})", fmt::join(option.choices, " "));
        case OptionValue::number:
            return " ";
        case OptionValue::interface:
            return "_net_interfaces";
        case OptionValue::other:
            return "_files";
    }
    return {};
}

std::string zsh_arguments(const CommandTree& command) {
    std::string specs;
    for (const CommandOption& option : command.options) {
        if (option.names.empty()) {
            specs += fmt::format(" \\\n        {}",
                                 in_single_quotes(fmt::format("{}:{}:{}", option.several ? "*" : "",
                                                              option.placeholder, zsh_action(option))));
            continue;
        }
        const std::string value = option.value == OptionValue::none ? "" : ":value:" + zsh_action(option);
        for (const std::string& name : option.names) {
            const std::string equals = option.value != OptionValue::none && name.starts_with("--") ? "=" : "";
            specs += fmt::format(" \\\n        {}",
                                 in_single_quotes(fmt::format("*{}{}[{}]{}", name, equals,
                                                              zsh_description(option.description), value)));
        }
    }
    return specs;
}

// A function for each command: that of one with commands of its own calls theirs.
std::string zsh_function(const CommandTree& command) {
    const std::string name = function_name(command.name);
    if (command.commands.empty())
        return fmt::format("{}() {{\n    _arguments -s{}\n}}\n\n", name, zsh_arguments(command));
    std::string list;
    std::string calls;
    for (const CommandTree& one : command.commands) {
        const std::string word = last_word(one.name);
        list += "\n        " + in_single_quotes(word + ":" + brief(one.description));
        calls += fmt::format("        {}) {} ;;\n", word, function_name(one.name));
    }
    return fmt::format(
        "{}() {{\n    local curcontext=$curcontext state line\n    local -a commands=({}\n    )\n"
        "    _arguments -C{} \\\n        '1: :->command' '*:: :->arguments'\n    case $state in\n"
        "    command) _describe command commands ;;\n    arguments)\n        case $line[1] in\n{}        "
        "esac ;;\n"
        "    esac\n}}\n\n",
        name, list, zsh_arguments(command), calls);
}

// ---- fish

// When the words typed so far name the command.
std::string fish_condition(const CommandTree& command) {
    const std::string path = path_of(command);
    std::string condition;
    for (size_t begin = 0; begin < path.size();) {
        const size_t end = std::min(path.find(' ', begin), path.size());
        if (!condition.empty()) condition += "; and ";
        condition += "__fish_seen_subcommand_from " + path.substr(begin, end - begin);
        begin = end + 1;
    }
    if (command.commands.empty()) return condition;
    std::vector<std::string> words;
    for (const CommandTree& one : command.commands) words.push_back(last_word(one.name));
    if (!condition.empty()) condition += "; and ";
    return condition + fmt::format("not __fish_seen_subcommand_from {}", fmt::join(words, " "));
}

std::string fish_lines(const std::string& program, const CommandTree& command) {
    std::string begin = "complete -c " + program;
    if (const std::string condition = fish_condition(command); !condition.empty())
        begin += " -n " + in_fish_quotes(condition);
    std::string text;
    for (const CommandTree& one : command.commands) {
        text += fmt::format("{} -f -a {} -d {}\n", begin, last_word(one.name),
                            in_fish_quotes(brief(one.description)));
    }
    for (const CommandOption& option : command.options) {
        if (option.names.empty()) {
            if (!option.choices.empty()) {
                text += fmt::format("{} -a {}\n", begin,
                                    in_fish_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
            }
            continue;
        }
        text += begin;
        for (const std::string& name : option.names)
            text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        switch (option.value) {
            case OptionValue::none:
                break;
            case OptionValue::choice:
                text += " -x -a " + in_fish_quotes(fmt::format("{}", fmt::join(option.choices, " ")));
                break;
            case OptionValue::number:
                text += " -x";
                break;
            case OptionValue::interface:
                text += " -x -a '(__fish_print_interfaces)'";
                break;
            case OptionValue::other:
                text += " -r";
                break;
        }
        text += " -d " + in_fish_quotes(brief(option.description)) + "\n";
    }
    return text;
}

}  // namespace

std::string bash_completion(const CommandTree& program) {
    const std::string function = function_name(program.name);
    std::string commands;
    std::string values;
    std::string words;
    visit_commands(program, [&](const CommandTree& command) {
        const std::string path = path_of(command);
        if (!path.empty()) {
            commands +=
                fmt::format("        {}) command={} ;;\n", in_single_quotes(path), in_single_quotes(path));
        }
        words +=
            fmt::format("    {}) words={}", in_single_quotes(path), in_single_quotes(bash_words(command)));
        const std::vector<std::string> choices = positional_choices(command);
        if (!choices.empty()) {
            words +=
                fmt::format(" arguments={}", in_single_quotes(fmt::format("{}", fmt::join(choices, " "))));
        }
        words += " ;;\n";
        for (const CommandOption& option : command.options) {
            if (option.names.empty() || option.value == OptionValue::none) continue;
            std::vector<std::string> patterns;
            patterns.reserve(option.names.size());
            for (const std::string& name : option.names)
                patterns.push_back(in_single_quotes(fmt::format("{}:{}", path, name)));
            values += fmt::format("    {}) {} ;;\n", fmt::join(patterns, "|"), bash_value(option));
        }
    });
    // The words of the line are parted at "=", too.
    return fmt::format(
        R"(# bash completion for {0}: made of its options
{1}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command= words= arguments= files= i
    COMPREPLY=()
    if [ "$current" = = ]; then
        current=
    elif [ "$before" = = ] && [ "$COMP_CWORD" -gt 2 ]; then
        before=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${{command:+$command }}${{COMP_WORDS[i]}}" in
{2}        esac
    done
    case "$command:$before" in
{3}    *)
        case "$command" in
{4}        esac
        case "$current" in
        -*) ;;
        *) words="$words $arguments" files=1 ;;
        esac
        ;;
    esac
    local IFS=$' \t\n'
    [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$current"))
    if [ -n "$files" ]; then
        compopt -o filenames 2>/dev/null
        IFS=$'\n'
        COMPREPLY+=($(compgen -f -- "$current"))
    fi
}}
complete -F {1} {0}
)",
        program.name, function, commands, values, words);
}

std::string zsh_completion(const CommandTree& program) {
    std::string text =
        fmt::format("#compdef {0}\n# zsh completion for {0}: made of its options\n\n", program.name);
    visit_commands(program, [&](const CommandTree& command) { text += zsh_function(command); });
    return text + function_name(program.name) + " \"$@\"\n";
}

std::string fish_completion(const CommandTree& program) {
    std::string text = fmt::format("# fish completion for {}: made of its options\n", program.name);
    visit_commands(program, [&](const CommandTree& command) { text += fish_lines(program.name, command); });
    return text;
}

}  // namespace sanscope

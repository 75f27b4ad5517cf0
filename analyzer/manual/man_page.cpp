// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/manual/man_page.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace sanscope {
namespace {

constexpr std::string_view default_group = "Options";

// So that it is printed as it stands, wherever in a line.
std::string roff(std::string_view text) {
    std::string escaped;
    if (text.starts_with('.') || text.starts_with('\'')) escaped = "\\&";
    for (const char c : text) {
        switch (c) {
            case '\\':
                escaped += "\\e";
                break;
            case '-':
                escaped += "\\-";
                break;
            case '\'':
                escaped += "\\(aq";
                break;
            case '`':
                escaped += "\\(ga";
                break;
            case '^':
                escaped += "\\(ha";
                break;
            case '~':
                escaped += "\\(ti";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

std::string bold(std::string_view text) {
    return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + roff(text) + "\\fR";
}

// In one line, without the dot at its end: "What is wrong" as "what is wrong", but "TCP" as it is.
std::string in_one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    if (text.ends_with('.')) text.pop_back();
    if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0)
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// An indented line that holds a term and, behind two spaces or more, what it means.
struct Definition {
    std::string_view term;
    std::string_view meaning;
};
Definition definition_in(std::string_view line) {
    const size_t begin = line.find_first_not_of(' ');
    const size_t gap = line.find("  ", begin);
    if (begin == std::string_view::npos || gap == std::string_view::npos) return {};
    const size_t meaning = line.find_first_not_of(' ', gap);
    if (meaning == std::string_view::npos) return {};
    return {line.substr(begin, gap - begin), line.substr(meaning)};
}

// A paragraph of the footer: plain lines are filled, indented ones stand as they are, or are definitions.
std::string paragraph_text(const std::vector<std::string_view>& lines, bool definitions) {
    std::string text;
    bool as_it_is = false;
    bool in_list = false;
    const auto end_example = [&] {
        if (as_it_is) text += ".EE\n.RE\n";
        as_it_is = false;
    };
    for (const std::string_view line : lines) {
        if (!line.starts_with("  ")) {
            end_example();
            if (in_list) text += ".PP\n";
            in_list = false;
            text += roff(line) + "\n";
            continue;
        }
        if (const Definition found = definition_in(line); definitions && !found.term.empty()) {
            end_example();
            in_list = true;
            text += ".TP\n" + bold(found.term) + "\n" + roff(found.meaning) + "\n";
            continue;
        }
        if (!as_it_is) text += ".RS 2\n.EX\n";
        as_it_is = true;
        text += roff(line.substr(2)) + "\n";
    }
    end_example();
    return text;
}

// The footer in parts.
struct Sections {
    std::string description;
    std::string exit_status;
    std::string examples;
};
Sections sections_of(std::string_view footer) {
    constexpr std::string_view status = "Exit status:";
    constexpr std::string_view examples = "Examples:";
    Sections sections;
    std::vector<std::string_view> paragraph;
    const auto end_paragraph = [&] {
        if (paragraph.empty()) return;
        std::string* section = &sections.description;
        bool definitions = true;
        std::string_view heading;
        if (paragraph.front().starts_with(status)) {
            section = &sections.exit_status;
            heading = status;
        } else if (paragraph.front().starts_with(examples)) {
            section = &sections.examples;
            heading = examples;
            definitions = false;
        }
        std::string_view& first = paragraph.front();
        first.remove_prefix(heading.size());
        first.remove_prefix(heading.empty() ? 0 : std::min(first.find_first_not_of(' '), first.size()));
        if (first.empty()) paragraph.erase(paragraph.begin());
        *section += ".PP\n" + paragraph_text(paragraph, definitions);
        paragraph.clear();
    };
    for (const std::string_view line : lines_of(footer)) {
        if (line.empty()) {
            end_paragraph();
        } else {
            paragraph.push_back(line);
        }
    }
    end_paragraph();
    return sections;
}

std::string description_text(std::string_view description) {
    std::string text;
    for (const std::string_view line : lines_of(description))
        text += line.empty() ? ".PP\n" : roff(line) + "\n";
    return text;
}

std::string option_entry(const CommandOption& option) {
    std::string term;
    for (const std::string& name : option.names) {
        if (!term.empty()) term += ", ";
        term += bold(name);
    }
    if (term.empty()) term = italic(option.placeholder);
    if (!option.value_text.empty()) term += " " + italic(option.value_text);
    return ".TP\n" + term + "\n" +
           (option.description.empty() ? std::string("\\&\n") : description_text(option.description));
}

std::string synopsis(const CommandTree& command) {
    std::string text = ".B " + roff(command.name) + "\n";
    if (std::ranges::any_of(command.options,
                            [](const CommandOption& option) { return !option.names.empty(); }))
        text += "[\\fIOPTION\\fR...]\n";
    for (const CommandOption& option : command.options) {
        if (!option.names.empty()) continue;
        const std::string more = option.several ? "..." : "";
        text += option.required ? italic(option.placeholder) + more + "\n"
                                : "[" + italic(option.placeholder) + more + "]\n";
    }
    if (!command.commands.empty()) text += "\\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n";
    return text;
}

// Under the headings that --help has, those without one first.
std::string options_text(const CommandTree& command) {
    std::vector<std::string_view> groups{default_group};
    for (const CommandOption& option : command.options) {
        if (!option.names.empty() && std::ranges::find(groups, option.group) == groups.end())
            groups.push_back(option.group);
    }
    std::string text;
    for (const std::string_view group : groups) {
        if (group != default_group) text += ".SS " + roff(group) + "\n";
        for (const CommandOption& option : command.options)
            if (!option.names.empty() && option.group == group) text += option_entry(option);
    }
    return text;
}

std::string arguments_text(const CommandTree& command) {
    std::string text;
    for (const CommandOption& option : command.options)
        if (option.names.empty()) text += option_entry(option);
    return text;
}

std::string commands_text(const CommandTree& command, CommandPages pages) {
    std::string text;
    for (const CommandTree& one : command.commands) {
        if (pages == CommandPages::of_its_own) {
            text += ".TP\n" + bold(one.name) + "\n" + description_text(one.description) + "See\n.BR " +
                    roff(man_page_name(one.name)) + " (1).\n";
            continue;
        }
        text += ".SS " + roff(one.name) + "\n" + description_text(one.description);
        text += arguments_text(one) + options_text(one);
    }
    return text;
}

void add_section(std::string& page, std::string_view heading, const std::string& text) {
    if (!text.empty()) page += fmt::format(".SH {}\n{}", heading, text);
}

}  // namespace

std::string man_page_name(std::string_view command) {
    std::string name(command);
    std::ranges::replace(name, ' ', '-');
    return name;
}

std::string man_page(const CommandTree& command, std::string_view source, CommandPages pages,
                     const std::vector<std::string>& see_also) {
    const std::string name = man_page_name(command.name);
    std::string title = name;
    std::ranges::transform(title, title.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    std::string page = fmt::format(".TH \"{}\" 1 \"\" \"{}\" \"User Commands\"\n", roff(title), source);
    // No hyphens in names that are to be typed, and no spaces put into lines.
    page += ".nh\n.ad l\n";
    const Sections sections = sections_of(command.footer);
    add_section(page, "NAME", roff(name) + " \\- " + roff(in_one_line(command.description)) + "\n");
    add_section(page, "SYNOPSIS", synopsis(command));
    add_section(page, "DESCRIPTION", description_text(command.description) + sections.description);
    add_section(page, "ARGUMENTS", arguments_text(command));
    add_section(page, "OPTIONS", options_text(command));
    add_section(page, "COMMANDS", commands_text(command, pages));
    add_section(page, "EXIT STATUS", sections.exit_status);
    add_section(page, "EXAMPLES", sections.examples);
    std::string others;
    for (const std::string& other : see_also) {
        if (other == name) continue;
        others += fmt::format(".BR {} (1){}\n", roff(other), other == see_also.back() ? "" : ",");
    }
    if (others.ends_with(",\n")) others.erase(others.size() - 2, 1);
    add_section(page, "SEE ALSO", others);
    return page;
}

}  // namespace sanscope

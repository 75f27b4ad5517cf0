// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/remote_command.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace sanscope {
namespace {

// Where a recorder may be; the PATH of a shell that is not logged in to is short.
constexpr std::array<std::string_view, 5> usual_places = {
    "sanscope-recorder", "/usr/local/bin/sanscope-recorder", "/usr/bin/sanscope-recorder",
    "/usr/local/libexec/sanscope/sanscope-recorder", "/usr/libexec/sanscope/sanscope-recorder"};

// The first of its arguments that is a program takes the shell's place. No quotes in it: it is quoted itself.
constexpr std::string_view start_first =
    "for r do if command -v \"$r\" >/dev/null 2>&1; then exec \"$r\"; fi; done; exit 127";

// ssh is to carry bytes, and to notice within a minute that it cannot. What the user's own words say of these comes
// before.
constexpr std::array<std::string_view, 9> options = {"-T",
                                                     "-a",
                                                     "-x",
                                                     "-o",
                                                     "ClearAllForwardings=yes",
                                                     "-o",
                                                     "Compression=no",
                                                     "-o",
                                                     "ServerAliveInterval=15"};

bool has_control_characters(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

}  // namespace

Result<std::vector<std::string>> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::optional<std::string> word;
    char quote = '\0';
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != '\0' && c == quote) {
            quote = '\0';
        } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            // Between double quotes it is for quotes and itself only.
            const char next = text[i + 1];
            word = word.value_or("");
            if (quote == '\0' || next == '"' || next == '\\') {
                *word += next;
                ++i;
            } else {
                *word += c;
            }
        } else if (quote == '\0' && (c == '\'' || c == '"')) {
            quote = c;
            word = word.value_or("");
        } else if (quote == '\0' && (c == ' ' || c == '\t')) {
            if (word) words.push_back(*word);
            word.reset();
        } else {
            word = word.value_or("") + c;
        }
    }
    if (quote != '\0') return Error{fmt::format("{}: a quote does not end", text)};
    if (word) words.push_back(*word);
    return words;
}

std::string shell_word(std::string_view word) {
    std::string text = "'";
    for (const char c : word) {
        if (c == '\'') {
            text += "'\\''";
        } else {
            text += c;
        }
    }
    return text + "'";
}

Result<std::vector<std::string>> remote_command(const v1::RemoteHost& remote) {
    const std::string& host = remote.host();
    if (host.empty() || host.front() == '-' || has_control_characters(host) ||
        host.find(' ') != std::string::npos)
        return Error{fmt::format("'{}' is no host", host)};
    const std::string& recorder = remote.recorder();
    if ((!recorder.empty() && recorder.front() == '-') || has_control_characters(recorder))
        return Error{fmt::format("'{}' is no path of a recorder", recorder)};
    auto words = words_of(remote.ssh_command().empty() ? "ssh" : remote.ssh_command());
    if (!words) return words;
    if (words->empty() || words->front().empty()) return Error{"the command for ssh is empty"};

    for (const std::string_view option : options) words->emplace_back(option);
    words->emplace_back("--");
    words->push_back(host);
    std::string command = fmt::format("exec sh -c {} sh", shell_word(start_first));
    if (recorder.empty()) {
        for (const std::string_view place : usual_places) command += " " + shell_word(place);
    } else {
        command += " " + shell_word(recorder);
    }
    words->push_back(std::move(command));
    return words;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/iscsi_port_filter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace sanscope {
namespace {

constexpr int deepest = 64;

// Words, parentheses and the operators between expressions; nothing where there is any other sign.
std::optional<std::vector<std::string>> tokens_of(std::string_view filter) {
    constexpr std::string_view in_words =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/%\\";
    std::vector<std::string> tokens;
    for (size_t at = 0; at < filter.size();) {
        const char c = filter[at];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++at;
        } else if (in_words.find(c) != std::string_view::npos) {
            const size_t end = std::min(filter.find_first_not_of(in_words, at), filter.size());
            tokens.emplace_back(filter.substr(at, end - at));
            at = end;
        } else if (c == '(' || c == ')') {
            tokens.emplace_back(1, c);
            ++at;
        } else if (filter.substr(at, 2) == "&&" || filter.substr(at, 2) == "||") {
            tokens.emplace_back(c == '&' ? "and" : "or");
            at += 2;
        } else if (c == '!' && filter.substr(at, 2) != "!=") {
            tokens.emplace_back("not");
            ++at;
        } else {
            return std::nullopt;
        }
    }
    return tokens;
}

// What an expression comes to: whether it lets through nothing but the port. `and` and `or` have the same precedence, from
// left to right (pcap-filter(7)).
class Reader {
  public:
    explicit Reader(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}

    bool whole() {
        const bool only_port = alternatives();
        return only_port && understood_ && at_ == tokens_.size();
    }

  private:
    bool is(std::string_view token) const { return at_ < tokens_.size() && tokens_[at_] == token; }

    bool alternatives() {
        bool only_port = term();
        while (understood_ && (is("and") || is("or"))) {
            const bool both = tokens_[at_++] == "and";
            const bool other = term();
            only_port = both ? only_port || other : only_port && other;
        }
        return only_port;
    }

    bool term() {
        if (++depth_ > deepest || at_ >= tokens_.size()) return refuse();
        bool only_port = false;
        if (is("not")) {
            ++at_;
            term();
        } else if (is("(")) {
            ++at_;
            only_port = alternatives();
            if (!is(")")) return refuse();
            ++at_;
        } else {
            only_port = primitive();
        }
        --depth_;
        return only_port;
    }

    // "tcp dst port 3260", "src or dst port 3260", "host 192.0.2.1"
    bool primitive() {
        std::vector<std::string> words;
        while (at_ < tokens_.size() && !is("and") && !is("or") && !is("not") && !is("(") && !is(")")) {
            words.push_back(tokens_[at_++]);
            const bool of_both_directions = (words.back() == "src" || words.back() == "dst") &&
                                            at_ + 1 < tokens_.size() && (is("or") || is("and")) &&
                                            (tokens_[at_ + 1] == "src" || tokens_[at_ + 1] == "dst");
            if (of_both_directions) words.push_back(tokens_[at_++]);
        }
        // What stands in parentheses behind a qualifier takes it from there.
        if (words.empty() || is("(") || is("not")) return refuse();
        const size_t count = words.size();
        const bool names_it = words.back() == "3260" || words.back() == "iscsi-target";
        const bool only_port = count >= 2 && names_it && words[count - 2] == "port";
        return only_port && std::all_of(words.begin(), words.end() - 2, [](const std::string& word) {
                   constexpr std::string_view qualifiers[] = {"tcp", "ip", "ip6", "src", "dst", "or", "and"};
                   return std::find(std::begin(qualifiers), std::end(qualifiers), word) !=
                          std::end(qualifiers);
               });
    }

    bool refuse() {
        understood_ = false;
        return false;
    }

    std::vector<std::string> tokens_;
    size_t at_ = 0;
    int depth_ = 0;
    bool understood_ = true;
};

}  // namespace

bool is_for_iscsi_port(std::string_view filter) {
    auto tokens = tokens_of(filter);
    return tokens && Reader(std::move(*tokens)).whole();
}

}  // namespace sanscope

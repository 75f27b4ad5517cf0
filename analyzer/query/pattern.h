// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct pcre2_real_code_8;
struct pcre2_real_match_data_8;
struct pcre2_real_match_context_8;

namespace sanscope {

// A regular expression (PCRE2, as in Wireshark), for which upper and lower case are the same unless it says (?-i).
// Immutable once made.
class Pattern {
  public:
    // What is wrong with the expression, and at which of its bytes.
    struct Fault {
        std::string message;
        size_t position = 0;
    };

    // Nothing where the text is no regular expression; `fault` then says why.
    static std::optional<Pattern> compile(std::string_view text, Fault& fault);

  private:
    friend class PatternMatcher;
    struct Free {
        void operator()(pcre2_real_code_8* code) const;
    };
    explicit Pattern(pcre2_real_code_8* code) : code_(code) {}

    std::unique_ptr<pcre2_real_code_8, Free> code_;
};

// What it takes to search with patterns; one a thread.
class PatternMatcher {
  public:
    enum class Answer {
        no,
        yes,
        gave_up,  // after so many steps that the pattern must be one that takes exponential time
    };

    // Bytes of a text that a pattern matches.
    struct Place {
        size_t begin = 0;
        size_t end = 0;
    };

    PatternMatcher();
    // Whether the pattern matches somewhere in `text`. Allocates nothing but where a pattern needs more than PCRE2
    // has at hand.
    Answer find(const Pattern& pattern, std::string_view text);
    // Where it matches first at or behind `from`, the first byte of a character, at most text.size(). Holds where the answer
    // is yes.
    Answer find(const Pattern& pattern, std::string_view text, size_t from, Place& place);

  private:
    struct FreeData {
        void operator()(pcre2_real_match_data_8* data) const;
    };
    struct FreeContext {
        void operator()(pcre2_real_match_context_8* context) const;
    };
    std::unique_ptr<pcre2_real_match_data_8, FreeData> data_;
    std::unique_ptr<pcre2_real_match_context_8, FreeContext> context_;
};

// Of PCRE2.
std::string pattern_library_version();

}  // namespace sanscope

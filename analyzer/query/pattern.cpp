// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <pcre2.h>

namespace sanscope {
namespace {

// A match that is one takes few steps for each byte; cells have less than a few hundred. This is milliseconds.
constexpr uint32_t most_steps = 100'000;
constexpr uint32_t most_heap_kibibytes = 1024;
constexpr size_t longest_pattern = 4096;

PCRE2_SPTR units(std::string_view text) {
    // PCRE2 wants a pointer even to nothing.
    return reinterpret_cast<PCRE2_SPTR>(text.empty() ? "" : text.data());
}

}  // namespace

void Pattern::Free::operator()(pcre2_real_code_8* code) const {
    pcre2_code_free(code);
}
void PatternMatcher::FreeData::operator()(pcre2_real_match_data_8* data) const {
    pcre2_match_data_free(data);
}
void PatternMatcher::FreeContext::operator()(pcre2_real_match_context_8* context) const {
    pcre2_match_context_free(context);
}

std::optional<Pattern> Pattern::compile(std::string_view text, Fault& fault) {
    if (text.size() > longest_pattern) {
        fault = {"the regular expression is too long", 0};
        return std::nullopt;
    }
    constexpr uint32_t options =
        PCRE2_CASELESS | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    int error = 0;
    PCRE2_SIZE position = 0;
    pcre2_code* code = pcre2_compile(units(text), text.size(), options, &error, &position, nullptr);
    if (code == nullptr) {
        std::array<PCRE2_UCHAR, 256> message{};
        pcre2_get_error_message(error, message.data(), message.size());
        fault = {"not a regular expression: " + std::string(reinterpret_cast<const char*>(message.data())),
                 std::min<size_t>(position, text.size())};
        return std::nullopt;
    }
    // Where it cannot be compiled to machine code, it is interpreted.
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    return Pattern(code);
}

PatternMatcher::PatternMatcher()
    : data_(pcre2_match_data_create(1, nullptr)), context_(pcre2_match_context_create(nullptr)) {
    if (data_ == nullptr || context_ == nullptr) throw std::bad_alloc();
    pcre2_set_match_limit(context_.get(), most_steps);
    pcre2_set_heap_limit(context_.get(), most_heap_kibibytes);
}

PatternMatcher::Answer PatternMatcher::find(const Pattern& pattern, std::string_view text) {
    Place place;
    return find(pattern, text, 0, place);
}

PatternMatcher::Answer PatternMatcher::find(const Pattern& pattern, std::string_view text, size_t from,
                                            Place& place) {
    const auto search = [&](uint32_t options) {
        return pcre2_match(pattern.code_.get(), units(text), text.size(), from, options, data_.get(),
                           context_.get());
    };
    int answer = search(0);
    // Machine code has a small stack of its own; the interpreter takes memory as it needs it.
    if (answer == PCRE2_ERROR_JIT_STACKLIMIT) answer = search(PCRE2_NO_JIT);
    if (answer >= 0) {
        // \K in a lookahead may set the begin behind the end.
        const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data_.get());
        place = {std::min(ends[0], ends[1]), std::max(ends[0], ends[1])};
        return Answer::yes;
    }
    return answer == PCRE2_ERROR_NOMATCH ? Answer::no : Answer::gave_up;
}

std::string pattern_library_version() {
    std::array<char, 64> text{};  // PCRE2_CONFIG_VERSION asks for 24 at least
    pcre2_config(PCRE2_CONFIG_VERSION, text.data());
    const std::string_view version = text.data();
    return std::string(version.substr(0, version.find(' ')));  // behind it, its date
}

}  // namespace sanscope

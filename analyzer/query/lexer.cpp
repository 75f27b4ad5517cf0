// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/lexer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace sanscope {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool begins_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

struct Sign {
    std::string_view text;
    Token::Kind kind;
};
// The longer before those they begin with.
constexpr std::array<Sign, 16> signs = {{{"&&", Token::Kind::conjunction},
                                         {"||", Token::Kind::disjunction},
                                         {"==", Token::Kind::equal},
                                         {"!=", Token::Kind::not_equal},
                                         {"<=", Token::Kind::less_equal},
                                         {">=", Token::Kind::greater_equal},
                                         {"..", Token::Kind::range},
                                         {"<", Token::Kind::less},
                                         {">", Token::Kind::greater},
                                         {"!", Token::Kind::negation},
                                         {"~", Token::Kind::matches},
                                         {"(", Token::Kind::open},
                                         {")", Token::Kind::close},
                                         {"{", Token::Kind::open_set},
                                         {"}", Token::Kind::close_set},
                                         {",", Token::Kind::comma}}};

// What to write instead of a character that begins nothing.
std::string unexpected(char c) {
    switch (c) {
        case '=':
            return "for equality write ==";
        case '&':
            return "for both write && or and";
        case '|':
            return "for either write || or or";
        case '\'':
            return "write text in double quotes";
        case '[':
            return "write an address like [2001:db8::1]:3260 in double quotes";
        default:
            break;
    }
    const bool printable = c > 0x20 && c < 0x7f;
    return printable ? fmt::format("unexpected {}", c)
                     : fmt::format("unexpected byte 0x{:02x}", static_cast<unsigned char>(c));
}

void append_utf8(std::string& text, uint32_t code) {
    const auto put = [&](uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | code >> 6);
        put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        put(0xe0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    } else {
        put(0xf0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3f));
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    }
}

// Digits of `base` from text[at] on, `least` to `most` of them: their number and how many. Nothing where there are
// fewer.
std::optional<std::pair<uint32_t, size_t>> digits(std::string_view text, size_t at, unsigned base,
                                                  size_t least, size_t most) {
    uint32_t value = 0;
    size_t count = 0;
    while (count < most && at + count < text.size()) {
        const char c = text[at + count];
        unsigned digit = 99;
        if (is_digit(c)) digit = static_cast<unsigned>(c - '0');
        if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a' + 10);
        if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A' + 10);
        if (digit >= base) break;
        value = value * base + digit;
        count++;
    }
    if (count < least) return std::nullopt;
    return std::pair{value, count};
}

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    Lexed run() {
        while (!error_) {
            while (at_ < text_.size() && is_blank(text_[at_])) at_++;
            if (at_ == text_.size()) break;
            next();
        }
        tokens_.push_back({Token::Kind::end, text_.size(), 0, {}});
        return {std::move(tokens_), std::move(error_)};
    }

  private:
    void next() {
        const char c = text_[at_];
        if (c == '"') return string(at_ + 1, false);
        if ((c == 'r' || c == 'R') && at_ + 1 < text_.size() && text_[at_ + 1] == '"')
            return string(at_ + 2, true);
        if (begins_word(c)) return word();
        const bool digit_follows = at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
        const bool number = digit_follows || (c == '-' && at_ + 2 < text_.size() && text_[at_ + 1] == '.' &&
                                              is_digit(text_[at_ + 2]));
        if ((c == '-' || c == '.') && number) return word();
        for (const Sign& sign : signs) {
            if (text_.substr(at_).starts_with(sign.text)) {
                tokens_.push_back({sign.kind, at_, sign.text.size(), {}});
                at_ += sign.text.size();
                return;
            }
        }
        error_ = {unexpected(c), at_, 1};
    }

    void word() {
        size_t end = at_ + 1;
        while (end < text_.size()) {
            const char c = text_[end];
            if (c == '.' && end + 1 < text_.size() && text_[end + 1] == '.') break;
            if (!begins_word(c) && c != '.' && c != ':' && c != '-' && c != '+') break;
            end++;
        }
        tokens_.push_back({Token::Kind::word, at_, end - at_, std::string(text_.substr(at_, end - at_))});
        at_ = end;
    }

    void string(size_t begin, bool raw) {
        std::string value;
        size_t end = begin;
        while (end < text_.size() && text_[end] != '"') {
            if (text_[end] != '\\') {
                value += text_[end++];
            } else if (end + 1 == text_.size()) {
                break;
            } else if (raw) {
                value += text_.substr(end, 2);
                end += 2;
            } else if (const size_t length = escape(end, value); length != 0) {
                end += length;
            } else {
                return;
            }
        }
        if (end >= text_.size() || text_[end] != '"') {
            error_ = {"this quote is not closed", at_, text_.size() - at_};
            return;
        }
        end++;
        tokens_.push_back({Token::Kind::string, at_, end - at_, std::move(value), raw});
        at_ = end;
    }

    // The escape at text_[at]: appends what it stands for, and answers its length; 0 after an error.
    size_t escape(size_t at, std::string& value) {
        constexpr std::string_view letters = "abfnrtv\\\"'";
        constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\\"'";
        const char letter = text_[at + 1];
        if (const size_t i = letters.find(letter); i != std::string_view::npos) {
            value += meanings[i];
            return 2;
        }
        if (const auto octal = digits(text_, at + 1, 8, 1, 3); octal && octal->first <= 0xff) {
            value += static_cast<char>(static_cast<unsigned char>(octal->first));
            return 1 + octal->second;
        }
        if (letter == 'x') {
            if (const auto hexadecimal = digits(text_, at + 2, 16, 2, 2)) {
                value += static_cast<char>(static_cast<unsigned char>(hexadecimal->first));
                return 4;
            }
        }
        if (letter == 'u' || letter == 'U') {
            const size_t width = letter == 'u' ? 4 : 8;
            const auto code = digits(text_, at + 2, 16, width, width);
            if (code && code->first <= 0x10ffff && (code->first < 0xd800 || code->first > 0xdfff)) {
                append_utf8(value, code->first);
                return 2 + width;
            }
        }
        const bool printable = letter > 0x20 && letter < 0x7f;
        error_ = {
            printable
                ? fmt::format("\\{0} stands for nothing; for a backslash write \\\\, or the text as r\"…\"",
                              letter)
                : std::string("this backslash stands for nothing; for a backslash write \\\\"),
            at, printable ? size_t{2} : size_t{1}};
        return 0;
    }

    std::string_view text_;
    size_t at_ = 0;
    std::vector<Token> tokens_;
    std::optional<FilterError> error_;
};

}  // namespace

Lexed lex(std::string_view expression) {
    return Lexer(expression).run();
}

}  // namespace sanscope

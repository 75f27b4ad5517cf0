// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/lexer.h"

#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

// Words as they are, strings in «», signs as written; each with its place where `places`.
std::string tokens(const std::string& expression, bool places = false) {
    const Lexed lexed = lex(expression);
    std::string text;
    for (const Token& token : lexed.tokens) {
        if (token.kind == Token::Kind::end) break;
        text += text.empty() ? "" : " ";
        if (token.kind == Token::Kind::string) {
            text += "«" + token.text + "»";
        } else {
            text += expression.substr(token.position, token.length);
        }
        if (places) text += "@" + std::to_string(token.position) + "+" + std::to_string(token.length);
    }
    if (lexed.error)
        text += "!" + std::to_string(lexed.error->position) + "+" + std::to_string(lexed.error->length);
    return text;
}

TEST(Lexer, words_and_signs_need_no_blanks) {
    EXPECT_EQ(tokens("a==1&&!(b<=2||c>3)"), "a == 1 && ! ( b <= 2 || c > 3 )");
    EXPECT_EQ(tokens("a in{1,2..3}"), "a in { 1 , 2 .. 3 }");
    EXPECT_EQ(tokens("a~\"x\""), "a ~ «x»");
}

TEST(Lexer, places_are_bytes) {
    EXPECT_EQ(tokens(" \u00b5s \"\u00e4\\n\" x", true), "\u00b5s@1+3 «\u00e4\n»@5+6 x@12+1");
}

TEST(Lexer, words_hold_what_numbers_addresses_and_names_have) {
    EXPECT_EQ(tokens("1.5ms -3 -.5s .5 192.0.2.1:3260 iqn.2026-01.org.example:disk"),
              "1.5ms -3 -.5s .5 192.0.2.1:3260 iqn.2026-01.org.example:disk");
    EXPECT_EQ(tokens("1..2 1ms..-2 1.5..2.5"), "1 .. 2 1ms .. -2 1.5 .. 2.5");
    EXPECT_EQ(tokens("r rr r1"), "r rr r1");
}

TEST(Lexer, escapes) {
    EXPECT_EQ(tokens(R"("\\ \" \' \x41 \101 \0 \u00e4 \U0001F600")"),
              std::string("«\\ \" ' A A ") + '\0' + " \u00e4 \U0001F600»");
    EXPECT_EQ(tokens(R"("\a\b\f\n\r\t\v")"), "«\a\b\f\n\r\t\v»");
}

TEST(Lexer, raw_strings_keep_their_backslashes) {
    EXPECT_EQ(tokens(R"(r"\d\\" R"\"")"), R"(«\d\\» «\"»)");
}

TEST(Lexer, errors_stand_where_they_are) {
    EXPECT_EQ(tokens("a \"b"), "a!2+2");
    EXPECT_EQ(tokens("a \"b\\"), "a!2+3");
    EXPECT_EQ(tokens("a \"b\\\""), "a!2+4");
    EXPECT_EQ(tokens("a r\"b\\"), "a!2+4");
    EXPECT_EQ(tokens("\"ab\\q\""), "!3+2");
    EXPECT_EQ(tokens("\"\\x4\""), "!1+2");
    EXPECT_EQ(tokens("\"\\777\""), "!1+2");
    EXPECT_EQ(tokens("\"\\ud800\""), "!1+2");
    EXPECT_EQ(tokens("\"\\U00110000\""), "!1+2");
    EXPECT_EQ(tokens("a % b"), "a!2+1");
    EXPECT_EQ(tokens(std::string("a\0", 2)), "a!1+1");
    EXPECT_EQ(tokens("a = b"), "a!2+1");
    EXPECT_EQ(tokens("a -"), "a!2+1");
}

TEST(Lexer, the_end_is_a_token) {
    const Lexed lexed = lex("  ");
    ASSERT_EQ(lexed.tokens.size(), 1u);
    EXPECT_EQ(lexed.tokens[0].kind, Token::Kind::end);
    EXPECT_EQ(lexed.tokens[0].position, 2u);
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/parser.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <utility>

#include "analyzer/query/column_meaning.h"
#include "analyzer/query/column_names.h"
#include "analyzer/query/lexer.h"
#include "analyzer/query/literal.h"
#include "analyzer/query/spelling.h"

namespace sanscope {
namespace {

constexpr size_t longest_expression = size_t{64} * 1024;
constexpr size_t longest_word = 256;
constexpr int deepest_nesting = 100;

// What can stand unquoted between others and is no value.
constexpr std::array<std::string_view, 12> keywords = {"and", "or", "not", "in", "contains", "matches",
                                                       "eq",  "ne", "lt",  "le", "gt",       "ge"};

bool is_keyword(const Token& token) {
    return token.kind == Token::Kind::word &&
           std::find(keywords.begin(), keywords.end(), token.text) != keywords.end();
}

bool is_value(const Token& token) {
    return token.kind == Token::Kind::string || (token.kind == Token::Kind::word && !is_keyword(token));
}

std::optional<Comparison> comparison_of(const Token& token) {
    switch (token.kind) {
        case Token::Kind::equal:
            return Comparison::equal;
        case Token::Kind::not_equal:
            return Comparison::not_equal;
        case Token::Kind::less:
            return Comparison::less;
        case Token::Kind::less_equal:
            return Comparison::less_equal;
        case Token::Kind::greater:
            return Comparison::greater;
        case Token::Kind::greater_equal:
            return Comparison::greater_equal;
        case Token::Kind::word: {
            constexpr std::array<std::pair<std::string_view, Comparison>, 6> words = {
                {{"eq", Comparison::equal},
                 {"ne", Comparison::not_equal},
                 {"lt", Comparison::less},
                 {"le", Comparison::less_equal},
                 {"gt", Comparison::greater},
                 {"ge", Comparison::greater_equal}}};
            for (const auto& [word, comparison] : words) {
                if (token.text == word) return comparison;
            }
            return std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

// The comparison with its sides changed over.
Comparison turned(Comparison comparison) {
    switch (comparison) {
        case Comparison::less:
            return Comparison::greater;
        case Comparison::less_equal:
            return Comparison::greater_equal;
        case Comparison::greater:
            return Comparison::less;
        case Comparison::greater_equal:
            return Comparison::less_equal;
        default:
            return comparison;
    }
}

bool is_ordering(Comparison comparison) {
    return comparison != Comparison::equal && comparison != Comparison::not_equal;
}

bool is_numeric(Meaning meaning) {
    return meaning != Meaning::text && meaning != Meaning::boolean;
}

std::optional<bool> truth_value(const Token& token) {
    if (token.kind != Token::Kind::word) return std::nullopt;
    for (const std::string_view word : {"true", "True", "TRUE", "1"}) {
        if (token.text == word) return true;
    }
    for (const std::string_view word : {"false", "False", "FALSE", "0"}) {
        if (token.text == word) return false;
    }
    return std::nullopt;
}

std::string joined(std::span<const std::string_view> words) {
    std::string text;
    for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

// "a", "a or b", "a, b or c".
std::string alternatives(std::span<const std::string_view> words) {
    if (words.size() < 2) return joined(words);
    return joined(words.first(words.size() - 1)) + " or " + std::string(words.back());
}

bool is_number(const Token& token) {
    return token.kind == Token::Kind::word && looks_like_number(token.text);
}

// A column as an expression names it.
struct NamedColumn {
    const ColumnInfo& info;
    uint32_t number;
    Meaning meaning;

    Test::Number kind_of_number() const {
        if (!is_numeric(meaning)) return Test::Number::none;
        if (meaning == Meaning::hexadecimal) return Test::Number::hexadecimal;
        return info.type == ColumnType::integer ? Test::Number::integer : Test::Number::unsigned_integer;
    }
    bool is_signed() const { return kind_of_number() == Test::Number::integer; }
    WideInteger least() const { return is_signed() ? std::numeric_limits<int64_t>::min() : 0; }
    WideInteger greatest() const {
        return is_signed() ? WideInteger{std::numeric_limits<int64_t>::max()}
                           : WideInteger{std::numeric_limits<uint64_t>::max()};
    }
    // A value within those as tests compare it.
    uint64_t bits(WideInteger value) const {
        return static_cast<uint64_t>(value) ^ (is_signed() ? sign_bit : 0);
    }

    Test test(Test::Kind kind) const {
        Test test;
        test.kind = kind;
        test.number = kind_of_number();
        test.column = number;
        return test;
    }
};

// `low` to `high`, as far as the column has such values.
std::optional<std::pair<uint64_t, uint64_t>> bits_of(const NamedColumn& column, WideInteger low,
                                                     WideInteger high) {
    low = std::max(low, column.least());
    high = std::min(high, column.greatest());
    if (low > high) return std::nullopt;
    return std::pair{column.bits(low), column.bits(high)};
}

Test range_test(const NamedColumn& column, std::pair<uint64_t, uint64_t> range) {
    Test test = column.test(Test::Kind::range);
    test.low = range.first;
    test.span = range.second - range.first;
    return test;
}

Test number_test(const NamedColumn& column, Comparison comparison, WideInteger value) {
    WideInteger low = column.least();
    WideInteger high = column.greatest();
    switch (comparison) {
        case Comparison::equal:
        case Comparison::not_equal:
            low = high = value;
            break;
        case Comparison::less:
            high = value - 1;
            break;
        case Comparison::less_equal:
            high = value;
            break;
        case Comparison::greater:
            low = value + 1;
            break;
        case Comparison::greater_equal:
            low = value;
            break;
    }
    const auto range = bits_of(column, low, high);
    const bool negated = comparison == Comparison::not_equal;
    if (!range) return column.test(negated ? Test::Kind::known : Test::Kind::never);
    Test test = range_test(column, *range);
    test.negated = negated;
    return test;
}

NumberRanges merged(NumberRanges ranges) {
    std::sort(ranges.begin(), ranges.end());
    NumberRanges disjoint;
    for (const auto& range : ranges) {
        if (!disjoint.empty() && range.first <= disjoint.back().second) {
            disjoint.back().second = std::max(disjoint.back().second, range.second);
        } else {
            disjoint.push_back(range);
        }
    }
    return disjoint;
}

template <class T>
uint32_t keep(std::vector<T>& operands, T operand) {
    operands.push_back(std::move(operand));
    return static_cast<uint32_t>(operands.size() - 1);
}

Node test_node(Test test) {
    Node node;
    node.test = test;
    return node;
}

Node opposite(Node node) {
    Node result;
    result.kind = Node::Kind::negation;
    result.parts.push_back(std::move(node));
    return result;
}

// By recursive descent. Each step answers whether it succeeded; where not, error_ says why.
class Parser {
  public:
    Parser(std::string_view expression, std::string_view table, std::span<const ColumnInfo> columns,
           std::vector<Token> tokens, Program& program, FilterError& error)
        : expression_(expression),
          table_(table),
          columns_(columns),
          names_(columns),
          tokens_(std::move(tokens)),
          program_(program),
          error_(error) {}

    std::optional<Node> run() {
        if (here().kind == Token::Kind::end) {
            fail("the expression is empty", 0, 0);
            return std::nullopt;
        }
        const auto overlong = std::find_if(tokens_.begin(), tokens_.end(), [](const Token& token) {
            return token.kind == Token::Kind::word && token.length > longest_word;
        });
        if (overlong != tokens_.end()) {
            fail(*overlong, "this word is too long");
            return std::nullopt;
        }
        Node node;
        if (!any(node)) return std::nullopt;
        if (here().kind != Token::Kind::end) {
            trailing();
            return std::nullopt;
        }
        return node;
    }

  private:
    const Token& here() const { return tokens_[at_]; }
    const Token& ahead(size_t count) const { return tokens_[std::min(at_ + count, tokens_.size() - 1)]; }
    const Token& take() { return tokens_[here().kind == Token::Kind::end ? at_ : at_++]; }
    bool at_keyword(std::string_view word) const {
        return here().kind == Token::Kind::word && here().text == word;
    }
    std::string_view written(const Token& token) const {
        return expression_.substr(token.position, token.length);
    }

    bool fail(std::string message, size_t position, size_t length) {
        error_ = {std::move(message), position, length};
        return false;
    }
    bool fail(const Token& token, std::string message) {
        return fail(std::move(message), token.position, token.length);
    }

    // Operands joined by an operator: one stands for itself.
    template <class Operand, class AtOperator>
    bool joined_by(Node::Kind kind, Node& node, Operand operand, AtOperator at_operator) {
        if (!operand(node)) return false;
        if (!at_operator()) return true;
        Node whole;
        whole.kind = kind;
        whole.parts.push_back(std::move(node));
        while (at_operator()) {
            take();
            if (!operand(whole.parts.emplace_back())) return false;
        }
        node = std::move(whole);
        return true;
    }
    bool any(Node& node) {
        return joined_by(
            Node::Kind::any, node, [this](Node& part) { return all(part); },
            [this] { return here().kind == Token::Kind::disjunction || at_keyword("or"); });
    }
    bool all(Node& node) {
        return joined_by(
            Node::Kind::all, node, [this](Node& part) { return negation(part); },
            [this] { return here().kind == Token::Kind::conjunction || at_keyword("and"); });
    }
    bool negation(Node& node) {
        bool negated = false;
        while (here().kind == Token::Kind::negation || at_keyword("not")) {
            take();
            negated = !negated;
        }
        if (!primary(node)) return false;
        if (negated) node = opposite(std::move(node));
        return true;
    }

    bool primary(Node& node) {
        const Token& first = here();
        if (first.kind == Token::Kind::open) return parenthesis(node);
        if (!is_value(first)) {
            if (first.kind == Token::Kind::close) return fail(first, "before this ) a condition is wanting");
            return fail(first, "expected a column");
        }
        take();
        std::optional<NamedColumn> column;
        if (!column_meant(first, column)) return false;
        if (column) return condition(*column, node);

        // 10ms < turnaround_ns
        const bool literal = first.kind == Token::Kind::string || is_number(first);
        const auto comparison = comparison_of(here());
        if (literal && comparison) {
            std::optional<NamedColumn> other;
            if (!column_meant(ahead(1), other)) return false;
            if (other) {
                take();
                take();
                return compare(*other, turned(*comparison), first, node);
            }
        }
        if (is_number(first)) return fail(first, "expected a column, not a number");
        if (first.kind == Token::Kind::string && names_.near(first.text).empty())
            return fail(first, "expected a column, not text");
        return no_column(first);
    }

    bool parenthesis(Node& node) {
        const Token opening = take();
        if (++depth_ > deepest_nesting) return fail(opening, "nested too deep");
        if (!any(node)) return false;
        depth_--;
        if (here().kind == Token::Kind::close) {
            take();
            return true;
        }
        if (here().kind == Token::Kind::end) return fail(opening, "this ( is not closed");
        return trailing();
    }

    NamedColumn column_at(size_t number) const {
        return {columns_[number], static_cast<uint32_t>(number), meaning_of(columns_[number])};
    }

    // The column that a word is the name of, letter by letter.
    std::optional<NamedColumn> column_of(const Token& token) const {
        if (token.kind != Token::Kind::word) return std::nullopt;
        const auto number = find_column(columns_, token.text);
        if (!number) return std::nullopt;
        return column_at(*number);
    }

    // The column that a word, or text in quotes, is a name or the header of; nothing where there is none. It fails where there
    // are several.
    bool column_meant(const Token& token, std::optional<NamedColumn>& column) {
        if (token.kind != Token::Kind::word && token.kind != Token::Kind::string) return true;
        const std::vector<size_t> found = names_.find(token.text);
        if (found.size() > 1) {
            std::vector<std::string_view> names;
            for (const size_t number : found) names.push_back(columns_[number].name);
            return fail(token, fmt::format("{} could be {}: write which", token.text, alternatives(names)));
        }
        if (!found.empty()) column.emplace(column_at(found.front()));
        return true;
    }

    bool no_column(const Token& token) {
        return fail_suggesting(token, fmt::format("no column \"{}\" in {}", token.text, table_));
    }

    // With the names that may have been meant.
    bool fail_suggesting(const Token& token, std::string message) {
        const std::vector<ColumnNames::Suggestion> near = names_.near(token.text);
        std::vector<std::string_view> names;
        for (const ColumnNames::Suggestion& suggestion : near) names.push_back(suggestion.name);
        if (!names.empty()) message += fmt::format("; did you mean {}?", alternatives(names));
        fail(token, std::move(message));
        if (!near.empty()) error_.edits = near.front().edits;
        return false;
    }

    // What stands where an expression could end.
    bool trailing() {
        const Token& token = here();
        if (token.kind == Token::Kind::close) return fail(token, "this ) closes nothing");
        std::string small(token.text);
        std::transform(small.begin(), small.end(), small.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        if (token.kind == Token::Kind::word && small != token.text &&
            std::find(keywords.begin(), keywords.end(), small) != keywords.end()) {
            return fail(token, fmt::format("write {} in small letters", small));
        }
        if (after_bare_text_ && token.kind == Token::Kind::word) {
            const Token& before = tokens_[at_ - 1];
            return fail(std::string("text of several words needs double quotes"), before.position,
                        token.end() - before.position);
        }
        return fail(token, "expected and, or, or the end");
    }

    // What follows a column.
    bool condition(const NamedColumn& column, Node& node) {
        after_bare_text_ = false;
        const Token sign = here();
        if (const auto comparison = comparison_of(sign)) {
            take();
            const Token& value = here();
            if (!is_value(value)) return fail(value, fmt::format("expected a value after {}", written(sign)));
            take();
            return compare(column, *comparison, value, node);
        }
        if (at_keyword("not") && ahead(1).kind == Token::Kind::word && ahead(1).text == "in") {
            take();
            take();
            if (!membership(column, node)) return false;
            node = opposite(std::move(node));
            return true;
        }
        if (at_keyword("in")) {
            take();
            return membership(column, node);
        }
        if (at_keyword("contains")) return contains(column, node);
        if (sign.kind == Token::Kind::matches || at_keyword("matches")) return matches(column, node);
        if (column.meaning == Meaning::boolean) {
            node = test_node(column.test(Test::Kind::boolean));
            node.test.low = 1;
        } else {
            node = test_node(column.test(Test::Kind::known));
        }
        return true;
    }

    bool compare(const NamedColumn& column, Comparison comparison, const Token& value, Node& node) {
        switch (column.meaning) {
            case Meaning::boolean:
                return compare_boolean(column, comparison, value, node);
            case Meaning::text:
                return compare_text(column, comparison, value, node);
            default:
                break;
        }
        if (!is_number(value)) {
            std::optional<NamedColumn> other;
            if (!column_meant(value, other)) return false;
            if (other) return compare_columns(column, comparison, *other, value, node);
        }
        WideInteger number = 0;
        if (!number_of(column, value, number)) return false;
        node = test_node(number_test(column, comparison, number));
        return true;
    }

    bool compare_boolean(const NamedColumn& column, Comparison comparison, const Token& value, Node& node) {
        if (is_ordering(comparison)) {
            return fail(value, fmt::format("{} is true or false, which have no order", column.info.name));
        }
        if (const auto truth = truth_value(value)) {
            node = test_node(column.test(Test::Kind::boolean));
            node.test.low = *truth == (comparison == Comparison::equal) ? 1 : 0;
            return true;
        }
        std::optional<NamedColumn> other;
        if (!column_meant(value, other)) return false;
        if (other) return compare_columns(column, comparison, *other, value, node);
        return fail(value, fmt::format("{} is true or false", column.info.name));
    }

    bool compare_text(const NamedColumn& column, Comparison comparison, const Token& value, Node& node) {
        const auto words = known_words(column.info);
        const bool is_known_word = std::find(words.begin(), words.end(), value.text) != words.end();
        if (value.kind == Token::Kind::word && !is_known_word) {
            if (const auto other = column_of(value))
                return compare_columns(column, comparison, *other, value, node);
        }
        std::string text;
        if (!text_of(column, value, text)) return false;
        node = test_node(column.test(Test::Kind::text));
        node.test.comparison = comparison;
        node.test.operand = keep(program_.texts, std::move(text));
        return true;
    }

    bool compare_columns(const NamedColumn& column, Comparison comparison, const NamedColumn& other,
                         const Token& value, Node& node) {
        const auto plain = [](Meaning meaning) {
            return meaning == Meaning::hexadecimal ? Meaning::number : meaning;
        };
        if (plain(column.meaning) != plain(other.meaning)) {
            return fail(value, fmt::format("{} is {} and {} is {}", column.info.name, name_of(column.meaning),
                                           other.info.name, name_of(other.meaning)));
        }
        node = test_node(column.test(is_numeric(column.meaning)        ? Test::Kind::two_numbers
                                     : column.meaning == Meaning::text ? Test::Kind::two_texts
                                                                       : Test::Kind::two_booleans));
        node.test.comparison = comparison;
        node.test.other = other.number;
        node.test.other_number = other.kind_of_number();
        return true;
    }

    // The number a literal stands for beside a column.
    bool number_of(const NamedColumn& column, const Token& value, WideInteger& number) {
        constexpr size_t longest_moment = 64;
        const bool text = value.kind == Token::Kind::string;
        const std::string_view name = column.info.name;
        const bool is_date = value.text.size() > 4 && (value.text[4] == '-' || text);
        if (column.meaning == Meaning::moment && is_date && value.text.size() <= longest_moment) {
            const Result<int64_t> moment = parse_moment(value.text);
            if (!moment) return fail(value, moment.error().message);
            number = *moment;
            return true;
        }
        if (column.meaning == Meaning::hexadecimal && text) {
            if (!value.text.starts_with("0x") || value.text.size() > longest_moment) {
                return fail(value, fmt::format("{} is {}, as in 0x28", name, name_of(column.meaning)));
            }
        } else if (text) {
            return fail(value, fmt::format("{} is {}, not text", name, name_of(column.meaning)));
        } else if (!looks_like_number(value.text)) {
            return fail_suggesting(value, fmt::format("{} is {}; {} is neither that nor a column", name,
                                                      name_of(column.meaning), value.text));
        }
        const Result<WideInteger> parsed = parse_number(value.text, column.meaning);
        if (!parsed) return fail(value, parsed.error().message);
        number = *parsed;
        return true;
    }

    // The text a literal stands for beside a text column.
    bool text_of(const NamedColumn& column, const Token& value, std::string& text) {
        text = value.text;
        if (value.kind == Token::Kind::string) return true;
        after_bare_text_ = true;
        if (here().kind == Token::Kind::open && here().position == value.end()) {
            const size_t closing = expression_.find(')', value.end());
            const size_t end = closing == std::string_view::npos ? value.end() + 1 : closing + 1;
            const std::string_view whole = expression_.substr(value.position, end - value.position);
            return fail(fmt::format("text that is not one plain word needs double quotes: \"{}\"", whole),
                        value.position, end - value.position);
        }
        const auto words = known_words(column.info);
        if (!words.empty() && std::find(words.begin(), words.end(), value.text) == words.end()) {
            const std::string_view nearest = nearest_word(value.text, words);
            return fail(value, fmt::format("{} is never {}; ", column.info.name, value.text) +
                                   (nearest.empty() ? fmt::format("it is one of {}", joined(words))
                                                    : fmt::format("did you mean {}?", nearest)));
        }
        if (parse_number(value.text, Meaning::number)) {
            return fail(value, fmt::format("{} is text: to compare it with this, write \"{}\"",
                                           column.info.name, value.text));
        }
        return true;
    }

    bool membership(const NamedColumn& column, Node& node) {
        const Token opening = here();
        if (column.meaning == Meaning::boolean) {
            return fail(opening, fmt::format("{} is true or false; compare it with ==", column.info.name));
        }
        if (opening.kind != Token::Kind::open_set) return fail(opening, "expected { after in");
        take();
        NumberRanges ranges;
        TextSet texts;
        while (true) {
            if (here().kind == Token::Kind::end) return fail(opening, "this { is not closed");
            if (!is_value(here())) return fail(here(), "expected a value");
            const Token low = take();
            if (!element(column, low, ranges, texts)) return false;
            if (here().kind == Token::Kind::close_set) break;
            if (here().kind == Token::Kind::end) return fail(opening, "this { is not closed");
            if (here().kind != Token::Kind::comma) return fail(here(), "expected , or .. or }");
            take();
        }
        take();
        after_bare_text_ = false;
        if (column.meaning == Meaning::text) {
            std::sort(texts.values.begin(), texts.values.end());
            node = test_node(column.test(Test::Kind::text_set));
            node.test.operand = keep(program_.text_sets, std::move(texts));
            return true;
        }
        ranges = merged(std::move(ranges));
        if (ranges.empty()) {
            node = test_node(column.test(Test::Kind::never));
        } else if (ranges.size() == 1) {
            node = test_node(range_test(column, ranges.front()));
        } else {
            node = test_node(column.test(Test::Kind::number_set));
            node.test.operand = keep(program_.number_sets, std::move(ranges));
        }
        return true;
    }

    // `low`, or `low .. ` and what follows.
    bool element(const NamedColumn& column, const Token& low, NumberRanges& ranges, TextSet& texts) {
        const bool textual = column.meaning == Meaning::text;
        WideInteger first = 0;
        std::string first_text;
        if (!(textual ? text_of(column, low, first_text) : number_of(column, low, first))) return false;
        WideInteger last = first;
        std::string last_text = first_text;
        if (here().kind == Token::Kind::range) {
            take();
            if (!is_value(here())) return fail(here(), "expected a value after ..");
            const Token high = take();
            if (!(textual ? text_of(column, high, last_text) : number_of(column, high, last))) return false;
            if (textual ? first_text > last_text : first > last) {
                return fail("this range ends before it begins", low.position, high.end() - low.position);
            }
            if (textual) texts.ranges.emplace_back(first_text, last_text);
        } else if (textual) {
            texts.values.push_back(first_text);
        }
        if (textual) return true;
        if (const auto range = bits_of(column, first, last)) ranges.push_back(*range);
        return true;
    }

    bool contains(const NamedColumn& column, Node& node) {
        const Token sign = take();
        if (!searchable(column, sign)) return false;
        const Token& value = here();
        if (!is_value(value)) return fail(value, "expected text after contains");
        take();
        if (value.text.empty()) return fail(value, "this text is empty");
        node = test_node(column.test(Test::Kind::contains));
        node.test.operand = keep(program_.texts, value.text);
        after_bare_text_ = value.kind == Token::Kind::word;
        return true;
    }

    bool matches(const NamedColumn& column, Node& node) {
        const Token sign = take();
        if (!searchable(column, sign)) return false;
        const Token& value = here();
        if (value.kind != Token::Kind::string) {
            return fail(
                value, fmt::format("expected a regular expression in double quotes after {}", written(sign)));
        }
        take();
        Pattern::Fault fault;
        auto pattern = Pattern::compile(value.text, fault);
        if (!pattern) {
            // Where nothing was escaped, the place in the pattern is one in the expression.
            const size_t front = value.raw ? 2 : 1;
            const bool as_written = value.length == value.text.size() + front + 1;
            if (!as_written || value.text.empty()) return fail(value, fault.message);
            const size_t place = std::min(fault.position, value.text.size() - 1);
            return fail(fault.message, value.position + front + place, 1);
        }
        node = test_node(column.test(Test::Kind::matches));
        node.test.operand = keep(program_.patterns, std::move(*pattern));
        return true;
    }

    bool searchable(const NamedColumn& column, const Token& sign) {
        if (column.info.type == ColumnType::text) return true;
        return fail(sign, fmt::format("{} searches text; {} is {}", written(sign), column.info.name,
                                      name_of(column.meaning)));
    }

    std::string_view expression_;
    std::string_view table_;
    std::span<const ColumnInfo> columns_;
    ColumnNames names_;
    std::vector<Token> tokens_;
    Program& program_;
    FilterError& error_;
    size_t at_ = 0;
    int depth_ = 0;
    bool after_bare_text_ = false;  // the last value was text without quotes
};

}  // namespace

std::optional<Node> parse(std::string_view expression, std::string_view table,
                          std::span<const ColumnInfo> columns, Program& program, FilterError& error) {
    if (expression.size() > longest_expression) {
        error = {"the expression is longer than 64 KiB", 0, 0};
        return std::nullopt;
    }
    Lexed lexed = lex(expression);
    if (lexed.error) {
        error = std::move(*lexed.error);
        return std::nullopt;
    }
    return Parser(expression, table, columns, std::move(lexed.tokens), program, error).run();
}

}  // namespace sanscope

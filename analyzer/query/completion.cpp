// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/completion.h"

#include <algorithm>
#include <optional>

#include "analyzer/query/column_header.h"
#include "analyzer/query/column_meaning.h"
#include "analyzer/query/column_names.h"
#include "analyzer/query/lexer.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

// What is due at a place in an expression.
enum class Due : uint8_t {
    condition,  // a column, not, (
    after_column,
    value,
    open_set,
    set_value,
    after_set_value,
    connective,  // and, or, )
    nothing,     // in an error
};

struct Place {
    Due due = Due::condition;
    std::optional<size_t> column;  // the last one named
    int open = 0;
};

bool is_text(const ColumnInfo& column) {
    return column.type == ColumnType::text;
}

bool is_comparison(const Token& token) {
    switch (token.kind) {
        case Token::Kind::equal:
        case Token::Kind::not_equal:
        case Token::Kind::less:
        case Token::Kind::less_equal:
        case Token::Kind::greater:
        case Token::Kind::greater_equal:
            return true;
        default:
            return token.kind == Token::Kind::word &&
                   (token.text == "eq" || token.text == "ne" || token.text == "lt" || token.text == "le" ||
                    token.text == "gt" || token.text == "ge");
    }
}

bool is_word(const Token& token, std::string_view word) {
    return token.kind == Token::Kind::word && token.text == word;
}

bool is_connective(const Token& token) {
    return token.kind == Token::Kind::conjunction || token.kind == Token::Kind::disjunction ||
           is_word(token, "and") || is_word(token, "or");
}

std::optional<size_t> column_of(const Token& token, const ColumnNames& names) {
    if (token.kind != Token::Kind::word && token.kind != Token::Kind::string) return std::nullopt;
    const std::vector<size_t> found = names.find(token.text);
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

// Moves a place over the token that stands there.
void step(Place& place, const Token& token, const ColumnNames& names) {
    const auto end_of_condition = [&] {
        if (is_connective(token)) {
            place.due = Due::condition;
        } else if (token.kind == Token::Kind::close && place.open > 0) {
            place.open--;
            place.due = Due::connective;
        } else {
            place.due = Due::nothing;
        }
    };
    const bool value = token.kind == Token::Kind::word || token.kind == Token::Kind::string;
    switch (place.due) {
        case Due::condition:
            if (token.kind == Token::Kind::open) {
                place.open++;
            } else if (token.kind != Token::Kind::negation && !is_word(token, "not")) {
                place.column = column_of(token, names);
                place.due = place.column ? Due::after_column : Due::nothing;
            }
            break;
        case Due::after_column:
            if (is_comparison(token) || token.kind == Token::Kind::matches || is_word(token, "matches") ||
                is_word(token, "contains")) {
                place.due = Due::value;
            } else if (is_word(token, "in")) {
                place.due = Due::open_set;
            } else if (!is_word(token, "not")) {
                end_of_condition();
            }
            break;
        case Due::value:
            place.due = value ? Due::connective : Due::nothing;
            break;
        case Due::open_set:
            place.due = token.kind == Token::Kind::open_set ? Due::set_value : Due::nothing;
            break;
        case Due::set_value:
            place.due = value ? Due::after_set_value : Due::nothing;
            break;
        case Due::after_set_value:
            if (token.kind == Token::Kind::comma || token.kind == Token::Kind::range) {
                place.due = Due::set_value;
            } else {
                place.due = token.kind == Token::Kind::close_set ? Due::connective : Due::nothing;
            }
            break;
        case Due::connective:
            end_of_condition();
            break;
        case Due::nothing:
            break;
    }
}

class Gatherer {
  public:
    Gatherer(std::string_view word, std::span<const ColumnInfo> columns, const Place& place)
        : word_(word), plain_word_(plain_column_name(word)), columns_(columns), place_(place) {}

    std::vector<Candidate> run() {
        switch (place_.due) {
            case Due::condition:
                for (const ColumnInfo& column : columns_) add_named_column(column);
                add("not", Candidate::Kind::connective, "What follows does not hold");
                add("(", Candidate::Kind::connective, "Groups conditions");
                break;
            case Due::after_column:
                signs(columns_[*place_.column]);
                connectives();
                break;
            case Due::value:
                values(columns_[*place_.column]);
                for (const ColumnInfo& column : columns_) {
                    if (is_comparable(column, columns_[*place_.column])) add_column(column);
                }
                break;
            case Due::open_set:
                add("{", Candidate::Kind::sign, "Values and ranges: {1, 5..9}");
                break;
            case Due::set_value:
                values(columns_[*place_.column]);
                break;
            case Due::after_set_value:
                add(",", Candidate::Kind::sign, "One more");
                add("..", Candidate::Kind::sign, "To, the last value included");
                add("}", Candidate::Kind::sign, "The end of the set");
                break;
            case Due::connective:
                connectives();
                break;
            case Due::nothing:
                break;
        }
        std::stable_sort(found_.begin(), found_.end(), [this](const Candidate& a, const Candidate& b) {
            return begins_with_word(a) && !begins_with_word(b);
        });
        return std::move(found_);
    }

  private:
    bool begins_with_word(const Candidate& candidate) const {
        return candidate.text.starts_with(word_) ||
               (candidate.kind == Candidate::Kind::column && candidate.text.starts_with(plain_word_));
    }
    static bool is_comparable(const ColumnInfo& a, const ColumnInfo& b) {
        return &a != &b && meaning_of(a) == meaning_of(b);
    }

    void add(std::string text, Candidate::Kind kind, std::string_view description,
             std::string_view type = {}) {
        if (text.find(word_) == std::string::npos) return;
        found_.push_back({std::move(text), kind, type, description});
    }
    void add_column(const ColumnInfo& column) {
        add(std::string(column.name), Candidate::Kind::column, column.description,
            name_of(meaning_of(column)));
    }
    // Whatever the case, and by its header, too.
    void add_named_column(const ColumnInfo& column) {
        const auto holds = [this](std::string_view name) { return name.find(plain_word_) != name.npos; };
        if (!holds(column.name) && !holds(plain_column_name(column_header(column)))) return;
        found_.push_back({std::string(column.name), Candidate::Kind::column, name_of(meaning_of(column)),
                          column.description});
    }

    void connectives() {
        add("and", Candidate::Kind::connective, "Both hold");
        add("or", Candidate::Kind::connective, "One of them holds, or both");
        if (place_.open > 0) add(")", Candidate::Kind::connective, "The end of the group");
    }

    void signs(const ColumnInfo& column) {
        const auto sign = [this](std::string text, std::string_view description) {
            add(std::move(text), Candidate::Kind::sign, description);
        };
        sign("==", "Equal");
        sign("!=", "Known and not equal");
        if (column.type == ColumnType::boolean) return;
        sign(">", "Greater");
        sign(">=", "Greater or equal");
        sign("<", "Less");
        sign("<=", "Less or equal");
        sign("in", "One of a set of values and ranges");
        sign("not in", "None of a set of values and ranges");
        if (!is_text(column)) return;
        sign("contains", "Holds this text, upper and lower case told apart");
        sign("matches", "A regular expression is found in it, whatever the case");
    }

    void values(const ColumnInfo& column) {
        const auto value = [this](std::string_view text, std::string_view description) {
            add(std::string(text), Candidate::Kind::value, description);
        };
        if (column.type == ColumnType::boolean) {
            value("true", "");
            value("false", "");
        }
        for (const std::string_view word : known_words(column)) value(word, "");
        if (is_text(column) && column.name == "status") {
            for (unsigned code = 0; code <= 0xff; code++) {
                const std::string_view name = scsi_status_name(static_cast<uint8_t>(code));
                if (!name.starts_with("0x")) value(name, "SCSI status");
            }
        }
    }

    std::string_view word_;
    std::string plain_word_;
    std::span<const ColumnInfo> columns_;
    const Place& place_;
    std::vector<Candidate> found_;
};

}  // namespace

Completion complete(std::string_view expression, size_t cursor, std::span<const ColumnInfo> columns) {
    cursor = std::min(cursor, expression.size());
    // The word under the cursor, as the whole expression has it; what is behind the cursor matters for nothing else.
    Completion completion{cursor, cursor, {}};
    for (const Token& token : lex(expression).tokens) {
        const bool touches = token.position < cursor && cursor <= token.end();
        if (token.kind == Token::Kind::string && touches && cursor < token.end()) return completion;
        if (token.kind == Token::Kind::word && touches) {
            completion.begin = token.position;
            completion.end = token.end();
        }
    }
    const Lexed before = lex(expression.substr(0, completion.begin));
    if (before.error) return completion;
    Place place;
    const ColumnNames names(columns);
    for (const Token& token : before.tokens) {
        if (token.kind != Token::Kind::end) step(place, token, names);
    }
    const std::string_view word = expression.substr(completion.begin, cursor - completion.begin);
    completion.candidates = Gatherer(word, columns, place).run();
    return completion;
}

}  // namespace sanscope

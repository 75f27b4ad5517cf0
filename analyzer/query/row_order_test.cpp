// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/row_order.h"

#include <algorithm>
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "analyzer/vocabulary/ip_address.h"

namespace sanscope {
namespace {

using Rows = std::vector<uint32_t>;

// One column, of values that are there or not.
template <class Value>
class OneColumn final : public Table {
  public:
    OneColumn(ColumnType type, std::string_view description, std::vector<std::optional<Value>> cells)
        : columns_({{"it", type, description}}), values(std::move(cells)) {}
    std::string_view name() const override { return "one"; }
    std::span<const ColumnInfo> columns() const override { return columns_; }
    size_t rows() const override { return values.size(); }
    void cell(size_t row, size_t, Cell& cell) const override {
        if (row == stop_at) stop = true;
        const std::optional<Value>& value = values[row];
        if (!value) return cell.set_empty();
        if constexpr (std::is_same_v<Value, std::string>) {
            cell.set(std::string_view(*value));
        } else {
            cell.set(*value);
        }
    }

  private:
    std::vector<ColumnInfo> columns_;

  public:
    std::vector<std::optional<Value>> values;
    size_t stop_at = static_cast<size_t>(-1);
    mutable std::atomic<bool> stop = false;
};

template <class Value, class Less>
Rows expected_order(const std::vector<std::optional<Value>>& values, Rows rows, bool descending, Less less) {
    std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
        if (!values[a] || !values[b]) return values[a].has_value() && !values[b].has_value();
        return descending ? less(*values[b], *values[a]) : less(*values[a], *values[b]);
    });
    return rows;
}

Rows all_rows(size_t count) {
    Rows rows(count);
    std::iota(rows.begin(), rows.end(), 0u);
    return rows;
}

Rows every_other(const Rows& rows, std::mt19937_64& random) {
    Rows some;
    for (const uint32_t row : rows) {
        if (random() % 2 == 0) some.push_back(row);
    }
    return some;
}

// In both directions, all rows and some, with one thread, two and three.
template <class Value, class Less = std::less<>>
void check(const OneColumn<Value>& table, const std::string& what, Less less = {}) {
    std::mt19937_64 random(table.rows());
    const Rows all = all_rows(table.rows());
    unsigned threads = 1;
    for (const Rows& rows : {all, every_other(all, random)}) {
        for (const bool descending : {false, true}) {
            Rows found = rows;
            ASSERT_TRUE(order_rows(table, 0, descending, found, nullptr, threads));
            EXPECT_TRUE(found == expected_order(table.values, rows, descending, less))
                << what << ", " << rows.size() << " rows, " << (descending ? "descending" : "ascending");
            threads = threads % 3 + 1;
        }
    }
}

constexpr std::array<size_t, 7> sizes = {0, 1, 17, 1023, 1024, 5000, 70'000};

template <class Value, class Make>
std::vector<std::optional<Value>> some_values(size_t size, unsigned empty_percent, Make make) {
    std::mt19937_64 random(size);
    std::vector<std::optional<Value>> values(size);
    for (auto& value : values) {
        if (random() % 100 >= empty_percent) value = make(random);
    }
    return values;
}

template <class Value, class Make>
void check_numbers(ColumnType type, const std::string& what, Make make) {
    for (const size_t size : sizes) {
        for (const unsigned empty_percent : {0u, 30u, 100u}) {
            check(OneColumn<Value>(type, "", some_values<Value>(size, empty_percent, make)), what);
        }
    }
}

TEST(RowOrder, unsigned_numbers_of_any_width) {
    for (const int bits : {1, 9, 24, 48, 64}) {
        check_numbers<uint64_t>(ColumnType::unsigned_integer, std::to_string(bits) + " bits",
                                [&](auto& random) { return uint64_t{random()} >> (64 - bits); });
    }
}

TEST(RowOrder, numbers_crowded_at_both_ends) {
    // What has the high bits in common is distinguished by the low ones, in more than a few places.
    check_numbers<uint64_t>(ColumnType::unsigned_integer, "crowded", [](auto& random) {
        const uint64_t low = random() % 5000;
        return random() % 2 == 0 ? low : UINT64_MAX - low;
    });
}

TEST(RowOrder, equal_numbers_in_many_rows_far_from_each_other) {
    // Some hundred rows of each number, then many of few.
    for (const unsigned distinct : {1000u, 5u}) {
        const auto values = some_values<uint64_t>(
            300'000, 1, [&](auto& random) { return random() % distinct * 7'919'000'000'017; });
        check(OneColumn<uint64_t>(ColumnType::unsigned_integer, "", values), std::to_string(distinct));
    }
}

TEST(RowOrder, negative_numbers) {
    check_numbers<int64_t>(ColumnType::integer, "small",
                           [](auto& random) { return static_cast<int64_t>(random() % 2001) - 1000; });
    check_numbers<int64_t>(ColumnType::integer, "any", [](auto& random) {
        const uint64_t choice = random() % 10;
        return choice == 0   ? std::numeric_limits<int64_t>::min()
               : choice == 1 ? std::numeric_limits<int64_t>::max()
                             : static_cast<int64_t>(random());
    });
}

TEST(RowOrder, booleans) {
    check_numbers<bool>(ColumnType::boolean, "boolean", [](auto& random) { return random() % 2 == 0; });
}

TEST(RowOrder, moments_nearly_in_order) {
    int64_t now = 1'795'259'301'000'000'000;
    check_numbers<int64_t>(ColumnType::integer, "moments", [&](auto& random) {
        now += static_cast<int64_t>(random() % 1'000'000);
        return now - static_cast<int64_t>(random() % 2'000'000);
    });
}

template <class Make>
void check_texts(const std::string& what, Make make) {
    for (const size_t size : sizes) {
        for (const unsigned empty_percent : {0u, 30u}) {
            check(OneColumn<std::string>(ColumnType::text, "",
                                         some_values<std::string>(size, empty_percent, make)),
                  what);
        }
    }
}

TEST(RowOrder, few_distinct_texts) {
    const std::array<std::string, 7> words = {"WRITE(10)", "READ(10)", "READ(16)",           "\xc3\x84pfel",
                                              "b",         "B",        std::string(500, 'x')};
    check_texts("words", [&](auto& random) { return words[random() % words.size()]; });
}

TEST(RowOrder, many_distinct_texts) {
    const auto make = [](auto& random) { return "name " + std::to_string(random()); };
    check_texts("distinct", make);
    check(OneColumn<std::string>(ColumnType::text, "", some_values<std::string>(150'000, 5, make)), "more");
}

TEST(RowOrder, many_distinct_texts_with_ties_and_long_common_beginnings) {
    check_texts("long", [](auto& random) {
        return std::string(20 + 7 * (random() % 2), 'a') + std::to_string(random() % 80'000);
    });
}

TEST(RowOrder, texts_that_differ_in_what_ends_them) {
    check_texts("ends", [](auto& random) {
        const std::array<char, 3> letters = {'\0', 'a', '\xff'};
        std::string text(1, 'a');
        for (uint64_t length = random() % 17; length > 0; --length) text += letters[random() % 3];
        return text;
    });
}

TEST(RowOrder, hexadecimal_numbers_by_value) {
    const std::string_view description = "Something, 0x and 8 hexadecimal digits";
    const auto make = [](auto& random) {
        char text[32];
        std::snprintf(text, sizeof text, "0x%08x", static_cast<unsigned>(random() % 200'000 * 20'011));
        return std::string(text);
    };
    for (const size_t size : sizes) {
        check(OneColumn<std::string>(ColumnType::text, description, some_values<std::string>(size, 10, make)),
              "fixed width");
    }
    OneColumn<std::string> table(ColumnType::text, description, {"0x41", "0x100", "0x9", std::nullopt});
    Rows rows = all_rows(4);
    ASSERT_TRUE(order_rows(table, 0, false, rows));
    EXPECT_EQ(rows, (Rows{2, 0, 1, 3}));
    // One that is no number: all by their text.
    table.values.push_back("0xyz");
    rows = all_rows(5);
    ASSERT_TRUE(order_rows(table, 0, false, rows));
    EXPECT_EQ(rows, (Rows{1, 0, 2, 4, 3}));
}

TEST(RowOrder, endpoints_by_address_then_port) {
    struct Ends {
        std::array<uint8_t, 16> bytes{};
        bool v4 = false;
        uint16_t port = 0;
        std::string text() const {
            const IpAddress address =
                v4 ? IpAddress::from_v4(bytes.data()) : IpAddress::from_v6(bytes.data());
            return format_endpoint(address, port);
        }
        auto key() const { return std::tuple(!v4, bytes, port); }
    };
    for (const size_t size : {size_t{50}, size_t{2000}, size_t{80'000}}) {
        std::mt19937_64 random(size);
        std::vector<Ends> ends(size);
        std::vector<std::optional<std::string>> texts;
        for (Ends& end : ends) {
            end.v4 = random() % 3 > 0;
            if (end.v4) {
                const auto byte = [&] { return static_cast<uint8_t>(random() % 256); };
                end.bytes = {192, byte(), byte(), byte()};
            } else {
                end.bytes = {0x20, 1, 0xd, 0xb8};
                end.bytes[15] = static_cast<uint8_t>(random() % 256);
            }
            end.port = static_cast<uint16_t>(random());
            texts.emplace_back(end.text());
        }
        const OneColumn<std::string> table(ColumnType::text, "Address and port, IP:PORT or [IPv6]:PORT",
                                           texts);
        Rows expected = all_rows(size);
        std::stable_sort(expected.begin(), expected.end(),
                         [&](uint32_t a, uint32_t b) { return ends[a].key() < ends[b].key(); });
        Rows rows = all_rows(size);
        ASSERT_TRUE(order_rows(table, 0, false, rows));
        EXPECT_TRUE(rows == expected) << size;
    }
}

TEST(RowOrder, what_is_no_endpoint_comes_behind) {
    const OneColumn<std::string> table(ColumnType::text, "IP:PORT",
                                       {"nonsense", "[2001:db8::1]:80", "10.0.0.1:9", "10.0.0.1:65536",
                                        "[::1:80", "9.0.0.1:10", std::nullopt});
    Rows rows = all_rows(7);
    ASSERT_TRUE(order_rows(table, 0, false, rows));
    EXPECT_EQ(rows, (Rows{5, 2, 1, 3, 4, 0, 6}));
}

TEST(RowOrder, ties_stay_as_they_are_given) {
    const OneColumn<uint64_t> table(ColumnType::unsigned_integer, "",
                                    {5, 5, std::nullopt, 1, std::nullopt, 5});
    for (const bool descending : {false, true}) {
        Rows rows = {5, 4, 3, 2, 1, 0};
        ASSERT_TRUE(order_rows(table, 0, descending, rows));
        EXPECT_EQ(rows, descending ? (Rows{5, 1, 0, 3, 4, 2}) : (Rows{3, 5, 1, 0, 4, 2}));
    }
}

TEST(RowOrder, stops_and_leaves_the_rows) {
    std::vector<std::optional<uint64_t>> values(200'000);
    for (size_t i = 0; i < values.size(); ++i) values[i] = values.size() - i;
    OneColumn<uint64_t> table(ColumnType::unsigned_integer, "", values);
    const Rows all = all_rows(values.size());
    for (const size_t stop_at : {size_t{0}, size_t{100'000}, size_t{199'999}}) {
        table.stop = false;
        table.stop_at = stop_at;
        Rows rows = all;
        EXPECT_FALSE(order_rows(table, 0, false, rows, &table.stop));
        EXPECT_TRUE(rows == all);
    }
    table.stop = true;
    Rows rows = all;
    EXPECT_FALSE(order_rows(table, 0, true, rows, &table.stop));
    EXPECT_TRUE(rows == all);
}

}  // namespace
}  // namespace sanscope

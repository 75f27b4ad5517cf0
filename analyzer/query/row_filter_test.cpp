// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/row_filter.h"

#include <gtest/gtest.h>
#include <string>

#include "analyzer/query/testing/shelf_table.h"

namespace sanscope {
namespace {

std::string where(const std::string& expression) {
    static const GridTable table = test::shelf();
    return test::rows_where(expression, table);
}

// ---- Comparisons

TEST(RowFilter, numbers_with_every_sign_and_word) {
    EXPECT_EQ(where("id == 2"), "1");
    EXPECT_EQ(where("id eq 2"), "1");
    EXPECT_EQ(where("id != 2"), "0 3");
    EXPECT_EQ(where("id ne 2"), "0 3");
    EXPECT_EQ(where("id < 2"), "0");
    EXPECT_EQ(where("id lt 2"), "0");
    EXPECT_EQ(where("id <= 2"), "0 1");
    EXPECT_EQ(where("id le 2"), "0 1");
    EXPECT_EQ(where("id > 1"), "1 3");
    EXPECT_EQ(where("id gt 1"), "1 3");
    EXPECT_EQ(where("id >= 2"), "1 3");
    EXPECT_EQ(where("id ge 2"), "1 3");
    EXPECT_EQ(where("id==0x2"), "1");
}

TEST(RowFilter, signed_numbers) {
    EXPECT_EQ(where("place == -512"), "0");
    EXPECT_EQ(where("place < 0"), "0");
    EXPECT_EQ(where("place >= -512"), "0 1 3");
    EXPECT_EQ(where("place > -512"), "1 3");
    EXPECT_EQ(where("place != 0"), "0 3");
    EXPECT_EQ(where("place in {-600..-1, 5}"), "0");
    EXPECT_EQ(where("place == 0x7fffffffffffffff"), "3");
}

TEST(RowFilter, numbers_beyond_what_a_column_holds_compare_all_the_same) {
    EXPECT_EQ(where("id > -1"), "0 1 3");
    EXPECT_EQ(where("id >= 0"), "0 1 3");
    EXPECT_EQ(where("id < 0"), "");
    EXPECT_EQ(where("id == -1"), "");
    EXPECT_EQ(where("id != -1"), "0 1 3");
    EXPECT_EQ(where("id > 18446744073709551615"), "");
    EXPECT_EQ(where("id == 18446744073709551615"), "3");
    EXPECT_EQ(where("place < 18446744073709551615"), "0 1 3");
    EXPECT_EQ(where("place > 18446744073709551615"), "");
    EXPECT_EQ(where("id in {-5..-1}"), "");
    EXPECT_EQ(where("not id in {-5..-1}"), "0 1 2 3");
    EXPECT_EQ(where("id in {-5..1}"), "0");
    EXPECT_EQ(where("end_ns == -9223372036854775808"), "3");
}

TEST(RowFilter, durations_with_units) {
    EXPECT_EQ(where("wait_ns == 10ms"), "0");
    EXPECT_EQ(where("wait_ns > 1.5ms"), "0");
    EXPECT_EQ(where("wait_ns >= 1500us"), "0 1");
    EXPECT_EQ(where("wait_ns >= 1500\u00b5s"), "0 1");
    EXPECT_EQ(where("wait_ns == 0.0015s"), "1");
    EXPECT_EQ(where("wait_ns == 1500000"), "1");
    EXPECT_EQ(where("wait_ns < -0.5ns or wait_ns == -1ns"), "!10+6 -0.5ns is no whole number of nanoseconds");
    EXPECT_EQ(where("wait_ns == -1ns"), "3");
    EXPECT_EQ(where("wait_ns in {1ms..2ms}"), "1");
}

TEST(RowFilter, sizes_with_units) {
    EXPECT_EQ(where("size == 4KiB"), "0");
    EXPECT_EQ(where("size > 65.5kB"), "1");
    EXPECT_EQ(where("size in {0, 64KiB}"), "1 3");
    EXPECT_EQ(where("size < 1MB and size > 0"), "0 1");
}

TEST(RowFilter, moments) {
    EXPECT_EQ(where("start_ns == \"2026-11-21 11:08:21.5\""), "0");
    EXPECT_EQ(where("start_ns >= \"2026-11-21 11:08:21.5\""), "0 1");
    EXPECT_EQ(where("start_ns == 2026-11-21T12:08:21.5+01:00"), "0");
    EXPECT_EQ(where("start_ns == 1795259301500000000"), "0");
    EXPECT_EQ(where("start_ns == \"1970-01-01\""), "3");
    EXPECT_EQ(where("start_ns in {\"2026-11-21\" .. \"2026-11-22\"}"), "0 1");
}

TEST(RowFilter, hexadecimal_columns_are_numbers) {
    EXPECT_EQ(where("code == 0x28"), "0");
    EXPECT_EQ(where("code == 40"), "0");
    EXPECT_EQ(where("code == 0x0028"), "0");
    EXPECT_EQ(where("code == \"0x28\""), "0");
    EXPECT_EQ(where("code == \"0x2A\""), "1");
    EXPECT_EQ(where("code != 0x28"), "1 3");
    EXPECT_EQ(where("code < 0x2a"), "0 3");
    EXPECT_EQ(where("code in {0x28, 0x2a}"), "0 1");
    EXPECT_EQ(where("code in {0x01..0x29}"), "0");
    EXPECT_EQ(where("code contains \"a\""), "1");
    EXPECT_EQ(where("code matches \"^0x2\""), "0 1");
    EXPECT_EQ(where("code < id"), "3");
}

TEST(RowFilter, text) {
    EXPECT_EQ(where("label == \"READ(10)\""), "0");
    EXPECT_EQ(where("label == \"read(10)\""), "");
    EXPECT_EQ(where("label != \"READ(10)\""), "1 3");
    EXPECT_EQ(where("label < \"S\""), "0");
    EXPECT_EQ(where("label <= \"READ(10)\""), "0");
    EXPECT_EQ(where("label > \"READ(10)\""), "1 3");
    EXPECT_EQ(where("label >= \"READ(10)\""), "0 1 3");
    EXPECT_EQ(where("label in {\"READ(10)\", \"WRITE(10)\", x}"), "0 1");
    EXPECT_EQ(where("label in {x, \"WRITE(10)\", y, \"READ(10)\", a}"), "0 1");
    EXPECT_EQ(where("label in {\"Q\"..\"S\"}"), "0");
    EXPECT_EQ(where("label == \"a \\\"b\\\"\\\\ \\u00c4\""), "3");
    EXPECT_EQ(where("alias == 192.0.2.1:3260"), "0");
    EXPECT_EQ(where("label == iqn.2026-01.org.example:disk"), "");
}

TEST(RowFilter, contains_and_matches) {
    EXPECT_EQ(where("label contains \"(10)\""), "0 1");
    EXPECT_EQ(where("label contains READ"), "0");
    EXPECT_EQ(where("label contains read"), "");
    EXPECT_EQ(where("alias contains 192"), "0");
    EXPECT_EQ(where("label matches \"read\""), "0");
    EXPECT_EQ(where("label matches \"(?-i)read\""), "");
    EXPECT_EQ(where("label ~ \"^(read|write)\""), "0 1");
    EXPECT_EQ(where("label matches r\"\\(\\d+\\)$\""), "0 1");
    EXPECT_EQ(where("label matches \"\\\\(\\\\d+\\\\)$\""), "0 1");
    EXPECT_EQ(where("label matches \"\u00e4\""), "3");
}

TEST(RowFilter, booleans) {
    EXPECT_EQ(where("sold"), "0");
    EXPECT_EQ(where("not sold"), "1 2 3");
    EXPECT_EQ(where("sold == true"), "0");
    EXPECT_EQ(where("sold == 1"), "0");
    EXPECT_EQ(where("sold == False"), "1 3");
    EXPECT_EQ(where("sold != true"), "1 3");
    EXPECT_EQ(where("sold != paid"), "1");
    EXPECT_EQ(where("sold == paid"), "0 3");
}

TEST(RowFilter, two_columns) {
    EXPECT_EQ(where("size == least_size"), "0");
    EXPECT_EQ(where("size < least_size"), "3");
    EXPECT_EQ(where("size >= least_size"), "0 1");
    EXPECT_EQ(where("end_ns > start_ns"), "0");
    EXPECT_EQ(where("id > place"), "0 1 3");
    EXPECT_EQ(where("place < id"), "0 1 3");
    EXPECT_EQ(where("place == id"), "");
    EXPECT_EQ(where("label == alias"), "1");
    EXPECT_EQ(where("label != alias"), "0 3");
}

TEST(RowFilter, a_value_may_stand_in_front) {
    EXPECT_EQ(where("2 <= id"), "1 3");
    EXPECT_EQ(where("2 > id"), "0");
    EXPECT_EQ(where("10ms == wait_ns"), "0");
    EXPECT_EQ(where("\"READ(10)\" != label"), "1 3");
}

TEST(RowFilter, a_word_a_column_can_hold_goes_before_a_column_of_that_name) {
    EXPECT_EQ(where("state == alias"), "3");
    EXPECT_EQ(where("state == Open"), "0");
    EXPECT_EQ(where("state in {Open, alias}"), "0 3");
    EXPECT_EQ(where("label == alias"), "1");
    EXPECT_EQ(where("label == \"alias\""), "");
}

// ---- Unknowns

TEST(RowFilter, no_comparison_holds_for_an_unknown) {
    for (const std::string condition : {"id == 1",
                                        "id != 1",
                                        "id < 1",
                                        "id >= 0",
                                        "id in {1..5}",
                                        "id != -1",
                                        "size == least_size",
                                        "size != least_size",
                                        "wait_ns < 1s",
                                        "start_ns > \"1970-01-01\"",
                                        "code == 0",
                                        "code != 0",
                                        "label == x",
                                        "label != x",
                                        "label < z",
                                        "label contains a",
                                        "label matches \".*\"",
                                        "label in {x}",
                                        "state != Open",
                                        "sold == true",
                                        "sold == false",
                                        "sold != true",
                                        "sold != paid",
                                        "label != alias",
                                        "sold",
                                        "id",
                                        "label"}) {
        const std::string rows = where(condition);
        EXPECT_EQ(rows.find('2'), std::string::npos) << condition << ": " << rows;
        EXPECT_NE(where("not (" + condition + ")").find('2'), std::string::npos) << condition;
    }
}

TEST(RowFilter, a_column_alone_is_known) {
    EXPECT_EQ(where("id"), "0 1 3");
    EXPECT_EQ(where("!label"), "2");
    EXPECT_EQ(where("place and not wait_ns"), "");
    EXPECT_EQ(where("id not in {1}"), "1 2 3");
}

TEST(RowFilter, one_unknown_side_is_enough) {
    const GridTable table({{"a", ColumnType::unsigned_integer, ""}, {"b", ColumnType::unsigned_integer, ""}},
                          {{number_cell(uint64_t{1}), nothing()}, {nothing(), number_cell(uint64_t{1})}});
    EXPECT_EQ(test::rows_where("a == b or a != b or a < b or a > b", table), "");
}

// ---- Joining

TEST(RowFilter, not_binds_before_and_before_or) {
    EXPECT_EQ(where("id == 1 or id == 2 and size == 0"), "0");
    EXPECT_EQ(where("(id == 1 or id == 2) and size == 65536"), "1");
    EXPECT_EQ(where("not id == 1 and id == 2"), "1");
    EXPECT_EQ(where("not (id == 1 and id == 2)"), "0 1 2 3");
    EXPECT_EQ(where("id == 1 || id == 2 && !(size == 0) || size == 0"), "0 1 3");
    EXPECT_EQ(where("not not id == 1"), "0");
    EXPECT_EQ(where("! ! ! id"), "2");
    EXPECT_EQ(where("((id))"), "0 1 3");
    EXPECT_EQ(where("not (id == 1 or id == 2 or not id)"), "3");
}

TEST(RowFilter, long_chains_and_sets) {
    std::string chain = "id == 1";
    std::string set = "1";
    for (int i = 0; i < 5000; i++) chain += " or id==7";
    for (int i = 10; i < 5000; i++) set += "," + std::to_string(3 * i);
    EXPECT_EQ(where(chain), "0");
    EXPECT_EQ(where("id in {" + set + "}"), "0");
    std::string groups = "(id == 1)";
    for (int i = 0; i < 200; i++) groups += " or (id == 7)";
    EXPECT_EQ(where(groups), "0");
}

TEST(RowFilter, adjoining_ranges_of_a_set) {
    EXPECT_EQ(where("id in {5..9, 1..2, 2..6, 0xffffffffffffffff}"), "0 1 3");
    EXPECT_EQ(where("id in {18446744073709551614..18446744073709551615, 1}"), "0 3");
}

// ---- Errors: position and length of what is underlined

TEST(RowFilterError, unknown_columns) {
    EXPECT_EQ(where("wiat > 10ms"), "!0+4 no column \"wiat\" in shelf; did you mean wait?");
    EXPECT_EQ(where("id == 1 and lable == x"), "!12+5 no column \"lable\" in shelf; did you mean label?");
    EXPECT_EQ(where("zzzzzz"), "!0+6 no column \"zzzzzz\" in shelf");
    EXPECT_EQ(where("id == sise"),
              "!6+4 id is a number; sise is neither that nor a column; did you mean size?");
    EXPECT_EQ(where("5 == 5"), "!0+1 expected a column, not a number");
    EXPECT_EQ(where("\"x\""), "!0+3 expected a column, not text");
}

TEST(RowFilterError, what_is_wanting) {
    EXPECT_EQ(where(""), "!0+0 the expression is empty");
    EXPECT_EQ(where("  \t "), "!0+0 the expression is empty");
    EXPECT_EQ(where("id =="), "!5+0 expected a value after ==");
    EXPECT_EQ(where("id gt and"), "!6+3 expected a value after gt");
    EXPECT_EQ(where("id and"), "!6+0 expected a column");
    EXPECT_EQ(where("and id"), "!0+3 expected a column");
    EXPECT_EQ(where("(id"), "!0+1 this ( is not closed");
    EXPECT_EQ(where("()"), "!1+1 before this ) a condition is wanting");
    EXPECT_EQ(where("id)"), "!2+1 this ) closes nothing");
    EXPECT_EQ(where("id in 5"), "!6+1 expected { after in");
    EXPECT_EQ(where("id in {}"), "!7+1 expected a value");
    EXPECT_EQ(where("id in {1, }"), "!10+1 expected a value");
    EXPECT_EQ(where("id in {1, 2"), "!6+1 this { is not closed");
    EXPECT_EQ(where("id in {1 2}"), "!9+1 expected , or .. or }");
    EXPECT_EQ(where("id in {1..}"), "!10+1 expected a value after ..");
    EXPECT_EQ(where("id in {5..1}"), "!7+4 this range ends before it begins");
    EXPECT_EQ(where("label in {\"b\"..\"a\"}"), "!10+8 this range ends before it begins");
    EXPECT_EQ(where("label matches"), "!13+0 expected a regular expression in double quotes after matches");
    EXPECT_EQ(where("label contains \"\""), "!15+2 this text is empty");
}

TEST(RowFilterError, what_is_too_much) {
    EXPECT_EQ(where("id == 1 size == 2"), "!8+4 expected and, or, or the end");
    EXPECT_EQ(where("id == 1 == 2"), "!8+2 expected and, or, or the end");
    EXPECT_EQ(where("(id == 1 size)"), "!9+4 expected and, or, or the end");
    EXPECT_EQ(where("id == 1 AND size"), "!8+3 write and in small letters");
    EXPECT_EQ(where("label == SCSI Command"), "!9+12 text of several words needs double quotes");
    EXPECT_EQ(where("label == READ(10) or id"),
              "!9+8 text that is not one plain word needs double quotes: \"READ(10)\"");
    EXPECT_EQ(where("label in {x, READ(10)}"),
              "!13+8 text that is not one plain word needs double quotes: \"READ(10)\"");
    EXPECT_EQ(where("label == x and id id"), "!18+2 expected and, or, or the end");
}

TEST(RowFilterError, types_that_do_not_fit) {
    EXPECT_EQ(where("id == \"1\""), "!6+3 id is a number, not text");
    EXPECT_EQ(where("id contains 1"), "!3+8 contains searches text; id is a number");
    EXPECT_EQ(where("wait_ns matches \"1\""), "!8+7 matches searches text; wait_ns is a duration");
    EXPECT_EQ(where("label == 5"), "!9+1 label is text: to compare it with this, write \"5\"");
    EXPECT_EQ(where("label == 0x41"), "!9+4 label is text: to compare it with this, write \"0x41\"");
    EXPECT_EQ(where("label == id"), "!9+2 label is text and id is a number");
    EXPECT_EQ(where("size > wait_ns"), "!7+7 size is a size in bytes and wait_ns is a duration");
    EXPECT_EQ(where("start_ns > wait_ns"), "!11+7 start_ns is a moment and wait_ns is a duration");
    EXPECT_EQ(where("sold > 0"), "!7+1 sold is true or false, which have no order");
    EXPECT_EQ(where("sold == 2"), "!8+1 sold is true or false");
    EXPECT_EQ(where("sold in {1}"), "!8+1 sold is true or false; compare it with ==");
    EXPECT_EQ(where("code == READ"), "!8+4 code is a hexadecimal number; READ is neither that nor a column");
    EXPECT_EQ(where("code == \"READ\""), "!8+6 code is a hexadecimal number, as in 0x28");
    EXPECT_EQ(where("label matches x"), "!14+1 expected a regular expression in double quotes after matches");
    EXPECT_EQ(where("state == open"), "!9+4 state is never open; did you mean Open?");
    EXPECT_EQ(where("state == Zebra"), "!9+5 state is never Zebra; it is one of Open, Shut, alias");
}

TEST(RowFilterError, numbers) {
    EXPECT_EQ(where("id == 18446744073709551616"), "!6+20 18446744073709551616 is more than 64 bits hold");
    EXPECT_EQ(where("id == 1ms"), "!6+3 1ms stands beside a column without unit: write the number alone");
    EXPECT_EQ(where("size == 4k"), "!8+2 4k could be 4KiB or 4kB: write which");
    EXPECT_EQ(where("size == 4kb"),
              "!8+3 kb is no unit of sizes; those are B, kB, MB, GB, TB, KiB, MiB, GiB, TiB");
    EXPECT_EQ(where("wait_ns == 4d"), "!11+2 d is no unit of durations; those are ns, us, ms, s, min, h");
    EXPECT_EQ(where("code == 2a"), "!8+2 2a is no number; hexadecimal ones begin with 0x");
    EXPECT_EQ(where("id == 010"),
              "!6+3 010 begins with a zero: write the number without, or 0x… in hexadecimal");
    EXPECT_EQ(where("start_ns > \"yesterday\""),
              "!11+11 \"yesterday\" is no moment like \"2026-11-21 11:08:21.5\"");
    EXPECT_EQ(where("start_ns > 10s"),
              "!11+3 10s is no moment; write \"2026-11-21 11:08:21.5\", or nanoseconds since the epoch");
}

TEST(RowFilterError, characters_and_quotes) {
    EXPECT_EQ(where("id = 5"), "!3+1 for equality write ==");
    EXPECT_EQ(where("label == \"abc"), "!9+4 this quote is not closed");
    EXPECT_EQ(where("label == 'abc'"), "!9+1 write text in double quotes");
    EXPECT_EQ(where("label matches \"\\d\""),
              "!15+2 \\d stands for nothing; for a backslash write \\\\, or the text as r\"…\"");
    EXPECT_EQ(where("label matches \"a(b\""), "!17+1 not a regular expression: missing closing parenthesis");
    EXPECT_EQ(where("alias == [2001:db8::1]:3260"),
              "!9+1 write an address like [2001:db8::1]:3260 in double quotes");
}

TEST(RowFilterError, hostile_sizes) {
    EXPECT_EQ(where(std::string(100, '(') + "id" + std::string(100, ')')), "0 1 3");
    EXPECT_EQ(where(std::string(101, '(') + "id" + std::string(101, ')')), "!100+1 nested too deep");
    EXPECT_EQ(where(std::string(60'000, '(')), "!100+1 nested too deep");
    EXPECT_EQ(where(std::string(60'000, '!') + "id"), "0 1 3");
    EXPECT_EQ(where(std::string(70'000, ' ')), "!0+0 the expression is longer than 64 KiB");
    EXPECT_EQ(where("id == " + std::string(300, '1')), "!6+300 this word is too long");
    EXPECT_EQ(where("label matches \"" + std::string(5000, 'a') + "\""),
              "!15+1 the regular expression is too long");
}

TEST(RowFilter, the_filter_outlives_its_text_and_copies_are_one) {
    const GridTable table = test::shelf();
    auto expression = std::make_unique<std::string>("label contains \"READ\"");
    auto compiled = RowFilter::compile(*expression, "shelf", table.columns());
    expression.reset();
    const RowFilter copy = std::get<RowFilter>(compiled);
    RowTest test(copy, table);
    EXPECT_TRUE(test(0));
    EXPECT_FALSE(test(1));
}

}  // namespace
}  // namespace sanscope

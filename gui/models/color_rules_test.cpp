// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/color_rules.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gui/models/display_filter_columns.h"
#include "gui/models/row_colors.h"
#include "gui/models/table_access.h"
#include "gui/models/table_model.h"
#include "gui/testing/wait_until.h"

#include "analyzer/tables/packets_table.h"

namespace sanscope {
namespace {

// Packets of which the columns that are not named are empty.
class FewPackets final : public Table {
  public:
    using Row = std::map<std::string, std::string, std::less<>>;
    explicit FewPackets(std::vector<Row> rows) : rows_(std::move(rows)) {}

    std::string_view name() const override { return packets_table_name; }
    std::span<const ColumnInfo> columns() const override { return packets_table_columns(); }
    size_t rows() const override { return rows_.size(); }
    void cell(size_t row, size_t column, Cell& cell) const override {
        const ColumnInfo& info = columns()[column];
        const auto found = rows_[row].find(info.name);
        if (found == rows_[row].end()) return cell.set_empty();
        if (info.type == ColumnType::text) return cell.set(std::string_view(found->second));
        if (info.type == ColumnType::integer) return cell.set(int64_t{std::stoll(found->second)});
        cell.set(uint64_t{std::stoull(found->second)});
    }

  private:
    std::vector<Row> rows_;
};

bool passes(const char* filter, FewPackets::Row row) {
    const RowColors colors({{QStringLiteral("it"), QString::fromUtf8(filter), Qt::black, Qt::white}},
                           packets_table_name);
    EXPECT_EQ(colors.problem(0).toStdString(), "") << filter;
    const FewPackets table({std::move(row)});
    return RowColors::Test(colors, table)(0) == 0;
}

std::string rule_name(const FewPackets::Row& row) {
    const RowColors colors(default_color_rules(false), packets_table_name);
    const FewPackets table({row});
    const int rule = RowColors::Test(colors, table)(0);
    return rule == RowColors::no_rule ? "" : colors.rules()[static_cast<size_t>(rule)].name.toStdString();
}

double luminance(const QColor& color) {
    const auto part = [](double value) {
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) + 0.0722 * part(color.blueF());
}

TEST(ColorRules, AFileOfWiresharksIsRead) {
    const ReadColorRules read = read_colorfilters(
        QStringLiteral("# This file was created by Wireshark. Edit with care.\n"
                       "@Bad TCP@tcp.analysis.flags && !tcp.analysis.window_update@[4626,10023,11822][63479,"
                       "34695,34695]\r\n"
                       "!@With an @ in it@frame contains \"a@b\"@[65535,0,0][0,0,65535]\n"
                       "\n"
                       "@Too bright@tcp@[70000,0,0][0,0,0]\n"
                       "no rule at all\n"));
    ASSERT_EQ(read.rules.size(), 2u);
    const ColorRule& bad = read.rules[0];
    EXPECT_EQ(bad.name.toStdString(), "Bad TCP");
    EXPECT_EQ(bad.filter.toStdString(), "tcp.analysis.flags && !tcp.analysis.window_update");
    EXPECT_EQ(bad.background.name().toStdString(), "#12272e");
    EXPECT_EQ(bad.foreground.name().toStdString(), "#f78787");
    EXPECT_TRUE(bad.enabled);
    EXPECT_FALSE(read.rules[1].enabled);
    ASSERT_EQ(read.problems.size(), 2);
    EXPECT_TRUE(read.problems[0].contains(QStringLiteral("5")));
    EXPECT_TRUE(read.problems[1].contains(QStringLiteral("6")));
}

TEST(ColorRules, OfVeryManyTheFirstOnesAreReadAndThatIsSaid) {
    QString text = QStringLiteral("no rule\n");
    for (size_t i = 0; i < most_color_rules; ++i) text += QStringLiteral("@R@tcp@[0,0,0][1,1,1]\n");
    ReadColorRules read = read_colorfilters(text);
    EXPECT_EQ(read.rules.size(), most_color_rules);
    EXPECT_EQ(read.problems.size(), 1);
    text += QStringLiteral("@One too many@tcp@[0,0,0][1,1,1]\n@And more@tcp@[0,0,0][1,1,1]\n");
    read = read_colorfilters(text);
    EXPECT_EQ(read.rules.size(), most_color_rules);
    EXPECT_EQ(read.rules.back().name.toStdString(), "R");
    ASSERT_EQ(read.problems.size(), 2);
    EXPECT_TRUE(read.problems[0].contains(QStringLiteral("500"))) << read.problems[0].toStdString();
    EXPECT_EQ(read_colorfilters(text, 3).rules.size(), 3u);
}

TEST(ColorRules, WhatIsWrittenIsReadBack) {
    std::vector<ColorRule> rules = default_color_rules(true);
    rules[1].enabled = false;
    rules[2].background = QColor::fromRgba64(1, 2, 3);
    const ReadColorRules read = read_colorfilters(write_colorfilters(rules));
    EXPECT_TRUE(read.problems.isEmpty());
    ASSERT_EQ(read.rules.size(), rules.size());
    for (size_t i = 0; i < rules.size(); ++i) {
        EXPECT_EQ(read.rules[i].name, rules[i].name);
        EXPECT_EQ(read.rules[i].filter, rules[i].filter);
        EXPECT_EQ(read.rules[i].enabled, rules[i].enabled);
        EXPECT_EQ(quint64{read.rules[i].background.rgba64()}, quint64{rules[i].background.rgba64()});
        EXPECT_EQ(quint64{read.rules[i].foreground.rgba64()}, quint64{rules[i].foreground.rgba64()});
    }
}

TEST(ColorRules, TheFirstOnesColourWhatTheyAreCalled) {
    EXPECT_EQ(rule_name({{"analysis", "retransmission (RTO)"}, {"flags", "ACK"}}), "Bad TCP");
    EXPECT_EQ(rule_name({{"analysis", "duplicate ACK"}, {"flags", "ACK"}}), "Bad TCP");
    EXPECT_EQ(rule_name({{"analysis", "zero window"}, {"flags", "ACK"}}), "Zero window");
    EXPECT_EQ(rule_name({{"analysis", "zero window probe"}, {"flags", "ACK"}}), "");
    EXPECT_EQ(rule_name({{"analysis", "zero window probe ACK"}, {"flags", "ACK"}}), "");
    EXPECT_EQ(rule_name({{"analysis", "zero window probe, zero window"}, {"flags", "ACK"}}), "Zero window");
    EXPECT_EQ(rule_name({{"analysis", "window update"}, {"flags", "ACK"}}), "");
    EXPECT_EQ(rule_name({{"analysis", "keep-alive"}, {"flags", "ACK"}}), "");
    EXPECT_EQ(rule_name({{"analysis", "RST"}, {"flags", "RST, ACK"}}), "TCP RST");
    EXPECT_EQ(rule_name({{"analysis", "CHECK CONDITION"}, {"protocol", "iSCSI"}}), "SCSI status");
    EXPECT_EQ(rule_name({{"info", "Reject"}, {"protocol", "iSCSI"}}), "iSCSI Reject");
    EXPECT_EQ(rule_name({{"protocol", "ARP"}, {"info", "who has 10.0.0.2? tell 10.0.0.1"}}), "ARP");
    EXPECT_EQ(rule_name({{"protocol", "ICMP"}, {"info", "destination unreachable"}}), "ICMP errors");
    EXPECT_EQ(rule_name({{"protocol", "ICMPv6"}, {"info", "echo request"}}), "ICMP");
    EXPECT_EQ(rule_name({{"flags", "SYN, ACK"}}), "TCP SYN/FIN");
    EXPECT_EQ(rule_name({{"flags", "ACK"}, {"protocol", "iSCSI"}}), "");
    // An error comes before what TCP did.
    EXPECT_EQ(rule_name({{"analysis", "fast retransmission, CHECK CONDITION"}}), "SCSI status");
}

TEST(ColorRules, TheFirstOnesCanBeReadInBothThemes) {
    for (const bool dark : {false, true}) {
        const RowColors colors(default_color_rules(dark), packets_table_name);
        for (size_t i = 0; i < colors.rules().size(); ++i) {
            const ColorRule& rule = colors.rules()[i];
            EXPECT_EQ(colors.problem(i).toStdString(), "") << rule.name.toStdString();
            const double a = luminance(rule.foreground) + 0.05;
            const double b = luminance(rule.background) + 0.05;
            EXPECT_GE(std::max(a, b) / std::min(a, b), 4.5) << rule.name.toStdString();
        }
    }
}

// Packets that come slowly, and of which more are to come.
class SlowPackets final : public Table {
  public:
    static constexpr size_t count = 20;
    std::string_view name() const override { return packets_table_name; }
    std::span<const ColumnInfo> columns() const override { return packets_table_columns(); }
    size_t rows() const override { return count; }
    void cell(size_t, size_t column, Cell& cell) const override {
        if (columns()[column].name != "analysis") return cell.set_empty();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        cell.set(std::string_view("RST"));
    }
};

class SlowAccess final : public TableAccess {
  public:
    std::string_view name() const override { return packets_table_name; }
    std::span<const ColumnInfo> columns() const override { return packets_table_columns(); }
    void read(const std::function<void(const Table&)>& visit) const override { visit(SlowPackets()); }
    const Table* final_table() const override { return nullptr; }
};

TEST(ColorRules, WhileTheTableGrowsRowsAreColouredForAShortTimeOnly) {
    TableModel model(std::make_shared<SlowAccess>());
    model.set_colors(std::make_shared<const RowColors>(
        std::vector<ColorRule>{
            {QStringLiteral("it"), QStringLiteral("analysis contains \"RST\""), Qt::black, Qt::white}},
        packets_table_name));
    model.show_all(SlowPackets::count);
    const int analysis = static_cast<int>(*find_column(packets_table_columns(), "analysis"));
    const int last = static_cast<int>(SlowPackets::count) - 1;
    model.text(0, analysis);
    model.text(last, analysis);
    ASSERT_TRUE(testing_gui::wait_until([&] { return !model.fetching(); }));
    EXPECT_EQ(model.text(last, analysis).toStdString(), "RST");
    EXPECT_NE(model.color_rule(0), nullptr);
    EXPECT_EQ(model.color_rule(last), nullptr);
}

TEST(ColorRules, ARuleThatIsNotUnderstoodSaysWhyAndLetsOthersBe) {
    const RowColors colors({{QStringLiteral("checksum"), QStringLiteral("tcp.checksum.bad"), {}, {}},
                            {QStringLiteral("off"), QStringLiteral("nothing =="), {}, {}, false},
                            {QStringLiteral("broken"), QStringLiteral("length >"), {}, {}},
                            {QStringLiteral("empty"), QString(), {}, {}},
                            {QStringLiteral("good"), QStringLiteral("length > 100"), {}, {}}},
                           packets_table_name);
    EXPECT_TRUE(colors.problem(0).contains(QStringLiteral("tcp.checksum.bad")));
    EXPECT_TRUE(colors.problem(1).isEmpty());
    EXPECT_FALSE(colors.problem(2).isEmpty());
    EXPECT_FALSE(colors.problem(3).isEmpty());
    EXPECT_TRUE(colors.problem(4).isEmpty());
    const FewPackets table({FewPackets::Row{{"length", "101"}}, FewPackets::Row{{"length", "100"}}});
    RowColors::Test test(colors, table);
    EXPECT_EQ(test(0), 4);
    EXPECT_EQ(test(1), RowColors::no_rule);
}

TEST(DisplayFilterColumns, WiresharksOwnRulesAskTheColumns) {
    const char* const bad_tcp =
        "tcp.analysis.flags && !tcp.analysis.window_update && !tcp.analysis.keep_alive && "
        "!tcp.analysis.keep_alive_ack";
    EXPECT_TRUE(passes(bad_tcp, {{"analysis", "duplicate ACK"}}));
    EXPECT_TRUE(passes(bad_tcp, {{"analysis", "zero window probe"}}));
    EXPECT_FALSE(passes(bad_tcp, {{"analysis", "window update"}}));
    EXPECT_FALSE(passes(bad_tcp, {{"analysis", "keep-alive"}}));
    EXPECT_FALSE(passes(bad_tcp, {{"analysis", "keep-alive ACK"}}));
    EXPECT_FALSE(passes(bad_tcp, {{"analysis", "CHECK CONDITION"}}));
    EXPECT_FALSE(passes(bad_tcp, {}));
    EXPECT_TRUE(passes("tcp.flags.reset eq 1", {{"connection", "1"}, {"flags", "RST, ACK"}}));
    EXPECT_FALSE(passes("tcp.flags.reset eq 1", {{"connection", "1"}, {"flags", "ACK"}}));
    EXPECT_TRUE(passes("tcp.flags & 0x02 || tcp.flags.fin == 1", {{"connection", "1"}, {"flags", "SYN"}}));
    EXPECT_TRUE(
        passes("tcp.flags & 0x02 || tcp.flags.fin == 1", {{"connection", "1"}, {"flags", "FIN, ACK"}}));
    EXPECT_TRUE(passes("icmp || icmpv6", {{"protocol", "ICMPv6"}}));
    EXPECT_TRUE(passes("arp", {{"protocol", "ARP"}}));
    EXPECT_FALSE(passes("tcp", {{"protocol", "ARP"}}));
    EXPECT_TRUE(passes("tcp", {{"connection", "3"}}));
}

TEST(DisplayFilterColumns, PortsAddressesAndNumbers) {
    const FewPackets::Row packet{{"connection", "1"},
                                 {"source", "10.0.0.1:3260"},
                                 {"destination", "10.0.0.12:50000"},
                                 {"length", "90"},
                                 {"payload", "0"},
                                 {"relative_seq", "1"},
                                 {"window", "0"},
                                 {"delta_ns", "1500000"},
                                 {"flags", "ACK"}};
    for (const char* const filter :
         {"tcp.port == 3260", "tcp.port == 50000", "tcp.srcport == 3260", "tcp.srcport != 50000",
          "ip.addr == 10.0.0.1", "ip.dst == 10.0.0.12", "ip.src != 10.0.0.12", "frame.len < 91",
          "tcp.len == 0", "tcp.seq == 1 and not tcp.len > 0", "tcp.window_size == 0",
          "frame.time_delta > 0.001", "frame.time_delta lt 0.002", "(tcp.flags.syn == 0)",
          "tcp.flags.ack == true"}) {
        EXPECT_TRUE(passes(filter, packet)) << filter;
    }
    for (const char* const filter :
         {"tcp.port == 326", "tcp.srcport == 50000", "ip.addr == 10.0.0.2", "ip.dst == 10.0.0.1",
          "ip.addr != 10.0.0.1", "tcp.flags.syn == 1", "frame.len > 0x5a"}) {
        EXPECT_FALSE(passes(filter, packet)) << filter;
    }
    const FewPackets::Row six{
        {"connection", "1"}, {"source", "[fd00::1]:3260"}, {"destination", "[fd00::2]:5"}};
    EXPECT_TRUE(passes("ipv6.src == fd00::1", six));
    EXPECT_FALSE(passes("ipv6.src == fd00::2", six));
}

TEST(DisplayFilterColumns, OneThatIsVeryLongIsRefused) {
    QString filter = QStringLiteral("tcp");
    while (filter.size() + 7 <= 4096) filter += QStringLiteral(" or tcp");
    EXPECT_EQ(columns_of_display_filter(filter).problem.toStdString(), "");
    filter += QString(4097 - filter.size(), QLatin1Char(' '));
    EXPECT_TRUE(columns_of_display_filter(filter).problem.contains(QStringLiteral("4096")));
}

TEST(DisplayFilterColumns, WhatTheColumnsDoNotTellIsNamed) {
    for (const char* const filter :
         {"http", "icmp.type in { 3..5, 11 }", "ip.ttl < 5", "tcp.port == http", "ip.addr == 10.0.0.0/8",
          "tcp.flags & 0x100", "frame contains \"x\"", "tcp xor udp", "tcp.len", "tcp.port =="}) {
        const ColumnsOfDisplayFilter columns = columns_of_display_filter(QString::fromUtf8(filter));
        const bool told = columns.problem.isEmpty();
        EXPECT_EQ(told, std::string_view(filter) == "tcp.len") << filter;
        EXPECT_EQ(columns.filter.isEmpty(), !told) << filter;
    }
    EXPECT_TRUE(columns_of_display_filter(QStringLiteral("arp or ip.ttl < 5"))
                    .problem.contains(QStringLiteral("ip.ttl < 5")));
}

}  // namespace
}  // namespace sanscope

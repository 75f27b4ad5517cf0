// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/load_events.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "captures/load/load_json.h"
#include "captures/load/load_report.h"

#include "analyzer/export/testing/grid_table.h"

namespace sanscope {
namespace {

using Json = nlohmann::json;

struct LoadEventsTest : testing::Test {
    // The one line that was written since the one before.
    Json line() {
        EXPECT_EQ(sink.calls, 1u) << "not in one piece";
        EXPECT_EQ(sink.text.find('\n'), sink.text.size() - 1) << sink.text;
        Json parsed = Json::parse(sink.text);
        sink.text.clear();
        sink.calls = 0;
        return parsed;
    }

    StringSink sink;
    LoadEvents events{sink};
};

LoadAccount two_reads() {
    LoadAccount account;
    for (int i = 0; i < 2; ++i) {
        account.on_sent(LoadKind::read);
        account.on_done(LoadKind::read, 4096, 1'000'000);
    }
    account.on_sent(LoadKind::write);
    account.on_failed(LoadKind::write, LoadFailure::busy);
    account.set_elapsed(500'000'000, 2'000'000);
    return account;
}

TEST_F(LoadEventsTest, ALoadBeginsWithWhatIsKnownOfIt) {
    ASSERT_TRUE(events.begun({"iscsi://a/b/0", "iscsi://a/\"c\"/0"}, std::nullopt));
    EXPECT_EQ(line(), Json::parse(R"({"kind":"begun","targets":["iscsi://a/b/0","iscsi://a/\"c\"/0"]})"));
    ASSERT_TRUE(events.begun({"iscsi://a/b/0"}, LoginOutcome{}));
    const Json told = line();
    EXPECT_EQ(told["negotiated"]["max_recv_data_segment_length_initiator"], 8192);
}

TEST_F(LoadEventsTest, ASecondHasTheColumnsOfTheCsvRow) {
    const LoadAccount account = two_reads();
    ASSERT_TRUE(events.second(account, 1.5, 7));
    const Json told = line();
    std::istringstream names{std::string(load_csv_header())};
    std::istringstream cells{load_csv_row(account, 1.5, 7)};
    size_t columns = 0;
    for (std::string name, cell; std::getline(names, name, ',') && std::getline(cells, cell, ',');
         ++columns) {
        if (name.ends_with('\n')) name.pop_back();
        ASSERT_TRUE(told.contains(name)) << name;
        EXPECT_DOUBLE_EQ(told[name].get<double>(), std::stod(cell)) << name;
    }
    EXPECT_EQ(columns + 1, told.size());
    EXPECT_EQ(told["kind"], "second");
}

TEST_F(LoadEventsTest, WhatASecondWithoutAnswersCannotTellIsNull) {
    ASSERT_TRUE(events.second(LoadAccount(), 2, 32));
    const Json told = line();
    for (const char* name : {"p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns", "mean_ns"})
        EXPECT_TRUE(told[name].is_null()) << name;
    EXPECT_EQ(told["in_flight"], 32);
}

TEST_F(LoadEventsTest, AMessageMayHoldAnything) {
    const std::string hostile("\"}\n{\"kind\":\"ended\"}\x1b[2J\0\xff\\", 26);
    ASSERT_TRUE(events.message(hostile));
    const Json told = line();
    EXPECT_EQ(told.size(), 2u);
    EXPECT_EQ(told["kind"], "message");
    EXPECT_EQ(told["text"].get<std::string>().substr(0, 3), "\"}\n");
}

TEST_F(LoadEventsTest, TheEndHasTheSummaryAsItIsToldAlone) {
    LoadSummary summary;
    summary.account = two_reads();
    summary.targets = {"iscsi://a/b/0"};
    ASSERT_TRUE(events.ended(3, summary));
    const Json told = line();
    StringSink alone;
    ASSERT_TRUE(write_load_json(summary, alone));
    EXPECT_EQ(told["summary"], Json::parse(alone.text));
    EXPECT_EQ(told["status"], 3);
}

TEST(LoadEvents, ASinkThatRefusesIsTold) {
    StringSink full(10);
    EXPECT_FALSE(LoadEvents(full).message("nobody reads this"));
}

}  // namespace
}  // namespace sanscope

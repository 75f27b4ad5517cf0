// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/load.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "captures/iscsi_peer/initiator/discovery.h"
#include "captures/iscsi_peer/initiator/lun_probe.h"
#include "captures/iscsi_peer/initiator/portal_address.h"
#include "captures/iscsi_peer/initiator/target_client.h"
#include "captures/iscsi_peer/target/target_server.h"

namespace sanscope {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t disk_bytes = 16u << 20;
constexpr uint64_t second_lun = 0x0001000000000000;

// Loads on a memory target in this process, over the loopback interface.
class LoadTest : public testing::Test {
  protected:
    void start(TargetSettings settings = {}) {
        settings.size = disk_bytes;
        settings.luns = 2;
        auto started = TargetServer::start(settings, "127.0.0.1", 0, 2);
        ASSERT_TRUE(started) << started.error().message;
        server = std::move(*started);
        addresses = *resolve_portal(server->address());
    }
    static LoginOffer offer() {
        LoginOffer offer;
        offer.initiator_name = "iqn.2026-11.org.example:initiator";
        offer.target_name = TargetSettings{}.name;
        offer.isid = 0x800000010000;
        return offer;
    }
    LoadPlan plan() const {
        LoadPlan plan;
        plan.targets.push_back({.name = "disk",
                                .addresses = addresses,
                                .offer = offer(),
                                .capacity = {.blocks = disk_bytes / 512, .block_length = 512}});
        plan.workload.request_bytes = 8192;
        plan.queue_depth = 8;
        plan.most_commands = 1000;
        return plan;
    }
    // Runs it to its end.
    LoadAccount run(LoadPlan its_plan) {
        auto load = Load::create(std::move(its_plan));
        EXPECT_TRUE(load);
        if (!load) return {};
        (*load)->start();
        (*load)->join();
        messages = (*load)->messages();
        lost_a_session = (*load)->lost_a_session();
        outcome = (*load)->outcome();
        LoadAccount account = (*load)->account();
        EXPECT_EQ(account.in_flight(), 0u);
        return account;
    }

    std::unique_ptr<TargetServer> server;
    std::vector<SocketAddress> addresses;
    std::vector<std::string> messages;
    std::optional<LoginOutcome> outcome;
    bool lost_a_session = false;
};

TEST_F(LoadTest, SendsWhatItWasAskedForAndCountsWhatCame) {
    start();
    const LoadAccount account = run(plan());
    EXPECT_THAT(messages, IsEmpty());
    EXPECT_EQ(account.done(), 1000u);
    EXPECT_EQ(account.failed(), 0u);
    EXPECT_EQ(account.bytes(), 1000u * 8192);
    EXPECT_EQ(account.turnaround().count(), 1000u);
    EXPECT_GT(account.turnaround().min_ns(), 0);
    EXPECT_GT(account.seconds(), 0);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->max_recv_data_segment_length_target, TargetSettings{}.max_recv_data_segment_length);
    const TargetAccount theirs = server->stop();
    EXPECT_EQ(theirs.bytes_read, 1000u * 8192);
    EXPECT_EQ(theirs.sessions, 1u);
}

TEST_F(LoadTest, SessionsConnectionsAndThreadsShareTheWork) {
    start();
    LoadPlan its_plan = plan();
    its_plan.sessions = 3;
    its_plan.connections = 2;
    its_plan.threads = 2;
    its_plan.most_commands = 1001;
    its_plan.workload.pattern = WorkloadOptions::Pattern::random;
    const LoadAccount account = run(its_plan);
    EXPECT_EQ(account.done(), 1001u);
    const TargetAccount theirs = server->stop();
    EXPECT_EQ(theirs.sessions, 3u);
    EXPECT_EQ(theirs.connections, 6u);
}

TEST_F(LoadTest, FewerConnectionsWhereTheTargetAllowsNoMore) {
    TargetSettings settings;
    settings.max_connections = 1;
    start(settings);
    LoadPlan its_plan = plan();
    its_plan.connections = 4;
    EXPECT_EQ(run(its_plan).done(), 1000u);
    EXPECT_THAT(messages, Contains(HasSubstr("allows 1 connection to a session, not 4")));
}

TEST_F(LoadTest, TargetsAreStriped) {
    start();
    LoadPlan its_plan = plan();
    LoadTarget other = its_plan.targets.front();
    other.lun_field = second_lun;
    other.offer.isid += 1000;
    its_plan.targets.push_back(other);
    its_plan.most_commands = 512;
    EXPECT_EQ(run(its_plan).done(), 512u);
    EXPECT_EQ(server->stop().sessions, 2u);
}

TEST_F(LoadTest, LargeRequestsWithDataThatNobodyLooksAt) {
    start();
    for (const uint32_t pdu : {512u, 65536u, 1048576u, 16777215u}) {
        LoadPlan its_plan = plan();
        its_plan.targets[0].offer.max_recv_data_segment_length = pdu;
        its_plan.workload.request_bytes = 4u << 20;
        its_plan.most_commands = 20;
        const LoadAccount account = run(its_plan);
        EXPECT_EQ(account.done(), 20u) << pdu;
        EXPECT_EQ(account.bytes(), 20u * (4u << 20)) << pdu;
    }
}

TEST_F(LoadTest, WhatIsWrittenIsReadBackWholeAndLooked) {
    TargetSettings settings;
    settings.first_burst_length = 4096;
    settings.max_recv_data_segment_length = 4096;
    settings.max_burst_length = 16384;
    start(settings);
    for (const char* digests : {"None", "CRC32C"}) {
        LoadPlan its_plan = plan();
        its_plan.verify = true;
        its_plan.workload.request_bytes = 65536;
        its_plan.workload.pattern = WorkloadOptions::Pattern::random;
        its_plan.targets[0].offer.header_digest = its_plan.targets[0].offer.data_digest = digests;
        its_plan.most_commands = 200;
        const LoadAccount account = run(its_plan);
        EXPECT_THAT(messages, IsEmpty());
        EXPECT_EQ(account.of(LoadKind::write).done, 200u);
        EXPECT_EQ(account.of(LoadKind::read).done, 200u);
        EXPECT_EQ(account.failed(), 0u);
    }
}

TEST_F(LoadTest, DataThatAreNotWhatWasWrittenAreSeen) {
    TargetSettings settings;
    settings.backing = Backing::null;  // gives zeros
    start(settings);
    LoadPlan its_plan = plan();
    its_plan.verify = true;
    its_plan.most_commands = 10;
    const LoadAccount account = run(its_plan);
    EXPECT_EQ(account.failed(LoadFailure::wrong_data), 10u);
    EXPECT_THAT(messages, Contains(HasSubstr("wrong data at byte")));
}

TEST_F(LoadTest, ATraceIsSentAtItsOwnTimes) {
    start();
    std::vector<TraceCommand> commands;
    for (int64_t i = 0; i < 20; ++i)
        commands.push_back({.offset_ns = i * 5'000'000, .lba = static_cast<uint64_t>(i) * 8, .blocks = 8});
    LoadPlan its_plan = plan();
    its_plan.most_commands = 0;
    its_plan.trace = std::make_shared<const std::vector<TraceCommand>>(commands);
    const std::string path = testing::TempDir() + "load_test_trace.csv";
    auto log = CommandLog::create(path);
    ASSERT_TRUE(log);
    its_plan.log = log->get();
    const LoadAccount account = run(its_plan);
    ASSERT_TRUE((*log)->close());
    EXPECT_EQ(account.done(), 20u);
    EXPECT_EQ(account.bytes(), 20u * 4096);
    EXPECT_GE(account.seconds(), 0.095);
    std::ifstream rows(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(rows, line);) lines.push_back(line);
    std::filesystem::remove(path);
    ASSERT_THAT(lines, SizeIs(21));
    EXPECT_THAT(lines.back(), HasSubstr(",152,4096,read,GOOD"));
}

TEST_F(LoadTest, ACommandThatIsNotAnsweredIsAborted) {
    TargetSettings settings;
    settings.faults = {{.kind = FaultKind::never_answer, .every = 10}};
    start(settings);
    LoadPlan its_plan = plan();
    its_plan.patience_ns = 200'000'000;
    its_plan.most_commands = 35;
    its_plan.queue_depth = 1;
    const LoadAccount account = run(its_plan);
    EXPECT_EQ(account.failed(LoadFailure::timed_out), 3u);
    EXPECT_EQ(account.done(), 32u);
}

TEST_F(LoadTest, ALostConnectionIsMadeAgain) {
    TargetSettings settings;
    settings.faults = {{.kind = FaultKind::reset, .every = 60}};
    start(settings);
    LoadPlan its_plan = plan();
    its_plan.targets[0].offer.default_time2wait = 0;
    its_plan.most_commands = 100;
    const LoadAccount account = run(its_plan);
    EXPECT_GE(account.connections_lost(), 1u);
    EXPECT_EQ(account.reconnected(), account.connections_lost());
    EXPECT_EQ(account.done() + account.failed(LoadFailure::connection_lost), 100u);
    EXPECT_FALSE(lost_a_session);
    EXPECT_THAT(messages, Contains(HasSubstr("had no answer yet")));
}

TEST_F(LoadTest, ATargetThatIsGoneEndsIt) {
    start();
    server->stop();
    server.reset();
    const LoadAccount account = run(plan());
    EXPECT_TRUE(lost_a_session);
    EXPECT_EQ(account.sent(), 0u);
    EXPECT_THAT(messages, Contains(HasSubstr("refused")));
}

TEST_F(LoadTest, StopsWhenAskedAndAnswersForEverything) {
    start();
    LoadPlan its_plan = plan();
    its_plan.most_commands = 0;
    auto load = Load::create(its_plan);
    ASSERT_TRUE(load);
    (*load)->start();
    while ((*load)->account().done() < 100 && (*load)->running())
        std::this_thread::sleep_for(milliseconds(5));
    (*load)->request_stop();
    (*load)->join();
    const LoadAccount account = (*load)->account();
    EXPECT_GE(account.done(), 100u);
    EXPECT_EQ(account.done(), account.sent());
}

TEST_F(LoadTest, ARateIsKept) {
    start();
    LoadPlan its_plan = plan();
    its_plan.sessions = 2;
    its_plan.pacing.rate = 2000;
    its_plan.most_commands = 600;
    const LoadAccount account = run(its_plan);
    EXPECT_EQ(account.done(), 600u);
    EXPECT_GE(account.seconds(), 0.29);
    EXPECT_EQ(account.since_due().count(), 600u);
}

TEST_F(LoadTest, TargetsAndTheirUnitsAreFound) {
    start();
    LoginOffer asking = offer();
    asking.target_name.clear();
    const auto targets = discover(addresses, {}, asking, milliseconds(5000));
    ASSERT_TRUE(targets) << targets.error().message;
    ASSERT_THAT(*targets, SizeIs(1));
    EXPECT_EQ(targets->front().name, TargetSettings{}.name);

    auto client = TargetClient::log_in(addresses, {}, offer(), {.patience = milliseconds(5000)});
    ASSERT_TRUE(client) << client.error().message;
    const auto luns = list_luns(*client);
    ASSERT_TRUE(luns) << luns.error().message;
    EXPECT_THAT(*luns, testing::ElementsAre(0, second_lun));
    const auto facts = probe_lun(*client, second_lun);
    ASSERT_TRUE(facts) << facts.error().message;
    EXPECT_EQ(facts->inquiry.vendor, "SANSCOPE");
    EXPECT_EQ(facts->serial_number, "SANSCOPE-1");
    EXPECT_EQ(facts->capacity.bytes(), disk_bytes);
    EXPECT_FALSE(probe_lun(*client, 0x0007000000000000));

    const std::vector<uint8_t> data(1024, 7);
    ASSERT_TRUE(client->write(write_cdb(4, 2), 0, data));
    const auto read = client->read(read_cdb(3, 4), 0, 2048);
    ASSERT_TRUE(read);
    EXPECT_EQ((*read)[511], 0);
    EXPECT_EQ((*read)[512], 7);
    EXPECT_EQ((*read)[1536], 0);
    EXPECT_THAT(client->read(read_cdb(disk_bytes / 512, 1), 0, 512).error().message,
                HasSubstr("OUT OF RANGE"));
    const auto ends = read_ends(*client, 0, facts->capacity, 1 << 20, 4096);
    ASSERT_TRUE(ends);
    EXPECT_THAT(ends->first, SizeIs(1 << 20));
    EXPECT_EQ(ends->first[2048], 7);
    EXPECT_THAT(ends->last, SizeIs(4096));
    client->log_out();
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/recording_relay.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "captures/recorder/recording_blocks.h"

#include "analyzer/export/testing/temporary_folder.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ended = v1::RecordingEnded;

std::span<const uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
std::string packets(size_t count) {
    std::string blocks;
    for (size_t i = 0; i < count; ++i) {
        const std::string bytes(100, static_cast<char>(i));
        std::string block(packet_block_length(100), '\0');
        put_packet_block(reinterpret_cast<uint8_t*>(block.data()), 0, i, bytes_of(bytes).data(), 100, 100);
        blocks += block;
    }
    return blocks;
}
const std::string header = section_header() + interface_description({});
const std::string statistics = interface_statistics(0, {});

// The other host, as it ought to be.
class RecordingRelayTest : public testing::Test {
  protected:
    RecordingRelayTest() { request_.set_path(folder_.path("out.pcapng")); }

    RecordingRelay& relay() {
        if (!relay_) {
            relay_ = std::make_unique<RecordingRelay>(
                request_, "target", [this](const v1::RecordingEvent& event) { events_.push_back(event); });
        }
        return *relay_;
    }
    void file_begins() {
        v1::RecordingEvent event;
        event.mutable_file_begun();
        relay().take(event);
        blocks(header);
    }
    void blocks(const std::string& bytes) {
        v1::RecordingEvent event;
        event.mutable_blocks()->set_zstd(compressor_.compress(bytes_of(bytes)));
        relay().take(event);
    }
    void started() {
        v1::RecordingEvent event;
        event.mutable_started()->add_interfaces()->set_name("eth0");
        relay().take(event);
    }
    void progress() {
        v1::RecordingEvent event;
        event.mutable_progress()->mutable_totals()->add_interfaces()->set_received(7);
        event.mutable_progress()->set_statistics(statistics);
        relay().take(event);
    }
    void file_ends() {
        v1::RecordingEvent event;
        event.mutable_file_ended();
        relay().take(event);
    }
    void ends(Ended::Why why = Ended::STOPPED) {
        v1::RecordingEvent event;
        event.mutable_ended()->set_why(why);
        event.mutable_ended()->mutable_totals()->add_interfaces()->set_received(7);
        relay().take(event);
    }
    std::string text(const std::string& name = "out.pcapng") { return test::file_text(folder_.path(name)); }
    std::vector<std::string> troubles() const {
        std::vector<std::string> messages;
        for (const auto& event : events_)
            if (event.has_trouble()) messages.push_back(event.trouble().message());
        return messages;
    }

    test::TemporaryFolder folder_;
    v1::RecordingRequest request_;
    std::vector<v1::RecordingEvent> events_;
    BlockCompressor compressor_;
    std::unique_ptr<RecordingRelay> relay_;
};

TEST_F(RecordingRelayTest, WhatComesFromThereIsAFileHere) {
    file_begins();
    started();
    EXPECT_TRUE(relay().started());
    blocks(packets(7));
    progress();
    EXPECT_EQ(relay().progress().totals().packets(), 7u);
    EXPECT_EQ(relay().progress().totals().interfaces(0).received(), 7u);
    EXPECT_EQ(relay().progress().readable_bytes(), (header + packets(7)).size());
    blocks(statistics);
    file_ends();
    ends();
    EXPECT_EQ(text(), header + packets(7) + statistics);
    ASSERT_EQ(events_.size(), 4u);
    EXPECT_EQ(events_[0].file_begun().path(), request_.path());
    EXPECT_EQ(events_[1].started().interfaces(0).name(), "eth0");
    EXPECT_EQ(events_[2].file_ended().packets(), 7u);
    EXPECT_EQ(events_[3].ended().why(), Ended::STOPPED);
    EXPECT_EQ(events_[3].ended().totals().bytes(), text().size());
    EXPECT_TRUE(relay().ended());
}

TEST_F(RecordingRelayTest, ALostConnectionLeavesAWholeFileWithTheStatisticsToldLast) {
    file_begins();
    started();
    blocks(packets(5));
    progress();
    relay().cut_short("lost");
    EXPECT_EQ(text(), header + packets(5) + statistics);
    EXPECT_THAT(troubles(), ElementsAre("lost"));
    EXPECT_EQ(events_.back().ended().why(), Ended::RECORDER_DIED);
    EXPECT_EQ(events_.back().ended().totals().packets(), 5u);
    ends();
    EXPECT_TRUE(events_.back().has_ended()) << "nothing is told behind it";
}

TEST_F(RecordingRelayTest, WhatIsNoRecordingEndsIt) {
    file_begins();
    started();
    blocks(packets(5));
    v1::RecordingEvent event;
    event.mutable_blocks()->set_zstd("nonsense");
    relay().take(event);
    EXPECT_TRUE(relay().ended());
    EXPECT_EQ(text(), header + packets(5));
    EXPECT_THAT(troubles(), ElementsAre("target: what comes from there is no recording"));
}

TEST_F(RecordingRelayTest, StatisticsThatAreNoneAreNotWritten) {
    file_begins();
    started();
    for (const std::string& wrong : {std::string("none"), packets(1)}) {
        v1::RecordingEvent event;
        event.mutable_progress()->set_statistics(wrong);
        relay().take(event);
    }
    relay().cut_short("lost");
    EXPECT_EQ(text(), header);
}

TEST_F(RecordingRelayTest, FilesAreNamedAndKeptHere) {
    request_.mutable_rotation()->set_packets(10);
    request_.mutable_rotation()->set_ring_files(2);
    for (int i = 0; i < 3; ++i) {
        file_begins();
        blocks(packets(10));
        file_ends();
    }
    started();
    ends(Ended::LIMIT_REACHED);
    EXPECT_THAT(folder_.names(), ElementsAre(HasSubstr("out_00002_"), HasSubstr("out_00003_")));
    for (const std::string& name : folder_.names()) EXPECT_EQ(text(name), header + packets(10));
    EXPECT_EQ(events_.back().ended().totals().files(), 3u);
    EXPECT_EQ(events_.back().ended().totals().packets(), 30u);
}

TEST_F(RecordingRelayTest, TheOtherHostCannotMakeMoreFilesThanWereAskedFor) {
    file_begins();
    started();
    file_begins();
    EXPECT_TRUE(relay().output_gone());
    EXPECT_THAT(folder_.names(), ElementsAre("out.pcapng"));
}

TEST_F(RecordingRelayTest, AFileThatCannotBeMadeIsToldAndNothingHasBegun) {
    request_.set_path(folder_.path("none/out.pcapng"));
    file_begins();
    started();
    EXPECT_FALSE(relay().started());
    EXPECT_TRUE(relay().output_gone());
    ends();
    EXPECT_THAT(troubles(), ElementsAre(HasSubstr("none/out.pcapng: cannot create: No such file")));
    EXPECT_EQ(events_.back().ended().why(), Ended::NOT_BEGUN);
}

TEST_F(RecordingRelayTest, AFullDiskLeavesWholeBlocksWithStatisticsAndCountsTheRest) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    file_begins();
    started();
    progress();
    rlimit small = before;
    small.rlim_cur = header.size() + 3 * packet_block_length(100) + statistics.size() + 10;
    ::setrlimit(RLIMIT_FSIZE, &small);
    blocks(packets(20));
    blocks(packets(5));
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_TRUE(relay().output_gone());
    ends();
    EXPECT_EQ(text(), header + packets(3) + statistics);
    EXPECT_THAT(troubles(), ElementsAre(HasSubstr("it holds the 3 packets recorded until then")));
    EXPECT_EQ(events_.back().ended().why(), Ended::OUTPUT_FAILED);
    EXPECT_EQ(events_.back().ended().totals().lost_at_the_end(), 22u);
}

TEST_F(RecordingRelayTest, TroubleSaysWhereItIs) {
    v1::RecordingEvent event;
    event.mutable_trouble()->set_message("no");
    event.mutable_trouble()->set_kind(v1::RecordingTrouble::NO_RIGHTS);
    relay().take(event);
    EXPECT_THAT(troubles(), ElementsAre("target: no"));
    EXPECT_EQ(events_[0].trouble().kind(), v1::RecordingTrouble::NO_RIGHTS);
}

TEST(RequestToHost, LeavesFilesToThisHost) {
    v1::RecordingRequest request;
    request.set_path("/home/me/out.pcapng");
    request.set_to_descriptor_3(true);
    request.set_go_on_alone(true);
    request.mutable_rotation()->set_bytes(1000);
    request.mutable_rotation()->set_ring_files(3);
    request.mutable_stop_after()->set_files(9);
    const auto asked = RecordingRelay::request_to_host(request);
    EXPECT_TRUE(asked.streamed());
    EXPECT_EQ(asked.path(), "");
    EXPECT_FALSE(asked.to_descriptor_3());
    EXPECT_FALSE(asked.go_on_alone());
    EXPECT_EQ(asked.rotation().bytes(), 1000u);
    EXPECT_FALSE(asked.rotation().has_ring_files());
    EXPECT_EQ(asked.stop_after().files(), 9u);
    EXPECT_FALSE(RecordingRelay::request_to_host({}).has_rotation());
}

TEST_F(RecordingRelayTest, AHostThatDoesNotKeepToALimitIsCutShort) {
    request_.mutable_stop_after()->set_packets(5);
    file_begins();
    started();
    blocks(packets(5));
    EXPECT_FALSE(relay().ended());
    blocks(packets(1));
    ASSERT_TRUE(relay().ended());
    EXPECT_THAT(events_[events_.size() - 2].trouble().message(),
                HasSubstr("more packets than it was asked for"));
}

TEST_F(RecordingRelayTest, AHostThatGoesOnForTooLongIsCutShort) {
    request_.mutable_stop_after()->set_seconds(10);
    file_begins();
    started();
    relay().look_at_limits(std::chrono::steady_clock::now() + std::chrono::seconds(20));
    EXPECT_FALSE(relay().ended()) << "a line may be slow";
    relay().look_at_limits(std::chrono::steady_clock::now() + std::chrono::seconds(60));
    EXPECT_TRUE(relay().ended());
}

TEST_F(RecordingRelayTest, ComplaintsAreCleanedAndCounted) {
    file_begins();
    started();
    v1::RecordingEvent complaint;
    complaint.mutable_trouble()->set_message("\x1b]0;owned\x07" + std::string(100'000, 'x'));
    for (int i = 0; i < 1001 && !relay().ended(); ++i) relay().take(complaint);
    EXPECT_TRUE(relay().ended());
    for (const v1::RecordingEvent& event : events_) {
        EXPECT_EQ(event.trouble().message().find('\x1b'), std::string::npos);
        EXPECT_LT(event.trouble().message().size(), 7000u);
    }
}

}  // namespace
}  // namespace sanscope

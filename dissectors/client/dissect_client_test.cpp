// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/client/dissect_client.h"

#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <unistd.h>

#include "dissectors/client/filter_run.h"
#include "dissectors/client/packet_details.h"

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/temporary_file.h"
#include "analyzer/net/testing/frame_builder.h"

namespace sanscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Packets 1 … n, of n, n + 1, … bytes, all of one conversation.
test::Bytes capture_of(uint32_t packets) {
    test::PcapBuilder builder;
    for (uint32_t i = 0; i < packets; ++i) builder.packet(i, 0, test::frame(20 + i));
    return builder.bytes();
}

class DissectClientTest : public testing::Test {
  protected:
    DissectClient::Options with(std::vector<std::string> arguments) {
        DissectClient::Options options;
        options.program = FAKE_DISSECTD;
        options.arguments = std::move(arguments);
        options.notice = [this](std::string_view line) { notices_.emplace_back(line); };
        return options;
    }

    static std::vector<uint32_t> fed(const v1::PacketTree& tree) {
        std::vector<uint32_t> numbers;
        for (const v1::TreeNode& node : tree.nodes()) {
            numbers.push_back(static_cast<uint32_t>(std::stoul(node.label())));
            EXPECT_EQ(node.label(),
                      std::to_string(numbers.back()) + " " + std::to_string(19 + numbers.back()));
        }
        return numbers;
    }
    static std::vector<uint32_t> up_to(uint32_t last) {
        std::vector<uint32_t> numbers(last);
        std::iota(numbers.begin(), numbers.end(), 1);
        return numbers;
    }

    std::vector<std::string> notices_;
};

struct Opened {
    explicit Opened(uint32_t packets) : file(capture_of(packets)) {
        auto opened = PacketReader::open(file.path(), {});
        EXPECT_TRUE(opened);
        reader = std::move(*opened);
    }
    test::TemporaryFile file;
    std::unique_ptr<PacketReader> reader;
};

TEST_F(DissectClientTest, SaysThatThereIsNoHelper) {
    DissectClient::Options options = with({});
    options.program = "/nonexistent/helper";
    DissectClient client(std::move(options));
    const auto run = client.run();
    ASSERT_FALSE(run);
    EXPECT_THAT(run.error().message, AllOf(HasSubstr("/nonexistent/helper"), HasSubstr("No such file")));
}

TEST_F(DissectClientTest, SaysWhyTheHelperWouldNotStart) {
    DissectClient client(with({"--fail", "no preference \"x.y\""}));
    const auto run = client.run();
    ASSERT_FALSE(run);
    EXPECT_THAT(run.error().message, HasSubstr("status 2: no preference \"x.y\""));
    EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(DissectClientTest, TakesGarbageForNoHelper) {
    DissectClient client(with({"--garbage"}));
    const auto run = client.run();
    ASSERT_FALSE(run);
    EXPECT_THAT(run.error().message, HasSubstr("is not the helper of this version"));
    EXPECT_EQ(client.process(), 0);
}

TEST_F(DissectClientTest, EndsAHelperThatDoesNotAnswer) {
    DissectClient::Options options = with({"--hang"});
    options.patience = std::chrono::milliseconds(200);
    DissectClient client(std::move(options));
    v1::DissectRequest request;
    request.mutable_check_filter();
    const auto answer = client.ask(request);
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, HasSubstr("did not answer"));
    EXPECT_THAT(notices_, SizeIs(2)) << "asked twice";
}

// What a helper that is in other hands may cost: no memory to speak of, and no more time than there is patience.
class HelperWithoutEnd : public DissectClientTest, public testing::WithParamInterface<const char*> {};

uint64_t resident_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        uint64_t kib = 0;
        if (word == "VmRSS:" && status >> kib) return kib;
    }
    return 0;
}

TEST_P(HelperWithoutEnd, CostsNeitherMemoryNorPatience) {
    DissectClient::Options options = with({GetParam()});
    options.patience = std::chrono::milliseconds(1500);
    DissectClient client(std::move(options));
    v1::DissectRequest request;
    request.mutable_check_filter();
    const uint64_t before = resident_kib();
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(client.ask(request));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8)) << "asked twice";
    EXPECT_LT(resident_kib(), before + (uint64_t{256} << 10));
    EXPECT_EQ(client.process(), 0);
    EXPECT_LT(client.last_end().size(), 5000u);
}

INSTANTIATE_TEST_SUITE_P(Ways, HelperWithoutEnd,
                         testing::Values("--chatter", "--flood", "--huge", "--drip", "--parts"),
                         [](const auto& way) { return std::string(way.param).substr(2); });

TEST_F(DissectClientTest, TellsOnceWhatTheKernelCannotKeepTheHelperFrom) {
    DissectClient client(with({"--not-kept-from", "reading files (of yours)"}));
    ASSERT_TRUE(client.run());
    ASSERT_GT(client.process(), 1);
    ASSERT_EQ(::kill(client.process(), SIGKILL), 0);
    v1::DissectRequest request;
    request.mutable_feed_packets();
    ASSERT_TRUE(client.ask(request));
    EXPECT_THAT(notices_, ElementsAre(HasSubstr("cannot be kept from reading files (of yours)"),
                                      HasSubstr("started again")));
}

TEST_F(DissectClientTest, DetailsFeedTheConversationOnce) {
    const Opened capture(700);
    DissectClient client(with({}));
    PacketDetails details(*capture.reader, client);
    const auto first = details.describe(600);
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(fed(*first), up_to(600));
    const auto next = details.describe(603);
    ASSERT_TRUE(next);
    EXPECT_EQ(fed(*next), up_to(603));
    const auto before = details.describe(5);
    ASSERT_TRUE(before);
    EXPECT_THAT(fed(*before), SizeIs(604)) << "packet 5 is dissected again, nothing is fed";
}

TEST_F(DissectClientTest, DetailsFeedNoMoreThanTheContext) {
    const Opened capture(100);
    DissectClient client(with({}));
    PacketDetails details(*capture.reader, client);
    PacketDetails::Options options;
    options.context = 3;
    const auto last = details.describe(90, options);
    ASSERT_TRUE(last);
    EXPECT_THAT(fed(*last), ElementsAre(87, 88, 89, 90));
    const auto before = details.describe(10, options);
    ASSERT_TRUE(before);
    EXPECT_THAT(fed(*before), ElementsAre(7, 8, 9, 10)) << "what comes before cannot be fed after";
}

// Packets 1, 3, 5, … of one connection, 2, 4, 6, … of another.
test::Bytes two_connections(uint32_t packets) {
    test::PcapBuilder builder;
    for (uint32_t i = 0; i < packets; ++i) {
        const auto port = static_cast<uint16_t>(50000 + i % 2);
        const std::string payload(i, 'x');
        builder.packet(i, 0,
                       frames::ethernet(frames::ipv4({}, frames::tcp({.source_port = port}, payload))).bytes);
    }
    return builder.bytes();
}

std::vector<std::string> numbers_fed(const v1::PacketTree& tree) {
    std::vector<std::string> numbers;
    for (const v1::TreeNode& node : tree.nodes())
        numbers.push_back(node.label().substr(0, node.label().find(' ')));
    return numbers;
}

TEST_F(DissectClientTest, DetailsBeginAfreshForAnotherConversationOnceTooMuchIsFed) {
    const test::TemporaryFile file(two_connections(40));
    const auto reader = PacketReader::open(file.path(), {});
    ASSERT_TRUE(reader);
    DissectClient client(with({}));
    PacketDetails details(**reader, client, 5);
    EXPECT_THAT(numbers_fed(*details.describe(5)), ElementsAre("1", "3", "5"));
    EXPECT_THAT(numbers_fed(*details.describe(4)), ElementsAre("1", "3", "5", "2", "4")) << "there is room";
    EXPECT_THAT(numbers_fed(*details.describe(11)), ElementsAre("1", "3", "5", "2", "4", "7", "9", "11"))
        << "too much, but of a conversation begun";
    EXPECT_THAT(numbers_fed(*details.describe(6)), ElementsAre("1", "3", "5", "2", "4", "7", "9", "11", "6"));
    PacketDetails other(**reader, client, 3);
    EXPECT_THAT(numbers_fed(*other.describe(7)), ElementsAre("1", "3", "5", "7"));
    EXPECT_THAT(numbers_fed(*other.describe(4)), ElementsAre("2", "4")) << "afresh";
}

TEST_F(DissectClientTest, DetailsLookAhead) {
    const Opened capture(20);
    DissectClient client(with({}));
    PacketDetails details(*capture.reader, client);
    PacketDetails::Options options;
    options.look_ahead = 2;
    const auto tree = details.describe(3, options);
    ASSERT_TRUE(tree);
    EXPECT_THAT(fed(*tree), ElementsAre(1, 2, 3, 4, 5, 3));
    const auto next = details.describe(4, options);
    ASSERT_TRUE(next);
    EXPECT_THAT(fed(*next), ElementsAre(1, 2, 3, 4, 5, 3, 6, 4));
}

std::vector<std::string> labels(const v1::PacketTree& tree) {
    std::vector<std::string> result;
    for (const v1::TreeNode& node : tree.nodes()) result.push_back(node.label());
    return result;
}

// A packet in a section, two in the next, whose second interface comes between them; then a custom block.
test::Bytes pcapng_of_sections() {
    test::PcapngBuilder builder;
    builder.section().interface().enhanced_packet(0, 1, test::frame(60));
    builder.section(true).interface().enhanced_packet(0, 2, test::frame(64));
    builder.interface().enhanced_packet(1, 3, test::frame(68)).block(0x0bad, test::frame(8));
    return builder.bytes();
}

TEST_F(DissectClientTest, DetailsTellWhatPacketsRestOnOnceAndInTime) {
    const test::TemporaryFile file(pcapng_of_sections());
    const auto reader = PacketReader::open(file.path(), {});
    ASSERT_TRUE(reader);
    DissectClient client(with({}));
    PacketDetails details(**reader, client);
    std::vector<std::string> expected = {"section 1 24", "section 2* 24", "1 92", "2 96"};
    EXPECT_EQ(labels(*details.describe(2)), expected);
    for (const char* const more : {"section 2* 24", "3 100"}) expected.emplace_back(more);
    EXPECT_EQ(labels(*details.describe(3)), expected);
    expected.emplace_back("4 20");
    EXPECT_EQ(labels(*details.describe(4)), expected) << "a record that is no packet rests on no other";
    ASSERT_GT(client.process(), 1);
    ASSERT_EQ(::kill(client.process(), SIGKILL), 0);
    EXPECT_THAT(labels(*details.describe(1)), ElementsAre("section 1 24", "1 92"));
}

TEST_F(DissectClientTest, FilterTellsOfSectionsAndRecordsThatAreNoPackets) {
    const test::TemporaryFile file(pcapng_of_sections());
    DissectClient client(with({}));
    std::vector<uint64_t> numbers;
    const auto source = open_capture(file.path());
    FilterRun run(client, "any");
    const auto outcome =
        run.run(**source, {}, [&](const RawPacket&, uint64_t number) { numbers.push_back(number); });
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->packets, 4u);
    EXPECT_THAT(outcome->left_out, IsEmpty());
    EXPECT_THAT(numbers, ElementsAre(2, 4));
    const auto reader = PacketReader::open(file.path(), {});
    v1::DissectRequest request;
    request.mutable_describe_packet()->mutable_packet()->set_number(9);
    EXPECT_THAT(labels(client.ask(request)->packet_tree()),
                ElementsAre("section 1 24", "section 2* 48", "1 92", "2 96", "3 100", "4 20", "9 0"));
}

TEST_F(DissectClientTest, DetailsSurviveAKilledHelper) {
    const Opened capture(700);
    DissectClient client(with({}));
    PacketDetails details(*capture.reader, client);
    ASSERT_TRUE(details.describe(500));
    ASSERT_GT(client.process(), 1);
    ASSERT_EQ(::kill(client.process(), SIGKILL), 0);
    const auto tree = details.describe(501);
    ASSERT_TRUE(tree) << tree.error().message;
    EXPECT_EQ(fed(*tree), up_to(501));
    EXPECT_THAT(notices_, ElementsAre(AllOf(HasSubstr("signal 9"), HasSubstr("started again"))));
    EXPECT_THAT(details.left_out(), IsEmpty());
}

TEST_F(DissectClientTest, DetailsLeaveOutThePacketThatKills) {
    const Opened capture(300);
    DissectClient client(with({"--deadly", "270"}));
    PacketDetails details(*capture.reader, client);
    const auto tree = details.describe(290);
    ASSERT_TRUE(tree) << tree.error().message;
    std::vector<uint32_t> expected = up_to(290);
    std::erase(expected, 270u);
    EXPECT_EQ(fed(*tree), expected);
    EXPECT_THAT(details.left_out(),
                ElementsAre(AllOf(HasSubstr("packet 270"), HasSubstr("broke its own rules"))));
    const auto deadly = details.describe(270);
    ASSERT_FALSE(deadly);
    EXPECT_THAT(deadly.error().message, HasSubstr("do not survive packet 270"));
}

TEST_F(DissectClientTest, DetailsSayWhatCannotBeTold) {
    const Opened capture(3);
    DissectClient client(with({}));
    PacketDetails details(*capture.reader, client);
    EXPECT_THAT(details.describe(0).error().message, HasSubstr("no packet 0"));
    EXPECT_THAT(details.describe(4).error().message, HasSubstr("the last one is 3"));
    std::atomic<bool> stop = true;
    PacketDetails::Options options;
    options.stop = &stop;
    EXPECT_EQ(details.describe(3, options).error().message, "stopped");
    EXPECT_TRUE(details.describe(3));
}

struct Filtered {
    FilterRun::Outcome outcome;
    std::vector<uint64_t> numbers;
};

Filtered filter(DissectClient& client, const std::string& path) {
    Filtered filtered;
    const auto source = open_capture(path);
    FilterRun run(client, "any");
    auto outcome = run.run(**source, {}, [&](const RawPacket& packet, uint64_t number) {
        EXPECT_EQ(packet.captured_length, 19 + number);
        filtered.numbers.push_back(number);
    });
    EXPECT_TRUE(outcome) << outcome.error().message;
    if (outcome) filtered.outcome = *outcome;
    return filtered;
}

TEST_F(DissectClientTest, FilterTellsTheMatchesInOrder) {
    const Opened capture(2000);
    DissectClient client(with({}));
    const Filtered filtered = filter(client, capture.file.path());
    EXPECT_EQ(filtered.outcome.packets, 2000u);
    ASSERT_THAT(filtered.numbers, SizeIs(1000));
    for (size_t i = 0; i < 1000; ++i) ASSERT_EQ(filtered.numbers[i], 2 * i + 2);
}

TEST_F(DissectClientTest, FilterGoesOnBehindThePacketThatKills) {
    const Opened capture(2000);
    DissectClient client(with({"--deadly", "800"}));
    const Filtered filtered = filter(client, capture.file.path());
    EXPECT_EQ(filtered.outcome.packets, 2000u);
    EXPECT_THAT(filtered.numbers, SizeIs(999));
    EXPECT_EQ(std::ranges::count(filtered.numbers, 800), 0);
    EXPECT_THAT(filtered.outcome.left_out,
                ElementsAre(AllOf(HasSubstr("packet 800"), HasSubstr("broke its own"))));
    EXPECT_THAT(notices_, SizeIs(2)) << "once in company, once alone";
}

TEST_F(DissectClientTest, FilterLosesNothingWhenTheHelperIsKilled) {
    const Opened capture(2000);
    const std::string mark = testing::TempDir() + "sanscope-died-" + std::to_string(::getpid());
    DissectClient client(with({"--die-once", mark}));
    const Filtered filtered = filter(client, capture.file.path());
    ::unlink(mark.c_str());
    EXPECT_EQ(filtered.outcome.packets, 2000u);
    EXPECT_THAT(filtered.numbers, SizeIs(1000));
    EXPECT_THAT(filtered.outcome.left_out, IsEmpty());
    EXPECT_THAT(notices_, SizeIs(1));
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
// sanscope-dissectd itself, over its pipes.
#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <thread>

#include "dissectors/client/filter_run.h"
#include "dissectors/client/packet_details.h"

#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/temporary_file.h"

namespace sanscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::string samples = SANSCOPE_SAMPLES;
const std::string losses = samples + "/loss-mixed-initiator.pcap.zst";

class DissectdTest : public testing::Test {
  protected:
    DissectClient::Options with(std::vector<std::string> arguments) {
        DissectClient::Options options;
        options.program = DISSECTD;
        options.arguments = std::move(arguments);
        options.notice = [this](std::string_view line) { notices_.emplace_back(line); };
        return options;
    }
    static std::unique_ptr<PacketReader> read(const std::string& path) {
        auto reader = PacketReader::open(path, {});
        EXPECT_TRUE(reader) << reader.error().message;
        return std::move(*reader);
    }
    static std::string value(const v1::PacketTree& tree, const std::string& abbreviation) {
        for (const v1::TreeNode& node : tree.nodes()) {
            if (node.abbreviation() == abbreviation) return node.value();
        }
        return "(none)";
    }
    static std::vector<uint64_t> filter(DissectClient& client, const std::string& path,
                                        const std::string& text, FilterRun::Outcome* told = nullptr) {
        std::vector<uint64_t> numbers;
        const auto source = open_capture(path);
        FilterRun run(client, text);
        const auto outcome =
            run.run(**source, {}, [&](const RawPacket&, uint64_t number) { numbers.push_back(number); });
        EXPECT_TRUE(outcome) << outcome.error().message;
        if (outcome && told != nullptr) *told = *outcome;
        return numbers;
    }

    std::vector<std::string> notices_;
};

v1::FilterCheck check(DissectClient& client, const std::string& text) {
    v1::DissectRequest request;
    request.mutable_check_filter()->set_filter(text);
    auto answer = client.ask(request);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? answer->filter_check() : v1::FilterCheck();
}

TEST_F(DissectdTest, TellsFieldsWithTheBytesTheyAreIn) {
    const auto reader = read(samples + "/login-discovery-inquiry.pcap");
    DissectClient client(with({}));
    const auto tree = PacketDetails(*reader, client).describe(6);
    ASSERT_TRUE(tree) << tree.error().message;
    ASSERT_THAT(tree->sources(), SizeIs(1));
    EXPECT_THAT(tree->sources(0).data(), SizeIs(494));
    const auto port = std::ranges::find(tree->nodes(), "tcp.dstport", &v1::TreeNode::abbreviation);
    ASSERT_NE(port, tree->nodes().end());
    EXPECT_EQ(port->value(), "3260");
    EXPECT_EQ(port->name(), "Destination Port");
    EXPECT_EQ(port->type(), "FT_UINT16");
    EXPECT_EQ(port->depth(), 1u);
    ASSERT_TRUE(port->has_source());
    const std::string_view bytes = tree->sources(static_cast<int>(port->source())).data();
    EXPECT_EQ(bytes.substr(port->start(), port->length()), std::string_view("\x0c\xbc", 2));
    const auto any = std::ranges::find(tree->nodes(), "tcp.port", &v1::TreeNode::abbreviation);
    ASSERT_NE(any, tree->nodes().end());
    EXPECT_TRUE(any->hidden());
    const auto length = std::ranges::find(tree->nodes(), "tcp.nxtseq", &v1::TreeNode::abbreviation);
    ASSERT_NE(length, tree->nodes().end());
    EXPECT_TRUE(length->generated());
}

TEST_F(DissectdTest, ReassembledBytesAreASourceOfTheirOwn) {
    const auto reader = read(losses);
    DissectClient client(with({}));
    PacketDetails details(*reader, client);
    const auto numbers = filter(client, losses, "tcp.segments && iscsi.opcode == 0x25");
    ASSERT_THAT(numbers, Not(IsEmpty()));
    const auto tree = details.describe(numbers.front());
    ASSERT_TRUE(tree) << tree.error().message;
    ASSERT_THAT(tree->sources(), SizeIs(Ge(2)));
    EXPECT_THAT(tree->sources(1).name(), HasSubstr("Reassembled TCP"));
    const auto opcode = std::ranges::find(tree->nodes(), "iscsi.opcode", &v1::TreeNode::abbreviation);
    ASSERT_NE(opcode, tree->nodes().end());
    EXPECT_EQ(opcode->source(), 1u);
    EXPECT_EQ(tree->sources(1).data()[opcode->start()], '\x25');
}

// The lines of a tree, without those of which Wireshark tells what it dissected last: the frame of the latest of a command's
// Data-In or Data-Out PDUs.
std::vector<std::string> lines(const v1::PacketTree& tree) {
    std::vector<std::string> result;
    for (const v1::TreeNode& node : tree.nodes()) {
        if (node.abbreviation() == "iscsi.data_in_frame" || node.abbreviation() == "iscsi.data_out_frame")
            continue;
        result.push_back(node.SerializeAsString());
    }
    return result;
}

TEST_F(DissectdTest, ClicksInAnyOrderGiveTheSameTrees) {
    const auto reader = read(samples + "/two-sessions.pcap.lz4");
    DissectClient client(with({}));
    const auto last = reader->index().packets();
    PacketDetails in_order(*reader, client);
    PacketDetails::Options options;
    options.look_ahead = SIZE_MAX;
    std::vector<std::vector<std::string>> expected;
    for (PacketNumber packet = 1; packet <= last; ++packet)
        expected.push_back(lines(*in_order.describe(packet, options)));
    DissectClient other(with({}));
    PacketDetails anyhow(*reader, other);
    std::mt19937 random(7);
    for (int click = 0; click < 500; ++click) {
        const PacketNumber packet = 1 + random() % last;
        const auto tree = anyhow.describe(packet, options);
        ASSERT_TRUE(tree) << tree.error().message;
        ASSERT_EQ(lines(*tree), expected[packet - 1]) << "packet " << packet;
    }
}

TEST_F(DissectdTest, SaysWhatIsWrongWithAFilterAndWhere) {
    DissectClient client(with({}));
    EXPECT_TRUE(check(client, "iscsi && tcp.port == 3260").valid());
    EXPECT_TRUE(check(client, "").valid());
    const v1::FilterCheck unknown = check(client, "ip && tcp.prot == 1");
    EXPECT_FALSE(unknown.valid());
    EXPECT_THAT(unknown.message(), HasSubstr("tcp.prot"));
    EXPECT_EQ(unknown.start(), 6u);
    EXPECT_EQ(unknown.length(), 8u);
    EXPECT_FALSE(check(client, "tcp.port ==").valid());
    EXPECT_FALSE(check(client, "(tcp").valid());
}

TEST_F(DissectdTest, CompletesFieldNames) {
    DissectClient client(with({}));
    v1::DissectRequest request;
    request.mutable_complete_field()->set_prefix("iscsi.initi");
    request.mutable_complete_field()->set_most(10);
    const auto answer = client.ask(request);
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_THAT(answer->field_names().fields(), SizeIs(Ge(1)));
    EXPECT_EQ(answer->field_names().fields(0).abbreviation(), "iscsi.initiatortasktag");
    EXPECT_EQ(answer->field_names().fields(0).name(), "InitiatorTaskTag");
    EXPECT_FALSE(answer->field_names().more());
    request.mutable_complete_field()->set_prefix("t");
    const auto many = client.ask(request);
    ASSERT_TRUE(many);
    EXPECT_THAT(many->field_names().fields(), SizeIs(10));
    EXPECT_TRUE(many->field_names().more());
}

TEST_F(DissectdTest, AnswersGoOnBehindAKill) {
    const auto reader = read(losses);
    DissectClient client(with({}));
    PacketDetails details(*reader, client);
    const auto before = details.describe(5000);
    ASSERT_TRUE(before);
    ASSERT_EQ(::kill(client.process(), SIGSEGV), 0);
    const auto after = details.describe(5000);
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(after->SerializeAsString(), before->SerializeAsString());
    EXPECT_THAT(notices_, ElementsAre(HasSubstr("signal 11")));
}

TEST_F(DissectdTest, FilteringGoesOnWhenKilledInTheMidst) {
    DissectClient client(with({}));
    const auto expected = filter(client, losses, "tcp.srcport == 3260");
    ASSERT_TRUE(notices_.empty());
    std::atomic<bool> done = false;
    const pid_t helper = client.process();
    std::jthread killer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(15));
        ::kill(helper, SIGKILL);
    });
    FilterRun::Outcome outcome;
    EXPECT_EQ(filter(client, losses, "tcp.srcport == 3260", &outcome), expected);
    EXPECT_THAT(outcome.left_out, IsEmpty());
    EXPECT_EQ(outcome.packets, 9856u);
    EXPECT_THAT(notices_, SizeIs(1));
}

TEST_F(DissectdTest, GarbageEndsIt) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const std::string garbage(10000, '\xff');
    ASSERT_EQ(::write(ends[1], garbage.data(), garbage.size()), static_cast<ssize_t>(garbage.size()));
    ::close(ends[1]);
    const std::string command = std::string(DISSECTD) + " <&" + std::to_string(ends[0]) + " >/dev/null 2>&1";
    const int status = std::system(command.c_str());
    ::close(ends[0]);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST_F(DissectdTest, RequestsOutOfPlaceAreRefused) {
    DissectClient client(with({}));
    v1::DissectRequest request;
    request.mutable_describe_packet()->mutable_packet()->set_number(1);
    EXPECT_EQ(client.ask(request).error().message, "no capture is open");
    v1::DissectRequest empty;
    EXPECT_THAT(client.ask(empty).error().message, HasSubstr("not known"));
    EXPECT_THAT(notices_, IsEmpty());
}

#ifndef __SANITIZE_ADDRESS__
// The most it ever had.
uint64_t address_space_of(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    std::string word;
    uint64_t kib = 0;
    while (status >> word && word != "VmPeak:") {
    }
    status >> kib;
    return kib * 1024;
}

// What libwireshark keeps of the packets does not fit: it ends, is started again, and no packet goes without an answer.
TEST_F(DissectdTest, RunsOutOfMemoryAndGoesOn) {
    test::PcapBuilder builder;
    std::mt19937 random(3);
    for (uint32_t i = 0; i < 150'000; ++i) {
        // A SYN to a port of its own: a conversation each.
        test::Bytes packet(54);
        const test::Bytes ethernet_ip = {2, 0,    0, 0, 0,  2, 2, 0,    0, 0,  0, 1, 8,
                                         0, 0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0};
        std::ranges::copy(ethernet_ip, packet.begin());
        for (size_t byte = 26; byte < 38; ++byte) packet[byte] = static_cast<uint8_t>(random());
        packet[46] = 0x50;
        packet[47] = 2;
        builder.packet(i, 0, packet);
    }
    const test::TemporaryFile file(builder.bytes());
    DissectClient unlimited(with({}));
    ASSERT_TRUE(unlimited.run());
    const uint64_t room = address_space_of(unlimited.process()) + (uint64_t{16} << 20);
    DissectClient client(with({"--memory-limit", std::to_string(room)}));
    FilterRun::Outcome outcome;
    EXPECT_THAT(filter(client, file.path(), "tcp.flags.syn == 1", &outcome), SizeIs(150'000));
    EXPECT_EQ(outcome.packets, 150'000u);
    EXPECT_THAT(outcome.left_out, IsEmpty());
    EXPECT_THAT(notices_, SizeIs(Ge(1)));
}
#endif

TEST_F(DissectdTest, ARefusedPacketIsToldAndTheOthersAreAnswered) {
    test::PcapngBuilder builder;
    builder.section().interface();
    builder.enhanced_packet(0, 1, test::frame(60)).enhanced_packet(0, 2, test::frame(300'000));
    builder.enhanced_packet(0, 3, test::frame(60));
    const test::TemporaryFile file(builder.bytes());
    const auto reader = read(file.path());
    ASSERT_EQ(reader->index().packets(), 3u);
    DissectClient client(with({}));
    PacketDetails details(*reader, client);
    const auto third = details.describe(3);
    ASSERT_TRUE(third) << third.error().message;
    EXPECT_EQ(value(*third, "frame.number"), "3");
    EXPECT_THAT(details.left_out(), ElementsAre(AllOf(HasSubstr("packet 2"), HasSubstr("262144"))));
    EXPECT_THAT(details.describe(2).error().message, HasSubstr("262144"));
    EXPECT_TRUE(details.describe(1));
    EXPECT_THAT(notices_, IsEmpty());
}

}  // namespace
}  // namespace sanscope

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
#include "analyzer/ingest/compress.h"
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

// Only since then does it name a packet's interface by its section.
bool wireshark_since_4_2(const DissectClient& client) {
    return !client.wireshark_version().starts_with("4.0.") && !client.wireshark_version().starts_with("4.1.");
}

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

// The lines of a tree, without those of which Wireshark shows what it dissected last: the frame of the latest of a
// command's Data-In or Data-Out PDUs.
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

test::Bytes ipv4_frame(uint8_t last_of_source) {
    test::Bytes frame = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 20, 0, 0, 0, 0, 64, 253, 0, 0};
    for (const int byte : {192, 0, 2, int{last_of_source}, 192, 0, 2, 200})
        frame.push_back(static_cast<uint8_t>(byte));
    return frame;
}

// An enhanced packet block with a comment.
void add_commented(test::PcapngBuilder& builder, uint32_t interface, uint8_t source,
                   std::string_view comment) {
    const test::Bytes frame = ipv4_frame(source);
    const auto length = static_cast<uint32_t>(frame.size());
    test::ByteWriter body(builder.big_endian());
    body.u32(interface).u32(0).u32(1'000'000 * source).u32(length).u32(length).bytes(frame).pad();
    body.u16(1).u16(static_cast<uint16_t>(comment.size()));
    body.bytes(test::Bytes(comment.begin(), comment.end())).pad().u32(0);
    builder.block(6, body.result());
}

// Packets 1 and 2, of two interfaces; 3, of a second section in the other byte order, whose second half names an
// address; 4, a custom block; 5.
test::Bytes pcapng_with_all() {
    test::PcapngBuilder builder;
    builder.section().interface({.name = "eth0"}).interface({.name = "eth1"});
    add_commented(builder, 0, 1, "first");
    add_commented(builder, 1, 2, "second");
    builder.section(true).interface({.name = "eth0"}).interface({.name = "eth1"}).interface({.name = "eth2"});
    add_commented(builder, 2, 3, "third");
    test::ByteWriter names(true);
    const std::string_view name = "array.example";
    names.u16(1).u16(static_cast<uint16_t>(4 + name.size() + 1)).u8(192).u8(0).u8(2).u8(5);
    names.bytes(test::Bytes(name.begin(), name.end())).u8(0).pad().u32(0);
    builder.block(4, names.result());
    test::ByteWriter custom(true);
    custom.u32(32473).bytes(test::frame(8));
    builder.block(0x0bad, custom.result());
    add_commented(builder, 0, 5, "fifth");
    return builder.bytes();
}

TEST_F(DissectdTest, PcapngIsShownWithAllItTells) {
    for (const bool compressed : {false, true}) {
        const test::TemporaryFile file(compressed ? test::gzip(pcapng_with_all()) : pcapng_with_all());
        const auto reader = read(file.path());
        DissectClient client(with({"--preference", "nameres.network_name:TRUE"}));
        PacketDetails details(*reader, client);
        const auto expect = [&](PacketNumber packet, const char* section, const char* interface,
                                const char* name, const char* comment) {
            const auto tree = details.describe(packet);
            ASSERT_TRUE(tree) << tree.error().message;
            EXPECT_EQ(value(*tree, "frame.number"), std::to_string(packet));
            EXPECT_EQ(value(*tree, "frame.interface_id"), interface);
            EXPECT_EQ(value(*tree, "frame.interface_name"), name);
            EXPECT_EQ(value(*tree, "frame.comment"), comment);
            EXPECT_EQ(value(*tree, "frame.section_number"), section);
            EXPECT_EQ(tree->time_s(), static_cast<int64_t>(packet));
        };
        expect(2, "1", "1", "eth1", "second");
        expect(3, "2", "2", wireshark_since_4_2(client) ? "eth2" : "eth0", "third");
        expect(1, "1", "0", "eth0", "first");
        const auto custom = details.describe(4);
        ASSERT_TRUE(custom) << custom.error().message;
        EXPECT_EQ(value(*custom, "frame.cb_pen"), "32473");
        EXPECT_EQ(custom->time_s(), 0);
        expect(5, "2", "0", "eth0", "fifth");
        const auto fifth = details.describe(5);
        EXPECT_EQ(value(*fifth, "ip.src_host"), "array.example");
        EXPECT_EQ(value(*fifth, "frame.time_delta"), "2.000000000");
        EXPECT_THAT(details.left_out(), IsEmpty());
    }
}

TEST_F(DissectdTest, FiltersAskWhatAPcapngTells) {
    const test::TemporaryFile file(test::gzip(pcapng_with_all()));
    DissectClient client(with({}));
    EXPECT_THAT(filter(client, file.path(), "frame.comment contains \"ir\""), ElementsAre(1, 3));
    EXPECT_THAT(filter(client, file.path(), "frame.section_number == 2"), ElementsAre(3, 4, 5));
    EXPECT_THAT(filter(client, file.path(), "frame.interface_id > 0"), ElementsAre(2, 3));
    EXPECT_THAT(filter(client, file.path(), "frame.cb_pen"), ElementsAre(4));
}

TEST_F(DissectdTest, ManySectionsAndInterfacesAreNoBurden) {
    test::PcapngBuilder builder;
    constexpr uint32_t sections = 20'000;
    for (uint32_t i = 0; i < sections; ++i) {
        builder.section(i % 2 == 1).interface();
        builder.enhanced_packet(0, i, ipv4_frame(1));
    }
    builder.section();
    for (uint32_t i = 0; i < sections; ++i) builder.interface();
    builder.enhanced_packet(sections - 1, 1, ipv4_frame(1));
    const test::TemporaryFile file(builder.bytes());
    const auto reader = read(file.path());
    DissectClient client(with({}));
    PacketDetails details(*reader, client);
    PacketDetails::Options options;
    options.context = 10;
    const auto last = details.describe(sections + 1, options);
    ASSERT_TRUE(last) << last.error().message;
    EXPECT_EQ(value(*last, "frame.section_number"), std::to_string(sections + 1));
    EXPECT_EQ(value(*last, "frame.interface_id"), std::to_string(sections - 1));
    EXPECT_THAT(filter(client, file.path(), "frame.section_number == 20000"), ElementsAre(20000));
}

TEST_F(DissectdTest, BlocksThatAreNoneAreRefused) {
    DissectClient client(with({}));
    v1::DissectRequest open;
    open.mutable_open_capture();
    ASSERT_TRUE(client.ask(open));
    v1::DissectRequest sections;
    v1::SectionBlocks& blocks = *sections.mutable_add_sections()->add_sections();
    blocks.set_section(1);
    blocks.set_interfaces(std::string("\1\0\0\0\xff\xff\xff\x7f", 8));
    const auto told = client.ask(sections);
    ASSERT_TRUE(told) << told.error().message;
    EXPECT_THAT(told->done().refused(), ElementsAre(HasSubstr("no pcapng block")));
    v1::DissectRequest feed;
    for (const std::string& block :
         {std::string(), std::string(11, '\6'), std::string(400, '\xff'), std::string(12, '\0')}) {
        v1::CapturedPacket& packet = *feed.mutable_feed_packets()->add_packets();
        packet.set_number(static_cast<uint32_t>(feed.feed_packets().packets_size()));
        packet.set_section(7);
        packet.set_block(block);
    }
    const auto fed = client.ask(feed);
    ASSERT_TRUE(fed) << fed.error().message;
    EXPECT_THAT(fed->done().refused(), SizeIs(4));
    EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(DissectdTest, APortIsDecodedAsTheUserSays) {
    DissectClient by_content(with({}));
    EXPECT_THAT(filter(by_content, losses, "iscsi"), Not(IsEmpty()));
    DissectClient as_data(with({"--decode-as", "tcp.port==3260,data"}));
    EXPECT_THAT(filter(as_data, losses, "iscsi"), IsEmpty());
    EXPECT_THAT(filter(as_data, losses, "tcp.port == 3260 && data"), Not(IsEmpty()));
    DissectClient again(with({"--decode-as", "tcp.port==3260,data", "--decode-as", "tcp.port==3260,iscsi"}));
    EXPECT_THAT(filter(again, losses, "iscsi"), Not(IsEmpty()));
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
    ASSERT_GT(client.process(), 1);
    ASSERT_EQ(::kill(client.process(), SIGKILL), 0);
    const auto after = details.describe(5000);
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(after->SerializeAsString(), before->SerializeAsString());
    EXPECT_THAT(notices_, ElementsAre(HasSubstr("signal 9")));
}

TEST_F(DissectdTest, FilteringGoesOnWhenKilledInTheMidst) {
    DissectClient client(with({}));
    const auto expected = filter(client, losses, "tcp.srcport == 3260");
    ASSERT_TRUE(notices_.empty());
    const pid_t helper = client.process();
    ASSERT_GT(helper, 1);  // kill() takes less for many processes
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

#ifndef SANSCOPE_ADDRESS_SANITIZER
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

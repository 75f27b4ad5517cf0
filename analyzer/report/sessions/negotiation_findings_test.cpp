// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/findings.h"
#include "analyzer/report/testing/frames_capture.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::FramesCapture;
using test::FramesConnection;
using test::Host;
using test::ms;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Kind = Finding::Kind;
using Severity = Finding::Severity;

constexpr bool initiator = false;
constexpr bool target = true;

const frames::ByteVector all_options = {2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7};
const frames::ByteVector without_scaling = {2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0};
const frames::ByteVector without_sack = {2, 4, 0x05, 0xb4, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7};

Host host(uint8_t number, const frames::ByteVector& options = all_options) {
    return {.ip = "10.0.0." + std::to_string(number), .mac = number, .syn_options = options};
}

class Negotiation : public testing::Test {
  protected:
    void converse(FramesConnection& connection) {
        connection.open(0);
        connection.login(2 * ms);
        for (int64_t i = 0; i < 20; ++i) connection.read((10 + 5 * i) * ms);
    }
    FramesCapture capture;
};

TEST_F(Negotiation, of_all_options_is_fine) {
    FramesConnection connection(capture, host(1), host(2));
    converse(connection);
    EXPECT_THAT(capture.find(Kind::negotiation), IsEmpty());
}

TEST_F(Negotiation, that_costs_nothing_is_information_about_the_side_that_lacks) {
    FramesConnection connection(capture, host(1), host(2, without_scaling));
    converse(connection);
    const std::vector<Finding> found = capture.find(Kind::negotiation);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].severity, Severity::information);
    EXPECT_EQ(found[0].side, Finding::Side::target);
    EXPECT_THAT(found[0].evidence, Contains("the target's SYN-ACK has no window scale option"));
}

// A SYN-ACK may only have what the SYN has.
TEST_F(Negotiation, is_the_initiators_where_its_syn_lacks_the_option) {
    FramesConnection connection(capture, host(1, without_sack), host(2, without_sack));
    converse(connection);
    const std::vector<Finding> found = capture.find(Kind::negotiation);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].side, Finding::Side::initiator);
}

TEST_F(Negotiation, of_which_each_side_lacks_something_is_of_both) {
    const frames::ByteVector without_timestamps = {2, 4, 0x05, 0xb4, 4, 2, 3, 3, 7};
    const frames::ByteVector mss_alone = {2, 4, 0x05, 0xb4};
    FramesConnection connection(capture, host(1, without_timestamps), host(2, mss_alone));
    converse(connection);
    const std::vector<Finding> found = capture.find(Kind::negotiation);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].side, Finding::Side::both);
    EXPECT_THAT(found[0].evidence, SizeIs(3));
    EXPECT_THAT(found[0].explanation, HasSubstr("SYN cookies"));
}

TEST_F(Negotiation, with_timestamps_is_not_said_to_be_a_cookies) {
    FramesConnection connection(capture, host(1), host(2, without_scaling));
    converse(connection);
    const std::vector<Finding> found = capture.find(Kind::negotiation);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0].explanation, testing::Not(HasSubstr("cookies")));
}

TEST_F(Negotiation, of_which_half_was_captured_is_not_judged) {
    FramesConnection connection(capture, host(1, without_scaling), host(2, without_scaling));
    connection.segment_at(target, 4999, {}, 0);
    connection.login(2 * ms);
    for (int64_t i = 0; i < 20; ++i) connection.read((10 + 5 * i) * ms);
    EXPECT_THAT(capture.find(Kind::negotiation), IsEmpty());
}

// 64 KiB a round trip of 20 ms, over and over; captured at the target.
class LongPath : public Negotiation {
  protected:
    std::vector<Finding> run(const frames::ByteVector& of_target) {
        FramesConnection connection(capture, host(1), host(2, of_target));
        connection.open(0, 0);
        connection.login(40 * ms);
        constexpr int64_t trip_ns = 20 * ms;
        constexpr uint32_t segment = 1448;
        constexpr uint32_t flight = 45 * segment;  // of the window of 65535
        constexpr uint32_t rounds = 60;
        const uint32_t itt = 77;
        const uint32_t length = flight * rounds;
        int64_t at_ns = 100 * ms;
        connection.send(
            initiator,
            test::scsi_command(itt, 1, test::Moves::in, length, test::read_10(1, 8)).exp_stat_sn(2).bytes(),
            at_ns);
        Bytes stream = test::data_in(itt, 0, Bytes(length), 2).flags(0x81).stat_sn(2).bytes();
        uint32_t received = connection.next_seq(target);
        size_t sent = 0;
        while (sent < stream.size()) {
            connection.receives[target] = false;
            for (uint32_t in_flight = 0; in_flight < flight && sent < stream.size(); in_flight += segment) {
                const size_t piece = std::min<size_t>(segment, stream.size() - sent);
                const auto begin = stream.begin() + static_cast<ptrdiff_t>(sent);
                connection.send(target, Bytes(begin, begin + static_cast<ptrdiff_t>(piece)), at_ns);
                sent += piece;
                at_ns += 10'000;
            }
            received = connection.next_seq(target);
            at_ns += trip_ns;
            connection.set_received(target, received);
            connection.acknowledge(initiator, at_ns);
        }
        return capture.find();
    }
};

TEST_F(LongPath, without_window_scaling_is_held_to_64_kib) {
    const std::vector<Finding> found = run(without_scaling);
    ASSERT_EQ(found.front().kind, Kind::negotiation) << found.front().title;
    EXPECT_NE(found.front().severity, Severity::information);
    EXPECT_EQ(found.front().side, Finding::Side::target);
    EXPECT_THAT(found.front().title, HasSubstr("window scaling"));
    for (const Finding& finding : found) {
        EXPECT_TRUE(finding.kind != Kind::receiver_window || finding.severity == Severity::information);
    }
}

// The same bytes, and the receiver says that it means 128 times as much: the window is not what holds it back.
TEST_F(LongPath, with_window_scaling_is_not) {
    for (const Finding& finding : run(all_options)) {
        EXPECT_NE(finding.kind, Kind::receiver_window) << finding.title;
        EXPECT_TRUE(finding.kind != Kind::negotiation || finding.severity == Severity::information);
    }
}

// Nobody said anything of MaxRecvDataSegmentLength: it is 8192.
TEST_F(LongPath, of_large_reads_in_small_pdus_is_information) {
    std::vector<Finding> found = run(all_options);
    std::erase_if(found, [](const Finding& finding) { return finding.kind != Kind::negotiation; });
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_THAT(found[0].title, HasSubstr("Data-In PDUs of 8 KiB"));
    EXPECT_EQ(found[0].side, Finding::Side::initiator);
}

class Writes : public Negotiation {
  protected:
    std::vector<Finding> write_with(std::initializer_list<std::string_view> keys, int64_t trip_ns) {
        FramesConnection connection(capture, host(1), host(2));
        connection.open(0, trip_ns);
        connection.send(
            initiator,
            test::login_request(test::operator+(test::text_keys({"InitiatorName=iqn.i", "TargetName=iqn.t"}),
                                                test::text_keys(keys)))
                .bytes(),
            10 * ms);
        connection.send(target, test::login_response(test::text_keys(keys)).stat_sn(1).bytes(),
                        10 * ms + trip_ns);
        connection.send(
            initiator,
            test::scsi_command(7, 1, test::Moves::out, 1024, test::write_10(1, 2)).exp_stat_sn(2).bytes(),
            40 * ms);
        connection.send(target, test::r2t(7, 1, 0, 1024, 2).stat_sn(2).bytes(), 40 * ms + trip_ns);
        connection.send(initiator, test::data_out(7, 1, 0, test::pattern(1024)).bytes(), 40 * ms + trip_ns);
        connection.send(target, test::scsi_response(7, 0, 2, 2).bytes(), 40 * ms + 2 * trip_ns);
        connection.acknowledge(initiator, 40 * ms + 2 * trip_ns);
        return capture.find(Kind::negotiation);
    }
};

TEST_F(Writes, that_may_send_nothing_at_once_wait_on_a_long_path) {
    const std::vector<Finding> found = write_with({"InitialR2T=Yes", "ImmediateData=No"}, 10 * ms);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].severity, Severity::information);
    EXPECT_EQ(found[0].side, Finding::Side::both);
}

TEST_F(Writes, that_may_send_nothing_at_once_are_fine_on_a_short_path) {
    EXPECT_THAT(write_with({"InitialR2T=Yes", "ImmediateData=No"}, ms / 5), IsEmpty());
}

TEST_F(Writes, that_may_send_at_once_are_fine) {
    EXPECT_THAT(write_with({"InitialR2T=No", "ImmediateData=Yes"}, 10 * ms), IsEmpty());
}

class Offload : public Negotiation {
  protected:
    std::vector<Finding> read_in_segments_of(uint32_t bytes) {
        FramesConnection connection(capture, host(1), host(2));
        converse(connection);
        connection.send(
            initiator,
            test::scsi_command(99, 21, test::Moves::in, 8192, test::read_10(1, 16)).exp_stat_sn(22).bytes(),
            200 * ms);
        const Bytes stream = test::data_in(99, 0, Bytes(8192), 22).flags(0x81).stat_sn(22).bytes();
        for (size_t at = 0; at < stream.size(); at += bytes) {
            const auto begin = stream.begin() + static_cast<ptrdiff_t>(at);
            const auto length = static_cast<ptrdiff_t>(std::min<size_t>(bytes, stream.size() - at));
            connection.send(target, Bytes(begin, begin + length), 201 * ms);
        }
        connection.acknowledge(initiator, 201 * ms);
        return capture.find(Kind::offload);
    }
};

TEST_F(Offload, makes_segments_longer_than_the_receiver_takes) {
    const std::vector<Finding> found = read_in_segments_of(4344);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].severity, Severity::information);
    EXPECT_EQ(found[0].side, Finding::Side::capture);
    EXPECT_THAT(found[0].title, HasSubstr("up to 4344 bytes"));
    EXPECT_THAT(found[0].explanation, HasSubstr("ethtool -K <if> gro off"));
}

TEST_F(Offload, is_none_where_segments_are_as_long_as_agreed) {
    EXPECT_THAT(read_in_segments_of(1460), IsEmpty());
}

// The longer segments go to the side whose MSS is the larger one.
TEST_F(Offload, is_none_where_each_side_takes_another_length) {
    FramesConnection connection(capture, {.ip = "10.0.0.1", .syn_options = test::syn_options_with_mss(8960)},
                                host(2));
    converse(connection);
    connection.request_read(200 * ms, 16);
    connection.send(target, test::data_in(21, 0, Bytes(8192), 22).flags(0x81).stat_sn(22).bytes(), 201 * ms);
    EXPECT_THAT(capture.find(Kind::offload), IsEmpty());
}

}  // namespace
}  // namespace sanscope

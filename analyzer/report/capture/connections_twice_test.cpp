// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/connections_twice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

using test::ms;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using Kind = Finding::Kind;
constexpr int64_t us = ms / 1000;

// Two connections with the same commands, and what else shows whether they are one.
class Twice : public testing::Test, protected test::MadeUpCapture {
  protected:
    void add_two(uint16_t second_tsih, uint32_t second_start, int64_t apart_ns, uint64_t second_lba = 0) {
        for (const uint32_t number : {1u, 2u}) {
            ConnectionRow& row = add_connection();
            SessionRow& session = store.session(row.session);
            session.isid = 0x800012340000;
            session.tsih = number == 1 ? uint16_t{7} : second_tsih;
            for (const size_t side : {0u, 1u}) {
                row.stream_start_known[side] = true;
                row.stream_start_seq[side] =
                    (number == 1 ? 1000 : second_start) + static_cast<uint32_t>(side);
            }
            for (uint32_t i = 0; i < 20; ++i) {
                const int64_t at = i * 10 * ms + (number == 1 ? 0 : apart_ns);
                add_command(at, ms,
                            {.lba = i + (number == 1 ? 0 : second_lba),
                             .bytes = 4096,
                             .name = "READ(16)",
                             .itt = 0x100 + i,
                             .cmd_sn = 1 + i,
                             .opcode = scsi_op::read_16,
                             .cmd_sn_known = true});
            }
        }
    }
    std::vector<ConnectionTwice> found() const {
        const std::function<void()> between;
        return connections_twice(store, Stop(nullptr, between));
    }
};

TEST_F(Twice, one_session_on_both_sides_of_an_address_translation) {
    add_two(7, 1000, 30 * us);
    ASSERT_THAT(found(), SizeIs(1));
    EXPECT_EQ(found()[0].apart_ns, 30 * us);
    const Finding finding = find_one(Kind::captured_twice);
    EXPECT_EQ(finding.title, "Connections 1 and 2 carry the same commands: one connection, captured twice");
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("ISID and TSIH")));
    EXPECT_THAT(find(Kind::nothing_wrong), IsEmpty());
}

// What ends TCP, and begins another connection with sequence numbers of its own, is no copy of it.
TEST_F(Twice, one_session_on_both_sides_of_a_proxy_is_not_said_to_be_one_connection) {
    add_two(7, 99, 30 * us);
    const Finding finding = find_one(Kind::captured_twice);
    EXPECT_THAT(finding.title, HasSubstr("one session, captured on both sides of a device between"));
    EXPECT_THAT(finding.explanation, HasSubstr("a proxy that ends TCP"));
}

TEST_F(Twice, of_a_session_begun_before_the_sequence_numbers_show_it) {
    add_two(8, 1000, 30 * us);
    EXPECT_THAT(found(), SizeIs(1));
}

TEST_F(Twice, paths_of_one_initiator_that_ask_for_the_same_are_two) {
    add_two(8, 99, 30 * us);
    EXPECT_THAT(found(), IsEmpty());
    EXPECT_THAT(find(Kind::captured_twice), IsEmpty());
    EXPECT_THAT(find(Kind::nothing_wrong), SizeIs(1));
}

TEST_F(Twice, a_session_with_two_connections_carries_each_command_once) {
    add_two(7, 99, 30 * us, 1'000'000);
    EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Twice, commands_that_are_counted_for_both_are_told_with_doubt) {
    add_two(7, 99, 30 * us);
    for (const uint32_t connection : {1u, 2u}) {
        add_command(300 * ms, ms,
                    {.bytes = 4096,
                     .name = "READ(16)",
                     .connection = connection,
                     .session = connection,
                     .itt = 0x900,
                     .opcode = scsi_op::read_16,
                     .status = 2,
                     .sense_key = 3,
                     .asc = 0x11,
                     .ascq = 0});
    }
    const std::vector<Finding> statuses = find(Kind::command_status);
    ASSERT_THAT(statuses, Not(IsEmpty()));
    EXPECT_EQ(statuses[0].confidence, Finding::Confidence::possible);
    EXPECT_THAT(statuses[0].explanation, HasSubstr("counted twice"));
}

}  // namespace
}  // namespace sanscope

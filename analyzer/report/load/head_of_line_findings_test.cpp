// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tuple>
#include <vector>

#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

using test::MadeUpCapture;
using test::ms;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Kind = Finding::Kind;

constexpr uint32_t small_bytes = 4096;
constexpr uint32_t large_bytes = 1 << 20;

struct Read {
    int64_t request_ns;
    int64_t service_ns;  // of the target
    uint32_t bytes;
};

// Connections whose target has one socket each: what is answered leaves it in the order in which it was written, a window at a
// time, over a path of one round trip and one rate. Truth by construction.
class HeadOfLine : public testing::Test, protected MadeUpCapture {
  protected:
    static constexpr int64_t way_ns = ms / 2;
    static constexpr uint32_t segment = 1000;
    int64_t segment_ns = 40'000;  // 200 Mbit/s
    uint32_t window = 64;         // segments

    void run(std::vector<Read> reads, uint32_t session = 0) {
        ConnectionRow& row = add_connection(0, session);
        const auto number = static_cast<uint32_t>(store.connections().size());
        row.stream_start_seq[0] = row.stream_start_seq[1] = 1;
        row.stream_start_known[0] = row.stream_start_known[1] = true;
        row.mss = segment;
        SenderSummary& initiator = store.add_sender(number, row.side_of(Role::initiator));
        SenderSummary& target = store.add_sender(number, row.side_of(Role::target));
        std::ranges::sort(reads, {}, [](const Read& read) { return read.request_ns; });
        struct Answer {
            int64_t ready_ns;
            const Read* read;
            uint64_t request;
            uint64_t begin = 0;
            int64_t first_ns = 0;
            int64_t last_ns = 0;
        };
        std::vector<Answer> answers;
        for (const Read& read : reads)
            answers.push_back({read.request_ns + way_ns + read.service_ns, &read, answers.size()});
        std::ranges::sort(answers, {}, &Answer::ready_ns);

        struct Step {
            int64_t time_ns;
            uint64_t sent;
            uint64_t acknowledged;
            bool more;
        };
        std::vector<Step> steps;
        std::vector<std::pair<int64_t, uint64_t>> acknowledgements;  // of all segments: when, up to where
        uint64_t sent = 0;
        int64_t sent_ns = 0;
        int64_t off_wire_ns = 0;
        for (Answer& answer : answers) {
            answer.begin = sent;
            const uint64_t end = sent + answer.read->bytes + 48;
            while (sent < end) {
                const uint64_t length = std::min<uint64_t>(segment, end - sent);
                sent_ns = std::max(sent_ns, answer.ready_ns);
                if (acknowledgements.size() >= window)
                    sent_ns = std::max(sent_ns, acknowledgements[acknowledgements.size() - window].first);
                sent += length;
                off_wire_ns = std::max(sent_ns, off_wire_ns) +
                              segment_ns * static_cast<int64_t>(length) / int64_t{segment};
                const int64_t arrived_ns = off_wire_ns + way_ns;
                if (answer.first_ns == 0) answer.first_ns = arrived_ns;
                answer.last_ns = arrived_ns;
                acknowledgements.emplace_back(arrived_ns + way_ns, sent);
                steps.push_back({sent_ns, sent, 0, sent < end});
            }
        }
        for (const auto& [time_ns, up_to] : acknowledgements) steps.push_back({time_ns, 0, up_to, false});
        std::ranges::stable_sort(steps, {}, &Step::time_ns);
        Step now{};
        for (const Step& step : steps) {
            now.sent = std::max(now.sent, step.sent);
            now.acknowledged = std::max(now.acknowledged, step.acknowledged);
            WindowRow window_row;
            window_row.connection = number;
            window_row.sender = row.side_of(Role::target);
            window_row.time_ns = step.time_ns;
            window_row.snd_nxt = static_cast<uint32_t>(1 + now.sent);
            window_row.snd_una = static_cast<uint32_t>(1 + now.acknowledged);
            const bool full = now.sent - now.acknowledged >= uint64_t{window} * segment;
            window_row.limit = full ? SendLimit::congestion : SendLimit::application;
            store.add_window(target, window_row);
        }
        std::ranges::sort(answers, {}, &Answer::request);
        uint32_t requested = 0;
        for (const Answer& answer : answers) {
            WindowRow window_row;
            window_row.connection = number;
            window_row.sender = row.side_of(Role::initiator);
            window_row.time_ns = answer.read->request_ns;
            window_row.snd_una = 1 + requested;
            window_row.snd_nxt = 1 + requested + 48;
            window_row.limit = SendLimit::application;
            store.add_window(initiator, window_row);
            const uint64_t command =
                add_command(answer.read->request_ns, answer.last_ns - answer.read->request_ns,
                            {.bytes = answer.read->bytes,
                             .first_byte_ns = answer.first_ns,
                             .name = "READ(16)",
                             .connection = number,
                             .opcode = scsi_op::read_16});
            CommandMarks& marks = store.command_marks(command);
            marks.request_begin = requested;
            marks.request_end = requested += 48;
            marks.answer_begin = static_cast<uint32_t>(answer.begin);
            marks.answer_end = static_cast<uint32_t>(answer.begin + answer.read->bytes + 48);
            marks.bytes_in = answer.read->bytes + 48;
            marks.has_request = marks.has_answer = marks.has_status = true;
        }
    }

    // A small read each 5 ms, and large ones each 100 ms.
    static std::vector<Read> small_reads(int64_t service_ns = 50'000) {
        std::vector<Read> reads;
        for (int i = 0; i < 400; ++i) reads.push_back({(i * 5 + 2) * ms, service_ns, small_bytes});
        return reads;
    }
    static std::vector<Read> with_large(std::vector<Read> reads, int64_t service_ns = 50'000,
                                        uint32_t bytes = large_bytes) {
        for (int i = 0; i < 20; ++i) reads.push_back({i * 100 * ms, service_ns, bytes});
        return reads;
    }
};

TEST_F(HeadOfLine, small_commands_behind_large_ones_are_told) {
    run(with_large(small_reads()));
    const Finding finding = find_one(Kind::head_of_line);
    ASSERT_EQ(finding.kind, Kind::head_of_line);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.side, Finding::Side::both);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("were of transfers of more than 32 KiB")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("with no such transfer under way")));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("Neither the target nor the path")))
        << "a slow path makes large transfers take long as well";
    EXPECT_GT(finding.cost_ns, 300 * ms);  // 20 times some 40 ms
    EXPECT_LT(finding.cost_ns, 1200 * ms);
}

TEST_F(HeadOfLine, without_any_that_ran_alone_it_is_only_possible) {
    std::vector<Read> reads = small_reads();
    for (int i = 0; i < 48; ++i) reads.push_back({i * 42 * ms, 50'000, large_bytes});
    run(reads);
    EXPECT_EQ(find_one(Kind::head_of_line).confidence, Finding::Confidence::possible);
}

TEST_F(HeadOfLine, a_target_that_takes_long_over_each_is_not_it) {
    run(with_large(small_reads(20 * ms)));
    EXPECT_THAT(find(Kind::head_of_line), IsEmpty());
}

TEST_F(HeadOfLine, a_target_that_is_slow_while_it_serves_large_ones_is_not_it) {
    std::vector<Read> reads = with_large(small_reads(), 60 * ms);
    for (Read& read : reads) {
        if (read.bytes == small_bytes && read.request_ns % (100 * ms) < 55 * ms) read.service_ns = 30 * ms;
    }
    segment_ns = 2'000;
    run(reads);
    EXPECT_THAT(find(Kind::head_of_line), IsEmpty());
}

TEST_F(HeadOfLine, many_of_one_kind_behind_each_other_are_not_it) {
    std::vector<Read> reads;
    for (int i = 0; i < 400; ++i) reads.push_back({i * ms / 10, 50'000, 128 * 1024});
    run(reads);
    EXPECT_THAT(find(Kind::head_of_line), IsEmpty());
}

TEST_F(HeadOfLine, large_ones_that_pass_at_once_are_not_it) {
    segment_ns = 1'000;
    window = 2000;
    run(with_large(small_reads()));
    EXPECT_THAT(find(Kind::head_of_line), IsEmpty());
}

TEST_F(HeadOfLine, small_ones_on_another_connection_that_are_fast_show_it_too) {
    std::vector<Read> reads = small_reads();
    for (int i = 0; i < 48; ++i) reads.push_back({i * 42 * ms, 50'000, large_bytes});
    run(reads);
    run(small_reads());
    const Finding finding = find_one(Kind::head_of_line);
    EXPECT_EQ(finding.connection, 1u);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("on other connections between the same hosts")));
    EXPECT_THAT(finding.explanation, HasSubstr("Neither the target nor the path is slow"));
}

TEST_F(HeadOfLine, others_that_are_slow_too_show_the_path_or_the_target) {
    run(with_large(small_reads()));
    run(small_reads(40 * ms));
    EXPECT_THAT(find(Kind::head_of_line), IsEmpty());
}

}  // namespace
}  // namespace sanscope

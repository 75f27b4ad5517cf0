// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/kernel_comparison.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

using testing::SizeIs;

using test::ms;

// A store in which kernels reported on made-up senders: connection n is between 10.0.0.n:50000, the initiator, which stands as
// side a, and 10.0.1.1:3260.
class KernelComparisons : public testing::Test {
  protected:
    KernelComparisons() { store.begin_kernel_truth(); }

    uint32_t connect() {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        const std::array<uint8_t, 4> initiator = {10, 0, 0, static_cast<uint8_t>(number)};
        const std::array<uint8_t, 4> target = {10, 0, 1, 1};
        row.initiator = {IpAddress::from_v4(initiator.data()), 50000};
        row.target = {IpAddress::from_v4(target.data()), 3260};
        row.bytes_out = row.bytes_in = 1'000'000;
        return number;
    }
    // A window estimated at 10000 bytes, of which the kernel reported at so many moments, a millisecond apart, that it was so
    // large, in state Open; inferred is Open for the first half of them.
    KernelScore& add_kernel_windows(uint32_t connection, Side side, size_t moments, uint32_t cwnd,
                                    const std::string& control = "cubic", int64_t srtt_ns = 2 * ms) {
        SenderSummary& sender = store.add_sender(connection, side);
        WindowRow row{
            .time_ns = 0, .srtt_ns = 2 * ms, .connection = connection, .cwnd = 10'000, .sender = side};
        store.add_window(sender, row);
        row.time_ns = static_cast<int64_t>(moments) * ms / 2;
        row.ca_state = CaState::recovery;
        store.add_window(sender, row);
        KernelScore& score = store.kernel_score(connection, side);
        score.set_congestion_control(control);
        for (size_t i = 0; i <= moments; ++i) {
            store.add_kernel_window(score, {.time_ns = static_cast<int64_t>(i) * ms,
                                            .srtt_ns = srtt_ns,
                                            .connection = connection,
                                            .cwnd = cwnd,
                                            .ca_state_known = true,
                                            .sender = side});
        }
        return score;
    }
    void change(uint32_t connection, Side side, int64_t time_ns, bool inferred, bool told) {
        KernelScore& score = store.kernel_score(connection, side);
        if (told) {
            store.add_kernel_ca_transition(score, {.time_ns = time_ns,
                                                   .connection = connection,
                                                   .to = CaState::disorder,
                                                   .from_known = true,
                                                   .sender = side});
        }
        if (inferred) score.on_transition({.time_ns = time_ns, .to = CaState::disorder});
    }
    std::string section() {
        store.finish();
        return kernel_section(store);
    }

    ResultStore store{ResultStore::Keep::nothing()};
};

TEST_F(KernelComparisons, a_sentence_tells_window_state_and_transitions) {
    add_kernel_windows(connect(), Side::b, 1999, 9'700);
    EXPECT_EQ(section(),
              "\nAgainst the kernel's own word\n"
              "  On this host's kernel (10.0.1.1, cubic) the estimated congestion window was within 3.1 % at "
              "nine tenths of 2000 moments;\n"
              "      the congestion state agreed 50 % of the time\n");
}

TEST_F(KernelComparisons, changes_of_state_are_told_with_those_it_did_not_make) {
    const uint32_t connection = connect();
    SenderSummary& sender = store.add_sender(connection, Side::b);
    KernelScore& score = store.kernel_score(connection, Side::b);
    const auto moment = [&](int64_t time_ns) {
        store.add_window(sender, {.time_ns = time_ns, .connection = connection, .cwnd = 1000});
        store.add_kernel_window(score, {.time_ns = time_ns, .connection = connection, .cwnd = 1000});
    };
    moment(0);
    for (int64_t i = 1; i <= 40; ++i) {
        if (i % 10 == 5) change(connection, Side::b, i * 100 * ms, i != 35, i != 5);
        moment(i * 100 * ms);
    }
    const std::string text = section();
    EXPECT_THAT(text, HasSubstr("was exact at nine tenths of 41 moments"));
    EXPECT_THAT(text, HasSubstr("2 of its 3 changes of state were seen within a round trip"));
    EXPECT_THAT(text, HasSubstr("1 inferred that it did not make"));
    EXPECT_THAT(text, HasSubstr("the congestion state agreed 0 % of the time"));
}

TEST_F(KernelComparisons, senders_of_one_host_and_congestion_control_are_taken_together) {
    add_kernel_windows(connect(), Side::b, 99, 10'000);
    add_kernel_windows(connect(), Side::b, 299, 12'500);
    add_kernel_windows(connect(), Side::b, 50, 10'000, "bbr");
    add_kernel_windows(connect(), Side::a, 60, 10'000);
    store.finish();
    const auto all = compare_with_kernels(store);
    ASSERT_THAT(all, SizeIs(3));
    EXPECT_EQ(all[0].senders, 2u);
    EXPECT_EQ(all[0].errors.count(), 400u);
    EXPECT_EQ(all[0].within_tenth, 100u);
    EXPECT_EQ(all[0].connection, 2u);
    EXPECT_EQ(all[0].sender, Side::b);
    EXPECT_EQ(format(all[1].host), "10.0.0.4");
    EXPECT_EQ(all[1].sender, Side::a);
    EXPECT_EQ(all[2].congestion_control, "bbr");
    EXPECT_NEAR(static_cast<double>(all[0].errors.percentile_ns(0.2)), 0, 1);
    EXPECT_NEAR(static_cast<double>(all[0].errors.percentile_ns(0.5)), 200'000, 2000);
}

TEST_F(KernelComparisons, a_side_that_hardly_sends_is_left_out) {
    add_kernel_windows(connect(), Side::b, 99, 10'000);
    store.connection(1).bytes_in = KernelComparison::least_bytes - 1;
    EXPECT_EQ(section(),
              "\nAgainst the kernel's own word\n"
              "  None of the senders of which it told sent 100 kB: nothing to judge\n");
    add_kernel_windows(1, Side::a, 99, 10'000);
    ASSERT_THAT(compare_with_kernels(store), SizeIs(1));
    EXPECT_EQ(compare_with_kernels(store)[0].sender, Side::a);
}

TEST_F(KernelComparisons, what_waits_on_the_host_before_it_comes_by_is_told) {
    add_kernel_windows(connect(), Side::b, 99, 10'000, "bbr", 2 * ms + 900'000);
    add_kernel_windows(connect(), Side::a, 99, 80'000, "bbr", 14 * ms);
    const std::string text = section();
    EXPECT_THAT(text,
                HasSubstr("(10.0.0.2, bbr) the estimated congestion window was within 88 % at nine tenths of "
                          "100 moments"));
    EXPECT_THAT(text,
                HasSubstr("12.0 ms of its round trip of 14.0 ms passed before packets came by the capture"));
    EXPECT_EQ(text.find("passed before"), text.rfind("passed before"));
}

TEST_F(KernelComparisons, few_moments_are_not_judged) {
    add_kernel_windows(connect(), Side::b, KernelComparison::least_moments - 2, 10'000, "");
    EXPECT_THAT(section(), HasSubstr("(10.0.1.1) the window was told at 19 moments: too few to judge"));
    FindingList list;
    add_kernel_findings(list, store);
    EXPECT_THAT(list, IsEmpty());
}

TEST_F(KernelComparisons, a_finding_tells_the_same_with_its_place) {
    connect();
    add_kernel_windows(connect(), Side::b, 99, 9'700);
    add_kernel_windows(connect(), Side::a, 89, 20'000, "bbr").set_sampled();
    store.finish();
    FindingList list;
    add_kernel_findings(list, store);
    ASSERT_THAT(list, SizeIs(2));
    EXPECT_EQ(list[0].kind, Finding::Kind::kernel_truth);
    EXPECT_EQ(list[0].severity, Finding::Severity::information);
    EXPECT_EQ(
        list[0].title,
        "The kernel of 10.0.1.1, cubic says the same: congestion window within 3.1 % at nine tenths of the "
        "moments, state 50 %");
    EXPECT_EQ(list[0].connection, 2u);
    EXPECT_EQ(list[0].sender, Finding::Sender::target);
    EXPECT_THAT(list[1].title, HasSubstr("says otherwise: congestion window within 50 %"));
    EXPECT_THAT(list[1].explanation,
                HasSubstr("within 50 % at nine tenths of 90 moments; within 10 % at 0 % of them;"));
    EXPECT_THAT(list[1].explanation, HasSubstr("it was asked now and then"));
    EXPECT_EQ(list[1].sender, Finding::Sender::initiator);
}

TEST_F(KernelComparisons, a_window_alone_that_agrees_is_the_same_in_part) {
    const uint32_t connection = connect();
    add_kernel_windows(connection, Side::b, 99, 9'700);
    KernelScore& score = store.kernel_score(connection, Side::b);
    // On in Recovery, where the kernel is Open.
    for (int64_t i = 100; i < 200; ++i) {
        store.add_kernel_window(score, {.time_ns = i * ms,
                                        .srtt_ns = 2 * ms,
                                        .connection = connection,
                                        .cwnd = 9'700,
                                        .ca_state_known = true,
                                        .sender = Side::b});
    }
    store.finish();
    FindingList list;
    add_kernel_findings(list, store);
    ASSERT_THAT(list, SizeIs(1));
    EXPECT_THAT(list[0].title, HasSubstr("says the same in part: congestion window within 3.1 %"));
}

TEST_F(KernelComparisons, nothing_is_said_where_no_kernel_told_anything) {
    SenderSummary& sender = store.add_sender(connect(), Side::b);
    store.add_window(sender, {.time_ns = 1, .connection = 1, .cwnd = 1});
    EXPECT_EQ(section(), "");
    const ResultStore without{ResultStore::Keep::nothing()};
    EXPECT_EQ(kernel_section(without), "");
}

}  // namespace
}  // namespace sanscope

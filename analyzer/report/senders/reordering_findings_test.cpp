// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

#include "analyzer/report/testing/findings_fixture.h"

namespace sanscope {
namespace {

using test::Findings;
using test::ms;
using test::mss;
using testing::Contains;
using testing::HasSubstr;

using Kind = Finding::Kind;

TEST_F(Findings, segments_sent_again_needlessly_are_told_with_the_reordering_that_made_them) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 12; ++i) add_loss(target, LossKind::spurious, 100 + i);
    EXPECT_TRUE(find(Kind::needless_retransmission).empty()) << "which cost nothing";
    add_window(target, 1001, {.ca_state = CaState::recovery, .limit = SendLimit::application});
    add_window(target, 1100, {.limit = SendLimit::application});
    const Finding needless = find_one(Kind::needless_retransmission);
    EXPECT_THAT(needless.title, HasSubstr("retransmitted 12 segments"));
    EXPECT_THAT(needless.explanation, HasSubstr("or their acknowledgements were lost"));
    for (int64_t i = 0; i < 20; ++i) {
        add_loss(target, LossKind::out_of_order, 100 + i, 90);
        store.add_ca_transition(target, {.connection = 1, .to = CaState::disorder, .sender = target.side()});
    }
    EXPECT_TRUE(find(Kind::needless_retransmission).empty());
    const Finding finding = find_one(Kind::reordering);
    EXPECT_THAT(finding.title, HasSubstr("20 segments"));
    EXPECT_THAT(finding.explanation, HasSubstr("TCP retransmitted 12 segments"));
    EXPECT_EQ(finding.packet, 90u);
}

// A few deep holes hold all that is late: what the receiver SACKed says how many.
// What the two never agreed on cannot have shown it.
TEST_F(Findings, that_segments_had_arrived_is_shown_by_what_the_connection_has) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 12; ++i) add_loss(target, LossKind::spurious, 100 + i);
    const auto sign = [&] { return find_one(Kind::needless_retransmission).evidence; };
    EXPECT_THAT(sign(), Contains(HasSubstr("TCP timestamps, D-SACK or earlier acknowledgements show")));
    ConnectionRow& row = store.connection(1);
    row.out.syn = row.in.syn = {.known = true, .window_scaling = true, .mss = mss};
    EXPECT_THAT(sign(), Contains(HasSubstr("Earlier acknowledgements show that 12 segments")));
    row.out.syn.sack_permitted = row.in.syn.sack_permitted = true;
    EXPECT_THAT(sign(), Contains(HasSubstr("D-SACK or earlier acknowledgements show")));
    row.out.syn.timestamps = row.in.syn.timestamps = true;
    row.in.syn.sack_permitted = false;
    EXPECT_THAT(sign(), Contains(HasSubstr("TCP timestamps or earlier acknowledgements show")));
}

TEST_F(Findings, the_receivers_word_makes_reordering_however_few_its_disorders) {
    SenderSummary& target = add_target();
    add_window(target, 0, {});
    add_window(target, 1000, {});
    for (int i = 0; i < 60; ++i) target.on_reordered(Reordering::path);
    const Finding finding = find_one(Kind::reordering);
    EXPECT_THAT(finding.title, HasSubstr("60 segments of target 10.0.0.2:3260 arrived out of order"));
    EXPECT_NE(finding.confidence, Finding::Confidence::possible);
    for (int64_t i = 0; i < 300; ++i) add_loss(target, LossKind::not_captured, 100 + i);
    EXPECT_EQ(find_one(Kind::reordering).confidence, Finding::Confidence::possible)
        << "what filled the gaps may be among what was not captured";
}

TEST_F(Findings, reordering_is_in_doubt_where_the_captures_times_go_back_again_and_again) {
    SenderSummary& target = add_target();
    add_window(target, 0, {});
    add_window(target, 1000, {});
    for (int i = 0; i < 60; ++i) target.on_reordered(Reordering::path);
    issues.add(Issue::times_set_back, 7, most_set_back);
    EXPECT_NE(find_one(Kind::reordering).confidence, Finding::Confidence::possible);
    issues.add(Issue::times_set_back, 8);
    const Finding finding = find_one(Kind::reordering);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("out of order in the capture alone"));
}

TEST_F(Findings, segments_that_only_the_capture_has_out_of_order_are_no_reordering) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_loss(target, LossKind::out_of_order, 100 + i, 90);
    store.add_ca_transition(target, {.connection = 1, .to = CaState::disorder, .sender = target.side()});
    EXPECT_TRUE(find(Kind::reordering).empty());
}

TEST_F(Findings, holes_that_fill_by_themselves_are_reordering_where_the_sender_was_captured) {
    SenderSummary& target = add_target();
    store.connection(1).vantage = Vantage::target;
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) {
        for (const auto& [from, to] :
             {std::pair(CaState::open, CaState::disorder), std::pair(CaState::disorder, CaState::open)}) {
            store.add_ca_transition(
                target,
                {.time_ns = i * ms, .connection = 1, .from = from, .to = to, .sender = target.side()});
        }
    }
    EXPECT_THAT(find_one(Kind::reordering).evidence.front(), HasSubstr("20 gaps that late segments filled"));
    // Where as much was sent again, they may have been losses.
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 100 + 20 * i);
    EXPECT_TRUE(find(Kind::reordering).empty());
}

}  // namespace
}  // namespace sanscope

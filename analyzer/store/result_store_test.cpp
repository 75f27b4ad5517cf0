// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/result_store.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(ResultStore, a_summary_of_a_sender_is_there_whether_its_rows_are_kept_or_not) {
    for (const ResultStore::Keep& keep : {ResultStore::Keep{}, ResultStore::Keep::nothing()}) {
        ResultStore store(keep);
        SenderSummary& sender = store.add_sender(1, Side::a);
        store.add_window(sender, {.time_ns = 1});
        store.add_ca_transition(sender, {});
        store.add_loss(sender, {.kind = LossKind::tlp});
        EXPECT_EQ(store.windows().size(), keep.windows ? 1u : 0u);
        EXPECT_EQ(store.ca_transitions().size(), keep.ca_transitions ? 1u : 0u);
        EXPECT_EQ(store.losses().size(), keep.losses ? 1u : 0u);
        ASSERT_EQ(store.senders().size(), 1u);
        EXPECT_EQ(store.senders()[0].windows(), 1u);
        EXPECT_EQ(store.senders()[0].transitions(), 1u);
        EXPECT_EQ(store.senders()[0].losses(LossKind::tlp), 1u);
    }
}

TEST(ResultStore, a_loss_is_found_again_by_its_number_to_change_its_kind) {
    ResultStore store(ResultStore::Keep::only(&ResultStore::Keep::losses));
    SenderSummary& one = store.add_sender(1, Side::a);
    SenderSummary& other = store.add_sender(1, Side::b);
    store.add_loss(one, {.kind = LossKind::fast_retransmit});
    const uint64_t number = store.add_loss(other, {.kind = LossKind::rto});
    store.add_loss(one, {.kind = LossKind::fast_retransmit});
    store.reclassify_loss(other, number, LossKind::rto, LossKind::spurious);
    EXPECT_EQ(store.losses()[0].kind, LossKind::fast_retransmit);
    EXPECT_EQ(store.losses()[1].kind, LossKind::spurious);
    EXPECT_EQ(store.losses()[2].kind, LossKind::fast_retransmit);
    EXPECT_EQ(one.losses(LossKind::fast_retransmit), 2u);
    EXPECT_EQ(other.losses(LossKind::spurious), 1u);
}

TEST(ResultStore, a_loss_that_is_not_kept_still_changes_its_kind_in_the_summary) {
    ResultStore store(ResultStore::Keep::nothing());
    SenderSummary& sender = store.add_sender(1, Side::a);
    const uint64_t number = store.add_loss(sender, {.kind = LossKind::rto});
    store.reclassify_loss(sender, number, LossKind::rto, LossKind::spurious);
    EXPECT_EQ(sender.losses(LossKind::rto), 0u);
    EXPECT_EQ(sender.losses(LossKind::spurious), 1u);
}

}  // namespace
}  // namespace sanscope

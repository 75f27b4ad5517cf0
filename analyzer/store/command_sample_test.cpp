// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/command_sample.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

constexpr int64_t lead = CommandSample::lead_ns;

WindowRow window(int64_t time_ns, uint32_t snd_nxt = 0, uint32_t connection = 1) {
    WindowRow row;
    row.time_ns = time_ns;
    row.snd_nxt = snd_nxt;
    row.connection = connection;
    return row;
}

class SampleOfCommands : public testing::Test {
  protected:
    void begin() {
        sample.on_window(window(0));
        sample.on_window(window(lead, 1));
    }
    CommandSample sample;
    CommandRow row;
};

TEST_F(SampleOfCommands, none_is_taken_before_its_senders_are_known) {
    sample.on_begin(1, row);
    sample.on_window(window(0));
    sample.on_begin(2, row);
    EXPECT_TRUE(sample.commands().empty());
    sample.on_window(window(lead, 1));
    sample.on_begin(3, row);
    EXPECT_EQ(sample.commands().size(), 1u);
    EXPECT_EQ(sample.marks(2), nullptr);
    EXPECT_NE(sample.marks(3), nullptr);
    EXPECT_EQ(sample.marks(4), nullptr);
}

TEST_F(SampleOfCommands, it_is_complete_once_all_have_ended) {
    begin();
    row.connection = 9;
    sample.on_begin(10, row);
    sample.on_begin(11, row);
    EXPECT_EQ(sample.connection_of(10), 9u);
    sample.on_end(10, row);
    sample.close();
    EXPECT_FALSE(sample.is_complete());
    sample.on_begin(12, row);  // too late
    sample.on_end(11, row);
    EXPECT_TRUE(sample.is_complete());
    EXPECT_EQ(sample.commands().size(), 2u);
    EXPECT_EQ(sample.left_out(), 0u);
    row = CommandRow{};  // rows are used again
    EXPECT_EQ(sample.connection_of(10), 9u);
}

TEST_F(SampleOfCommands, one_that_is_never_answered_is_left_out) {
    begin();
    sample.on_begin(10, row);
    sample.on_window(window(lead + CommandSample::length_ns + CommandSample::patience_ns, 2));
    EXPECT_TRUE(sample.is_complete());
    EXPECT_EQ(sample.left_out(), 1u);
}

TEST_F(SampleOfCommands, commands_steps_senders_and_losses_are_bounded) {
    begin();
    for (uint64_t number = 1; number <= CommandSample::most_commands + 10; ++number)
        sample.on_begin(number, row);
    EXPECT_EQ(sample.commands().size(), CommandSample::most_commands);
    EXPECT_TRUE(sample.is_closed());
    for (uint32_t connection = 1; connection <= 2 * CommandSample::most_senders; ++connection)
        sample.on_window(window(lead, 3, connection));
    EXPECT_EQ(sample.tracks().size(), CommandSample::most_senders);
    for (size_t i = 0; i < 2 * CommandSample::most_losses; ++i) sample.on_loss(i + 1, {});
    EXPECT_EQ(sample.losses().size(), CommandSample::most_losses);
    EXPECT_TRUE(sample.is_complete());
}

TEST_F(SampleOfCommands, too_many_steps_end_it) {
    begin();
    sample.on_begin(1, row);
    for (uint32_t i = 0; i < CommandSample::most_steps; ++i) sample.on_window(window(lead + 1, i));
    EXPECT_TRUE(sample.is_complete());
    EXPECT_EQ(sample.left_out(), 1u);
}

TEST_F(SampleOfCommands, a_loss_gets_its_other_kind) {
    begin();
    sample.on_loss(100, {.kind = LossKind::rto});
    sample.on_loss(101, {.kind = LossKind::rto});
    sample.on_reclassified(99, LossKind::spurious);
    sample.on_reclassified(101, LossKind::spurious);
    sample.on_reclassified(102, LossKind::spurious);
    EXPECT_EQ(sample.losses()[0].kind, LossKind::rto);
    EXPECT_EQ(sample.losses()[1].kind, LossKind::spurious);
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>
#include <sstream>

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of(const MetricsSnapshot& snapshot) {
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, metric_families(snapshot, "1.2.3", {7, 8, 9}));
    return out.str();
}

const CommandLabels labels{{{"iqn.i", "iqn.t", "192.0.2.1", "192.0.2.2:3260"}, "3"}, Transfer::read};

TEST(Exposition, nothing_is_told_of_what_did_not_happen) {
    const std::string text = text_of({});
    EXPECT_THAT(text, HasSubstr("sanscope_build_info{version=\"1.2.3\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("sanscope_capture_written_packets_total 0\n"));
    EXPECT_THAT(text, HasSubstr("sanscope_scrapes_total{format=\"text\"} 7\n"));
    EXPECT_THAT(text, HasSubstr("sanscope_scrapes_total{format=\"protobuf\"} 9\n"));
    EXPECT_THAT(text, Not(HasSubstr("sanscope_commands_total")));
    EXPECT_THAT(text, Not(HasSubstr("sanscope_analysed_until")));
}

TEST(Exposition, commands_under_their_labels) {
    MetricsSnapshot snapshot;
    CommandCounts& counts = snapshot.commands[labels];
    counts.commands = 4;
    counts.bytes = 4096;
    counts.turnarounds[0] = 1;
    counts.turnarounds[2] = 1;
    counts.turnarounds.back() = 1;
    counts.turnaround_ns = 60'000'050'000;
    const std::string text = text_of(snapshot);
    const std::string set =
        "initiator_name=\"iqn.i\",target_name=\"iqn.t\",initiator=\"192.0.2.1\",target=\"192.0.2.2:3260\","
        "lun=\"3\",direction=\"read\"";
    EXPECT_THAT(
        text, HasSubstr("# TYPE sanscope_commands_total counter\nsanscope_commands_total{" + set + "} 4\n"));
    EXPECT_THAT(text, HasSubstr("sanscope_command_bytes_total{" + set + "} 4096\n"));
    const std::string histogram = "sanscope_command_turnaround_seconds";
    EXPECT_THAT(text, HasSubstr("# TYPE " + histogram + " histogram\n"));
    EXPECT_THAT(text, HasSubstr(histogram + "_count{" + set + "} 3\n"));
    EXPECT_THAT(text, HasSubstr(histogram + "_sum{" + set + "} 60.00005\n"));
    EXPECT_THAT(text, HasSubstr(histogram + "_bucket{" + set + ",le=\"1e-05\"} 1\n"));
    EXPECT_THAT(text, HasSubstr(histogram + "_bucket{" + set + ",le=\"5e-05\"} 2\n"));
    EXPECT_THAT(text, HasSubstr(histogram + "_bucket{" + set + ",le=\"50\"} 2\n"));
    EXPECT_THAT(text, HasSubstr(histogram + "_bucket{" + set + ",le=\"+Inf\"} 3\n"));
}

TEST(Exposition, parts_of_time_are_named_as_in_the_tables) {
    MetricsSnapshot snapshot;
    LostTime& time = snapshot.times[labels.unit];
    time.commands = 2;
    time.parts_ns[static_cast<size_t>(BudgetPart::target)] = 1'500'000'000;
    const std::string text = text_of(snapshot);
    EXPECT_THAT(text, HasSubstr("lun=\"3\",part=\"target\"} 1.5\n"));
    EXPECT_THAT(text, HasSubstr("lun=\"3\",part=\"r2t_wait\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("sanscope_time_lost_commands_total{"));
}

TEST(Exposition, what_was_sent_again_is_apart_from_what_only_looks_odd) {
    MetricsSnapshot snapshot;
    auto& losses = snapshot.losses[{labels.unit.path, "target"}];
    losses[static_cast<size_t>(LossKind::tlp)] = 7;
    losses[static_cast<size_t>(LossKind::out_of_order)] = 9;
    const std::string text = text_of(snapshot);
    EXPECT_THAT(text, HasSubstr("sender=\"target\",kind=\"tlp\"} 7\n"));
    EXPECT_THAT(text, HasSubstr("sanscope_irregular_segments_total{initiator_name=\"iqn.i\""));
    EXPECT_THAT(text, HasSubstr("kind=\"out_of_order\"} 9\n"));
    EXPECT_THAT(text, HasSubstr("sanscope_folded_retransmissions_total 0\n"));
    snapshot.losses[{{"others", "others", {}, {}}, {}}][static_cast<size_t>(LossKind::rto)] = 5;
    EXPECT_THAT(text_of(snapshot), HasSubstr("sanscope_folded_retransmissions_total 5\n"));
}

TEST(Exposition, names_cannot_break_out_of_their_label) {
    MetricsSnapshot snapshot;
    snapshot.in_flight[{"a\"} 1\nevil_total{b=\"\\", ""}] = 3;
    EXPECT_THAT(
        text_of(snapshot),
        HasSubstr("sanscope_commands_in_flight{initiator_name=\"a\\\"} 1\\nevil_total{b=\\\"\\\\\"} 3\n"));
}

}  // namespace
}  // namespace sanscope

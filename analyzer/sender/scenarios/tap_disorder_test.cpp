// SPDX-License-Identifier: GPL-3.0-or-later
// A tap may put packets into another order than the path did, or miss some. Nothing is sent again by that: no row of losses
// says so, and the sender's states are those it went through.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "analyzer/sender/scenarios/captured.h"
#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

using Tapped = std::vector<TappedSegment>;

uint64_t sent_again(const SenderSummary& sender) {
    uint64_t rows = 0;
    for (size_t kind = 0; kind < loss_kinds; ++kind)
        if (is_sent_again(static_cast<LossKind>(kind))) rows += sender.losses(static_cast<LossKind>(kind));
    return rows;
}

void without_ip_ids(Tapped& tap) {
    for (TappedSegment& tapped : tap) tapped.segment.ip_id = 0;
}

Tapped in_order_of_time(Tapped tap) {
    std::stable_sort(tap.begin(), tap.end(),
                     [](const TappedSegment& a, const TappedSegment& b) { return a.time_ns < b.time_ns; });
    return tap;
}

// Bulk, or a segment every 50 ms.
void write(Simulation& simulation, bool slow) {
    if (!slow) {
        simulation.write_segments_at(0, 600);
        simulation.run_for(2 * second);
        return;
    }
    for (int n = 0; n < 200; ++n) simulation.write_segments_at(n * 50 * millisecond, 1);
    simulation.run_for(11 * second);
}

struct Vista {
    int64_t rtt_ns;
    bool at_receiver;
    bool slow;
    bool ip_ids;
};

class TapDisorder : public testing::TestWithParam<Vista> {
  protected:
    static const Tapped& tap_of(const Simulation& simulation) {
        return GetParam().at_receiver ? simulation.at_receiver() : simulation.at_sender();
    }
    static void expect_nothing_sent_again(const Captured& captured) {
        ASSERT_NE(captured.sender(), nullptr);
        EXPECT_EQ(sent_again(*captured.sender()), 0u);
        EXPECT_EQ(captured.sender()->sent_again(), 0u);
        EXPECT_EQ(captured.sender()->withheld(), 0u);
        for (const TrueTransition& transition : captured.transitions())
            EXPECT_LE(transition.to, CaState::disorder) << "packet " << transition.packet;
    }
};

// Where a queue can put an acknowledgement before its segment: at the sender, not if it comes a round trip later.
class QueuedAcknowledgements : public TapDisorder {};
// Where one can overtake another, or be lost, and not be sent again by a timeout alone.
class DisorderOnThePath : public TapDisorder {};

constexpr Vista vistas[] = {
    {6 * microsecond, false, false, true},  {6 * microsecond, true, false, true},
    {6 * microsecond, true, false, false},  {6 * microsecond, true, true, true},
    {10 * millisecond, false, false, true}, {10 * millisecond, true, false, true},
    {10 * millisecond, true, false, false}, {2 * millisecond, true, true, true},
    {2 * millisecond, false, true, false},  {2 * millisecond, true, true, false},
};

template <class Applies>
std::vector<Vista> vistas_where(Applies applies) {
    std::vector<Vista> chosen;
    std::copy_if(std::begin(vistas), std::end(vistas), std::back_inserter(chosen), applies);
    return chosen;
}

std::string vista_name(const testing::TestParamInfo<Vista>& vista) {
    return std::to_string(vista.param.rtt_ns / 1000) + "us" +
           (vista.param.at_receiver ? "AtReceiver" : "AtSender") + (vista.param.slow ? "Slow" : "Bulk") +
           (vista.param.ip_ids ? "" : "WithoutIpIds");
}

INSTANTIATE_TEST_SUITE_P(Vistas, TapDisorder, testing::ValuesIn(vistas), vista_name);
INSTANTIATE_TEST_SUITE_P(Vistas, QueuedAcknowledgements,
                         testing::ValuesIn(vistas_where([](const Vista& vista) {
                             return vista.at_receiver || vista.rtt_ns <= 100 * microsecond;
                         })),
                         vista_name);
INSTANTIATE_TEST_SUITE_P(Vistas, DisorderOnThePath, testing::ValuesIn(vistas_where([](const Vista& vista) {
                             return !vista.slow && vista.rtt_ns >= millisecond;
                         })),
                         vista_name);

// Of every segment the acknowledgement was queued to the tap by another processor, a little sooner.
TEST_P(QueuedAcknowledgements, BeforeTheirSegments) {
    Simulation simulation(path_of(GetParam().rtt_ns, 1000, 10'000));
    write(simulation, GetParam().slow);
    const int64_t sooner_ns = (GetParam().at_receiver ? 0 : GetParam().rtt_ns) + 2 * microsecond;
    Tapped tap = tap_of(simulation);
    for (TappedSegment& tapped : tap)
        if (!tapped.from_sender && !tapped.segment.has(tcp_syn)) tapped.time_ns -= sooner_ns;
    if (!GetParam().ip_ids) without_ip_ids(tap);
    const Captured captured(simulation, in_order_of_time(tap));
    expect_nothing_sent_again(captured);
    EXPECT_EQ(captured.sender()->losses(LossKind::not_captured), 0u);
    EXPECT_EQ(captured.sender()->losses(LossKind::out_of_order), 0u);
}

TEST_P(TapDisorder, MissingPacketsAreNotCapturedAndNothingElse) {
    Simulation simulation(path_of(GetParam().rtt_ns, 1000, 10'000));
    write(simulation, GetParam().slow);
    Tapped kept;
    uint32_t data = 0;
    std::set<uint32_t> missing;
    for (const TappedSegment& tapped : tap_of(simulation)) {
        if (tapped.from_sender && tapped.segment.length > 0 && ++data % 19 == 7 && data < 190) {
            missing.insert(tapped.segment.seq.value);
        } else {
            kept.push_back(tapped);
        }
    }
    if (!GetParam().ip_ids) without_ip_ids(kept);
    const Captured captured(simulation, kept);
    expect_nothing_sent_again(captured);
    std::set<uint32_t> told;
    for (const LossRow& row : captured.store().losses()) {
        EXPECT_EQ(row.kind, LossKind::not_captured);
        told.insert(row.seq);
    }
    EXPECT_EQ(told, missing);
}

// One in a while stands behind the ten that follow it, though the path kept the order.
TEST_P(TapDisorder, LateForTheTapAlone) {
    Simulation simulation(path_of(GetParam().rtt_ns, 1000, 10'000));
    write(simulation, GetParam().slow);
    Tapped tap = tap_of(simulation);
    std::vector<size_t> data;
    for (size_t i = 0; i < tap.size(); ++i)
        if (tap[i].from_sender && tap[i].segment.length > 0) data.push_back(i);
    uint64_t late = 0;
    for (size_t n = 40; n + 30 < data.size(); n += 60) {
        const size_t behind = GetParam().slow ? 1 : 10;
        const int64_t moved_ns = tap[data[n + behind]].time_ns + 1 - tap[data[n]].time_ns;
        if (moved_ns > millisecond) continue;
        tap[data[n]].time_ns += moved_ns;
        ++late;
    }
    if (!GetParam().ip_ids) without_ip_ids(tap);
    const Captured captured(simulation, in_order_of_time(tap));
    expect_nothing_sent_again(captured);
    EXPECT_EQ(captured.sender()->losses(LossKind::out_of_order), late);
    EXPECT_EQ(captured.sender()->losses(LossKind::not_captured), 0u);
    EXPECT_EQ(captured.sender()->tap_reordered(), late);
    EXPECT_EQ(captured.sender()->path_reordered(), 0u);
    for (const LossRow& row : captured.store().losses()) EXPECT_EQ(row.reordering, Reordering::tap);
}

// The path itself lets one be overtaken: the receiver's SACKs tell.
TEST_P(DisorderOnThePath, IsToldByTheReceiver) {
    Simulation simulation(path_of(GetParam().rtt_ns, 1000, 10'000));
    for (uint32_t n = 100; n < 500; n += 100)
        simulation.data_link().hold(simulation.segment(n), 20 * microsecond);
    write(simulation, false);
    ASSERT_EQ(simulation.sender().retransmissions(), 0u);
    Tapped tap = tap_of(simulation);
    if (!GetParam().ip_ids) without_ip_ids(tap);
    const Captured captured(simulation, tap);
    expect_nothing_sent_again(captured);
    EXPECT_EQ(captured.sender()->path_reordered(), 4u);
    EXPECT_EQ(captured.sender()->tap_reordered(), 0u);
    EXPECT_EQ(captured.sender()->losses(LossKind::out_of_order), GetParam().at_receiver ? 4u : 0u);
    for (const LossRow& row : captured.store().losses()) EXPECT_EQ(row.reordering, Reordering::path);
}

// What was lost before the tap is known by the packet that brings it at last.
TEST_P(DisorderOnThePath, IsNotMixedUpWithLosses) {
    Simulation simulation(path_of(GetParam().rtt_ns, 1000, 10'000));
    for (uint32_t n = 100; n < 500; n += 50) simulation.data_link().drop(simulation.segment(n));
    write(simulation, false);
    ASSERT_EQ(simulation.sender().retransmissions(), 8u);
    Tapped tap = tap_of(simulation);
    if (!GetParam().ip_ids) without_ip_ids(tap);
    const Captured captured(simulation, tap);
    ASSERT_NE(captured.sender(), nullptr);
    EXPECT_EQ(captured.sender()->sent_again(), 8u);
    EXPECT_EQ(sent_again(*captured.sender()), 8u);
    EXPECT_EQ(captured.store().losses().size(), 8u);
}

}  // namespace
}  // namespace sanscope::simulated

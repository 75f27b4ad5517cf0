// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/scenarios/replayed.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/core.h>
#include <functional>
#include <string>

#include "analyzer/base/partition_index.h"
#include "analyzer/sender/inference/sent_history.h"
#include "analyzer/sender/sender_replay.h"

namespace sanscope::simulated {
std::string in_words(CaState state) {
    static constexpr const char* names[] = {"Open", "Disorder", "CWR", "Recovery", "Loss"};
    return names[static_cast<size_t>(state)];
}

std::string in_words(SendLimit limit) {
    static constexpr const char* names[] = {"application", "receiver", "congestion",
                                            "pacing",      "recovery", "unknown"};
    return names[static_cast<size_t>(limit)];
}

std::string control_name(const testing::TestParamInfo<SimulatedSender::Control>& info) {
    return info.param == SimulatedSender::Control::reno ? "Reno" : "Cubic";
}

namespace {

std::string list(const std::vector<TrueTransition>& transitions) {
    std::string text;
    for (const TrueTransition& t : transitions) {
        text += fmt::format("\n    packet {} ({} ns): {} to {}", t.packet, t.time_ns, in_words(t.from),
                            in_words(t.to));
    }
    return text.empty() ? " none" : text;
}

// The samples to be compared.
std::vector<TruthSample> chosen(const Simulation& simulation, const Closely& closely) {
    std::vector<TruthSample> samples;
    const int64_t origin_ns = simulation.absolute(0);
    for (const TruthSample& sample : simulation.truth()) {
        const int64_t since_ns = sample.time_ns - origin_ns;
        if (since_ns >= closely.from_ns && since_ns < closely.to_ns) samples.push_back(sample);
    }
    return samples;
}

using Figure = std::function<uint32_t(const TruthSample&)>;

testing::AssertionResult compare(const char* name, const Simulation& simulation, const Closely& closely,
                                 const Figure& truth, const Figure& inferred) {
    const std::vector<TruthSample> samples = chosen(simulation, closely);
    size_t wrong = 0;
    double worst = 0;
    std::string first;
    for (const TruthSample& sample : samples) {
        const uint32_t is = truth(sample);
        const uint32_t said = inferred(sample);
        if (is == said) continue;
        const double distance = std::abs(static_cast<double>(is) - static_cast<double>(said));
        if (distance <= std::max(closely.segments, closely.share * is)) continue;
        ++wrong;
        worst = std::max(worst, distance);
        if (first.empty()) {
            first = fmt::format("first after packet {} ({:.3f} ms, {}): {} {}, said {}", sample.packet,
                                static_cast<double>(sample.time_ns - simulation.absolute(0)) / millisecond,
                                in_words(sample.figures.state), name, is, said);
        }
    }
    if (samples.empty()) return testing::AssertionFailure() << "nothing to compare";
    if (wrong == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << fmt::format("{} of {} samples of {} wrong, by up to {} segments; {}", wrong, samples.size(),
                          name, worst, first);
}

testing::AssertionResult limits_hold(const Simulation& simulation, const Replayed& replayed, double share,
                                     const Closely& closely, bool unknown_holds) {
    const std::vector<TruthSample> samples = chosen(simulation, closely);
    size_t moments = 0;
    size_t same = 0;
    std::string first;
    for (size_t i = 0; i < samples.size(); ++i) {
        if (i + 1 < samples.size() && samples[i + 1].time_ns == samples[i].time_ns) continue;
        ++moments;
        const std::optional<WindowRow> row = replayed.window_after(samples[i].packet);
        const SendLimit said = !row ? SendLimit::unknown : row->limit;
        const bool holds = said == samples[i].figures.limit || (unknown_holds && said == SendLimit::unknown);
        same += holds;
        if (!holds && first.empty()) {
            first = fmt::format("first after packet {}: {}, said {}", samples[i].packet,
                                in_words(samples[i].figures.limit), in_words(said));
        }
    }
    const double is = moments == 0 ? 0 : static_cast<double>(same) / static_cast<double>(moments);
    if (is >= share) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << fmt::format("the limit is right in {:.1f} % of {} moments; {}", 100 * is, moments, first);
}

}  // namespace

Replayed::Replayed(const std::vector<SenderEvent>& events, const SenderOptions& options) : mss_(options.mss) {
    SendBudget budget;
    SenderReplay replay(store_, budget, 1, Side::a, options);
    // As ConnectionSenders does.
    SentHistory history;
    SentHistory::Missing missing;
    for (const SenderEvent& event : events) {
        if (const auto* sent = std::get_if<SentSegment>(&event)) {
            SentSegment segment = *sent;
            history.on_sent(segment, no_time);
            replay.on_sent(segment);
        } else {
            const auto& ack = std::get<ReceivedAck>(event);
            history.on_acknowledged(ack);
            replay.on_ack(ack);
            while (history.take_missing(ack.time_ns, false, missing)) replay.on_missing(missing);
        }
    }
    while (history.take_missing(no_time, true, missing)) replay.on_missing(missing);
    replay.finish();
}

std::optional<WindowRow> Replayed::window_after(PacketNumber packet) const {
    const auto& rows = store_.windows();
    const size_t after = partition_index(size_t{0}, rows.size(),
                                         [&](size_t i) { return rows.get<&WindowRow::packet>(i) <= packet; });
    return after == 0 ? std::nullopt : std::optional(rows[after - 1]);
}

CaState Replayed::state_after(PacketNumber packet) const {
    const std::optional<WindowRow> row = window_after(packet);
    return !row ? CaState::open : row->ca_state;
}

std::vector<TrueTransition> Replayed::transitions() const {
    std::vector<TrueTransition> all;
    for (const CaTransitionRow& row : store_.ca_transitions())
        all.push_back({row.packet, row.time_ns, row.from, row.to});
    return all;
}

uint64_t Replayed::losses() const {
    uint64_t all = 0;
    for (size_t kind = 0; kind < loss_kinds; ++kind) all += losses(static_cast<LossKind>(kind));
    return all;
}

uint32_t Replayed::segments(const std::optional<WindowRow>& row, uint32_t WindowRow::*field) const {
    if (!row || (*row).*field == unknown<uint32_t>) return unknown<uint32_t>;
    return ((*row).*field + mss_ / 2) / mss_;
}

testing::AssertionResult same_transitions(const Simulation& simulation, const Replayed& replayed) {
    const std::vector<TrueTransition>& truth = simulation.transitions();
    const std::vector<TrueTransition> said = replayed.transitions();
    const auto same = [](const TrueTransition& a, const TrueTransition& b) {
        const bool at_once = std::abs(a.time_ns - b.time_ns) <= 2 * microsecond;
        return a.packet == b.packet && a.from == b.from && a.to == b.to && at_once;
    };
    if (std::equal(truth.begin(), truth.end(), said.begin(), said.end(), same))
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "transitions were:" << list(truth) << "\n  said:" << list(said);
}

testing::AssertionResult same_cwnd(const Simulation& simulation, const Replayed& replayed,
                                   const Closely& closely) {
    return compare(
        "cwnd", simulation, closely, [](const TruthSample& sample) { return sample.figures.cwnd; },
        [&](const TruthSample& sample) { return replayed.cwnd_after(sample.packet); });
}

testing::AssertionResult same_ssthresh(const Simulation& simulation, const Replayed& replayed,
                                       const Closely& closely) {
    static_assert(infinite_ssthresh == unknown<uint32_t>);
    return compare(
        "ssthresh", simulation, closely, [](const TruthSample& sample) { return sample.figures.ssthresh; },
        [&](const TruthSample& sample) { return replayed.ssthresh_after(sample.packet); });
}

testing::AssertionResult interval_holds(const Simulation& simulation, const Replayed& replayed, double share,
                                        uint32_t slack) {
    size_t held = 0;
    for (const TruthSample& sample : simulation.truth()) {
        const std::optional<WindowRow> row = replayed.window_after(sample.packet);
        if (!row || row->cwnd_low == unknown<uint32_t>) continue;
        const int64_t bytes = int64_t{sample.figures.cwnd} * simulation.mss();
        const int64_t more = int64_t{slack} * simulation.mss();
        held += row->cwnd_low - more <= bytes && bytes <= row->cwnd_high + more;
    }
    const double is = static_cast<double>(held) / static_cast<double>(simulation.truth().size());
    if (is >= share) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << fmt::format("the interval holds the truth after {:.1f} % of the events", 100 * is);
}

testing::AssertionResult same_limit(const Simulation& simulation, const Replayed& replayed, double share,
                                    const Closely& closely) {
    return limits_hold(simulation, replayed, share, closely, false);
}

testing::AssertionResult no_false_limit(const Simulation& simulation, const Replayed& replayed, double share,
                                        const Closely& closely) {
    return limits_hold(simulation, replayed, share, closely, true);
}

}  // namespace sanscope::simulated

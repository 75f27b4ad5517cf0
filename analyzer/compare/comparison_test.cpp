// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <tuple>

#include "analyzer/compare/comparison_text.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::Not;
using Verdict = FigureChange::Verdict;

// The parts of a load by which its turnarounds vary.
struct Load {
    double mean_ns = 2e6;
    double spread = 0.3;      // of each command by itself, of the logarithm
    double drift = 0.15;      // of what all commands of a time share
    double drift_for = 0.02;  // seconds after which that is another
    double depth = 4;
    double seconds = 3;
    uint64_t bytes = 65536;
    int burst = 0;         // commands at once, then a pause
    int lost_of_1000 = 0;  // commands that are never answered
    double losses_per_second = 0;
    double loss_burst = 1;
};

// A store as if a capture of the load had been analysed.
class Recording {
  public:
    Recording(const Load& load, uint32_t seed) : random_(seed) {
        uint32_t session = 0;
        SessionRow& row = store_.add_session(session);
        row.initiator_name = "iqn.2026-11.org.example:initiator";
        row.target_name = "iqn.2026-11.org.example:disk";
        uint32_t connection = 0;
        ConnectionRow& of = store_.add_connection(connection);
        const std::array<uint8_t, 4> initiator{10, 0, 0, 1};
        const std::array<uint8_t, 4> target{10, 0, 0, 2};
        of.initiator = {IpAddress::from_v4(initiator.data()), static_cast<uint16_t>(40000 + seed % 1000)};
        of.target = {IpAddress::from_v4(target.data()), 3260};
        of.session = session;
        of.iscsi = true;
        of.mss = 1448;
        totals_.first_ns = 0;
        totals_.last_ns = static_cast<int64_t>(load.seconds * 1e9);
        run(load);
        of.bytes_in = bytes_;
        lose(load);
        store_.finish();
    }

    CaptureFigures figures(std::span<const Finding> findings = {}) const {
        return measure_capture(store_, totals_, findings);
    }

  private:
    void run(const Load& load) {
        std::normal_distribution<double> normal;
        const auto slots = static_cast<size_t>(load.depth);
        std::vector<double> free_at(slots, 0);
        double shared = load.drift * normal(random_);
        double shared_at = 0;
        int in_burst = 0;
        double pause_until = 0;
        while (true) {
            const auto slot = std::ranges::min_element(free_at);
            double now = std::max(*slot, pause_until);
            if (now >= load.seconds) break;
            // An Ornstein-Uhlenbeck process: what is shared fades with its time constant.
            const double fade = std::exp(-(now - shared_at) / load.drift_for);
            shared = shared * fade + load.drift * std::sqrt(1 - fade * fade) * normal(random_);
            shared_at = now;
            const double took = load.mean_ns / 1e9 * std::exp(shared + load.spread * normal(random_));
            lost_ += load.lost_of_1000;
            const bool lost = lost_ >= 1000;
            if (lost) lost_ -= 1000;
            command(now, took, load.bytes, lost);
            *slot = now + took;
            if (load.burst > 0 && ++in_burst == load.burst) {
                in_burst = 0;
                pause_until = now + 0.03;
            }
        }
    }

    void command(double at, double took, uint64_t bytes, bool lost) {
        uint64_t number = 0;
        CommandRow& row = store_.begin_command(number);
        row.session = 1;
        row.connection = 1;
        row.lun = 0;
        row.name = "READ(10)";
        row.opcode = 0x28;
        row.bytes = bytes;
        row.status = 0;
        row.outcome = Outcome::completed;
        row.request_packet = row.response_packet = 1;
        row.request_ns = static_cast<int64_t>(at * 1e9);
        row.response_ns = row.request_ns + static_cast<int64_t>(took * 1e9);
        store_.requested(row);
        if (lost) {
            row.outcome = Outcome::unanswered;
            row.response_packet = 0;
            row.response_ns = no_time;
        } else {
            store_.answered(row);
        }
        store_.end_command(number, row, true, false);
        bytes_ += bytes;
    }

    void lose(const Load& load) {
        if (load.losses_per_second <= 0) return;
        SenderSummary& sender = store_.add_sender(1, Side::b);
        std::exponential_distribution<double> gap(load.losses_per_second / load.loss_burst);
        for (double at = gap(random_); at < load.seconds; at += gap(random_)) {
            for (int i = 0; i < load.loss_burst; ++i) {
                store_.add_loss(sender, {.time_ns = static_cast<int64_t>(at * 1e9),
                                         .connection = 1,
                                         .length = 1448,
                                         .kind = LossKind::fast_retransmit,
                                         .sender = Side::b});
            }
        }
    }

    std::mt19937 random_;
    ResultStore store_{rows_for_findings};
    Engine::Totals totals_;
    uint64_t bytes_ = 0;
    int lost_ = 0;
};

const FigureChange* find(const Comparison& comparison, const std::string& name,
                         const std::string& sender = "", bool of_session = false) {
    for (const SessionComparison& session : comparison.sessions) {
        for (const FigureChange& change : session.figures) {
            const FigurePlace& place = change.any().place;
            if (change.any().name == name && place.sender == sender && place.command.empty() == of_session)
                return &change;
        }
    }
    return nullptr;
}

// How often nothing was changed and something is said to be; and of all figures, how often one by itself would have been.
struct FalseAlarms {
    int comparisons = 0;
    int with_claim = 0;
    int figures = 0;
    int alone = 0;
};

FalseAlarms count_false_alarms(const Load& load, int comparisons, uint32_t first_seed) {
    FalseAlarms alarms;
    for (int i = 0; i < comparisons; ++i) {
        const uint32_t seed = first_seed + 2 * static_cast<uint32_t>(i);
        const CaptureFigures before = Recording(load, seed).figures();
        const CaptureFigures after = Recording(load, seed + 1).figures();
        const Comparison comparison = compare_captures(before, after);
        ++alarms.comparisons;
        alarms.with_claim += comparison.figures_changed > 0 ? 1 : 0;
        for (const FigureChange& change : comparison.sessions.at(0).figures) {
            if (change.verdict == Verdict::not_told) continue;
            ++alarms.figures;
            alarms.alone += change.chance < 0.05 ? 1 : 0;
        }
    }
    return alarms;
}

TEST(Comparison, NothingIsClaimedOfTheSameLoadTwice) {
    struct Case {
        const char* name;
        Load load;
    };
    const Case cases[] = {
        {"steady", {}},
        {"what commands share lasts long", {.drift = 0.3, .drift_for = 0.1}},
        {"… and for half of the capture", {.drift = 0.3, .drift_for = 1.0}},
        {"heavy tails", {.spread = 1.2}},
        {"bursts", {.depth = 16, .burst = 40}},
        {"few commands", {.mean_ns = 2e7, .depth = 1}},
        {"losses in bursts", {.losses_per_second = 40, .loss_burst = 8}},
    };
    constexpr int comparisons = 40;
    uint32_t seed = 1000;
    int with_claim = 0;
    int in_all = 0;
    for (const Case& one : cases) {
        const FalseAlarms alarms = count_false_alarms(one.load, comparisons, seed);
        seed += 1000;
        with_claim += alarms.with_claim;
        in_all += alarms.comparisons;
        RecordProperty(one.name, alarms.with_claim);
        // Of 40 with a chance of 5 % each, more than 6 are seen once in a hundred times.
        EXPECT_LE(alarms.with_claim, 6) << one.name;
        EXPECT_LE(alarms.alone, alarms.figures / 20 + 5) << one.name;
    }
    EXPECT_LE(with_claim, in_all / 20);
}

TEST(Comparison, ATurnaroundOfAFifthMoreIsFound) {
    int found = 0;
    constexpr int comparisons = 20;
    for (uint32_t seed = 0; seed < comparisons; ++seed) {
        const CaptureFigures before = Recording({}, 2 * seed).figures();
        const CaptureFigures after = Recording({.mean_ns = 2.4e6}, 2 * seed + 1).figures();
        const Comparison comparison = compare_captures(before, after);
        bool all = true;
        for (const char* const name : {"turnaround_p50_ns", "turnaround_mean_ns"}) {
            const FigureChange* const change = find(comparison, name);
            ASSERT_NE(change, nullptr);
            all = all && change->verdict == Verdict::higher;
            EXPECT_NEAR(change->change, 0.2, 0.06) << name;
            EXPECT_LT(change->low, change->change);
            EXPECT_GT(change->high, change->change);
        }
        const FigureChange* const rate = find(comparison, "commands_per_second", "", true);
        ASSERT_NE(rate, nullptr);
        EXPECT_NE(rate->verdict, Verdict::higher);
        found += all ? 1 : 0;
    }
    EXPECT_GE(found, comparisons * 9 / 10);
}

// An interval of 95 % holds the truth about that often, whatever the load.
TEST(Comparison, IntervalsHoldTheTruth) {
    int held = 0;
    int told = 0;
    constexpr int comparisons = 60;
    for (uint32_t seed = 0; seed < comparisons; ++seed) {
        const Load load{.drift = 0.3, .drift_for = 0.1};
        Load slower = load;
        slower.mean_ns *= 1.5;
        const CaptureFigures before = Recording(load, 5000 + 2 * seed).figures();
        const CaptureFigures after = Recording(slower, 5001 + 2 * seed).figures();
        const Comparison comparison = compare_captures(before, after);
        const FigureChange* const change = find(comparison, "turnaround_p50_ns");
        ASSERT_NE(change, nullptr);
        if (change->verdict == Verdict::not_told) continue;
        ++told;
        held += change->low <= 0.5 && change->high >= 0.5 ? 1 : 0;
    }
    EXPECT_GE(told, comparisons / 2);
    EXPECT_GE(held, told * 9 / 10);
}

TEST(Comparison, MoreLossesAreFound) {
    const CaptureFigures before = Recording({.losses_per_second = 10}, 1).figures();
    const CaptureFigures after = Recording({.losses_per_second = 100}, 2).figures();
    const Comparison comparison = compare_captures(before, after);
    const FigureChange* const change = find(comparison, "lost_segment_share", "target", true);
    ASSERT_NE(change, nullptr);
    EXPECT_EQ(change->verdict, Verdict::higher);
    EXPECT_NEAR(change->after->estimate.value / change->before->estimate.value, 10, 6);
    // As many, but most of them at one moment: that is one event.
    const CaptureFigures burst = Recording({.losses_per_second = 30, .loss_burst = 45}, 3).figures();
    const Comparison once = compare_captures(before, burst);
    EXPECT_EQ(find(once, "lost_segment_share", "target", true)->verdict, Verdict::not_shown);
}

TEST(Comparison, TooLittleIsNotTold) {
    const CaptureFigures few = Recording({.mean_ns = 1e8, .depth = 1}, 1).figures();
    const CaptureFigures after = Recording({.mean_ns = 3e8, .depth = 1}, 2).figures();
    const Comparison comparison = compare_captures(few, after);
    EXPECT_EQ(find(comparison, "turnaround_p50_ns"), nullptr);  // fewer commands than are measured
    EXPECT_EQ(find(comparison, "turnaround_p99_ns"), nullptr);
    const CaptureFigures some = Recording({.mean_ns = 1e7, .depth = 1}, 3).figures();
    const CaptureFigures slower = Recording({.mean_ns = 2e7, .depth = 1}, 4).figures();
    const Comparison tail = compare_captures(some, slower);
    ASSERT_NE(find(tail, "turnaround_p99_ns"), nullptr);  // a value, and nothing that is said of it
    EXPECT_EQ(find(tail, "turnaround_p99_ns")->verdict, Verdict::not_told);
    EXPECT_EQ(find(tail, "turnaround_p50_ns")->verdict, Verdict::higher);
}

// What is twice as much of next to nothing.
TEST(Comparison, AChangeMustBeWorthNaming) {
    CaptureFigures before = Recording({}, 1).figures();
    CaptureFigures after = Recording({.mean_ns = 4e6}, 2).figures();
    const auto verdict = [&](double least_change) {
        for (CaptureFigures* const capture : {&before, &after}) {
            for (Figure& figure : capture->sessions[0].figures) figure.least_change = least_change;
        }
        return find(compare_captures(before, after), "turnaround_p50_ns")->verdict;
    };
    EXPECT_EQ(verdict(0), Verdict::higher);
    EXPECT_EQ(verdict(1e6), Verdict::higher);
    EXPECT_EQ(verdict(3e6), Verdict::not_shown);
}

// The commands that were never answered might be the tail: of those that were, nothing is said that the others would change.
TEST(Comparison, WhatWasNeverAnsweredIsNotLeftOutOfTheTail) {
    const CaptureFigures before = Recording({}, 1).figures();
    for (const auto& [lost, p50, p99] : {std::tuple{0, true, true}, {10, true, false}, {50, false, false}}) {
        const CaptureFigures after = Recording({.lost_of_1000 = lost}, 2).figures();
        const Comparison comparison = compare_captures(before, after);
        EXPECT_EQ(find(comparison, "turnaround_p50_ns")->after != nullptr, p50) << lost;
        EXPECT_EQ(find(comparison, "turnaround_p99_ns")->after != nullptr, p99) << lost;
        EXPECT_EQ(find(comparison, "turnaround_mean_ns")->after != nullptr, p99) << lost;
    }
}

// A turnaround at the target lacks the round trip, whatever changed; and of what TCP did, less is known without its handshake.
TEST(Comparison, CapturesOfOtherPlacesAreNotComparedInWhatDependsOnIt) {
    CaptureFigures before = Recording({.losses_per_second = 10}, 1).figures();
    CaptureFigures after = Recording({.mean_ns = 4e6, .losses_per_second = 200}, 2).figures();
    const auto verdicts = [&] {
        const Comparison comparison = compare_captures(before, after);
        return std::array{find(comparison, "turnaround_p50_ns")->verdict,
                          find(comparison, "lost_segment_share", "target", true)->verdict,
                          find(comparison, "commands_per_second", "", true)->verdict};
    };
    using Verdicts = std::array<Verdict, 3>;
    EXPECT_EQ(verdicts(), (Verdicts{Verdict::higher, Verdict::higher, Verdict::lower}));
    before.sessions[0].vantage = Vantage::initiator;
    after.sessions[0].vantage = Vantage::target;
    EXPECT_EQ(verdicts(), (Verdicts{Verdict::not_told, Verdict::not_told, Verdict::lower}));
    after.sessions[0].vantage = Vantage::unknown;
    EXPECT_EQ(verdicts(), (Verdicts{Verdict::higher, Verdict::not_told, Verdict::lower}));
    after.sessions[0].vantage = Vantage::initiator;
    EXPECT_EQ(verdicts(), (Verdicts{Verdict::higher, Verdict::higher, Verdict::lower}));
    after.sessions[0].handshakes = 0;
    EXPECT_EQ(verdicts(), (Verdicts{Verdict::higher, Verdict::not_told, Verdict::lower}));
}

TEST(Comparison, TheSameTwiceGivesTheSame) {
    const CaptureFigures before = Recording({}, 1).figures();
    const CaptureFigures after = Recording({.mean_ns = 2.2e6}, 2).figures();
    EXPECT_EQ(comparison_text({"a", "b"}, before, after, compare_captures(before, after)),
              comparison_text({"a", "b"}, before, after, compare_captures(before, after)));
    const Comparison itself = compare_captures(before, before);
    EXPECT_EQ(itself.figures_changed, 0U);
    EXPECT_THAT(comparison_text({"a", "a"}, before, before, itself), HasSubstr("Nothing that "));
}

Finding found(Finding::Kind kind, Finding::Severity severity, uint32_t session) {
    Finding finding;
    finding.kind = kind;
    finding.severity = severity;
    finding.session = session;
    finding.title = "evil\x1b[2J";
    return finding;
}

TEST(Comparison, FindingsComeGoAndStay) {
    using Kind = Finding::Kind;
    using Severity = Finding::Severity;
    const std::array before = {found(Kind::target_wait, Severity::problem, 1),
                               found(Kind::shallow_queue, Severity::notice, 1),
                               found(Kind::vantage, Severity::information, 0)};
    const std::array after = {found(Kind::lost_segments, Severity::problem, 1),
                              found(Kind::shallow_queue, Severity::information, 1)};
    const CaptureFigures first = Recording({}, 1).figures(before);
    const CaptureFigures second_one = Recording({}, 2).figures(after);
    const Comparison comparison = compare_captures(first, second_one);
    ASSERT_EQ(comparison.findings.size(), 3U);
    EXPECT_EQ(comparison.findings[0].state, FindingChange::State::appeared);
    EXPECT_EQ(comparison.findings[0].after->kind, Kind::lost_segments);
    EXPECT_EQ(comparison.findings[1].state, FindingChange::State::gone);
    EXPECT_EQ(comparison.findings[1].before->kind, Kind::target_wait);
    EXPECT_EQ(comparison.findings[2].state, FindingChange::State::stayed);
    EXPECT_EQ(comparison.findings[2].before->kind, Kind::shallow_queue);
    const std::string text = comparison_text({"a\x1b", "b"}, first, second_one, comparison);
    EXPECT_THAT(text, HasSubstr("appeared  problem     evil"));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(Comparison, SessionsOfOneCaptureAloneAreListed) {
    const CaptureFigures before = Recording({}, 1).figures();
    CaptureFigures after = Recording({}, 2).figures();
    after.sessions[0].target_name = "iqn.2026-11.org.example:other";
    const Comparison comparison = compare_captures(before, after);
    EXPECT_TRUE(comparison.sessions.empty());
    const std::string text = comparison_text({"a", "b"}, before, after, comparison);
    EXPECT_THAT(text, HasSubstr("Sessions only before\n  iqn.2026-11.org.example:initiator -> "
                                "iqn.2026-11.org.example:disk"));
    EXPECT_THAT(text, HasSubstr("org.example:other"));
    EXPECT_THAT(text, HasSubstr("nothing was compared"));
}

TEST(Comparison, ACaptureOfNothingIsNoDisaster) {
    const CaptureFigures nothing;
    const CaptureFigures some = Recording({}, 1).figures();
    EXPECT_EQ(compare_captures(nothing, nothing).figures_compared, 0U);
    EXPECT_EQ(compare_captures(nothing, some).only_after.size(), 1U);
}

}  // namespace
}  // namespace sanscope

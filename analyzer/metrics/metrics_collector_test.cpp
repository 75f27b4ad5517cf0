// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/metrics_collector.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "analyzer/base/unnamed_file.h"
#include "analyzer/base/write_all.h"
#include "analyzer/bench/capture_maker.h"
#include "analyzer/budget/time_budgets.h"
#include "analyzer/engine/analysis.h"
#include "analyzer/ingest/capture_file.h"

namespace sanscope {
namespace {

constexpr const char* samples[] = {
    "loss-mixed-initiator.pcap.zst", "two-sessions.pcap.lz4",          "check-conditions.pcap",
    "killed-initiator.pcap.zst",     "task-management.pcap.zst",       "ipv6.pcap.zst",
    "mid-connection.pcap.zst",       "sniffer-drops.pcap.zst",         "writes-r2t.pcap.zst",
    "login-discovery-inquiry.pcap",  "snap128-reads-64k-qd32.pcap.zst"};

std::string named(const testing::TestParamInfo<const char*>& sample) {
    std::string name = sample.param;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}

std::unique_ptr<PacketSource> open(const std::string& name) {
    // So small that there are many batches.
    auto source = open_capture_file(std::string(SANSCOPE_SAMPLES "/") + name, 16384);
    EXPECT_TRUE(source) << name;
    return std::move(*source);
}

// A sample analysed as a live capture is, asked for its figures after each batch and at the end.
class Live {
  public:
    explicit Live(const std::string& name, bool counters_only_grow = true) {
        const auto source = open(name);
        AnalysisOptions options;
        options.progress = [&] { look(counters_only_grow); };
        analyse(*source, engine, options);
        look(counters_only_grow);
    }
    void look(bool check) {
        engine.describe_connections();
        const MetricsSnapshot before = collector.snapshot();
        collector.gather(engine, {time += std::chrono::milliseconds(5), time});
        collector.examine_sample();
        const MetricsSnapshot& now = collector.snapshot();
        if (!check) return;
        for (const auto& [labels, counts] : before.commands) {
            const CommandCounts& later = now.commands.at(labels);
            ASSERT_GE(later.commands, counts.commands);
            ASSERT_GE(later.bytes, counts.bytes);
            ASSERT_GE(later.turnaround_ns, counts.turnaround_ns);
            for (size_t i = 0; i < turnaround_buckets; ++i)
                ASSERT_GE(later.turnarounds[i], counts.turnarounds[i]);
        }
        for (const auto& [labels, losses] : before.losses)
            for (size_t kind = 0; kind < loss_kinds; ++kind)
                ASSERT_GE(now.losses.at(labels)[kind], losses[kind]);
        for (const auto& [labels, lost] : before.times)
            for (size_t part = 0; part < budget_parts; ++part)
                ASSERT_GE(now.times.at(labels).parts_ns[part], lost.parts_ns[part]);
    }
    const MetricsSnapshot& snapshot() const { return collector.snapshot(); }

    Engine engine{ResultStore::Keep::only(&ResultStore::Keep::live_counts)};
    MetricsCollector collector;
    std::chrono::nanoseconds time{0};
};

class CollectorOnSample : public testing::TestWithParam<const char*> {};

// Names by what the rows of a finished analysis say.
TEST_P(CollectorOnSample, counts_are_those_of_the_table) {
    Engine whole{ResultStore::Keep::everything()};
    analyse(*open(GetParam()), whole, {});
    const ResultStore& store = whole.store();
    using Key = std::tuple<std::string, std::string, std::string,
                           std::string>;  // target's name and address, LUN, direction
    std::map<Key, CommandFigures> expected;
    for (const CommandRow& row : store.commands()) {
        const ConnectionRow& connection = store.connection(row.connection);
        const std::string name = row.session == 0 ? "" : store.session(row.session).target_name;
        CommandFigures& counts =
            expected[{name, format_endpoint(connection.target.address, connection.target.port),
                      row.lun == unknown<uint64_t> ? "" : std::to_string(row.lun),
                      std::string(transfer_name(transfer_of(row.opcode)))}];
        ++counts.commands;
        if (row.turnaround_ns() != no_time) {
            counts.turnaround_ns += row.turnaround_ns();
            ++counts.exponential[exponential_buckets::place_of(row.turnaround_ns())];
        }
        if ((row.response_packet != 0 || row.outcome == Outcome::completed) && row.bytes != unknown<uint64_t>)
            counts.bytes += row.bytes;
    }
    const Live live(GetParam());
    std::map<Key, CommandFigures> found;
    for (const auto& [labels, counts] : live.snapshot().commands) {
        CommandFigures& sum = found[{labels.unit.path.target_name, labels.unit.path.target, labels.unit.lun,
                                     std::string(transfer_name(labels.direction))}];
        sum.CommandCounts::add(counts);
        for (size_t i = 0; i < counts.exponential.size(); ++i) sum.exponential[i] += counts.exponential[i];
    }
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [key, counts] : expected) {
        ASSERT_TRUE(found.contains(key))
            << std::get<1>(key) << " " << std::get<2>(key) << " " << std::get<3>(key);
        EXPECT_EQ(found[key].commands, counts.commands);
        EXPECT_EQ(found[key].bytes, counts.bytes);
        EXPECT_EQ(found[key].turnaround_ns, counts.turnaround_ns);
        EXPECT_EQ(found[key].exponential, counts.exponential);
        EXPECT_EQ(std::accumulate(found[key].exponential.begin(), found[key].exponential.end(), uint64_t{0}),
                  found[key].timed());
    }
    EXPECT_EQ(live.snapshot().folded_commands, 0u);
}

// A kind may have been taken back: then its counter stands where it was.
TEST_P(CollectorOnSample, what_was_sent_again_is_counted_at_least) {
    Engine whole{ResultStore::Keep::everything()};
    analyse(*open(GetParam()), whole, {});
    std::array<uint64_t, loss_kinds> expected{};
    for (const LossRow& row : whole.store().losses()) ++expected[static_cast<size_t>(row.kind)];
    const Live live(GetParam());
    std::array<uint64_t, loss_kinds> found{};
    for (const auto& [labels, losses] : live.snapshot().losses)
        for (size_t kind = 0; kind < loss_kinds; ++kind) found[kind] += losses[kind];
    for (size_t kind = 0; kind < loss_kinds; ++kind) {
        EXPECT_GE(found[kind], expected[kind]) << kind;
        EXPECT_LE(found[kind], expected[kind] + expected[kind] / 5 + 5) << kind;
    }
}

INSTANTIATE_TEST_SUITE_P(Samples, CollectorOnSample, testing::ValuesIn(samples), named);

// The sample's commands, cut by what the sample has, beside the same ones cut by what the whole capture has.
class SampledBudgetsOf : public testing::TestWithParam<const char*> {};

TEST_P(SampledBudgetsOf, are_near_those_of_the_whole_capture) {
    Engine whole{ResultStore::Keep::everything()};
    analyse(*open(GetParam()), whole, {});
    const TimeBudgets budgets(whole.store());

    Engine engine{ResultStore::Keep::nothing()};
    engine.begin_sample();
    analyse(*open(GetParam()), engine, {});
    const auto sample = engine.take_sample();
    ASSERT_GT(sample->commands().size(), 20u);
    std::map<uint32_t, ConnectionRow> connections;
    for (uint32_t i = 1; i <= engine.store().connections().size(); ++i)
        connections.emplace(i, engine.store().connection(ConnectionNumber(i)));
    CommandBudget sampled;
    int64_t sampled_ns = 0;
    for (const SampledCommand& command : cut_sample(*sample, connections)) {
        for (size_t part = 0; part < budget_parts; ++part)
            sampled[static_cast<BudgetPart>(part)] += command.budget.parts()[part];
        sampled_ns +=
            std::accumulate(command.budget.parts().begin(), command.budget.parts().end(), int64_t{0});
    }
    CommandBudget expected;
    int64_t expected_ns = 0;
    for (const CommandSample::Command& command : sample->commands()) {
        for (uint64_t number = 1; number <= whole.store().commands().size(); ++number) {
            const CommandRow& row = whole.store().command(CommandNumber(number));
            if (row.request_packet != command.row.request_packet || row.itt != command.row.itt) continue;
            if (row.turnaround_ns() == no_time) break;
            const CommandBudget budget = budgets.of(number);
            for (size_t part = 0; part < budget_parts; ++part)
                expected[static_cast<BudgetPart>(part)] += budget.parts()[part];
            expected_ns += row.turnaround_ns();
            break;
        }
    }
    EXPECT_EQ(sampled_ns, expected_ns);
    for (size_t i = 0; i < budget_parts; ++i) {
        const auto part = static_cast<BudgetPart>(i);
        EXPECT_NEAR(static_cast<double>(sampled[part]), static_cast<double>(expected[part]),
                    0.05 * static_cast<double>(expected_ns))
            << budget_part_name(part);
    }
}

INSTANTIATE_TEST_SUITE_P(Samples, SampledBudgetsOf,
                         testing::Values("loss-mixed-initiator.pcap.zst", "loss-mixed-target.pcap.zst",
                                         "writes-r2t.pcap.zst", "in-order-reads-16k-qd16.pcap.zst",
                                         "reads-4k-qd8.pcap.zst"),
                         named);

TEST(MetricsCollector, a_capture_that_lasts_is_sampled) {
    const Live live("loss-mixed-initiator.pcap.zst");
    uint64_t commands = 0;
    for (const auto& [labels, time] : live.snapshot().times) commands += time.commands;
    EXPECT_GT(commands, 0u);
}

// Each repetition is another host's: far more paths than there may be sets of labels.
TEST(MetricsCollector, what_finds_no_set_of_labels_is_others_and_none_is_lost) {
    const auto maker = CaptureMaker::make(
        {.sample = SANSCOPE_SAMPLES "/login-discovery-inquiry.pcap", .connections = 16, .snap_length = 0});
    ASSERT_TRUE(maker) << maker.error().message;
    std::vector<uint8_t> bytes;
    maker->write(1400 * maker->packets_of_sample(), [&](std::span<const uint8_t> more) {
        bytes.insert(bytes.end(), more.begin(), more.end());
        return true;
    });
    auto file = unnamed_file();
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(write_all(file->get(), bytes));
    const auto source = open_capture("/proc/self/fd/" + std::to_string(file->get()));
    ASSERT_TRUE(source) << source.error().message;
    Engine engine{ResultStore::Keep::only(&ResultStore::Keep::live_counts)};
    MetricsCollector collector;
    std::chrono::nanoseconds time{0};
    AnalysisOptions options;
    const auto look = [&] {
        engine.describe_connections();
        collector.gather(engine, {time += std::chrono::milliseconds(5), time});
        collector.examine_sample();
    };
    options.progress = look;
    analyse(**source, engine, options);
    look();
    const MetricsSnapshot& snapshot = collector.snapshot();
    uint64_t commands = 0;
    uint64_t others = 0;
    for (const auto& [labels, counts] : snapshot.commands) {
        commands += counts.commands;
        if (labels.unit.path.target_name == MetricsSnapshot::others) others += counts.commands;
    }
    EXPECT_EQ(commands, engine.store().summary().commands());
    EXPECT_GT(snapshot.folded_commands, 0u);
    EXPECT_EQ(others, snapshot.folded_commands);
    EXPECT_LE(snapshot.commands.size(), MetricsSnapshot::most_commands + 3);
    EXPECT_LE(snapshot.times.size(), MetricsSnapshot::most_times + 1);
    EXPECT_LE(snapshot.losses.size(), MetricsSnapshot::most_senders + 1);
}

TEST(MetricsCollector, findings_are_there_before_they_happen_and_do_not_go_away) {
    MetricsCollector collector;
    const std::pair<std::string, std::string> kind{"connection_reset", "problem"};
    EXPECT_EQ(collector.snapshot().findings.at(kind), 0u);
    Finding finding;
    finding.kind = Finding::Kind::connection_reset;
    finding.severity = Finding::Severity::problem;
    collector.note(std::vector<Finding>{finding, finding});
    EXPECT_EQ(collector.snapshot().findings.at(kind), 2u);
    collector.note(std::vector<Finding>{});
    EXPECT_EQ(collector.snapshot().findings.at(kind), 2u);
}

}  // namespace
}  // namespace sanscope

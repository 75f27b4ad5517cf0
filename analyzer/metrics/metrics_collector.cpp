// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/metrics_collector.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <utility>

#include "analyzer/base/saturated_sum.h"
#include "analyzer/base/utf8.h"
#include "analyzer/report/findings_so_far.h"
#include "analyzer/vocabulary/ip_address.h"

namespace sanscope {
namespace {

// An iSCSI name has 223 bytes at most (RFC 7143 §4.2.7.1); what a login claims may have more.
std::string label(std::string_view text) {
    constexpr size_t longest = 223;
    return cleaned_line(text.substr(0, longest));
}

PathLabels other_paths() {
    return {std::string(MetricsSnapshot::others), std::string(MetricsSnapshot::others), {}, {}};
}

std::string lun_text(uint64_t lun) {
    return lun == unknown<uint64_t> ? std::string() : fmt::to_string(lun);
}

// The figures of `key`, or where there are as many as there may be, those of `beyond`. The latter has a place of its own besides.
template <class Map>
typename Map::mapped_type& place_in(Map& map, const typename Map::key_type& key,
                                    const typename Map::key_type& beyond, size_t most, bool& folded) {
    const auto found = map.find(key);
    folded = found == map.end() && map.size() >= most && key != beyond;
    if (found != map.end()) return found->second;
    return folded ? map[beyond] : map[key];
}

std::chrono::nanoseconds thread_time() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

MetricsCollector::MetricsCollector() {
    // An alert on an increase needs to have seen none.
#define FINDING(kind)                                                                       \
    if (is_never_taken_back(Finding::Kind::kind)) {                                         \
        for (const auto severity : {Finding::Severity::problem, Finding::Severity::notice}) \
            snapshot_.findings[{#kind, std::string(finding_severity_name(severity))}] = 0;  \
    }
#include "analyzer/report/finding_kinds.def"
#undef FINDING
}

MetricsCollector::Path MetricsCollector::path_of(const ResultStore& store, uint32_t connection) {
    if (connection == 0 || connection > store.connections().size()) return {other_paths(), true};
    const ConnectionRow& row = store.connection(connection);
    if (!row.iscsi) return {};
    PathLabels labels;
    labels.initiator = format(row.initiator.address);
    labels.target = format_endpoint(row.target.address, row.target.port);
    if (row.session != 0 && row.session <= store.sessions().size()) {
        const SessionRow& session = store.session(row.session);
        labels.initiator_name = label(session.initiator_name);
        labels.target_name = label(session.target_name);
    }
    return {std::move(labels), true};
}

void MetricsCollector::gather(Engine& engine, SamplePace::Moment now) {
    const ResultStore& store = engine.store();
    engine.take_live_counts([&](const LiveCounts& counts) {
        for (const LiveCounts::Unit& unit : counts.units()) add_commands(unit, store);
        for (const LiveCounts::Sender& sender : counts.senders()) add_losses(sender, store);
    });
    count_in_flight(store);
    snapshot_.packets = engine.totals().packets;
    if (engine.totals().last_ns != no_time)
        snapshot_.analysed_until = static_cast<double>(engine.totals().last_ns) / 1e9;
    follow_sample(engine, now);
}

void MetricsCollector::add_commands(const LiveCounts::Unit& unit, const ResultStore& store) {
    const Transfer direction = transfer_of(unit.opcode);
    const CommandLabels key{{path_of(store, unit.connection).labels, lun_text(unit.lun)}, direction};
    const CommandLabels beyond{{other_paths(), {}}, direction};
    bool folded = false;
    place_in(snapshot_.commands, key, beyond, MetricsSnapshot::most_commands, folded).add(unit);
    if (folded || unit.connection == 0) snapshot_.folded_commands += unit.counts.commands;
    if (unit.connection == 0) return;
    // An alert on an increase needs to have seen none.
    for (const char* const sender : {"initiator", "target"}) {
        if (snapshot_.losses.size() < MetricsSnapshot::most_senders)
            snapshot_.losses.try_emplace({key.unit.path, sender});
    }
}

void MetricsCollector::add_losses(const LiveCounts::Sender& sender, const ResultStore& store) {
    Path path = path_of(store, sender.connection);
    SenderLabels key{std::move(path.labels), {}};
    if (sender.connection != 0 && path.iscsi)
        key.sender = store.connection(sender.connection).is_initiator(sender.side) ? "initiator" : "target";
    const SenderLabels beyond{other_paths(), {}};
    bool folded = false;
    auto& told = place_in(snapshot_.losses, key, beyond, MetricsSnapshot::most_senders, folded);
    auto& now = losses_now_[folded ? beyond : key];
    for (size_t kind = 0; kind < loss_kinds; ++kind) {
        now[kind] += sender.losses[kind];
        if (now[kind] > 0) told[kind] = std::max(told[kind], static_cast<uint64_t>(now[kind]));
    }
}

void MetricsCollector::count_in_flight(const ResultStore& store) {
    // Pairs stay, so that a gauge goes to 0 and does not vanish.
    for (auto& [names, commands] : snapshot_.in_flight) commands = 0;
    const auto& loads = store.summary().sessions();
    for (size_t i = 0; i < loads.size() && i < store.sessions().size(); ++i) {
        const uint32_t depth = loads[i].depth_now();
        if (depth == 0 && i < sessions_seen_) continue;
        const SessionRow& session = store.sessions()[i];
        const std::pair<std::string, std::string> beyond{MetricsSnapshot::others, MetricsSnapshot::others};
        bool folded = false;
        place_in(snapshot_.in_flight, {label(session.initiator_name), label(session.target_name)}, beyond,
                 MetricsSnapshot::most_sessions, folded) += depth;
    }
    sessions_seen_ = loads.size();
}

void MetricsCollector::follow_sample(Engine& engine, SamplePace::Moment now) {
    if (pace_.may_begin(now)) {
        engine.begin_sample();
        pace_.began(now);
        return;
    }
    CommandSample* const sample = engine.sample();
    if (sample == nullptr) return;
    if (pace_.is_long_enough(now)) sample->close();
    if (!sample->is_complete()) return;
    sample_ = engine.take_sample();
    const ResultStore& store = engine.store();
    for (const CommandSample::Command& command : sample_->commands()) {
        const uint32_t connection = command.row.connection;
        if (!command.ended || connection == 0 || connection > store.connections().size()) continue;
        if (sample_connections_.contains(connection)) continue;
        sample_connections_.emplace(connection, store.connection(connection));
        sample_paths_.emplace(connection, path_of(store, connection).labels);
    }
}

void MetricsCollector::examine_sample() {
    if (sample_ == nullptr) return;
    const auto begin = thread_time();
    for (const SampledCommand& command : cut_sample(*sample_, sample_connections_)) {
        const auto path = sample_paths_.find(command.connection);
        const UnitLabels key{path == sample_paths_.end() ? other_paths() : path->second,
                             lun_text(command.lun)};
        bool folded = false;
        LostTime& time =
            place_in(snapshot_.times, key, {other_paths(), {}}, MetricsSnapshot::most_times, folded);
        ++time.commands;
        for (size_t part = 0; part < budget_parts; ++part)
            time.parts_ns[part] = saturated_sum(time.parts_ns[part], command.budget.parts()[part]);
    }
    snapshot_.examined_left_out += sample_->left_out();
    sample_.reset();
    sample_connections_.clear();
    sample_paths_.clear();
    // To keep what a sample needs costs the analysis about twice as much as to examine it (metrics_bench).
    pace_.ended(SamplePace::Moment::now(), 3 * (thread_time() - begin));
}

void MetricsCollector::note(std::span<const Finding> findings) {
    std::map<std::pair<std::string, std::string>, uint64_t> now;
    for (const Finding& finding : findings) {
        ++now[{std::string(finding_kind_name(finding.kind)),
               std::string(finding_severity_name(finding.severity))}];
    }
    for (const auto& [kind, count] : now) {
        uint64_t& told = snapshot_.findings[kind];
        told = std::max(told, count);
    }
}

}  // namespace sanscope

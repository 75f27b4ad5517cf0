// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/exposition.h"

#include <string>
#include <utility>

#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

double seconds(int64_t time_ns) {
    return static_cast<double>(time_ns) / 1e9;
}

// An empty label is none to Prometheus.
void add(Labels& labels, const char* name, std::string_view value) {
    if (!value.empty()) labels.push_back({name, std::string(value)});
}

Labels labels_of(const PathLabels& path) {
    Labels labels;
    add(labels, "initiator_name", path.initiator_name);
    add(labels, "target_name", path.target_name);
    add(labels, "initiator", path.initiator);
    add(labels, "target", path.target);
    return labels;
}

Labels labels_of(const UnitLabels& unit) {
    Labels labels = labels_of(unit.path);
    add(labels, "lun", unit.lun);
    return labels;
}

Labels labels_of(const CommandLabels& command) {
    Labels labels = labels_of(command.unit);
    add(labels, "direction", transfer_name(command.direction));
    return labels;
}

Labels with(Labels labels, const char* name, std::string_view value) {
    add(labels, name, value);
    return labels;
}

class Families {
  public:
    void begin(std::string_view name, MetricType type, const char* help) {
        end();
        family_.name = std::string(name);
        family_.type = type;
        family_.help = help;
    }
    void sample(Labels labels, double value) {
        ClientMetric metric;
        metric.label = std::move(labels);
        if (family_.type == MetricType::Counter) {
            metric.counter.value = value;
        } else {
            metric.gauge.value = value;
        }
        family_.metric.push_back(std::move(metric));
    }
    void sample(Labels labels, uint64_t value) { sample(std::move(labels), static_cast<double>(value)); }
    void histogram(Labels labels, const CommandCounts& counts) {
        ClientMetric metric;
        metric.label = std::move(labels);
        uint64_t cumulative = 0;
        for (size_t i = 0; i < turnaround_bounds_ns.size(); ++i) {
            cumulative += counts.turnarounds[i];
            metric.histogram.bucket.push_back({cumulative, seconds(turnaround_bounds_ns[i])});
        }
        metric.histogram.sample_count = counts.timed();
        metric.histogram.sample_sum = seconds(counts.turnaround_ns);
        family_.metric.push_back(std::move(metric));
    }
    std::vector<MetricFamily> take() {
        end();
        return std::move(families_);
    }

  private:
    void end() {
        if (!family_.metric.empty()) families_.push_back(std::move(family_));
        family_ = {};
    }

    MetricFamily family_;
    std::vector<MetricFamily> families_;
};

constexpr MetricType counter = MetricType::Counter;
constexpr MetricType gauge = MetricType::Gauge;

void add_commands(Families& families, const MetricsSnapshot& snapshot) {
    const auto each = [&](auto add_one) {
        for (const auto& [labels, counts] : snapshot.commands) add_one(labels_of(labels), counts);
    };
    families.begin("sanscope_commands_total", counter, "SCSI commands that have ended, answered or not.");
    each([&](Labels labels, const CommandCounts& counts) {
        families.sample(std::move(labels), counts.commands);
    });
    families.begin("sanscope_command_bytes_total", counter,
                   "Expected data transfer lengths of the SCSI commands that were answered.");
    each([&](Labels labels, const CommandCounts& counts) {
        families.sample(std::move(labels), counts.bytes);
    });
    families.begin("sanscope_commands_not_good_total", counter,
                   "SCSI commands that were answered otherwise than with status GOOD.");
    each([&](Labels labels, const CommandCounts& counts) {
        families.sample(std::move(labels), counts.not_good);
    });
    families.begin(
        "sanscope_commands_unanswered_total", counter,
        "SCSI commands that ended without an answer: aborted, rejected and terminated ones among them.");
    each([&](Labels labels, const CommandCounts& counts) {
        families.sample(std::move(labels), counts.unanswered);
    });
    families.begin(turnaround_family, MetricType::Histogram,
                   "From the packet that completes a SCSI command to the one that completes its status.");
    each([&](Labels labels, const CommandCounts& counts) { families.histogram(std::move(labels), counts); });
    families.begin("sanscope_commands_in_flight", gauge,
                   "SCSI commands requested and not answered yet, of all sessions of the two.");
    for (const auto& [names, commands] : snapshot.in_flight)
        families.sample(labels_of(PathLabels{names.first, names.second, {}, {}}), commands);
}

void add_times(Families& families, const MetricsSnapshot& snapshot) {
    families.begin(
        "sanscope_time_lost_seconds_total", counter,
        "Turnaround of the commands that were examined, by what it was spent on; the parts add up to it.");
    for (const auto& [labels, time] : snapshot.times) {
        for (size_t part = 0; part < budget_parts; ++part) {
            families.sample(with(labels_of(labels), "part", budget_part_name(static_cast<BudgetPart>(part))),
                            seconds(time.parts_ns[part]));
        }
    }
    families.begin("sanscope_time_lost_commands_total", counter,
                   "SCSI commands that were examined: a sample of all.");
    for (const auto& [labels, time] : snapshot.times) families.sample(labels_of(labels), time.commands);
    families.begin("sanscope_time_lost_left_out_commands_total", counter,
                   "SCSI commands of samples that were still unanswered when their sample ended.");
    families.sample({}, snapshot.examined_left_out);
}

void add_losses(Families& families, const MetricsSnapshot& snapshot) {
    const auto each = [&](bool sent_again) {
        for (const auto& [labels, losses] : snapshot.losses) {
            for (size_t kind = 0; kind < loss_kinds; ++kind) {
                if (is_sent_again(static_cast<LossKind>(kind)) != sent_again) continue;
                families.sample(with(with(labels_of(labels.path), "sender", labels.sender), "kind",
                                     loss_kind_names[kind]),
                                losses[kind]);
            }
        }
    };
    families.begin("sanscope_retransmissions_total", counter,
                   "Packets that brought data a second time, by why their sender sent it again.");
    each(true);
    families.begin(
        "sanscope_irregular_segments_total", counter,
        "Packets out of order, captured twice, missing from the capture, or that probe a silent peer.");
    each(false);
}

void add_capture(Families& families, const MetricsSnapshot& snapshot) {
    const RecordingFigures& recording = snapshot.recording;
    families.begin("sanscope_capture_received_packets_total", counter,
                   "Packets that passed the filter, dropped ones among them.");
    for (const InterfaceFigures& one : recording.interfaces)
        families.sample(with({}, "interface", one.interface), one.received);
    families.begin("sanscope_capture_dropped_packets_total", counter,
                   "Packets that are not in the recording, by who had no room for them.");
    for (const InterfaceFigures& one : recording.interfaces) {
        families.sample(with(with({}, "interface", one.interface), "by", "kernel"), one.dropped_by_kernel);
        families.sample(with(with({}, "interface", one.interface), "by", "interface"),
                        one.dropped_by_interface);
    }
    families.sample(with({}, "by", "disk"), recording.lost_at_the_end);
    families.begin("sanscope_capture_written_packets_total", counter, "Packets in the recording.");
    families.sample({}, recording.packets);
    families.begin("sanscope_capture_written_bytes_total", counter,
                   "Bytes of the recording's files, removed ones among them.");
    families.sample({}, recording.bytes);
    families.begin("sanscope_capture_files_total", counter,
                   "Files of the recording, removed ones among them.");
    families.sample({}, recording.files);
    families.begin("sanscope_analysed_packets_total", counter,
                   "Packets that the figures of commands and senders rest on.");
    families.sample({}, snapshot.packets);
    families.begin("sanscope_analysis_unread_bytes", gauge, "Bytes recorded that are not analysed yet.");
    families.sample({}, recording.unread_bytes);
    families.begin("sanscope_analysed_until_timestamp_seconds", gauge, "Time of the last packet analysed.");
    if (snapshot.analysed_until > 0) families.sample({}, snapshot.analysed_until);
}

uint64_t folded_retransmissions(const MetricsSnapshot& snapshot) {
    const std::string others(MetricsSnapshot::others);
    const auto folded = snapshot.losses.find({{others, others, {}, {}}, {}});
    uint64_t sum = 0;
    for (size_t kind = 0; kind < loss_kinds && folded != snapshot.losses.end(); ++kind) {
        if (is_sent_again(static_cast<LossKind>(kind))) sum += folded->second[kind];
    }
    return sum;
}

void add_own(Families& families, const MetricsSnapshot& snapshot, std::string_view version,
             const Scrapes& scrapes) {
    families.begin("sanscope_label_sets", gauge, "Sets of labels that have figures of their own.");
    families.sample(with({}, "of", "commands"), snapshot.commands.size());
    families.sample(with({}, "of", "time_lost"), snapshot.times.size());
    families.sample(with({}, "of", "retransmissions"), snapshot.losses.size());
    families.begin("sanscope_label_sets_limit", gauge,
                   "So many there may be; what comes beyond is counted as others.");
    families.sample(with({}, "of", "commands"), uint64_t{MetricsSnapshot::most_commands});
    families.sample(with({}, "of", "time_lost"), uint64_t{MetricsSnapshot::most_times});
    families.sample(with({}, "of", "retransmissions"), uint64_t{MetricsSnapshot::most_senders});
    families.begin("sanscope_folded_commands_total", counter, "SCSI commands that are counted as others.");
    families.sample({}, snapshot.folded_commands);
    families.begin("sanscope_folded_retransmissions_total", counter,
                   "Retransmissions that are counted as others.");
    families.sample({}, folded_retransmissions(snapshot));
    families.begin("sanscope_scrapes_total", counter, "Scrapes answered, by the format they asked for.");
    for (size_t format = 0; format < exposition_formats; ++format)
        families.sample(with({}, "format", exposition_format_names[format]), scrapes[format]);
    families.begin("sanscope_build_info", gauge, "Always 1; what is running.");
    families.sample(with({}, "version", version), uint64_t{1});
}

}  // namespace

std::vector<MetricFamily> metric_families(const MetricsSnapshot& snapshot, std::string_view version,
                                          const Scrapes& scrapes) {
    Families families;
    add_commands(families, snapshot);
    add_times(families, snapshot);
    add_losses(families, snapshot);
    families.begin("sanscope_findings_total", counter, "Findings that nothing coming later can take back.");
    for (const auto& [kind, findings] : snapshot.findings)
        families.sample(with(with({}, "kind", kind.first), "severity", kind.second), findings);
    add_capture(families, snapshot);
    add_own(families, snapshot, version, scrapes);
    return families.take();
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/points_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

#include "analyzer/base/utf8.h"
#include "analyzer/points/points_tables.h"
#include "analyzer/report/append_line.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

std::string ranges_words(uint64_t ranges, uint64_t bytes) {
    return fmt::format("{} {} ({})", human_count(ranges), ranges == 1 ? "range of bytes" : "ranges of bytes",
                       human_bytes(static_cast<double>(bytes)));
}

struct Sum {
    uint64_t ranges = 0;
    uint64_t bytes = 0;
};

// All connections of a pair together, in one direction along the path.
Sum sum(const PointPair& pair, bool towards_b, CopyVerdict verdict) {
    Sum result;
    for (const ConnectionAtPoints& connection : pair.connections) {
        const Way way = towards_b != connection.contrary ? Way::out : Way::in;
        result.ranges += connection.ways[index_of(way)].count(verdict);
        result.bytes += connection.ways[index_of(way)].bytes[static_cast<size_t>(verdict)];
    }
    return result;
}

class Text {
  public:
    explicit Text(const PathPoints& path) : path_(path), numbers_(connection_numbers(path)) {
        for (const auto& point : path.points) names_.push_back(cleaned_line(point->name()));
    }

    std::string write(std::string_view commands) {
        points();
        findings();
        text_ += commands;
        clocks();
        for (size_t p = 0; p < path_.pairs.size(); ++p) {
            const PointPair& pair = path_.pairs[p];
            line("\nBetween {} and {}", names_[pair.a], names_[pair.b]);
            constexpr size_t most_listed = 50;
            for (size_t c = 0; c < std::min(pair.connections.size(), most_listed); ++c)
                connection(pair.connections[c], numbers_[p][c]);
            if (pair.connections.size() > most_listed) {
                line("  … and {} more: sanscope table points --points",
                     human_count(pair.connections.size() - most_listed));
            }
        }
        return std::move(text_);
    }

  private:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        append_line(text_, format, std::forward<Args>(args)...);
    }

    void points() {
        const bool known = std::ranges::all_of(path_.pairs, &PointPair::order_known);
        line("Points of the path, {}", !known               ? "in an order that nothing confirms"
                                       : initiators_known() ? "from the initiators to the targets"
                                                            : "in the order that packets pass them");
        if (known && !initiators_known()) {
            line(
                "  which end the initiators are at is a guess by the ports, and so is what is out and back: "
                "-d tcp.port==PORT,iscsi names the targets'");
        }
        for (size_t i = 0; i < path_.points.size(); ++i) {
            const PointCapture& point = *path_.points[i];
            line("  {}  {}: {} in {}, from {} on, {}", i + 1, names_[i],
                 counted(point.tcp_segments(), "TCP segment"),
                 counted(point.connections().size(), "connection"),
                 point.first_ns() == no_time ? "?" : utc_time(point.first_ns()),
                 point.first_ns() == no_time ? "" : human_duration(point.last_ns() - point.first_ns()));
            if (point.left_out() > 0) {
                line("      {} beyond the most that are kept were left out",
                     counted(point.left_out(), "segment"));
            }
        }
    }

    bool initiators_known() const {
        const PointPair& pair = path_.pairs.front();
        const auto known_at = [](const PointCapture& point, size_t connection) {
            return point.connections()[connection].initiator_known;
        };
        return std::ranges::any_of(pair.connections, [&](const ConnectionAtPoints& connection) {
            return known_at(*path_.points[pair.a], connection.connection_a) ||
                   known_at(*path_.points[pair.b], connection.connection_b);
        });
    }

    template <class... Args>
    void finding(std::string_view kind, fmt::format_string<Args...> format, Args&&... args) {
        any_finding_ = true;
        line("  {:<11} {}", kind, fmt::format(format, std::forward<Args>(args)...));
    }

    void findings() {
        line("\nFindings");
        for (const PointPair& pair : path_.pairs) losses(pair);
        for (const PointPair& pair : path_.pairs) queues(pair);
        for (const PointPair& pair : path_.pairs) clock_findings(pair);
        for (const PointPair& pair : path_.pairs) captures(pair);
        if (!any_finding_)
            line("  nothing was lost between the points, and no direction is much slower than the other");
    }

    void losses(const PointPair& pair) {
        const std::string& a = names_[pair.a];
        const std::string& b = names_[pair.b];
        for (const bool towards_b : {true, false}) {
            const std::string_view towards = towards_b ? "targets" : "initiators";
            if (const Sum lost = sum(pair, towards_b, CopyVerdict::lost_between); lost.ranges > 0) {
                finding("problem", "{} to the {} were lost between {} and {}",
                        ranges_words(lost.ranges, lost.bytes), towards, towards_b ? a : b, towards_b ? b : a);
            }
            // What lies beyond another point is told of that one.
            const bool last = towards_b ? pair.b + 1 == path_.points.size() : pair.a == 0;
            const Sum beyond = sum(pair, towards_b, CopyVerdict::lost_beyond);
            if (last && beyond.ranges > 0) {
                finding("problem", "{} to the {} were lost beyond {}, behind the last point",
                        ranges_words(beyond.ranges, beyond.bytes), towards, towards_b ? b : a);
            }
        }
    }

    // Time in queues needs no clock but its skew: compared as bands, what is said holds wherever in them the truth lies.
    void queues(const PointPair& pair) {
        constexpr int64_t much_ns = 500'000;
        for (const ConnectionAtPoints& connection : pair.connections) {
            for (const Way way : {Way::out, Way::in}) {
                const TimeBand& here = connection.ways[index_of(way)].delay.p50_in_queues;
                const TimeBand& there = connection.ways[index_of(other_way(way))].delay.p50_in_queues;
                if (!here.bounded() || !there.bounded()) continue;
                if (here.low_ns < much_ns || here.low_ns < 3 * there.high_ns) continue;
                finding("problem",
                        "{} -> {}: delay is in the path {}: half of the packets wait {} or longer, the other "
                        "way {}",
                        format_endpoint(connection.initiator.address, connection.initiator.port),
                        format_endpoint(connection.target.address, connection.target.port),
                        way == Way::out ? "out, to the target" : "back, from the target", band_words(here),
                        band_words(there));
            }
        }
    }

    void clock_findings(const PointPair& pair) {
        for (const ClockStep& step : pair.clock.steps) {
            if (!step.certain) continue;
            finding("notice", "clock stepped: that of {} by {} against that of {}, between {} and {}",
                    names_[pair.b], offset_words(step.size), names_[pair.a], utc_time(step.from_ns),
                    utc_time(step.to_ns));
        }
        if (pair.clock.unstable) {
            finding("notice",
                    "the clocks of {} and {} run so unevenly that none of their differences can be told",
                    names_[pair.a], names_[pair.b]);
        }
        if (!pair.order_known) {
            finding("notice",
                    "which of {} and {} packets pass first is not known: what is lost and what is slow "
                    "cannot be told",
                    names_[pair.a], names_[pair.b]);
        } else if (std::ranges::none_of(pair.clock.stretches, [](const ClockStretch& stretch) {
                       return stretch.has_low && stretch.has_high;
                   })) {
            finding("notice", "{} and {} have packets of one direction only in common: no delay can be told",
                    names_[pair.a], names_[pair.b]);
        }
    }

    void captures(const PointPair& pair) {
        Sum a;
        Sum b;
        Sum unclear;
        for (const bool towards_b : {true, false}) {
            const Sum before = sum(pair, towards_b, CopyVerdict::not_captured_before);
            const Sum behind = sum(pair, towards_b, CopyVerdict::not_captured_behind);
            for (const auto& [lacks, of] :
                 {std::pair{before, towards_b ? &a : &b}, {behind, towards_b ? &b : &a}}) {
                of->ranges += lacks.ranges;
                of->bytes += lacks.bytes;
            }
            const Sum more = sum(pair, towards_b, CopyVerdict::unclear);
            unclear.ranges += more.ranges;
            unclear.bytes += more.bytes;
        }
        for (const auto& [lacks, point] : {std::pair{a, pair.a}, {b, pair.b}}) {
            if (lacks.ranges == 0) continue;
            finding("notice", "the capture {} lacks {} that passed it", names_[point],
                    ranges_words(lacks.ranges, lacks.bytes));
        }
        if (unclear.ranges > 0) {
            finding("information", "of {} between {} and {} nothing tells what became",
                    ranges_words(unclear.ranges, unclear.bytes), names_[pair.a], names_[pair.b]);
        }
        if (pair.only_a > 0 || pair.only_b > 0) {
            finding("information", "connections with data that only one of them has: {} {}, {} {}",
                    names_[pair.a], human_count(pair.only_a), names_[pair.b], human_count(pair.only_b));
        }
    }

    void clocks() {
        line("\nClocks");
        for (const PointPair& pair : path_.pairs) {
            if (pair.clock.stretches.empty()) {
                line("  {} against {}: unknown", names_[pair.b], names_[pair.a]);
                continue;
            }
            for (const ClockStretch& stretch : pair.clock.stretches) {
                const SkewBand skew = stretch.skew();
                const int64_t middle = stretch.first_ns + (stretch.last_ns - stretch.first_ns) / 2;
                line("  {} against {}: {} at {}, {}", names_[pair.b], names_[pair.a],
                     offset_words(stretch.offset(middle)), utc_time(middle),
                     skew.known ? fmt::format("skew {:+.1f} to {:+.1f} ppm", skew.low_ppm, skew.high_ppm)
                                : "too short to tell the skew");
            }
        }
    }

    void row(std::string_view what, const std::string& out, const std::string& in) {
        line("    {:<34} {:<28} {}", what, out, in);
    }
    template <class Words>
    void row_of(std::string_view what, const ConnectionAtPoints& connection, Words words) {
        row(what, words(connection.ways[0]), words(connection.ways[1]));
    }

    void connection(const ConnectionAtPoints& connection, uint32_t number) {
        line("  Connection {}  {} -> {}{}", number,
             format_endpoint(connection.initiator.address, connection.initiator.port),
             format_endpoint(connection.target.address, connection.target.port),
             connection.translated ? ", translated between the points" : "");
        row("", "to the target", "to the initiator");
        row_of("segments with payload", connection,
               [](const WayResult& way) { return human_count(way.segments_before); });
        row_of("bytes found at both", connection, [](const WayResult& way) {
            const uint64_t fewer = std::min(way.bytes_before, way.bytes_behind);
            return fewer == 0
                       ? std::string("-")
                       : human_percent(static_cast<double>(way.bytes_shared) / static_cast<double>(fewer));
        });
        if (!connection.order_known) {
            line("    which point is passed first is not known");
            return;
        }
        const auto verdicts = [&](std::string_view what, CopyVerdict verdict) {
            if (connection.ways[0].count(verdict) + connection.ways[1].count(verdict) == 0) return;
            row_of(what, connection, [&](const WayResult& way) { return human_count(way.count(verdict)); });
        };
        verdicts("ranges lost between the points", CopyVerdict::lost_between);
        verdicts("… lost beyond both", CopyVerdict::lost_beyond);
        verdicts("… not captured at the first passed", CopyVerdict::not_captured_before);
        verdicts("… not captured at the second", CopyVerdict::not_captured_behind);
        verdicts("… unclear", CopyVerdict::unclear);
        if (connection.ways[0].reordered + connection.ways[1].reordered > 0) {
            row_of("segments overtaken", connection,
                   [](const WayResult& way) { return human_count(way.reordered); });
        }
        const auto delays = [&](std::string_view what, TimeBand DelayFigures::*member) {
            row_of(what, connection, [&](const WayResult& way) { return band_words(way.delay.*member); });
        };
        delays("delay, least", &DelayFigures::least);
        delays("  half", &DelayFigures::p50);
        delays("  99 of 100", &DelayFigures::p99);
        delays("  most", &DelayFigures::most);
        if (connection.ways[0].delay.p50_in_queues.bounded() ||
            connection.ways[1].delay.p50_in_queues.bounded()) {
            delays("beyond the least, half", &DelayFigures::p50_in_queues);
            delays("  99 of 100", &DelayFigures::p99_in_queues);
        }
    }

    const PathPoints& path_;
    std::vector<std::vector<uint32_t>> numbers_;
    std::vector<std::string> names_;
    std::string text_;
    bool any_finding_ = false;
};

}  // namespace

std::string points_text(const PathPoints& path, std::string_view commands) {
    return Text(path).write(commands);
}

std::string band_words(const TimeBand& band) {
    if (!band.bounded()) return "unknown";
    const int64_t half = (band.high_ns - band.low_ns + 1) / 2;
    if (half == 0) return human_duration(band.low_ns);
    if (half * 2 > std::abs(band.middle_ns())) {
        return fmt::format("{} to {}", human_duration(band.low_ns), human_duration(band.high_ns));
    }
    return fmt::format("{} ± {}", human_duration(band.middle_ns()), human_duration(half));
}

std::string offset_words(const TimeBand& band) {
    if (!band.bounded()) return "an unknown time";
    const int64_t half = (band.high_ns - band.low_ns + 1) / 2;
    return fmt::format("{:+.6f} s ± {}", static_cast<double>(band.middle_ns()) * 1e-9, human_duration(half));
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/load_events.h"

#include "captures/load/json_object.h"
#include "captures/load/load_json.h"

#include "analyzer/export/block_writer.h"

namespace sanscope {
namespace {

// One object in one line: `members(object, out)` adds all but its kind.
template <class Members>
bool write_object(ByteSink& sink, std::string_view kind, Members members) {
    BlockWriter out(sink);
    JsonObject object(out);
    object.text("kind", kind);
    members(object, out);
    object.end();
    out.append('\n');
    return out.finish();
}

}  // namespace

bool LoadEvents::begun(const std::vector<std::string>& targets,
                       const std::optional<LoginOutcome>& negotiated) {
    return write_object(sink_, "begun", [&](JsonObject& object, BlockWriter& out) {
        object.begin("targets");
        append_json_array(targets, out);
        if (!negotiated) return;
        object.begin("negotiated");
        append_negotiated_object(*negotiated, out);
    });
}

bool LoadEvents::second(const LoadAccount& second, double at_seconds, uint64_t in_flight) {
    return write_object(sink_, "second", [&](JsonObject& object, BlockWriter& /*out*/) {
        const LogHistogram turnaround = second.turnaround();
        const auto duration = [&](std::string_view name, double value_ns) {
            if (turnaround.count() == 0) {
                object.null(name);
            } else {
                object.number(name, static_cast<uint64_t>(value_ns));
            }
        };
        const auto percentile = [&](double fraction) {
            return static_cast<double>(turnaround.percentile_ns(fraction));
        };
        object.number("seconds", at_seconds, 3);
        object.number("commands", second.done());
        object.number("reads", second.of(LoadKind::read).done);
        object.number("writes", second.of(LoadKind::write).done);
        object.number("bytes", second.bytes());
        object.number("errors", second.failed());
        object.number("bytes_per_second", second.bytes_per_second(), 1);
        object.number("commands_per_second", second.commands_per_second(), 3);
        duration("p50_ns", percentile(0.5));
        duration("p90_ns", percentile(0.9));
        duration("p99_ns", percentile(0.99));
        duration("p999_ns", percentile(0.999));
        duration("max_ns", static_cast<double>(turnaround.max_ns()));
        duration("mean_ns", turnaround.mean_ns());
        object.number("in_flight", in_flight);
        object.number("cpu_seconds", second.cpu_seconds(), 6);
    });
}

bool LoadEvents::message(std::string_view text) {
    return write_object(sink_, "message",
                        [&](JsonObject& object, BlockWriter& /*out*/) { object.text("text", text); });
}

bool LoadEvents::ended(int exit_status, const LoadSummary& summary) {
    return write_object(sink_, "ended", [&](JsonObject& object, BlockWriter& out) {
        object.number("status", static_cast<uint64_t>(exit_status));
        object.begin("summary");
        append_load_object(summary, out);
    });
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/comparison_json.h"

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "analyzer/compare/comparison_words.h"
#include "analyzer/export/block_writer.h"
#include "analyzer/export/json_string.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

// Objects and lists, with the commas that belong between.
class Json {
  public:
    explicit Json(ByteSink& sink) : out_(sink) {}

    void begin(std::string_view key, char bracket) {
        name(key);
        out_.append(bracket);
        first_ = true;
    }
    void end(char bracket) {
        out_.append(bracket);
        first_ = false;
    }
    void text(std::string_view key, std::string_view value) {
        name(key);
        append_json_string(value, out_);
    }
    void number(std::string_view key, std::optional<double> value) {
        name(key);
        out_.append(value && std::isfinite(*value) ? fmt::format("{:.6g}", *value) : "null");
    }
    void count(std::string_view key, std::optional<uint64_t> value) {
        name(key);
        out_.append(value ? fmt::format("{}", *value) : "null");
    }
    void text_or_null(std::string_view key, std::string_view value) {
        if (value.empty()) {
            number(key, std::nullopt);
        } else {
            text(key, value);
        }
    }
    bool finish() {
        out_.append('\n');
        return out_.finish();
    }

  private:
    void name(std::string_view key) {
        if (!first_) out_.append(',');
        first_ = false;
        if (key.empty()) return;
        append_json_string(key, out_);
        out_.append(':');
    }

    BlockWriter out_;
    bool first_ = true;
};

std::string_view verdict_name(FigureChange::Verdict verdict) {
    constexpr std::string_view names[] = {"not_told", "not_shown", "higher", "lower"};
    return names[static_cast<size_t>(verdict)];
}

std::string_view reason_name(NoError reason) {
    constexpr std::string_view names[] = {"", "too_few", "never_moved", "other_place", "other_view"};
    return names[static_cast<size_t>(reason)];
}

void write_capture(Json& json, std::string_view key, const std::string& file, const CaptureFigures& capture) {
    json.begin(key, '{');
    json.text("file", file);
    json.count("packets", capture.packets);
    json.count("sessions_left_out", capture.sessions_left_out);
    json.end('}');
}

void write_session_name(Json& json, const SessionFigures& session) {
    json.text_or_null("initiator_name", session.initiator_name);
    json.text_or_null("target_name", session.target_name);
}

void write_figure(Json& json, const FigureChange& change) {
    using Verdict = FigureChange::Verdict;
    const Figure& figure = change.any();
    const FigurePlace& place = figure.place;
    json.begin("", '{');
    json.text("figure", figure.name);
    json.count("lun", place.lun == unknown<uint64_t> ? std::nullopt : std::optional<uint64_t>(place.lun));
    json.text_or_null("command", place.command);
    json.count("bytes_up_to", place.size_class == 0
                                  ? std::nullopt
                                  : std::optional<uint64_t>(uint64_t{1} << (place.size_class - 1)));
    json.text_or_null("sender", place.sender);
    const auto value = [](const Figure* one) {
        return one == nullptr ? std::nullopt : std::optional<double>(one->estimate.value);
    };
    json.number("before", value(change.before));
    json.number("after", value(change.after));
    const bool both = change.before != nullptr && change.after != nullptr;
    const bool judged = both && change.verdict != Verdict::not_told;
    json.text("compared_by", figure.scale == Scale::ratio ? "ratio" : "difference");
    json.number("change", both ? std::optional<double>(change.change) : std::nullopt);
    json.number("change_low", judged ? std::optional<double>(change.low) : std::nullopt);
    json.number("change_high", judged ? std::optional<double>(change.high) : std::nullopt);
    json.number("chance", judged ? std::optional<double>(change.chance) : std::nullopt);
    json.text("verdict", verdict_name(change.verdict));
    json.text_or_null("reason", reason_name(change.no_error));
    json.end('}');
}

void write_finding(Json& json, const FindingChange& change) {
    json.begin("", '{');
    json.text("state", finding_state_name(change.state));
    const PlacedFinding& any = change.after != nullptr ? *change.after : *change.before;
    json.text("kind", finding_kind_name(any.kind));
    const auto side = [&](std::string_view which, const PlacedFinding* finding) {
        const std::string severity = fmt::format("severity_{}", which);
        const std::string title = fmt::format("title_{}", which);
        json.text_or_null(severity, finding == nullptr ? "" : finding_severity_name(finding->severity));
        json.text_or_null(title, finding == nullptr ? "" : finding->title);
    };
    side("before", change.before);
    side("after", change.after);
    json.text("place", any.place);
    json.end('}');
}

void write_unmatched(Json& json, std::string_view key, const std::vector<size_t>& sessions,
                     const CaptureFigures& capture) {
    json.begin(key, '[');
    for (const size_t i : sessions) {
        const SessionFigures& session = capture.sessions[i];
        json.begin("", '{');
        write_session_name(json, session);
        json.text("target", format_endpoint(session.target.address, session.target.port));
        json.count("commands", session.commands);
        json.end('}');
    }
    json.end(']');
}

}  // namespace

bool write_comparison_json(const ComparedFiles& files, const CaptureFigures& before,
                           const CaptureFigures& after, const Comparison& comparison, ByteSink& sink) {
    Json json(sink);
    json.begin("", '{');
    write_capture(json, "before", files.before, before);
    write_capture(json, "after", files.after, after);
    json.count("figures_compared", comparison.figures_compared);
    json.count("figures_changed", comparison.figures_changed);
    json.begin("sessions", '[');
    for (const SessionComparison& session : comparison.sessions) {
        json.begin("", '{');
        write_session_name(json, before.sessions[session.before]);
        const auto vantage = [&](std::string_view key, const SessionFigures& of) {
            json.text_or_null(key, of.vantages_differ ? "" : vantage_names[static_cast<size_t>(of.vantage)]);
        };
        vantage("vantage_before", before.sessions[session.before]);
        vantage("vantage_after", after.sessions[session.after]);
        json.count("commands_before", before.sessions[session.before].commands);
        json.count("commands_after", after.sessions[session.after].commands);
        json.begin("figures", '[');
        for (const FigureChange& change : session.figures) write_figure(json, change);
        json.end(']');
        json.end('}');
    }
    json.end(']');
    json.begin("findings", '[');
    for (const FindingChange& change : comparison.findings) write_finding(json, change);
    json.end(']');
    write_unmatched(json, "only_before", comparison.only_before, before);
    write_unmatched(json, "only_after", comparison.only_after, after);
    json.end('}');
    return json.finish();
}

}  // namespace sanscope

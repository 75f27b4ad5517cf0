// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/comparison.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

#include "captures/experiment/markup.h"

namespace sanscope::lab {
namespace {

// With those values that the conditions ask for, the first of each.
RunSettings with(RunSettings settings, const std::vector<Condition>& conditions) {
    for (const Condition& condition : conditions) {
        const SettingColumn* const column = find_setting(condition.setting);
        if (column != nullptr && !condition.values.empty()) column->set(settings, condition.values.front());
    }
    return settings;
}

double ratio_of(double subject, double reference) {
    if (reference != 0) return subject / reference;
    return subject == 0 ? 1 : std::numeric_limits<double>::infinity();
}

// "4 connections, reno"; of several values "0 ms or 2 ms".
std::string conditions_text(const std::vector<Condition>& conditions) {
    std::vector<std::string> texts;
    for (const Condition& condition : conditions) {
        std::vector<std::string> values;
        for (const std::string_view value : condition.values) {
            RunSettings settings;
            const SettingColumn* const column = find_setting(condition.setting);
            if (column != nullptr && column->set(settings, value)) values.push_back(column->label(settings));
        }
        texts.push_back(fmt::format("{}", fmt::join(values, " or ")));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::string bounds_text(const Claim& claim) {
    if (!std::isfinite(claim.most)) return fmt::format("at least {:g} times", claim.least);
    if (claim.least <= 0) return fmt::format("at most {:g} times", claim.most);
    return fmt::format("from {:g} to {:g} times", claim.least, claim.most);
}

std::string scaled_text(double value, const MeasureInfo& info) {
    return fmt::format("{:.{}f}", value / info.scale, info.decimals);
}

using Cells = std::vector<std::string>;

std::string table_row(const Cells& cells, std::string_view element) {
    std::string text = "<tr>";
    for (const std::string& cell : cells) text += fmt::format("<{0}>{1}</{0}>", element, escape_markup(cell));
    return text + "</tr>\n";
}

Cells value_cells(const PublishedValue& published, const std::vector<ResultRow>& rows) {
    const MeasureInfo& info = measure_info(published.measure);
    Cells cells{std::string(published.where), conditions_text(published.settings), std::string(info.heading),
                published.printed, scaled_text(published.value, info)};
    const auto row = std::ranges::find_if(rows, [&](const ResultRow& one) {
        return fulfil(one.settings, published.settings) && one[published.measure];
    });
    if (row == rows.end()) {
        cells.insert(cells.end(), {"not measured", "–"});
        return cells;
    }
    const Spread& spread = *(*row)[published.measure];
    cells.push_back(scaled_text(spread.median, info));
    cells.push_back(published.value == 0 ? "–" : fmt::format("{:.2f}", spread.median / published.value));
    return cells;
}

}  // namespace

bool fulfil(const RunSettings& settings, const std::vector<Condition>& conditions) {
    return std::ranges::all_of(conditions, [&](const Condition& condition) {
        const SettingColumn* const column = find_setting(condition.setting);
        if (column == nullptr) return false;
        if (!column->means_something_to(settings.load)) return true;
        return std::ranges::any_of(condition.values, [&](std::string_view value) {
            RunSettings like = settings;
            return column->set(like, value) && column->text(like) == column->text(settings);
        });
    });
}

Judgement judge(const Claim& claim, const std::vector<ResultRow>& rows) {
    std::map<std::string, const ResultRow*> by_settings;
    for (const ResultRow& row : rows) by_settings.emplace(settings_text(row.settings), &row);
    std::vector<double> ratios;
    for (const ResultRow& row : rows) {
        if (!fulfil(row.settings, claim.among) || !fulfil(row.settings, claim.subject)) continue;
        const auto other = by_settings.find(settings_text(with(row.settings, claim.reference)));
        if (other == by_settings.end() || other->second == &row) continue;
        const auto& subject = row[claim.measure];
        const auto& reference = (*other->second)[claim.measure];
        if (subject && reference) ratios.push_back(ratio_of(subject->median, reference->median));
    }
    Judgement judgement;
    judgement.pairs = ratios.size();
    const auto spread = spread_of(ratios);
    if (!spread) return judgement;
    judgement.lowest = spread->lowest;
    judgement.median = spread->median;
    judgement.highest = spread->highest;
    judgement.within = static_cast<size_t>(std::ranges::count_if(
        ratios, [&](double ratio) { return ratio >= claim.least && ratio <= claim.most; }));
    const double wanted = claim.share * static_cast<double>(judgement.pairs);
    judgement.verdict = static_cast<double>(judgement.within) >= wanted ? Judgement::Verdict::holds
                                                                        : Judgement::Verdict::does_not_hold;
    return judgement;
}

std::string rule_text(const Claim& claim) {
    constexpr double percent = 100;
    const std::string among = claim.among.empty() ? "" : fmt::format(" of {}", conditions_text(claim.among));
    return fmt::format(
        "Holds where, in at least {:g} % of the pairs of runs{} that differ in nothing else, {} with {} "
        "is {} that with {}.",
        percent * claim.share, among, measure_info(claim.measure).heading, conditions_text(claim.subject),
        bounds_text(claim), conditions_text(claim.reference));
}

std::string judgement_text(const Judgement& judgement) {
    if (judgement.verdict == Judgement::Verdict::not_measured) return "not measured";
    return fmt::format("{}: in {} of {} pair{}; the ratio is {:.2f} ({:.2f} … {:.2f})",
                       judgement.verdict == Judgement::Verdict::holds ? "holds" : "does not hold",
                       judgement.within, judgement.pairs, judgement.pairs == 1 ? "" : "s", judgement.median,
                       judgement.lowest, judgement.highest);
}

std::string published_values_html(const Publication& publication, const std::vector<ResultRow>& rows) {
    if (publication.values.empty()) return "";
    std::string text =
        "<h2>The publication's numbers beside these</h2>\n<p>Medians of the runs that stand for those of "
        "the publication. Where the machines and the links differ as much as here, it is how a number "
        "changes from line to line that can be compared.</p>\n<table>\n<thead>" +
        table_row({"where", "settings", "measure", "as printed there", "there", "here", "here / there"},
                  "th") +
        "</thead>\n<tbody>\n";
    for (const PublishedValue& value : publication.values) text += table_row(value_cells(value, rows), "td");
    return text + "</tbody>\n</table>\n";
}

std::string claims_html(const Publication& publication, const std::vector<ResultRow>& rows) {
    if (publication.claims.empty()) return "";
    std::string text = "<h2>Whether its conclusions hold here</h2>\n<dl>\n";
    for (const Claim& claim : publication.claims) {
        text += fmt::format("<dt>{} ({})</dt><dd>{}<br>{}</dd>\n", escape_markup(claim.statement),
                            escape_markup(claim.where), escape_markup(judgement_text(judge(claim, rows))),
                            escape_markup(rule_text(claim)));
    }
    return text + "</dl>\n";
}

std::string departures_html(const std::vector<Departure>& departures) {
    if (departures.empty()) return "";
    std::string text = "<h2>Where this is not what the publication did</h2>\n<dl>\n";
    for (const Departure& departure : departures) {
        text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape_markup(departure.what),
                            escape_markup(departure.why));
    }
    return text + "</dl>\n";
}

}  // namespace sanscope::lab

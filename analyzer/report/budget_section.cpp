// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/budget_section.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <iterator>
#include <numeric>
#include <vector>

#include "analyzer/budget/budget_groups.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

constexpr size_t max_sessions = 20;
constexpr size_t bar_length = 60;
// Parts of less than this of a session's time are left out of its line.
constexpr double least_share = 0.01;
// A letter for each part, in the order of BudgetPart.
constexpr std::string_view letters = ">crowpiRtb=<?";
static_assert(letters.size() == budget_parts);

double share_of(const SessionBudget& session, size_t part) {
    return static_cast<double>(session.sums_ns[part]) / static_cast<double>(session.turnaround_ns());
}

// As many letters of each part as its share, all together bar_length: the largest remainders are rounded up.
std::string bar_of(const SessionBudget& session) {
    std::array<size_t, budget_parts> lengths{};
    std::array<size_t, budget_parts> order{};
    std::iota(order.begin(), order.end(), size_t{0});
    size_t given = 0;
    const auto exact = [&](size_t part) { return share_of(session, part) * bar_length; };
    for (const size_t part : order) given += lengths[part] = static_cast<size_t>(exact(part));
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](size_t part) { return exact(part) - static_cast<double>(lengths[part]); });
    for (size_t i = 0; given < bar_length; ++given, ++i) ++lengths[order[i % budget_parts]];
    std::string bar;
    for (size_t part = 0; part < budget_parts; ++part) bar.append(lengths[part], letters[part]);
    return bar;
}

// "t target 61 %, < return path 18 %", the greatest first.
std::string parts_of(const SessionBudget& session) {
    std::array<size_t, budget_parts> order{};
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](size_t part) { return session.sums_ns[part]; });
    std::string text;
    for (const size_t part : order) {
        const double share = share_of(session, part);
        if (share < least_share) break;
        fmt::format_to(std::back_inserter(text), "{}{} {} {:.0f} %", text.empty() ? "" : ", ", letters[part],
                       budget_part_title(static_cast<BudgetPart>(part)), share * 100);
    }
    return text;
}

// The average and the shares are of the rest.
std::string untimed_words(const SessionBudget& session) {
    if (session.untimed == 0) return "";
    return fmt::format("; not of {} whose time is not known", counted(session.untimed, "more command"));
}

}  // namespace

std::string where_the_time_went_section(const ResultStore& store) {
    if (!store.keeps_budgets() || !store.finished() || store.commands().empty()) return "";
    std::vector<SessionBudget> sessions = session_budgets(store, TimeBudgets(store));
    std::erase_if(sessions, [](const SessionBudget& session) { return session.turnaround_ns() <= 0; });
    if (sessions.empty()) return "";
    std::string text = "\nWhere the time went\n";
    for (size_t i = 0; i < std::min(sessions.size(), max_sessions); ++i) {
        const SessionBudget& session = sessions[i];
        const auto mean_ns = session.turnaround_ns() / static_cast<int64_t>(session.commands);
        fmt::format_to(std::back_inserter(text), "  session {}: {} of {} on average{}\n    [{}]\n    {}\n",
                       session.session.value(), counted(session.commands, "command"), human_duration(mean_ns),
                       untimed_words(session), bar_of(session), parts_of(session));
    }
    if (sessions.size() > max_sessions) {
        fmt::format_to(std::back_inserter(text), "  and {} more\n",
                       counted(sessions.size() - max_sessions, "session"));
    }
    return text;
}

}  // namespace sanscope

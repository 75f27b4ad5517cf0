// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/kernel_comparison.h"

#include <algorithm>
#include <fmt/core.h>
#include <string_view>
#include <utility>

#include "analyzer/report/clauses.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

constexpr size_t most_listed = 5;
constexpr double noticeable_share = 0.01;
constexpr double tenth = 0.1;

double share_of_counts(uint64_t part, uint64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// "192.0.2.2, cubic"
std::string host_of(const KernelComparison& one) {
    std::string text = format(one.host);
    if (!one.congestion_control.empty()) text += ", " + one.congestion_control;
    return text;
}

double error_at(const KernelComparison& one, double fraction) {
    return static_cast<double>(one.errors.percentile_ns(fraction)) / 1e6;
}

// "exact", "within 3.1 %"
std::string closeness(double error) {
    constexpr double next_to_nothing = 0.0005;
    return error < next_to_nothing ? "exact" : "within " + human_percent(error);
}

// "exact at nine tenths of the moments"
std::string usually(const KernelComparison& one) {
    const std::string half = closeness(error_at(one, 0.5));
    const bool most_as_well = half == closeness(error_at(one, 0.9));
    return fmt::format("{} at {} of the moments", half, most_as_well ? "nine tenths" : "half");
}

std::string of_window(const KernelComparison& one) {
    const std::string half = closeness(error_at(one, 0.5));
    const std::string most = closeness(error_at(one, 0.9));
    const std::string moments = counted(one.errors.count(), "moment");
    std::string text = fmt::format("the estimated congestion window was {} at ", half);
    text += half == most ? fmt::format("nine tenths of {}", moments)
                         : fmt::format("half of {} and {} at nine tenths", moments, most);
    return text;
}

std::string of_state(const KernelComparison& one) {
    return fmt::format("the congestion state agreed {} of the time",
                       human_percent(share_of(one.agreed_ns, one.compared_ns)));
}

std::vector<std::string> clauses_of(const KernelComparison& one) {
    const std::string begin = fmt::format("On this host's kernel ({}) ", host_of(one));
    if (!one.is_enough()) {
        return {begin + fmt::format("the window was told at {}: too few to judge",
                                    counted(one.errors.count() + one.without_estimate, "moment"))};
    }
    std::vector<std::string> clauses = {begin + of_window(one)};
    if (error_at(one, 0.9) > tenth) {
        clauses.push_back(fmt::format("within 10 % at {} of them",
                                      human_percent(share_of_counts(one.within_tenth, one.errors.count()))));
    }
    if (share_of_counts(one.without_estimate, one.errors.count()) >= noticeable_share) {
        clauses.push_back(
            fmt::format("at {} more there was no estimate yet", human_count(one.without_estimate)));
    }
    if (one.waits_unseen()) {
        clauses.push_back(fmt::format(
            "{} of its round trip of {} passed before packets came by the capture, waiting on that host for "
            "their turn: the part of the window that waits there is on no wire, and not in the estimate",
            human_duration(one.unseen_waits.percentile_ns(0.5)),
            human_duration(one.round_trips.percentile_ns(0.5))));
    }
    if (one.compared_ns > 0) clauses.push_back(of_state(one));
    if (one.kernel_transitions > 0) {
        clauses.push_back(
            fmt::format("{} of its {} seen within a round trip", human_count(one.matched_transitions),
                        counted(one.kernel_transitions, "change") +
                            (one.kernel_transitions == 1 ? " of state was" : " of state were")));
    }
    if (one.own_transitions > one.matched_transitions) {
        clauses.push_back(fmt::format("{} inferred that it did not make",
                                      human_count(one.own_transitions - one.matched_transitions)));
    }
    if (one.sampled) clauses.emplace_back("it was asked now and then, not told of every acknowledgement");
    return clauses;
}

}  // namespace

bool KernelComparison::waits_unseen() const {
    constexpr int64_t least_ns = 1'000'000;  // what two clocks, or two ways to smooth, may differ by
    const int64_t unseen_ns = unseen_waits.percentile_ns(0.5);
    return unseen_ns >= least_ns && unseen_ns >= round_trips.percentile_ns(0.5) / 4;
}

std::vector<KernelComparison> compare_with_kernels(const ResultStore& store) {
    std::vector<KernelComparison> all;
    if (store.kernel_scores() == nullptr) return all;
    std::vector<uint64_t> most_moments;  // of one sender, by place in `all`
    for (const KernelScore& score : store.kernel_scores()->all()) {
        if (!score.kernel_known()) continue;
        const ConnectionRow& connection = store.connection(score.connection());
        const bool is_initiator = connection.is_initiator(score.side());
        const uint64_t sent = is_initiator ? connection.bytes_out : connection.bytes_in;
        if (sent < KernelComparison::least_bytes) continue;
        const IpAddress host = connection.endpoint(score.side()).address;
        const auto found = std::ranges::find_if(all, [&](const KernelComparison& one) {
            return one.host == host && one.congestion_control == score.congestion_control();
        });
        const auto place = static_cast<size_t>(found - all.begin());
        if (found == all.end()) {
            all.emplace_back();
            all.back().host = host;
            all.back().congestion_control = score.congestion_control();
            most_moments.push_back(0);
        }
        KernelComparison& one = all[place];
        if (one.senders++ == 0 || score.moments() > most_moments[place]) {
            most_moments[place] = score.moments();
            one.connection = score.connection();
            one.sender = score.side();
        }
        one.sampled = one.sampled || score.sampled();
        one.errors.add(score.errors());
        one.round_trips.add(score.round_trips());
        one.unseen_waits.add(score.unseen_waits());
        one.without_estimate += score.moments_without_estimate();
        one.within_tenth += score.within_tenth();
        one.compared_ns += score.compared_ns();
        one.agreed_ns += score.agreed_ns();
        one.kernel_transitions += score.kernel_transitions();
        one.own_transitions += score.own_transitions();
        one.matched_transitions += score.matched_transitions();
    }
    std::ranges::stable_sort(all, std::greater(),
                             [](const KernelComparison& one) { return one.errors.count(); });
    return all;
}

std::string kernel_section(const ResultStore& store) {
    if (store.kernel_scores() == nullptr ||
        std::ranges::none_of(store.kernel_scores()->all(), &KernelScore::kernel_known)) {
        return "";
    }
    const std::vector<KernelComparison> all = compare_with_kernels(store);
    std::string text = "\nAgainst the kernel's own word\n";
    if (all.empty()) {
        text += fmt::format("  None of the senders of which it told sent {}: nothing to judge\n",
                            human_bytes(KernelComparison::least_bytes));
    }
    for (size_t i = 0; i < std::min(all.size(), most_listed); ++i)
        text += lines_of_clauses(clauses_of(all[i]));
    if (all.size() > most_listed) text += fmt::format("  … and {} more\n", all.size() - most_listed);
    return text;
}

void add_kernel_findings(FindingList& list, const ResultStore& store) {
    for (const KernelComparison& one : compare_with_kernels(store)) {
        if (!one.is_enough()) continue;
        const ConnectionRow& connection = store.connection(one.connection);
        Finding finding;
        finding.kind = Finding::Kind::kernel_truth;
        // Half of the moments that were compared: where there is an estimate for few of them, that is all that is said.
        const bool few = one.without_estimate > one.errors.count();
        const bool states_differ = one.compared_ns > 0 && one.agreed_ns < one.compared_ns / 2;
        const std::string_view verdict = error_at(one, 0.5) > tenth ? "says otherwise"
                                         : few || states_differ     ? "says the same in part"
                                                                    : "says the same";
        finding.title =
            fmt::format("The kernel of {} {}: congestion window {}", host_of(one), verdict, usually(one));
        if (one.compared_ns > 0)
            finding.title += ", state " + human_percent(share_of(one.agreed_ns, one.compared_ns));
        std::string sentence;
        for (const std::string& clause : clauses_of(one)) sentence += (sentence.empty() ? "" : "; ") + clause;
        finding.explanation =
            sentence + ". That is how far what is told here of windows and states can be relied on.";
        finding.connection = one.connection;
        finding.sender =
            connection.is_initiator(one.sender) ? Finding::Sender::initiator : Finding::Sender::target;
        list.push_back(std::move(finding));
    }
}

}  // namespace sanscope

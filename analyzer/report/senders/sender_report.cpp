// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/sender_report.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/core.h>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/report/capture/missing_packets.h"
#include "analyzer/report/clauses.h"
#include "analyzer/report/human_units.h"
#include "analyzer/report/unjudged_words.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

constexpr size_t max_sentences = 5;
constexpr size_t max_connections_listed = 10;
// What a side must have sent to be told of: about the initial window (RFC 6928), which no congestion window delays;
// without iSCSI, enough to be a transfer.
constexpr uint64_t least_bytes = 10'000;
constexpr uint64_t least_bytes_without_iscsi = 100'000;
constexpr double noticeable_share = 0.10;
constexpr double named_share = 0.05;    // what a sentence names
constexpr double shown_share = 0.0005;  // what a list shows: 0.1 %

// In the words of a sentence that begins with "was held back".
struct Hindrance {
    SendLimit limit;
    std::string_view words;
};
constexpr std::array<Hindrance, 4> hindrances = {{
    {SendLimit::congestion, "its congestion window"},
    {SendLimit::recovery, "the recovery of losses"},
    {SendLimit::receiver, "the receiver's window"},
    {SendLimit::pacing, "its own pacing"},
}};

// Kinds of which one is, by itself, a segment that the network lost and the sender sent again.
struct Repair {
    LossKind kind;
    std::string_view words;
};
constexpr std::array<Repair, 3> repairs = {{
    {LossKind::fast_retransmit, "by fast retransmission"},
    {LossKind::rto, "by timeout"},
    {LossKind::tlp, "by tail loss probe"},
}};

// For a list, by LossKind: of one and of several.
constexpr std::array<std::pair<std::string_view, std::string_view>, loss_kinds> kind_words = {{
    {"fast retransmission", "fast retransmissions"},
    {"timeout retransmission", "timeout retransmissions"},
    {"tail loss probe", "tail loss probes"},
    {"sent again needlessly", "sent again needlessly"},
    {"out of order", "out of order"},
    {"captured twice", "captured twice"},
    {"keep-alive", "keep-alives"},
    {"zero window probe", "zero window probes"},
    {"not captured", "not captured"},
}};

// One side of a connection, with what the order of senders and the sentences rest on.
class ReportedSender {
  public:
    ReportedSender(const SenderSummary& sender, const ConnectionRow& connection)
        : sender_(&sender), connection_(&connection) {
        for (const Hindrance& hindrance : hindrances) held_back_ns_ += sender.limited_ns(hindrance.limit);
        for (const Repair& repair : repairs) repaired_ += sender.losses(repair.kind);
    }

    const SenderSummary& sender() const { return *sender_; }
    const ConnectionRow& connection() const { return *connection_; }
    bool is_initiator() const { return connection_->is_initiator(sender_->side()); }
    uint64_t bytes() const { return is_initiator() ? connection_->bytes_out : connection_->bytes_in; }
    int64_t held_back_ns() const { return held_back_ns_; }
    uint64_t repaired() const { return repaired_; }
    uint64_t needless() const { return sender_->losses(LossKind::spurious); }

    bool is_worth_showing() const {
        if (sender_->windows() == 0) return false;
        if (!connection_->iscsi) return bytes() >= least_bytes_without_iscsi;
        return bytes() >= least_bytes || repaired_ > 0 || needless() > 0;
    }
    bool is_not_judged() const { return !connection_->tcp_is_judged(); }
    bool is_troubled() const {
        if (is_not_judged()) return false;
        return share(held_back_ns_) >= noticeable_share || repaired_ > 0 || needless() > 0;
    }
    bool is_worse_than(const ReportedSender& other) const {
        if (held_back_ns_ != other.held_back_ns_) return held_back_ns_ > other.held_back_ns_;
        return repaired_ > other.repaired_;
    }

    double share(int64_t time_ns) const {
        const int64_t whole_ns = sender_->observed_ns();
        return whole_ns > 0 ? static_cast<double>(time_ns) / static_cast<double>(whole_ns) : 0;
    }
    int64_t unexplained_ns() const {
        return sender_->observed_ns() - held_back_ns_ - sender_->limited_ns(SendLimit::application);
    }

    // Nothing that is not known can have held it back for a share that would be named.
    bool is_explained() const {
        return !is_not_judged() && share(held_back_ns_ + unexplained_ns()) < noticeable_share;
    }
    bool lacks_much() const {
        return much_is_missing(*connection_, is_initiator() ? Role::initiator : Role::target,
                               sender_->losses(LossKind::not_captured));
    }
    bool is_mostly_explained() const { return share(unexplained_ns()) <= 0.5; }

    std::string ends() const {
        return fmt::format("{} -> {}", endpoint(connection_->endpoint(sender_->side())),
                           endpoint(connection_->endpoint(other_side(sender_->side()))));
    }
    static std::string endpoint(const Endpoint& end) { return format_endpoint(end.address, end.port); }

  private:
    const SenderSummary* sender_;
    const ConnectionRow* connection_;
    int64_t held_back_ns_ = 0;
    uint64_t repaired_ = 0;
};

// The sides worth showing of one connection, the worse first.
struct Connection {
    uint32_t number;
    std::vector<ReportedSender> sides;
};

// All that are worth showing.
std::vector<Connection> worst_first(const ResultStore& store) {
    std::vector<ReportedSender> sides;
    for (const SenderSummary& sender : store.senders()) {
        const ReportedSender side(sender, store.connection(sender.connection()));
        if (side.is_worth_showing()) sides.push_back(side);
    }
    std::ranges::stable_sort(sides, {},
                             [](const ReportedSender& side) { return side.sender().connection(); });
    std::vector<Connection> connections;
    for (const ReportedSender& side : sides) {
        const uint32_t number = side.sender().connection();
        if (connections.empty() || connections.back().number != number) connections.push_back({number, {}});
        connections.back().sides.push_back(side);
    }
    for (Connection& connection : connections) {
        std::ranges::stable_sort(connection.sides, [](const ReportedSender& a, const ReportedSender& b) {
            return a.is_worse_than(b);
        });
    }
    std::ranges::stable_sort(connections, [](const Connection& a, const Connection& b) {
        return a.sides.front().is_worse_than(b.sides.front());
    });
    return connections;
}

void append_in_list(std::string& list, std::string_view item) {
    if (!list.empty()) list += ", ";
    list += item;
}

// " was held back by its congestion window 83 % of the time"
std::string what_held_back(const ReportedSender& side) {
    std::vector<std::pair<int64_t, std::string_view>> reasons;
    for (const Hindrance& hindrance : hindrances) {
        const int64_t time_ns = side.sender().limited_ns(hindrance.limit);
        if (side.share(time_ns) >= named_share) reasons.emplace_back(time_ns, hindrance.words);
    }
    std::ranges::stable_sort(reasons, std::greater(), &std::pair<int64_t, std::string_view>::first);
    constexpr size_t most_named = 2;
    if (reasons.size() > most_named) reasons.resize(most_named);
    if (reasons.empty() && !side.is_mostly_explained()) return ": what held it back is not known";
    if (reasons.empty()) {
        return fmt::format(" was held back {} of the time", human_percent(side.share(side.held_back_ns())));
    }
    std::string text = fmt::format(" was held back by {} {} of the time", reasons[0].second,
                                   human_percent(side.share(reasons[0].first)));
    if (reasons.size() > 1) {
        text += fmt::format(" and by {} {}", reasons[1].second, human_percent(side.share(reasons[1].first)));
    }
    return text;
}

// "71 losses repaired by fast retransmission, 2 by timeout"
std::string what_was_lost(const ReportedSender& side) {
    std::string text;
    for (const Repair& repair : repairs) {
        const uint64_t count = side.sender().losses(repair.kind);
        if (count == 0) continue;
        const std::string_view noun = !text.empty() ? "" : count == 1 ? " loss repaired" : " losses repaired";
        append_in_list(text, fmt::format("{}{} {}", human_count(count), noun, repair.words));
    }
    return text;
}

// Of a sender that was not captured at its own end, the time from its data to their acknowledgement is not its round trip, and
// the estimate of that may come out too small: then that of the connection; no_time where that is not known.
int64_t rtt_min_ns(const ReportedSender& side) {
    const int64_t own_ns = side.sender().rtt_min_ns();
    const Vantage near = side.is_initiator() ? Vantage::initiator : Vantage::target;
    if (side.connection().vantage == near || own_ns == no_time) return own_ns;
    const int64_t of_connection_ns = side.connection().rtt_min_ns;
    return of_connection_ns == no_time ? no_time : std::max(own_ns, of_connection_ns);
}

// One line, or more where it must be broken between clauses.
std::string sentence(const ReportedSender& side) {
    std::vector<std::string> clauses = {side.ends() + what_held_back(side)};
    if (std::string lost = what_was_lost(side); !lost.empty()) clauses.push_back(std::move(lost));
    if (side.needless() > 0) {
        clauses.push_back(fmt::format("{} segment{} sent again needlessly", human_count(side.needless()),
                                      side.needless() == 1 ? "" : "s"));
    }
    const SenderSummary& sender = side.sender();
    if (sender.srtt_mean_ns() != no_time) {
        clauses.push_back("smoothed round trip " + human_duration(sender.srtt_mean_ns()));
    } else if (rtt_min_ns(side) != no_time) {
        clauses.push_back("minimum round trip " + human_duration(rtt_min_ns(side)));
    }
    if (side.lacks_much())
        clauses.emplace_back("all that in doubt, as much of what it sent is missing from the capture");
    return lines_of_clauses(clauses);
}

// "2.01 ms at least, smoothed 2.31 ms on average, 9.21 ms at most"; empty where nothing is known.
std::string round_trip(const ReportedSender& side) {
    const SenderSummary& sender = side.sender();
    std::string text;
    if (rtt_min_ns(side) != no_time) text = human_duration(rtt_min_ns(side)) + " at least";
    if (sender.srtt_mean_ns() != no_time) {
        append_in_list(
            text, fmt::format("smoothed {} on average, {} at most", human_duration(sender.srtt_mean_ns()),
                              human_duration(sender.srtt_max_ns())));
    }
    return text;
}

std::string congestion_window(const SenderSummary& sender) {
    if (sender.cwnd_min() == unknown<uint32_t>) return "not known";
    const std::string low = human_bytes(sender.cwnd_min());
    const std::string high = human_bytes(sender.cwnd_max());
    return low == high ? low : fmt::format("{} to {}", low, high);
}

// By the kernel's own word, else as inferred.
std::string congestion_control(const ReportedSender& side) {
    const Side of = side.sender().side();
    const std::string& reported = side.connection().kernel_congestion_control[index_of(of)];
    if (!reported.empty()) return reported + " as its kernel reported";
    const std::string_view inferred = side.sender().congestion_control();
    return inferred.empty() ? "not known" : std::string(inferred);
}

// What limited it, longest first, the unexplained last; empty where nothing is explained.
std::string limits(const ReportedSender& side) {
    std::vector<std::pair<int64_t, std::string_view>> shares;
    for (size_t i = 0; i < send_limits; ++i) {
        const int64_t time_ns = side.sender().limited_ns(static_cast<SendLimit>(i));
        if (side.share(time_ns) >= shown_share) shares.emplace_back(time_ns, send_limit_names[i]);
    }
    if (shares.empty()) return "";
    std::ranges::stable_sort(shares, std::greater(), &std::pair<int64_t, std::string_view>::first);
    if (side.share(side.unexplained_ns()) >= shown_share)
        shares.emplace_back(side.unexplained_ns(), "unknown");
    std::string text;
    for (const auto& [time_ns, name] : shares) {
        append_in_list(text, fmt::format("{} {}", name, human_percent(side.share(time_ns))));
    }
    return text;
}

// How long in which state, Open left out, in the kernel's order.
std::string states(const ReportedSender& side) {
    std::string text;
    for (size_t i = 0; i < ca_states; ++i) {
        const auto state = static_cast<CaState>(i);
        const int64_t time_ns = side.sender().in_state_ns(state);
        if (state == CaState::open || time_ns == 0) continue;
        append_in_list(text, fmt::format("{} {}", ca_state_names[i], human_percent(side.share(time_ns))));
    }
    return text;
}

std::string losses(const SenderSummary& sender) {
    std::string text;
    for (size_t i = 0; i < loss_kinds; ++i) {
        const uint64_t count = sender.losses(static_cast<LossKind>(i));
        if (count == 0) continue;
        const auto& [one, several] = kind_words[i];
        append_in_list(text, fmt::format("{} {}", human_count(count), count == 1 ? one : several));
    }
    return text;
}

// Where it was captured, or why that is not known.
std::string vantage_words(const ConnectionRow& row) {
    constexpr std::array<std::string_view, 4> words = {
        "", ", captured at the initiator", ", captured at the target", ", captured between the two"};
    if (row.vantage != Vantage::unknown) return std::string(words[static_cast<size_t>(row.vantage)]);
    // Below, the clocks and queues of two processors do not order what happens at the ends.
    constexpr int64_t clocks_order_ns = 100'000;
    if (row.unjudged() != Unjudged::no && row.unjudged() != Unjudged::place_found_late)
        return "; captured where is not known: " + unjudged_words(row);
    if (row.rtt_min_ns == no_time) return "; captured where is not known: no round trip was seen";
    if (row.in_two_places)
        return "; captured where is not known: packets are there twice, as where two places are captured";
    if (row.rtt_min_ns < clocks_order_ns) {
        return fmt::format(
            "; captured where is not known: a round trip of {} is too short to order events at its ends",
            human_duration(row.rtt_min_ns));
    }
    return "; captured where is not known: neither end answers sooner than the other, or other connections "
           "of these hosts contradict it";
}

// What was lost before the capture with nothing behind it, or lost again when it was sent again, no packet shows.
bool may_hide_losses(const ReportedSender& side) {
    const Vantage near = side.is_initiator() ? Vantage::initiator : Vantage::target;
    return side.connection().vantage != near && side.repaired() > 0;
}

template <class... Args>
void line(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    text += '\n';
}

void append_side(std::string& text, const ReportedSender& side) {
    const SenderSummary& sender = side.sender();
    if (side.is_not_judged()) {
        const uint64_t again = side.repaired() + side.needless();
        line(text, "       {:<9}  {} sent{}; what its TCP did is not known{}",
             side.is_initiator() ? "initiator" : "target", human_bytes(static_cast<double>(side.bytes())),
             again == 0
                 ? ""
                 : fmt::format(", {} segment{} of it again", human_count(again), again == 1 ? "" : "s"),
             side.connection().place_found_late ? ": " + unjudged_words(side.connection()) : "");
        return;
    }
    std::string sent = human_bytes(static_cast<double>(side.bytes())) + " sent";
    if (const std::string rtt = round_trip(side); !rtt.empty()) sent += "; round trip " + rtt;
    line(text, "       {:<9}  {}", side.is_initiator() ? "initiator" : "target", sent);
    const auto more = [&](std::string_view what) { line(text, "                  {}", what); };
    more(fmt::format("congestion control {}; cwnd {}; in flight {} at most", congestion_control(side),
                     congestion_window(sender), human_bytes(sender.in_flight_max())));
    if (const std::string what = limits(side); !what.empty()) {
        more(fmt::format("limited by {} of {}", what, human_duration(sender.observed_ns())));
    }
    if (const std::string what = states(side); !what.empty() || sender.transitions() > 0) {
        more(fmt::format("{}{}{} transition{}", what, what.empty() ? "" : " of the time; ",
                         human_count(sender.transitions()), sender.transitions() == 1 ? "" : "s"));
    }
    if (const std::string what = losses(sender); !what.empty())
        more(may_hide_losses(side) ? "at least: " + what : what);
}

}  // namespace

std::string held_back_section(const ResultStore& store, bool all_captured) {
    std::string text;
    size_t troubled = 0;
    bool explained = true;
    const std::vector<Connection> connections = worst_first(store);
    for (const Connection& connection : connections) {
        explained = explained && std::ranges::all_of(connection.sides, &ReportedSender::is_explained);
        const auto worst = std::ranges::find_if(connection.sides, &ReportedSender::is_troubled);
        if (worst == connection.sides.end()) continue;
        if (++troubled <= max_sentences) text += sentence(*worst);
    }
    if (troubled > max_sentences) line(text, "  … and {} more", human_count(troubled - max_sentences));
    if (troubled == 0 && explained && all_captured && !connections.empty()) {
        line(text,
             "  TCP did not for long: no losses, and no side was held back for {} of its time, idle time "
             "included",
             human_percent(noticeable_share));
    }
    return text.empty() ? "" : "\nWhat held the senders back\n" + text;
}

std::string senders_section(const ResultStore& store) {
    const std::vector<Connection> connections = worst_first(store);
    if (connections.empty()) return "";
    std::string text = "\nTCP senders\n";
    for (size_t i = 0; i < std::min(connections.size(), max_connections_listed); ++i) {
        const auto& [number, sides] = connections[i];
        const ConnectionRow& row = sides.front().connection();
        line(text, "  {:>3}  {} -> {}{}", number, ReportedSender::endpoint(row.initiator),
             ReportedSender::endpoint(row.target), vantage_words(row));
        for (const ReportedSender& side : sides) append_side(text, side);
    }
    if (connections.size() > max_connections_listed) {
        line(text, "  … and {} more", human_count(connections.size() - max_connections_listed));
    }
    return text;
}

}  // namespace sanscope

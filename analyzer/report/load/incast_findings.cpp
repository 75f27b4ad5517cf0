// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/incast_findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/time_spans.h"
#include "analyzer/report/senders/in_flight_ranks.h"

namespace sanscope {
namespace {

// Losses of one sender within a round trip.
struct Episode {
    int64_t time_ns = no_time;  // when the first of them was sent for the first time
    size_t sender = 0;          // index among the receiver's
    PacketNumber packet = 0;
};

// Those who send to one host.
struct Receiver {
    IpAddress address;
    std::vector<const SenderFacts*> senders;
    std::vector<Episode> episodes;
    bool is_initiator = false;
};

constexpr size_t most_episodes = 100'000;
constexpr int64_t least_window_ns = 200'000;  // hosts send what they are asked for not at once
constexpr int64_t longest_window_ns = 20'000'000;

bool is_repaired(LossKind kind) {
    return kind == LossKind::fast_retransmit || kind == LossKind::rto || kind == LossKind::tlp;
}

std::vector<Receiver> receivers_of(std::span<const SenderFacts> senders) {
    std::vector<Receiver> receivers;
    for (const SenderFacts& sender : senders) {
        if (!sender.connection->iscsi || sender.repaired() == 0) continue;
        if (sender.is_not_judged() || sender.is_all_twice()) continue;
        const IpAddress to =
            (sender.is_initiator ? sender.connection->target : sender.connection->initiator).address;
        auto found = std::ranges::find_if(receivers, [&](const Receiver& one) {
            return one.address == to && one.is_initiator != sender.is_initiator;
        });
        if (found == receivers.end()) {
            receivers.push_back({to, {}, {}, !sender.is_initiator});
            found = receivers.end() - 1;
        }
        found->senders.push_back(&sender);
    }
    // Of two, each is as much the other's bottleneck as its own.
    constexpr size_t least_senders = 3;
    std::erase_if(receivers, [](const Receiver& one) { return one.senders.size() < least_senders; });
    return receivers;
}

int64_t window_of(const Receiver& receiver) {
    int64_t longest_ns = 0;
    for (const SenderFacts* sender : receiver.senders) {
        const int64_t rtt_ns = sender->summary->srtt_mean_ns();
        if (rtt_ns != no_time) longest_ns = std::max(longest_ns, round_trip_ns(rtt_ns));
    }
    return std::clamp(longest_ns, least_window_ns, longest_window_ns);
}

void collect_episodes(std::vector<Receiver>& receivers, const ResultStore& store, const Stop& stop) {
    std::map<std::pair<uint32_t, bool>, std::pair<Receiver*, size_t>> places;  // by connection and role
    for (Receiver& receiver : receivers) {
        for (size_t i = 0; i < receiver.senders.size(); ++i) {
            const SenderFacts& sender = *receiver.senders[i];
            places[{sender.number, sender.is_initiator}] = {&receiver, i};
        }
    }
    size_t number = 0;
    for (const LossRow& row : store.losses()) {
        if (stop.asked_at(number++)) return;
        if (!is_repaired(row.kind) || row.connection == 0 || row.connection > store.connections().size())
            continue;
        const bool from_initiator = store.connection(row.connection).is_initiator(row.sender);
        const auto place = places.find({row.connection, from_initiator});
        if (place == places.end() || row.time_ns == no_time) continue;
        auto& [receiver, sender] = place->second;
        if (receiver->episodes.size() >= most_episodes) continue;
        // A timer's may have been lost long before; without its first sending nothing says when. Fast retransmit takes a
        // round trip.
        if (row.delay_ns == no_time && row.kind != LossKind::fast_retransmit) continue;
        const int64_t srtt_ns = receiver->senders[sender]->summary->srtt_mean_ns();
        const int64_t round_ns = srtt_ns == no_time ? 0 : round_trip_ns(srtt_ns);
        const int64_t delay_ns = row.delay_ns == no_time ? round_ns : std::max<int64_t>(row.delay_ns, 0);
        constexpr int64_t far_out_ns = INT64_MAX / 4;  // made up
        if (row.time_ns < -far_out_ns || row.time_ns > far_out_ns || delay_ns > far_out_ns) continue;
        receiver->episodes.push_back({row.time_ns - delay_ns, sender, row.packet});
    }
}

// Losses of one sender that follow each other within `window_ns` are one episode: a burst is no coincidence.
void merge_own(Receiver& receiver, int64_t window_ns) {
    std::ranges::sort(receiver.episodes, {}, &Episode::time_ns);
    std::vector<int64_t> latest(receiver.senders.size(), no_time);
    std::erase_if(receiver.episodes, [&](const Episode& episode) {
        int64_t& last_ns = latest[episode.sender];
        const bool same = last_ns != no_time && elapsed_ns(last_ns, episode.time_ns) <= window_ns;
        last_ns = episode.time_ns;
        return same;
    });
}

struct Coincidences {
    uint64_t episodes = 0;
    uint64_t shared = 0;        // of these, within a window of another sender's
    uint64_t meetings = 0;      // times at which two and more met
    uint64_t most_at_once = 0;  // senders
    double expected = 0;        // of `shared`, by chance
    Episode worst;
};

// Another sender's episode lies within the window around that time.
bool met_another(const std::vector<Episode>& episodes, int64_t time_ns, size_t sender, int64_t window_ns) {
    auto at = std::ranges::lower_bound(episodes, time_ns - window_ns, {}, &Episode::time_ns);
    for (; at != episodes.end() && at->time_ns <= time_ns + window_ns; ++at) {
        if (at->sender != sender) return true;
    }
    return false;
}

// Each sender's episodes held against the others' a few windows earlier and later: what still meets then does so by chance,
// however unevenly the load and with it the losses are spread over the capture.
double shared_by_chance(const std::vector<Episode>& episodes, int64_t window_ns) {
    constexpr std::array<int64_t, 8> shifts = {-43, -29, -17, -7, 7, 17, 29, 43};
    uint64_t met = 0;
    for (const int64_t shift : shifts) {
        for (const Episode& episode : episodes) {
            if (met_another(episodes, episode.time_ns + shift * window_ns, episode.sender, window_ns)) ++met;
        }
    }
    return static_cast<double>(met) / static_cast<double>(shifts.size());
}

Coincidences coincidences_of(const Receiver& receiver, int64_t window_ns) {
    Coincidences found;
    const std::vector<Episode>& episodes = receiver.episodes;
    found.episodes = episodes.size();
    if (episodes.size() < 2) return found;
    int64_t met_until_ns = no_time;
    for (size_t i = 0; i < episodes.size(); ++i) {
        if (!met_another(episodes, episodes[i].time_ns, episodes[i].sender, window_ns)) continue;
        std::set<size_t> senders = {episodes[i].sender};
        for (size_t j = i + 1; j < episodes.size() && senders.size() < receiver.senders.size(); ++j) {
            if (elapsed_ns(episodes[i].time_ns, episodes[j].time_ns) > window_ns) break;
            senders.insert(episodes[j].sender);
        }
        ++found.shared;
        if (senders.size() > found.most_at_once) {
            found.most_at_once = senders.size();
            found.worst = episodes[i];
        }
        if (met_until_ns == no_time || episodes[i].time_ns > met_until_ns) ++found.meetings;
        met_until_ns = episodes[i].time_ns + window_ns;
    }
    found.expected = shared_by_chance(episodes, window_ns);
    return found;
}

// At so many moments, for most of the losses, and three standard deviations beyond what chance makes.
bool is_incast(const Coincidences& found) {
    constexpr uint64_t least_meetings = 5;
    const auto shared = static_cast<double>(found.shared);
    return found.meetings >= least_meetings && 2 * found.shared >= found.episodes &&
           shared >= found.expected + 3 * std::sqrt(found.expected) + 3;
}

// A path that is full all the time is no matter of moments: its rate is what is to be told.
bool has_steady_bottleneck(const Receiver& receiver) {
    return 2 * std::ranges::count_if(receiver.senders, &SenderFacts::has_bottleneck) >=
           std::ssize(receiver.senders);
}

InFlightRanks ranks_of(const Receiver& receiver, const ResultStore& store, const Stop& stop) {
    std::vector<int64_t> times_ns;
    times_ns.reserve(receiver.episodes.size());
    for (const Episode& episode : receiver.episodes) times_ns.push_back(episode.time_ns);
    return in_flight_ranks(store, receiver.senders, times_ns, stop);
}

// What was in flight when something was lost is known where it was sent. Farther on a burst of losses that the path makes by
// itself looks the same.
bool captured_at_senders(const Receiver& receiver) {
    return std::ranges::all_of(receiver.senders,
                               [](const SenderFacts* sender) { return sender->captured_at_sender(); });
}

Finding told(const Receiver& receiver, const Coincidences& found, int64_t window_ns) {
    Finding finding;
    finding.kind = Finding::Kind::incast;
    finding.severity = Finding::Severity::problem;
    finding.confidence = Finding::Confidence::likely;
    finding.side = Finding::Side::path;
    finding.sender = receiver.is_initiator ? Finding::Sender::target : Finding::Sender::initiator;
    uint64_t lost = 0;
    for (const SenderFacts* sender : receiver.senders) {
        finding.connections.push_back(sender->number);
        finding.cost_ns = std::max(finding.cost_ns, sender->limited_ns(SendLimit::recovery));
        lost += sender->repaired();
    }
    finding.connection = receiver.senders[found.worst.sender]->number;
    finding.session = receiver.senders[found.worst.sender]->connection->session;
    finding.packet = found.worst.packet;
    finding.begin_ns = found.worst.time_ns;
    finding.end_ns = found.worst.time_ns + window_ns;
    const std::string to = fmt::format("{} {}", receiver.is_initiator ? "initiator" : "target",
                                       sanscope::format(receiver.address));
    finding.title = fmt::format("{} senders to {} lose segments at the same moments (incast): {} in all",
                                receiver.senders.size(), to, counted(lost, "segment"));
    finding.explanation = fmt::format(
        "Their bursts meet in the queue of one switch port towards {}, and together they overflow it. It "
        "takes a "
        "larger buffer at that port or a faster link behind it, less that is asked for at once (queue depth, "
        "transfer size, fewer paths), or flow control.",
        to);
    // From one host they share the whole way.
    const auto source = [](const SenderFacts* sender) {
        return (sender->is_initiator ? sender->connection->initiator : sender->connection->target).address;
    };
    if (std::ranges::all_of(receiver.senders, [&](const SenderFacts* sender) {
            return source(sender) == source(receiver.senders.front());
        })) {
        finding.explanation += fmt::format(
            " All of them send from {}: that port may be anywhere on the way they share, the sending host's "
            "own "
            "included.",
            sanscope::format(source(receiver.senders.front())));
    }
    finding.add_sign(fmt::format("{} senders lost segments within {} of each other, up to {} of them at once",
                                 counted(found.meetings, "time"), human_duration(window_ns),
                                 found.most_at_once));
    finding.add_sign(
        fmt::format("{} of {} loss episodes coincide with another sender's; by chance {:.1f} would",
                    human_count(found.shared), human_count(found.episodes), found.expected));
    return finding;
}

void leave_open(Finding& finding) {
    finding.severity = Finding::Severity::information;
    finding.confidence = Finding::Confidence::possible;
    finding.explanation +=
        " From here a path that loses in bursts looks the same: capture where the data are sent to tell the "
        "two apart.";
}

}  // namespace

void add_incast_findings(FindingList& list, const ResultStore& store, std::span<const SenderFacts> senders,
                         const Stop& stop) {
    std::vector<Receiver> receivers = receivers_of(senders);
    if (receivers.empty() || store.losses().empty()) return;
    collect_episodes(receivers, store, stop);
    if (stop.asked()) return;
    for (Receiver& receiver : receivers) {
        if (receiver.episodes.size() < 2 || has_steady_bottleneck(receiver)) continue;
        const int64_t window_ns = window_of(receiver);
        merge_own(receiver, window_ns);
        const Coincidences found = coincidences_of(receiver, window_ns);
        if (!is_incast(found)) continue;
        const InFlightRanks ranks = ranks_of(receiver, store, stop);
        const bool seen = captured_at_senders(receiver);
        if (seen && !ranks.are_of_full_queue()) continue;
        Finding finding = told(receiver, found, window_ns);
        if (seen) {
            finding.add_sign(fmt::format(
                "of all they sent, {} had less in flight together than what was lost: a queue was full",
                human_percent(ranks.mean)));
        } else {
            leave_open(finding);
        }
        list.push_back(std::move(finding));
    }
}

}  // namespace sanscope

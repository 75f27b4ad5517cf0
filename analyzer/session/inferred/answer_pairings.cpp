// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/answer_pairings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

namespace sanscope {
namespace {

constexpr uint32_t places = 64;  // bits of Node::mask
// Ways so much less likely than the likeliest with as many answers are let go.
constexpr double negligible = 1e-9;
constexpr uint32_t nowhere = 0xffffffff;

// The lowest so many bits, fewer than all.
constexpr uint64_t below(uint32_t bits) {
    return (uint64_t{1} << bits) - 1;
}

}  // namespace

bool AnswerPairings::weigh(std::span<const OpenCommand> open, std::span<const UnseenRun> runs,
                           size_t counting, std::span<const PairingStart> starts, const AnswerOrder& order) {
    open_ = open.first(std::min(open.size(), max_open));
    runs_ = runs;
    note_odds(order);
    nodes_.clear();
    edges_.clear();
    frontiers_.clear();
    ends_.clear();
    pairings_.assign(open.size(), {});
    failed_run_ = 0;
    gave_up_ = !begin(starts);
    if (gave_up_) return false;
    most_nodes_ = keeps_order() ? max_nodes : max_nodes_in_any_order;
    for (size_t run = 0; run < runs_.size(); ++run) {
        failed_run_ = run;
        if (!pass(run)) return false;
        frontiers_.push_back(frontier_);
    }
    sum_up(counting);
    return true;
}

void AnswerPairings::note_odds(const AnswerOrder& order) {
    for (size_t older = 0; older < transfer_kinds; ++older) {
        for (size_t newer = 0; newer < transfer_kinds; ++newer) {
            odds_[older][newer] =
                order.odds_of_overtaking(static_cast<TransferKind>(older), static_cast<TransferKind>(newer));
        }
    }
}

bool AnswerPairings::begin(std::span<const PairingStart> starts) {
    frontier_.clear();
    const auto add = [&](const PairingStart& start) {
        Node node{0, 0, 0, 0, start.weight, 0};
        std::vector<uint32_t> answered;
        for (uint32_t i = 0; i < open_.size(); ++i) {
            if (std::ranges::find(start.answered, open_[i].number) != start.answered.end())
                answered.push_back(i);
        }
        // One of them was seen to be answered since.
        if (answered.size() != start.answered.size()) return;
        for (const uint32_t command : answered) {
            if (command - node.first >= places) return;
            node.mask |= uint64_t{1} << (command - node.first);
            const int passed = std::countr_one(node.mask);
            node.first += static_cast<uint32_t>(passed);
            node.mask = passed == 64 ? 0 : node.mask >> passed;
        }
        frontier_.push_back(static_cast<uint32_t>(nodes_.size()));
        nodes_.push_back(node);
    };
    if (starts.empty()) add({});
    for (const PairingStart& start : starts) add(start);
    return !frontier_.empty();
}

// Whether of two neighbours the older one is answered first as a rule.
bool AnswerPairings::keeps_order() const {
    constexpr double seldom = 0.2;
    uint32_t seen = 0;
    for (const OpenCommand& command : open_) seen |= 1u << static_cast<unsigned>(command.kind);
    for (size_t older = 0; older < transfer_kinds; ++older) {
        for (size_t newer = 0; newer < transfer_kinds; ++newer) {
            const bool both = (seen >> older & seen >> newer & 1) != 0;
            if (both && odds_[older][newer] > seldom) return false;
        }
    }
    return true;
}

// The ways through one run, from those that lead to it.
bool AnswerPairings::pass(size_t run) {
    const UnseenRun& what = runs_[run];
    constexpr size_t few_slots = 256;
    node_slots_.assign(few_slots, {nowhere, 0});
    node_slots_taken_ = 0;
    places_.clear();
    places_added_ = 0;
    for (const uint32_t node : frontier_) {
        nodes_[node].at = 0;
        add_place(0, node);
    }
    frontier_.clear();
    std::vector<double> likeliest;  // by the number of statuses
    while (!places_.empty()) {
        const uint32_t number = places_.front().node;
        std::ranges::pop_heap(places_, std::greater());
        places_.pop_back();
        const Node node = nodes_[number];
        const bool enough = !what.statuses || node.statuses == *what.statuses;
        const bool whole = !what.explicable || node.at == what.length;
        if (whole && enough) frontier_.push_back(number);
        if (what.explicable && whole) continue;
        if (what.statuses && node.statuses > *what.statuses) continue;
        if (likeliest.size() <= node.statuses) likeliest.resize(node.statuses + 1, 0);
        double& best = likeliest[node.statuses];
        best = std::max(best, node.forward);
        if (node.forward < negligible * best) continue;
        gave_up_ = nodes_.size() > most_nodes_;
        if (gave_up_) return false;
        extend(number, run);
    }
    double sum = 0;
    for (const uint32_t node : frontier_) sum += nodes_[node].forward;
    return sum > 0;
}

void AnswerPairings::add_place(uint32_t at, uint32_t node) {
    places_.push_back({at, ++places_added_, node});
    std::ranges::push_heap(places_, std::greater());
}

// By each command that may be answered next.
void AnswerPairings::extend(uint32_t from, size_t run) {
    const Node node = nodes_[from];
    const UnseenRun& what = runs_[run];
    const size_t in_reach =
        std::min<size_t>(open_.size() - std::min<size_t>(node.first, open_.size()), places);
    const uint64_t reachable = in_reach == places ? ~uint64_t{0} : below(static_cast<uint32_t>(in_reach));
    size_t choices = 0;
    for (uint64_t left = ~node.mask & reachable; left != 0; left &= left - 1) {
        const uint32_t command = node.first + static_cast<uint32_t>(std::countr_zero(left));
        if (++choices > max_choices) return;
        const OpenCommand& candidate = open_[command];
        if (!what.explicable) {
            const bool requested =
                what.moments.empty() || candidate.request_packet < what.moments.back().delivered.packet;
            if (!requested) return;
            if (candidate.has_status && what.statuses && node.statuses >= *what.statuses) continue;
            add_edge(from, command, weight_of(node, command), node.at + 1, run);
            continue;
        }
        if (candidate.answer_bytes == 0 || candidate.answer_bytes > what.length - node.at) continue;
        const uint32_t end = node.at + candidate.answer_bytes;
        const UnseenRun::Moment* const done = moment(what, end);
        if (done == nullptr || candidate.request_packet >= done->delivered.packet) continue;
        if (fits(candidate, node.at, what)) add_edge(from, command, weight_of(node, command), end, run);
    }
}

uint32_t& AnswerPairings::node_slot(const Node& wanted) {
    if (2 * ++node_slots_taken_ > node_slots_.size()) {
        std::vector<NodeSlot> before(2 * node_slots_.size(), {nowhere, 0});
        before.swap(node_slots_);
        for (const NodeSlot& slot : before) {
            if (slot.node == nowhere) continue;
            size_t free = slot.hash;
            while (node_slots_[free & (node_slots_.size() - 1)].node != nowhere) ++free;
            node_slots_[free & (node_slots_.size() - 1)] = slot;
        }
    }
    constexpr uint64_t golden_ratio = 0x9e3779b97f4a7c15;
    const uint64_t product = (wanted.mask ^ uint64_t{wanted.at} << 32 ^ wanted.first) * golden_ratio;
    const auto hash = static_cast<uint32_t>(product ^ product >> 32);
    for (size_t at = hash;; ++at) {
        NodeSlot& slot = node_slots_[at & (node_slots_.size() - 1)];
        if (slot.node == nowhere) {
            slot.hash = hash;
            return slot.node;
        }
        if (slot.hash != hash) continue;
        const Node& there = nodes_[slot.node];
        if (there.at == wanted.at && there.first == wanted.first && there.mask == wanted.mask) {
            --node_slots_taken_;
            return slot.node;
        }
    }
}

void AnswerPairings::add_edge(uint32_t from, uint32_t command, double weight, uint32_t at, size_t run) {
    Node next = nodes_[from];
    next.at = at;
    next.mask |= uint64_t{1} << (command - next.first);
    const int passed = std::countr_one(next.mask);
    next.first += static_cast<uint32_t>(passed);
    next.mask = passed == 64 ? 0 : next.mask >> passed;
    if (open_[command].has_status) ++next.statuses;
    next.forward *= weight;
    uint32_t& to = node_slot(next);
    if (to == nowhere) {
        to = static_cast<uint32_t>(nodes_.size());
        add_place(at, to);
        nodes_.push_back(next);
    } else {
        nodes_[to].forward += next.forward;
    }
    edges_.push_back(
        {from, to, command, weight, static_cast<uint32_t>(run), runs_[run].explicable ? at : nowhere});
}

// How much likelier or not than that the oldest is answered next.
double AnswerPairings::weight_of(const Node& node, uint32_t command) const {
    const uint32_t newest_answered =
        node.mask == 0 ? node.first : node.first + 63 - static_cast<uint32_t>(std::countl_zero(node.mask));
    const auto newer = static_cast<size_t>(open_[command].kind);
    double weight = 1;
    for (uint64_t left = ~node.mask & below(command - node.first); left != 0; left &= left - 1) {
        const uint32_t older = node.first + static_cast<uint32_t>(std::countr_zero(left));
        const bool was_overtaken = node.mask != 0 && older < newest_answered;
        weight *= was_overtaken ? AnswerOrder::odds_of_staying_behind
                                : std::min(1.0, odds_[static_cast<size_t>(open_[older].kind)][newer]);
    }
    return weight;
}

bool AnswerPairings::fits(const OpenCommand& command, uint32_t at, const UnseenRun& run) {
    const uint32_t end = at + command.answer_bytes;
    auto boundary = std::ranges::lower_bound(run.boundaries, at, {}, &UnseenRun::Boundary::at);
    for (; boundary != run.boundaries.end() && boundary->at < end; ++boundary) {
        const uint32_t within = boundary->at - at;
        if (within == 0) {
            const bool data = command.first_data > 0;
            if (data != (boundary->opcode == Opcode::scsi_data_in)) return false;
            if (data && boundary->data_length != command.first_data) return false;
        } else {
            const bool begins = command.pdu_bytes > 0 && within % command.pdu_bytes == 0;
            if (!begins) return false;
        }
    }
    return true;
}

const UnseenRun::Moment* AnswerPairings::moment(const UnseenRun& run, uint32_t end) {
    const auto found = std::ranges::lower_bound(run.moments, end, {}, &UnseenRun::Moment::end);
    return found == run.moments.end() ? nullptr : &*found;
}

// What each command has of the weight of all ways, from the last run back to the first.
void AnswerPairings::sum_up(size_t counting) {
    double sum = 0;
    for (const uint32_t node : frontier_) {
        nodes_[node].backward = 1;
        sum += nodes_[node].forward;
    }
    struct Share {
        uint32_t command;
        PacketNumber packet;
        int64_t time_ns;
        double weight;
        uint32_t run;
    };
    std::vector<Share> shares;
    for (size_t i = edges_.size(); i-- > 0;) {
        const Edge& edge = edges_[i];
        const double behind = edge.weight * nodes_[edge.to].backward;
        nodes_[edge.from].backward += behind;
        const double share = nodes_[edge.from].forward * behind / sum;
        if (share <= 0 || edge.run >= counting) continue;
        pairings_[edge.command].answered += share;
        if (edge.end == nowhere) continue;
        const UnseenRun::Moment* const done = moment(runs_[edge.run], edge.end);
        if (!done->captured) continue;
        shares.push_back({edge.command, done->delivered.packet, done->delivered.time_ns, share, edge.run});
    }
    std::ranges::sort(shares, [](const Share& a, const Share& b) {
        return a.command != b.command ? a.command < b.command : a.packet < b.packet;
    });
    for (size_t i = 0; i < shares.size();) {
        const Share& first = shares[i];
        double weight = 0;
        for (; i < shares.size() && shares[i].command == first.command && shares[i].packet == first.packet;
             ++i)
            weight += shares[i].weight;
        Pairing& pairing = pairings_[first.command];
        if (weight <= pairing.likeliest) continue;
        pairing.likeliest = weight;
        pairing.arrival = {first.packet, first.time_ns};
        pairing.run = first.run;
    }
    if (counting == 0) return;
    for (const uint32_t number : frontiers_[counting - 1]) {
        const Node& node = nodes_[number];
        const double weight = node.forward * node.backward / sum;
        constexpr double least = 1e-9;
        if (weight < least) continue;
        PairingStart& end = ends_.emplace_back();
        end.weight = node.forward;
        for (uint32_t i = 0; i < open_.size(); ++i) {
            const bool answered =
                i < node.first || (i - node.first < places && (node.mask >> (i - node.first) & 1) != 0);
            if (answered) end.answered.push_back(open_[i].number);
        }
    }
}

}  // namespace sanscope

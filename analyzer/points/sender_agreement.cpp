// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/sender_agreement.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "analyzer/base/serial32.h"

namespace sanscope {
namespace {

struct Place {
    size_t connection;
    Way way;
};

// Where a sender of the store is at the point.
std::optional<Place> place_of(const PointCapture& point, const ConnectionRow& connection, Side sender) {
    const auto place = point.place_of(connection.first_packet);
    if (!place) return std::nullopt;
    const size_t index = point.connection_of(point.record(*place));
    const PointConnection& seen = point.connections()[index];
    const Endpoint& end = connection.endpoint(sender);
    if (end == seen.initiator) return Place{index, Way::out};
    if (end == seen.target) return Place{index, Way::in};
    return std::nullopt;
}

// The last moment of each acknowledgement stands for it.
void add(std::vector<ReplayedMoment>& moments, const WindowRow& row) {
    const ReplayedMoment moment{row.time_ns, row.snd_una, row.cwnd, row.ca_state};
    if (moments.empty() || Serial32(moments.back().una).before(Serial32(row.snd_una))) {
        moments.push_back(moment);
    } else if (moments.back().una == row.snd_una) {
        // Since when it holds stays.
        moments.back().cwnd = moment.cwnd;
        moments.back().state = moment.state;
    }
}

void compare_moments(const ReplayedSender& near, const ReplayedSender& far, SenderAgreement& agreement) {
    std::vector<int64_t> errors;
    size_t j = 0;
    for (size_t i = 0; i < near.moments.size(); ++i) {
        const ReplayedMoment& own = near.moments[i];
        while (j < far.moments.size() && Serial32(far.moments[j].una).before(Serial32(own.una))) ++j;
        if (j == far.moments.size()) break;
        const ReplayedMoment& other = far.moments[j];
        if (other.una != own.una) continue;
        if (i + 1 < near.moments.size()) {
            const int64_t until_ns = std::max(near.moments[i + 1].time_ns, own.time_ns);
            agreement.compared_ns += until_ns - own.time_ns;
            if (other.state == own.state) agreement.agreed_ns += until_ns - own.time_ns;
        }
        if (own.cwnd == unknown<uint32_t> || other.cwnd == unknown<uint32_t> || own.cwnd == 0) continue;
        errors.push_back((int64_t{other.cwnd} - int64_t{own.cwnd}) * 1000 / int64_t{own.cwnd});
    }
    agreement.acknowledgements = errors.size();
    if (errors.empty()) return;
    const auto nth = [&](double share) {
        const auto rank = static_cast<ptrdiff_t>(share * static_cast<double>(errors.size() - 1));
        std::nth_element(errors.begin(), errors.begin() + rank, errors.end());
        return errors[static_cast<size_t>(rank)];
    };
    agreement.cwnd_p50_permille = nth(0.5);
    for (int64_t& error : errors) error = std::abs(error);
    agreement.cwnd_p90_permille = static_cast<uint64_t>(nth(0.9));
}

void compare_resent(const ReplayedSender& near, const ReplayedSender& far, SenderAgreement& agreement) {
    agreement.resent = near.resent.size();
    agreement.resent_far = far.resent.size();
    const auto& one = near.resent;
    const auto& two = far.resent;
    for (size_t i = 0, j = 0; i < one.size() && j < two.size();) {
        if (one[i].seq == two[j].seq) {
            ++agreement.resent_both;
            agreement.resent_alike += one[i].kind == two[j].kind ? uint64_t{1} : 0;
            ++i;
            ++j;
        } else if (one[i].seq < two[j].seq) {
            ++i;
        } else {
            ++j;
        }
    }
}

}  // namespace

ReplayedSenders::ReplayedSenders(const PointCapture& point, const ResultStore& store) {
    std::map<std::pair<uint32_t, Side>, ReplayedSender*> known;
    const auto sender_of = [&](ConnectionNumber connection, Side side) -> ReplayedSender* {
        const auto [entry, is_new] = known.emplace(std::pair{connection.value(), side}, nullptr);
        if (is_new) {
            if (const auto place = place_of(point, store.connection(connection), side))
                entry->second = &senders_[place->connection][index_of(place->way)];
        }
        return entry->second;
    };
    for (const WindowRow& row : store.windows()) {
        if (ReplayedSender* sender = sender_of(row.connection, row.sender)) add(sender->moments, row);
    }
    for (const LossRow& row : store.losses()) {
        if (!is_sent_again(row.kind)) continue;
        if (ReplayedSender* sender = sender_of(row.connection, row.sender))
            sender->resent.push_back({row.seq, row.kind});
    }
    for (auto& [connection, both] : senders_) {
        for (ReplayedSender& sender : both) std::ranges::sort(sender.resent);
    }
}

const ReplayedSender* ReplayedSenders::of(size_t connection, Way way) const {
    const auto found = senders_.find(connection);
    if (found == senders_.end() || found->second[index_of(way)].moments.empty()) return nullptr;
    return &found->second[index_of(way)];
}

ResultStore::Keep rows_for_senders() {
    ResultStore::Keep keep = ResultStore::Keep::nothing();
    keep.windows = keep.losses = true;
    keep.window_intervals = false;
    return keep;
}

std::vector<SenderAgreement> compare_senders(const PathPoints& path, uint32_t pair, const ReplayedSenders& a,
                                             const ReplayedSenders& b) {
    std::vector<SenderAgreement> rows;
    const PointPair& points = path.pairs[pair];
    for (uint32_t c = 0; c < points.connections.size(); ++c) {
        const ConnectionAtPoints& at = points.connections[c];
        if (!at.order_known) continue;
        for (const Way way : {Way::out, Way::in}) {
            const ReplayedSender* at_a = a.of(at.connection_a, way);
            const ReplayedSender* at_b = b.of(at.connection_b, at.turned ? other_way(way) : way);
            if (at_a == nullptr || at_b == nullptr) continue;
            const bool own_is_b = (way == Way::in) != at.contrary;
            SenderAgreement row{.pair = pair, .at = c, .way = way, .own_is_b = own_is_b};
            compare_moments(own_is_b ? *at_b : *at_a, own_is_b ? *at_a : *at_b, row);
            compare_resent(own_is_b ? *at_b : *at_a, own_is_b ? *at_a : *at_b, row);
            rows.push_back(row);
        }
    }
    return rows;
}

}  // namespace sanscope

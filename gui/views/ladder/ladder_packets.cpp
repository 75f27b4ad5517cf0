// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/ladder_packets.h"

#include <algorithm>
#include <unordered_map>

#include "gui/views/ladder/ladder_words.h"
#include "gui/views/ladder/next_not_before.h"

#include "analyzer/net/decode_frame.h"

namespace sanscope {
namespace {

constexpr size_t most_losses = 1000;   // that are drawn one by one
constexpr double crowded_pixels = 10;  // nearer to each other, losses are folded unless all packets are drawn
constexpr size_t losses_ahead = 4096;  // how many behind the range are looked at for what they repeat
constexpr size_t losses_before = 512;  // how many before it
constexpr size_t segments_before = 4096;  // how many before the range are looked at for holes

bool is_repetition(LossKind kind) {
    return kind == LossKind::fast_retransmit || kind == LossKind::rto || kind == LossKind::tlp ||
           kind == LossKind::spurious;
}

// Of these the original never arrived.
bool means_loss(LossKind kind) {
    return is_repetition(kind) && kind != LossKind::spurious;
}

class ArrowMaker {
  public:
    ArrowMaker(const CaptureData::Reading& reading, const LadderRequest& request,
               const TransitFinder& transits, LadderPicture& picture, const StopFlag& stop)
        : reading_(reading),
          store_(reading.store()),
          track_(*reading.timeline().track(request.connection)),
          row_(reading.store().connections()[request.connection - 1]),
          request_(request),
          transits_(transits),
          picture_(picture),
          stop_(stop) {
        for (const Side side : {Side::a, Side::b}) bases_[index_of(side)] = base_of(side);
        for (auto& of_side : last_folded_) of_side.fill(SIZE_MAX);
    }

    void make(bool all) {
        for (const Side side : {Side::a, Side::b}) {
            take_losses(side, all);
            if (all) {
                take_segments(side);
            } else {
                take_repetitions();
            }
            if (all) take_far_only(side);
            if (!folded_) take_unseen(side, all);
        }
        std::ranges::stable_sort(picture_.arrows, {}, [](const LadderArrow& arrow) {
            return arrow.captured_ns == no_time ? arrow.transit.left_ns : arrow.captured_ns;
        });
        if (all && request_.read_packets && picture_.arrows.size() <= most_labelled_arrows) {
            for (LadderArrow& arrow : picture_.arrows) {
                if (stop_) return;
                read_sack(arrow);
            }
        }
        const bool few = picture_.arrows.size() <= most_labelled_arrows;
        for (LadderArrow& arrow : picture_.arrows) {
            if (few || arrow.loss != 0 || arrow.fate != LadderArrow::Fate::arrived)
                arrow.label = arrow_words(arrow);
        }
    }

  private:
    int64_t time_of(uint32_t segment) const { return reading_.timeline().time_of(segment + 1); }
    TimeRange about() const {
        return {request_.prepared.range.begin_ns - transits_.reach_ns(),
                request_.prepared.range.end_ns + transits_.reach_ns()};
    }
    bool shows(const PacketTransit& transit) const {
        return transit.left_ns < request_.prepared.range.end_ns &&
               transit.arrival_ns >= request_.prepared.range.begin_ns;
    }

    // The sequence number that is shown as 0.
    uint32_t base_of(Side side) const {
        if (row_.stream_start_known[index_of(side)]) return row_.stream_start_seq[index_of(side)] - 1;
        const auto& segments = track_.sender(side).segments;
        if (segments.empty()) return 0;
        const SegmentRow& first = store_.segments()[segments.front()];
        return (first.flags & tcp_syn) != 0 ? first.seq : first.seq - 1;
    }

    bool tap_is_at_sender(Role sender) const {
        const PathDelay& delay = transits_.delay();
        return (sender == Role::initiator ? delay.to_initiator_ns : delay.to_target_ns) <
               (sender == Role::initiator ? delay.to_target_ns : delay.to_initiator_ns);
    }
    bool tap_is_at_receiver(Role sender) const {
        return transits_.delay().measured && transits_.delay().vantage != Vantage::middle &&
               !tap_is_at_sender(sender);
    }

    // Losses of that side that begin, or repeat what began, about the range.
    void take_losses(Side side, bool all) {
        losses_.clear();
        of_packet_.clear();
        lost_.clear();
        const auto& rows = track_.sender(side).losses;
        const auto time_at = [&](uint32_t row) { return reading_.timeline().time_of_loss(row); };
        const size_t first = first_not_before(rows, about().begin_ns, time_at);
        const size_t behind = first_not_before(rows, about().end_ns, time_at);
        const size_t last = all ? std::min(rows.size(), behind + losses_ahead) : behind;
        folded_ = behind - first > most_losses;
        if (folded_) {
            for (size_t i = first; i < behind; ++i) fold(store_.losses()[rows[i]], transits_.role_of(side));
            return;
        }
        const auto crowded_ns = static_cast<int64_t>(request_.ns_per_pixel * crowded_pixels);
        const auto gap_ns = [&](size_t i) { return time_at(rows[i + 1]) - time_at(rows[i]); };
        for (size_t i = first - std::min(first, losses_before); i < first; ++i) {
            const LossRow& loss = store_.losses()[rows[i]];
            if (loss.kind != LossKind::not_captured) of_packet_[loss.packet] = rows[i] + 1;
        }
        std::unordered_map<uint32_t, size_t> last_of_seq;
        for (size_t i = first; i < last; ++i) {
            const uint32_t number = rows[i] + 1;
            const LossRow& loss = store_.losses()[rows[i]];
            // Arrows of those that are crowded would cover all else.
            if (!all && (is_repetition(loss.kind) || loss.kind == LossKind::not_captured) &&
                ((i > first && gap_ns(i - 1) < crowded_ns) || (i + 1 < last && gap_ns(i) < crowded_ns))) {
                fold(loss, transits_.role_of(side));
                continue;
            }
            losses_.push_back(number);
            // What shows that bytes are missing is not what was sent again.
            if (loss.kind != LossKind::not_captured) of_packet_[loss.packet] = number;
            if (!means_loss(loss.kind)) continue;
            if (loss.original_packet != 0) lost_.push_back(loss.original_packet);
            // Sent a third time: the second one had not arrived either.
            const auto [it, fresh] = last_of_seq.try_emplace(loss.seq, i);
            if (!fresh) {
                lost_.push_back(store_.losses()[rows[it->second]].packet);
                it->second = i;
            }
        }
        std::ranges::sort(lost_);
    }

    void fold(const LossRow& loss, Role sender) {
        const auto pixels_ns = static_cast<int64_t>(request_.ns_per_pixel * 5);
        auto& folded = picture_.folded_losses;
        size_t& at = last_folded_[index_of(sender)][static_cast<size_t>(loss.kind)];
        if (at >= folded.size() || loss.time_ns - folded[at].time_ns >= pixels_ns) {
            at = folded.size();
            folded.push_back({within_reach(loss.time_ns), 0, loss.kind, sender});
        }
        ++folded[at].count;
    }

    void add_segment(uint32_t index, const PacketTransit& transit, int64_t captured_ns) {
        const SegmentRow& segment = store_.segments()[index];
        LadderArrow arrow;
        arrow.transit = transit;
        arrow.captured_ns = captured_ns;
        arrow.packet = PacketNumber{index} + 1;
        arrow.seq = segment.seq - bases_[index_of(segment.sender)];
        arrow.ack = segment.ack - bases_[index_of(other_side(segment.sender))];
        arrow.length = segment.payload_length;
        arrow.window = segment.window;
        arrow.flags = segment.flags;
        arrow.sender = transits_.role_of(segment.sender);
        arrow.passes = request_.filter == nullptr || request_.filter->rows.packets.test(index);
        if (const auto it = of_packet_.find(arrow.packet); it != of_packet_.end()) {
            arrow.loss = it->second;
            arrow.kind = store_.losses()[it->second - 1].kind;
        }
        if (!tap_is_at_receiver(arrow.sender) && std::ranges::binary_search(lost_, arrow.packet))
            arrow.fate = LadderArrow::Fate::lost;
        take_measured(arrow);
        picture_.arrows.push_back(std::move(arrow));
    }

    // What the far point has to say of a packet that this one saw goes before what the replay made of it.
    void take_measured(LadderArrow& arrow) const {
        using Fate = LadderArrow::Fate;
        if (transits_.points() == nullptr) return;
        const MeasuredPacket* const packet = transits_.points()->find(arrow.sender, arrow.packet);
        if (packet == nullptr) return;
        arrow.far_packet = packet->far_packet;
        arrow.measured = packet->far.known();
        arrow.plus_minus_ns = packet->far.plus_minus_ns;
        if (!packet->judged) {
            if (packet->far_packet != 0) arrow.fate = Fate::arrived;
            return;
        }
        switch (packet->verdict) {
            case CopyVerdict::lost_between:
                arrow.fate = packet->lost >= arrow.length ? Fate::lost : Fate::arrived;
                if (arrow.fate == Fate::arrived) arrow.lost_bytes = packet->lost;
                // It left here, and came nowhere.
                arrow.measured = arrow.measured || arrow.fate == Fate::lost;
                break;
            case CopyVerdict::lost_beyond:
                arrow.fate = Fate::lost_beyond;
                break;
            case CopyVerdict::not_captured_before:
            case CopyVerdict::not_captured_behind:
                arrow.fate = Fate::not_captured;
                break;
            case CopyVerdict::unclear:
                arrow.fate = packet->far_packet != 0 ? Fate::arrived : Fate::unclear;
                break;
        }
    }

    PacketTransit transit_of(const MeasuredPacket& far_only, Role sender) const {
        const int64_t way_ns = transits_.delay().one_way_ns();
        const int64_t far_ns = far_only.far.time_ns;
        const bool left_far = (sender == Role::initiator) != transits_.points()->ends().here_is_initiator;
        return left_far ? PacketTransit{far_ns, far_ns + way_ns} : PacketTransit{far_ns - way_ns, far_ns};
    }

    void add_far_only(const MeasuredPacket& packet, const PacketTransit& transit, Role sender) {
        using Fate = LadderArrow::Fate;
        LadderArrow arrow;
        arrow.transit = transit;
        arrow.seq = packet.seq - bases_[index_of(row_.side_of(sender))];
        arrow.length = packet.length;
        arrow.sender = sender;
        arrow.far_packet = packet.far_packet;
        arrow.measured = true;
        arrow.plus_minus_ns = packet.far.plus_minus_ns;
        arrow.passes = request_.filter == nullptr;
        arrow.fate = packet.verdict == CopyVerdict::lost_between  ? Fate::lost
                     : packet.verdict == CopyVerdict::lost_beyond ? Fate::lost_beyond
                     : packet.verdict == CopyVerdict::unclear     ? Fate::unclear
                                                                  : Fate::not_captured;
        picture_.arrows.push_back(std::move(arrow));
    }

    // What this capture lacks, and the far one has.
    void take_far_only(Side side) {
        if (transits_.points() == nullptr) return;
        const Role sender = transits_.role_of(side);
        const auto packets = transits_.points()->far_only(sender);
        const auto time_of_far = [](const MeasuredPacket& packet) { return packet.far.time_ns; };
        auto at = std::ranges::lower_bound(packets, about().begin_ns, {}, time_of_far);
        for (; at != packets.end() && at->far.time_ns < about().end_ns &&
               picture_.arrows.size() < 2 * most_ladder_arrows;
             ++at) {
            const PacketTransit transit = transit_of(*at, sender);
            if (!shows(transit)) continue;
            add_far_only(*at, transit, sender);
        }
    }

    // When the bytes of a loss that this capture lacks were at the far point, before they were sent again; nullptr: they were not.
    const MeasuredPacket* far_original(const LossRow& loss, Role sender) const {
        if (transits_.points() == nullptr) return nullptr;
        const auto packets = transits_.points()->far_only(sender);
        const auto time_of_far = [](const MeasuredPacket& packet) { return packet.far.time_ns; };
        auto at = std::ranges::lower_bound(packets, loss.time_ns, {}, time_of_far);
        for (size_t looked_at = 0; at != packets.begin() && looked_at < losses_before; ++looked_at) {
            --at;
            if (loss.seq - at->seq < at->length) return &*at;
        }
        return nullptr;
    }

    void take_segments(Side side) {
        const auto& rows = track_.sender(side).segments;
        const auto time_at = [&](uint32_t row) { return time_of(row); };
        size_t i = first_not_before(rows, about().begin_ns, time_at);
        const Role sender = transits_.role_of(side);
        for (; i < rows.size() && picture_.arrows.size() < 2 * most_ladder_arrows; ++i) {
            const int64_t captured_ns = time_of(rows[i]);
            if (captured_ns >= about().end_ns || stop_) break;
            const PacketTransit transit = transits_.transit(rows[i] + 1, sender, captured_ns);
            if (shows(transit)) add_segment(rows[i], transit, captured_ns);
        }
    }

    void add_packet(PacketNumber packet, std::vector<PacketNumber>& added) {
        if (packet == 0 || packet > store_.segments().size() || std::ranges::count(added, packet) > 0) return;
        const auto index = static_cast<uint32_t>(packet - 1);
        const SegmentRow& segment = store_.segments()[index];
        const int64_t captured_ns = time_of(index);
        const PacketTransit transit =
            transits_.transit(packet, transits_.role_of(segment.sender), captured_ns);
        if (!shows(transit)) return;
        // Each is looked for among the last ones only: a segment is repeated soon, or far away.
        if (added.size() > 64) added.erase(added.begin());
        added.push_back(packet);
        add_segment(index, transit, captured_ns);
    }

    void take_repetitions() {
        std::vector<PacketNumber> added;
        for (const uint32_t number : losses_) {
            const LossRow& loss = store_.losses()[number - 1];
            if (!is_repetition(loss.kind) || picture_.arrows.size() >= most_ladder_arrows) continue;
            add_packet(loss.original_packet, added);
            add_packet(loss.packet, added);
        }
    }

    // Where the capture shows the hole that something lost before it left: between these, in the order sent.
    struct Hole {
        uint32_t begin;  // sequence numbers
        uint32_t end;
        PacketTransit before;
        PacketTransit behind;
    };

    std::vector<Hole> find_holes(Side side) const {
        std::vector<Hole> holes;
        const auto& rows = track_.sender(side).segments;
        const auto time_at = [&](uint32_t row) { return time_of(row); };
        size_t i = first_not_before(rows, about().begin_ns, time_at);
        i -= std::min(i, segments_before);
        const Role sender = transits_.role_of(side);
        bool any = false;
        uint32_t highest = 0;
        bool highest_is_again = false;
        size_t last_fresh = rows.size();  // the last segment that went beyond all before it
        for (size_t visited = 0; i < rows.size() && visited < 4 * segments_before; ++i, ++visited) {
            const SegmentRow& segment = store_.segments()[rows[i]];
            if (segment.payload_length == 0) continue;
            if (time_of(rows[i]) >= about().end_ns) break;
            const uint32_t end = segment.seq + segment.payload_length;
            const bool again = of_packet_.contains(PacketNumber{rows[i]} + 1);
            const auto ahead = static_cast<int32_t>(segment.seq - highest);
            if (last_fresh < rows.size() && ahead > 0 && ahead < (1 << 24)) {
                const PacketTransit before =
                    transits_.transit(rows[last_fresh] + 1, sender, time_of(rows[last_fresh]));
                const PacketTransit behind = transits_.transit(rows[i] + 1, sender, time_of(rows[i]));
                // Behind what was itself sent again, it is known only what was sent before.
                holes.push_back({highest, segment.seq, before, highest_is_again ? before : behind});
            }
            if (!any || static_cast<int32_t>(end - highest) > 0) {
                // A tail that was lost as a whole is seen first as it is repeated: there was a hole before it, too.
                if (any && again && ahead == 0 && last_fresh < rows.size()) {
                    const PacketTransit before =
                        transits_.transit(rows[last_fresh] + 1, sender, time_of(rows[last_fresh]));
                    holes.push_back({segment.seq, end, before, before});
                }
                highest = end;
                highest_is_again = again;
                if (!again) last_fresh = i;
            }
            any = true;
        }
        return holes;
    }

    // What was lost before the tap, or passed it uncaptured; and the links of all.
    void take_unseen(Side side, bool all) {
        if (losses_.empty()) return;
        const Role sender = transits_.role_of(side);
        const std::vector<Hole> holes = find_holes(side);
        for (const uint32_t number : losses_) {
            if (stop_) return;
            const LossRow& loss = store_.losses()[number - 1];
            const bool uncaptured = loss.kind == LossKind::not_captured;
            if (!uncaptured && !is_repetition(loss.kind)) continue;
            PacketTransit original;
            if (loss.original_packet != 0 && loss.original_packet <= reading_.index().packets()) {
                original = transits_.transit(loss.original_packet, sender,
                                             reading_.timeline().time_of(loss.original_packet));
            } else if (const MeasuredPacket* const far = far_original(loss, sender)) {
                original = transit_of(*far, sender);
                // With all others it is there already.
                if (!all && shows(original)) add_far_only(*far, original, sender);
            } else if (!add_unseen(holes, number, sender, original)) {
                continue;
            }
            if (uncaptured || loss.packet == 0 || loss.packet > reading_.index().packets()) continue;
            const PacketTransit again =
                transits_.transit(loss.packet, sender, reading_.timeline().time_of(loss.packet));
            if (original.left_ns >= request_.prepared.range.end_ns ||
                again.left_ns < request_.prepared.range.begin_ns) {
                continue;
            }
            picture_.links.push_back({original, again.left_ns, loss.kind, sender, loss.packet});
        }
    }

    // False where no hole shows when it was sent.
    bool add_unseen(const std::vector<Hole>& holes, uint32_t number, Role sender, PacketTransit& transit) {
        const LossRow& loss = store_.losses()[number - 1];
        const bool uncaptured = loss.kind == LossKind::not_captured;
        const auto holds = [&](const Hole& hole) { return loss.seq - hole.begin < hole.end - hole.begin; };
        const auto hole = std::ranges::find_if(holes, holds);
        if (hole == holes.end()) return false;
        const double into = (static_cast<double>(loss.seq - hole->begin) + 0.5 * loss.length) /
                            static_cast<double>(hole->end - hole->begin);
        const auto between = [&](int64_t before, int64_t behind) {
            return before + static_cast<int64_t>(static_cast<double>(behind - before) * std::min(into, 1.0));
        };
        transit = {between(hole->before.left_ns, hole->behind.left_ns),
                   between(hole->before.arrival_ns, hole->behind.arrival_ns)};
        // It was not sent behind its own repetition.
        if (!uncaptured && loss.time_ns != no_time && transit.left_ns >= loss.time_ns) return false;
        if (!shows(transit)) return true;
        LadderArrow arrow;
        arrow.transit = transit;
        arrow.seq = loss.seq - bases_[index_of(row_.side_of(sender))];
        arrow.length = loss.length;
        arrow.kind = loss.kind;
        arrow.fate = uncaptured ? LadderArrow::Fate::not_captured : LadderArrow::Fate::lost_unseen;
        arrow.loss = uncaptured ? number : 0;
        arrow.sender = sender;
        arrow.passes = request_.filter == nullptr;
        // What was repeated twice was lost once here.
        const auto same = [&](const LadderArrow& other) {
            return other.packet == 0 && other.seq == arrow.seq && other.sender == sender;
        };
        const size_t looked_at = std::min<size_t>(picture_.arrows.size(), 256);
        if (std::any_of(picture_.arrows.end() - static_cast<ptrdiff_t>(looked_at), picture_.arrows.end(),
                        same))
            return true;
        picture_.arrows.push_back(std::move(arrow));
        return true;
    }

    void read_sack(LadderArrow& arrow) {
        if (arrow.packet == 0 || (arrow.flags & tcp_ack) == 0) return;
        const auto bytes = reading_.packets().read(arrow.packet);
        if (!bytes) return;
        DecodedPacket packet;
        const PacketPlace& place = reading_.index().place(arrow.packet);
        const auto& interfaces = reading_.packets().source().interfaces();
        const uint16_t interface = reading_.index().interface(arrow.packet);
        if (interface >= interfaces.size()) return;
        decode_frame(interfaces[interface].link_type, bytes->data(), static_cast<uint32_t>(bytes->size()),
                     place.wire_length, packet);
        if (packet.kind != DecodedPacket::Kind::tcp) return;
        TcpOptions options;
        parse_tcp_options(packet, options);
        const Side side = row_.side_of(arrow.sender);
        const uint32_t base = bases_[index_of(other_side(side))];
        arrow.sack_blocks = options.sack_blocks;
        for (size_t i = 0; i < options.sack_blocks; ++i) {
            arrow.sack[i] = {options.sack[i].begin.value - base, options.sack[i].end.value - base};
        }
        if (options.sack_blocks == 0) return;
        const auto [begin, end] = arrow.sack[0];
        arrow.d_sack = static_cast<int32_t>(end - arrow.ack) <= 0;
        if (options.sack_blocks > 1 && static_cast<int32_t>(begin - arrow.sack[1].first) >= 0 &&
            static_cast<int32_t>(arrow.sack[1].second - end) >= 0) {
            arrow.d_sack = true;
        }
    }

    const CaptureData::Reading& reading_;
    const ResultStore& store_;
    const ConnectionTrack& track_;
    const ConnectionRow& row_;
    const LadderRequest& request_;
    const TransitFinder& transits_;
    LadderPicture& picture_;
    const StopFlag& stop_;
    uint32_t bases_[2];
    bool folded_ = false;
    std::array<std::array<size_t, loss_kinds>, 2> last_folded_;
    std::vector<uint32_t> losses_;  // row numbers
    std::unordered_map<PacketNumber, uint32_t> of_packet_;
    std::vector<PacketNumber> lost_;  // in order
};

}  // namespace

size_t count_segments(const CaptureData::Reading& reading, const ConnectionTrack& track, TimeRange range) {
    const auto time_at = [&](uint32_t row) { return reading.timeline().time_of(row + 1); };
    size_t count = 0;
    for (const SenderTrack& sender : track.senders) {
        count += first_not_before(sender.segments, range.end_ns, time_at) -
                 first_not_before(sender.segments, range.begin_ns, time_at);
    }
    return count;
}

void add_arrows(const CaptureData::Reading& reading, const LadderRequest& request,
                const TransitFinder& transits, bool all, LadderPicture& picture, const StopFlag& stop) {
    ArrowMaker(reading, request, transits, picture, stop).make(all);
}

void add_density(const CaptureData::Reading& reading, const LadderRequest& request, LadderPicture& picture) {
    const TimeRange range = request.prepared.range;
    constexpr int64_t most_rows = 2048;
    // Whole columns a row.
    const auto columns = static_cast<int64_t>(request.prepared.columns());
    picture.density_row_ns =
        request.prepared.ns_per_column * std::max<int64_t>(1, (columns + most_rows - 1) / most_rows);
    const auto rows =
        static_cast<size_t>((range.span_ns() + picture.density_row_ns - 1) / picture.density_row_ns);
    picture.density.assign(rows, {});
    const ConnectionTrack& track = *reading.timeline().track(request.connection);
    const ConnectionRow& connection = reading.store().connection(request.connection);
    const auto time_at = [&](uint32_t row) { return reading.timeline().time_of(row + 1); };
    for (const Side side : {Side::a, Side::b}) {
        const auto& segments = track.sender(side).segments;
        const size_t direction = index_of(connection.role_of(side));
        size_t at = first_not_before(segments, range.begin_ns, time_at);
        for (size_t row = 0; row < rows && at < segments.size(); ++row) {
            const int64_t end_ns = range.begin_ns + static_cast<int64_t>(row + 1) * picture.density_row_ns;
            const size_t behind = next_not_before(segments, at, end_ns, time_at);
            picture.density[row].packets[direction] = static_cast<uint32_t>(behind - at);
            picture.densest = std::max(picture.densest, picture.density[row].packets[direction]);
            at = behind;
        }
    }
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/prepare_ladder.h"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

#include "gui/testing/loaded_document.h"
#include "gui/views/ladder/ladder_groups.h"
#include "gui/views/ladder/ladder_packets.h"
#include "gui/views/ladder/ladder_words.h"

#include "analyzer/net/decode_frame.h"

namespace sanscope {
namespace {

constexpr auto losses_initiator = "loss-mixed-initiator.pcap.zst";
constexpr auto losses_target = "loss-mixed-target.pcap.zst";

class PrepareLadder : public testing::Test {
  protected:
    void load(const std::string& name) {
        reading_.reset();
        document_ = testing_gui::loaded_sample(name.c_str());
        ASSERT_TRUE(document_) << name;
        reading_.emplace(document_->data()->read());
        ASSERT_GT(reading().store().connections().size(), 0u);
        const Timeline& timeline = reading().timeline();
        whole_ = {timeline.first_ns(), timeline.last_ns() + 1};
    }
    const CaptureData::Reading& reading() const { return *reading_; }
    const ResultStore& store() const { return reading().store(); }

    LadderRequest request(TimeRange range, LadderDetail detail, uint32_t connection = 1) const {
        LadderRequest made;
        made.connection = connection;
        made.prepared = PreparedRange::around({range, 0, 700});
        made.ns_per_pixel = static_cast<double>(range.span_ns()) / 700;
        made.detail = detail;
        made.read_packets = true;
        return made;
    }
    LadderPicture prepare(TimeRange range, LadderDetail detail, uint32_t connection = 1) const {
        const StopFlag stop = false;
        return prepare_ladder(reading(), request(range, detail, connection), stop);
    }
    // A stretch of some thousandths of the busy part of the capture.
    TimeRange stretch(std::mt19937& random, int64_t span_ns) const {
        const ConnectionRow& row = store().connections()[0];
        const int64_t most = std::max<int64_t>(1, row.end_ns - row.start_ns);
        const int64_t begin = row.start_ns + static_cast<int64_t>(random() % static_cast<uint64_t>(most));
        return {begin, begin + span_ns};
    }

    std::unique_ptr<Document> document_;
    std::optional<CaptureData::Reading> reading_;
    TimeRange whole_;
};

// When each packet left its sender as far as the replay knows, by looking at every row.
std::map<PacketNumber, int64_t> left_by_replay(const ResultStore& store, uint32_t connection) {
    std::map<PacketNumber, int64_t> left;
    for (const WindowRow& row : store.windows()) {
        if (row.connection == connection && row.packet != 0 &&
            store.segments()[row.packet - 1].sender == row.sender)
            left[row.packet] = row.time_ns;
    }
    return left;
}

TEST_F(PrepareLadder, ArrowsAreAllSegmentsOfTheStretchWithTheirTimes) {
    for (const char* const name :
         {losses_initiator, losses_target, "reads-4k-qd8.pcap.zst", "ipv6.pcap.zst"}) {
        load(name);
        const ConnectionRow& row = store().connections()[0];
        const PathDelay delay = PathDelay::of(store(), 1);
        const auto replayed = left_by_replay(store(), 1);
        std::mt19937 random(7);
        size_t compared = 0;
        for (int round = 0; round < 12; ++round) {
            const TimeRange range = stretch(random, 200'000 + static_cast<int64_t>(random() % 6'000'000));
            const LadderPicture picture = prepare(range, LadderDetail::packets);
            if (picture.detail != LadderDetail::packets) continue;
            const TimeRange drawn = picture.prepared.range;
            std::map<PacketNumber, PacketTransit> expected;
            for (PacketNumber packet = 1; packet <= store().segments().size(); ++packet) {
                const SegmentRow& segment = store().segments()[packet - 1];
                if (segment.connection != 1) continue;
                const bool out = row.is_initiator(segment.sender);
                PacketTransit transit =
                    delay.transit(row.role_of(segment.sender), reading().timeline().time_of(packet));
                const bool far = (out ? delay.to_initiator_ns : delay.to_target_ns) > 0;
                if (const auto it = replayed.find(packet); far && it != replayed.end())
                    transit.left_ns = std::min(transit.left_ns, it->second);
                if (transit.left_ns < drawn.end_ns && transit.arrival_ns >= drawn.begin_ns)
                    expected[packet] = transit;
            }
            std::map<PacketNumber, PacketTransit> got;
            for (const LadderArrow& arrow : picture.arrows) {
                if (arrow.packet == 0) continue;
                got[arrow.packet] = arrow.transit;
                const SegmentRow& segment = store().segments()[arrow.packet - 1];
                EXPECT_EQ(arrow.sender, row.role_of(segment.sender));
                EXPECT_EQ(arrow.length, segment.payload_length);
                EXPECT_EQ(arrow.flags, segment.flags);
                // The end that was seen is exact.
                const bool near_sender =
                    (arrow.sender == Role::initiator ? delay.to_initiator_ns : delay.to_target_ns) == 0;
                EXPECT_EQ(near_sender ? arrow.transit.left_ns : arrow.transit.arrival_ns,
                          reading().timeline().time_of(arrow.packet));
                EXPECT_GE(arrow.transit.arrival_ns - arrow.transit.left_ns, delay.one_way_ns());
            }
            EXPECT_EQ(got, expected) << name << ' ' << round;
            compared += got.size();
        }
        EXPECT_GT(compared, 100u) << name;
    }
}

TEST_F(PrepareLadder, RetransmissionsAreLinkedToWhatTheyRepeat) {
    load(losses_initiator);
    const ConnectionRow& row = store().connections()[0];
    size_t lost = 0;
    size_t unseen = 0;
    for (uint32_t number = 1; number <= store().losses().size(); ++number) {
        const LossRow& loss = store().losses()[number - 1];
        const bool repeats = loss.kind == LossKind::fast_retransmit || loss.kind == LossKind::rto ||
                             loss.kind == LossKind::tlp;
        if (!repeats) continue;
        const int64_t again_ns = reading().timeline().time_of(loss.packet);
        const LadderPicture picture =
            prepare({again_ns - 8'000'000, again_ns + 1'000'000}, LadderDetail::packets);
        if (picture.detail != LadderDetail::packets) continue;
        const auto arrow_of = [&](PacketNumber packet) {
            return std::ranges::find(picture.arrows, packet, &LadderArrow::packet);
        };
        const auto again = arrow_of(loss.packet);
        ASSERT_NE(again, picture.arrows.end());
        EXPECT_EQ(again->loss, number);
        EXPECT_EQ(again->kind, loss.kind);
        const auto link = std::ranges::find(picture.links, loss.packet, &LadderLink::packet);
        const bool out = row.is_initiator(loss.sender);
        if (loss.original_packet != 0) {
            const auto original = arrow_of(loss.original_packet);
            if (original == picture.arrows.end()) continue;
            // The initiator's were captured before they were lost.
            EXPECT_EQ(original->fate, out ? LadderArrow::Fate::lost : LadderArrow::Fate::arrived);
            ASSERT_NE(link, picture.links.end());
            EXPECT_EQ(link->original, original->transit);
            EXPECT_EQ(link->again_ns, again->transit.left_ns);
            EXPECT_EQ(link->sender, row.role_of(loss.sender));
            ++lost;
        } else if (link != picture.links.end()) {
            // Lost before the tap: between its neighbours in the sender's order, and never before what it repeats.
            EXPECT_FALSE(out);
            EXPECT_LT(link->original.left_ns, link->again_ns);
            ++unseen;
        }
    }
    EXPECT_GT(lost, 15u);
    EXPECT_GT(unseen, 25u);
}

TEST_F(PrepareLadder, WhatWasLostBeforeTheTapIsDrawnWhereTheOtherEndSawItLeave) {
    // The same load, captured at both ends: relative sequence numbers show which is which.
    load(losses_target);
    std::map<uint32_t, int64_t> lost_at_target;
    const int64_t first_at_target = store().connections()[0].start_ns;
    for (const LossRow& loss : store().losses()) {
        if (loss.original_packet != 0 && loss.kind == LossKind::fast_retransmit && loss.sender == Side::b)
            lost_at_target[loss.seq] = reading().timeline().time_of(loss.original_packet) - first_at_target;
    }
    load(losses_initiator);
    const int64_t first = store().connections()[0].start_ns;
    const uint32_t base = store().connections()[0].stream_start_seq[1] - 1;
    size_t compared = 0;
    for (const LossRow& loss : store().losses()) {
        const auto other = lost_at_target.find(loss.seq);
        if (loss.original_packet != 0 || other == lost_at_target.end()) continue;
        const int64_t around = first + other->second;
        const LadderPicture picture =
            prepare({around - 4'000'000, around + 8'000'000}, LadderDetail::packets);
        for (const LadderLink& link : picture.links) EXPECT_LT(link.original.left_ns, link.again_ns);
        for (const LadderArrow& arrow : picture.arrows) {
            if (arrow.fate != LadderArrow::Fate::lost_unseen || arrow.seq != loss.seq - base) continue;
            ++compared;
            EXPECT_NEAR(static_cast<double>(arrow.transit.left_ns), static_cast<double>(around), 3e6);
        }
    }
    EXPECT_GT(compared, 20u);
}

TEST_F(PrepareLadder, FromFarPacketsAreFoldedAndNoneIsMissing) {
    load(losses_initiator);
    const LadderPicture picture = prepare(whole_, LadderDetail::packets);
    ASSERT_EQ(picture.detail, LadderDetail::density);
    const ConnectionRow& row = store().connections()[0];
    uint64_t packets[2] = {0, 0};
    for (const LadderDensityRow& density : picture.density) {
        packets[0] += density.packets[0];
        packets[1] += density.packets[1];
        EXPECT_LE(std::max(density.packets[0], density.packets[1]), picture.densest);
    }
    EXPECT_EQ(packets[0], row.packets_out);
    EXPECT_EQ(packets[1], row.packets_in);
    // A row that is looked at alone holds what the capture does.
    const size_t busiest =
        static_cast<size_t>(std::ranges::max_element(picture.density, {},
                                                     [](const LadderDensityRow& r) { return r.packets[1]; }) -
                            picture.density.begin());
    const int64_t begin =
        picture.prepared.range.begin_ns + static_cast<int64_t>(busiest) * picture.density_row_ns;
    uint32_t found = 0;
    for (PacketNumber packet = 1; packet <= store().segments().size(); ++packet) {
        const SegmentRow& segment = store().segments()[packet - 1];
        const int64_t at = reading().timeline().time_of(packet);
        if (segment.connection == 1 && !row.is_initiator(segment.sender) && at >= begin &&
            at < begin + picture.density_row_ns)
            ++found;
    }
    EXPECT_EQ(found, picture.density[busiest].packets[1]);
}

TEST_F(PrepareLadder, RetransmissionsAreNeverFoldedAway) {
    size_t compared = 0;
    for (const char* const name :
         {losses_initiator, losses_target, "reordered.pcap.zst", "sniffer-drops.pcap.zst"}) {
        load(name);
        const LadderPicture picture = prepare(whole_, LadderDetail::packets);
        size_t expected = 0;
        for (const LossRow& loss : store().losses()) {
            if (loss.connection == 1 && loss.kind <= LossKind::spurious) ++expected;
        }
        size_t shown = 0;
        for (const LadderArrow& arrow : picture.arrows)
            shown += arrow.loss != 0 && arrow.kind <= LossKind::spurious ? 1U : 0U;
        for (const LadderLosses& losses : picture.folded_losses)
            shown += losses.kind <= LossKind::spurious ? losses.count : 0;
        if (picture.detail == LadderDetail::packets) continue;
        EXPECT_EQ(shown, expected) << name;
        compared += shown;
    }
    EXPECT_GT(compared, 100u);
}

TEST_F(PrepareLadder, SackBlocksAreThoseOfThePacket) {
    load(losses_initiator);
    const ConnectionRow& row = store().connections()[0];
    size_t blocks = 0;
    for (const CaTransitionRow& transition : store().ca_transitions()) {
        if (transition.to != CaState::recovery) continue;
        const LadderPicture picture =
            prepare({transition.time_ns - 1'500'000, transition.time_ns + 1'500'000}, LadderDetail::packets);
        if (picture.detail != LadderDetail::packets || picture.arrows.size() > most_labelled_arrows) continue;
        for (const LadderArrow& arrow : picture.arrows) {
            if (arrow.packet == 0) continue;
            const auto bytes = reading().packets().read(arrow.packet);
            ASSERT_TRUE(bytes);
            DecodedPacket packet;
            decode_frame(LinkType::ethernet, bytes->data(), static_cast<uint32_t>(bytes->size()),
                         reading().index().place<&PacketPlace::wire_length>(arrow.packet), packet);
            TcpOptions options;
            parse_tcp_options(packet, options);
            ASSERT_EQ(arrow.sack_blocks, options.sack_blocks) << arrow.packet;
            const Side side = row.side_of(arrow.sender);
            const uint32_t base = row.stream_start_seq[index_of(other_side(side))] - 1;
            for (size_t i = 0; i < options.sack_blocks; ++i, ++blocks) {
                EXPECT_EQ(arrow.sack[i].first, options.sack[i].begin.value - base);
                EXPECT_EQ(arrow.sack[i].second, options.sack[i].end.value - base);
                EXPECT_LT(arrow.sack[i].first, arrow.sack[i].second);
                // Beyond what is acknowledged, unless it reports a duplicate.
                EXPECT_TRUE((i == 0 && arrow.d_sack) || arrow.sack[i].first > arrow.ack);
            }
            EXPECT_EQ(arrow.label.contains(QStringLiteral("SACK")), options.sack_blocks > 0);
        }
    }
    EXPECT_GT(blocks, 100u);
}

TEST_F(PrepareLadder, PdusAndCommandsUnderWayAreThoseOfTheTables) {
    load(losses_initiator);
    std::mt19937 random(11);
    for (int round = 0; round < 10; ++round) {
        const TimeRange range = stretch(random, 3'000'000 + static_cast<int64_t>(random() % 20'000'000));
        const LadderPicture pdus = prepare(range, LadderDetail::pdus);
        ASSERT_EQ(pdus.detail, LadderDetail::pdus);
        const TimeRange drawn = pdus.prepared.range;
        std::set<uint64_t> got;
        for (const LadderPdu& pdu : pdus.pdus) {
            got.insert(pdu.number);
            EXPECT_GE(pdu.last.left_ns, pdu.first.left_ns);
            EXPECT_GE(pdu.last.arrival_ns, pdu.first.arrival_ns);
            EXPECT_EQ(pdu.sender, store().pdus()[pdu.number - 1].sender);
        }
        for (uint64_t number = 1; number <= store().pdus().size(); ++number) {
            const PduRow& row = store().pdus()[number - 1];
            if (row.connection != 1 || row.first_packet == 0 || row.last_packet == 0) continue;
            const int64_t first = reading().timeline().time_of(row.first_packet);
            // Those whose packets were all captured inside are under way for certain.
            if (drawn.contains(first) && drawn.contains(row.time_ns)) {
                EXPECT_TRUE(got.contains(number)) << number;
            }
        }
        const LadderPicture commands = prepare(range, LadderDetail::commands);
        ASSERT_EQ(commands.detail, LadderDetail::commands);
        got.clear();
        for (const LadderCommand& command : commands.commands) got.insert(command.number);
        EXPECT_EQ(got.size(), commands.commands.size());
        for (uint64_t number = 1; number <= store().commands().size(); ++number) {
            const CommandRow& row = store().commands()[number - 1];
            const bool under_way = row.connection == 1 && row.request_ns != no_time &&
                                   row.request_ns < drawn.end_ns &&
                                   (row.response_ns == no_time || row.response_ns >= drawn.begin_ns);
            EXPECT_EQ(got.contains(number), under_way) << number;
        }
    }
}

TEST_F(PrepareLadder, TheSendersFiguresAreThoseOfTheTable) {
    load(losses_initiator);
    std::vector<WindowRow> rows;
    std::vector<const CaTransitionRow*> transitions;
    for (const WindowRow& row : store().windows()) {
        if (row.connection == 1 && row.sender == Side::b) rows.push_back(row);
    }
    for (const CaTransitionRow& row : store().ca_transitions()) {
        if (row.connection == 1 && row.sender == Side::b) transitions.push_back(&row);
    }
    ASSERT_EQ(store().connections()[0].initiator_side, Side::a);
    std::mt19937 random(13);
    for (const int64_t span : {500'000LL, 20'000'000LL, 400'000'000LL}) {
        const TimeRange range = stretch(random, span);
        const LadderPicture picture = prepare(range, LadderDetail::automatic);
        const TimeRange drawn = picture.prepared.range;
        const StepSeries& steps = picture.sender.curves.cwnd;
        ASSERT_TRUE(std::ranges::is_sorted(steps, {}, &StepPoint::time_ns));
        // At the end of each pixel the line is at the last of the table's rows.
        for (size_t c = 0; c < picture.prepared.columns(); ++c) {
            const int64_t at = picture.prepared.column(c).end_ns - 1;
            double expected = no_value;
            for (const WindowRow& row : rows) {
                if (row.time_ns > at) break;
                expected = row.cwnd == unknown<uint32_t> ? no_value : row.cwnd;
            }
            const double drawn_value = value_at(steps, at);
            EXPECT_TRUE(drawn_value == expected || (std::isnan(drawn_value) && std::isnan(expected))) << c;
        }
        const auto& states = picture.sender.states;
        for (size_t i = 1; i < states.size(); ++i) EXPECT_EQ(states[i].begin_ns, states[i - 1].end_ns);
        const int64_t pixel_ns = 2 * picture.prepared.ns_per_column;
        for (const LadderState& state : states) {
            if (state.end_ns - state.begin_ns <= pixel_ns) continue;
            const int64_t at = state.begin_ns + (state.end_ns - state.begin_ns) / 2;
            CaState expected = CaState::open;
            bool settled = true;
            for (const CaTransitionRow* row : transitions) {
                if (row->time_ns <= at) expected = row->to;
                settled = settled && std::abs(row->time_ns - at) > pixel_ns;
            }
            if (settled) {
                EXPECT_EQ(state.state, expected);
            }
        }
        size_t inside = 0;
        for (const CaTransitionRow* row : transitions) inside += drawn.contains(row->time_ns) ? 1U : 0U;
        EXPECT_EQ(picture.sender.transitions_in_range, inside);
        EXPECT_EQ(picture.sender.transitions.size(), inside);
    }
}

TEST_F(PrepareLadder, EveryConnectionOfEverySampleCanBeDrawnAtAnyScale) {
    size_t unmeasured = 0;
    for (const auto& file : std::filesystem::directory_iterator(SANSCOPE_SAMPLES)) {
        const std::string name = file.path().filename().string();
        if (name.find(".pcap") == std::string::npos) continue;
        load(name);
        for (uint32_t connection = 0; connection <= std::min<size_t>(store().connections().size() + 1, 40);
             ++connection) {
            for (const LadderDetail detail : {LadderDetail::automatic, LadderDetail::packets,
                                              LadderDetail::pdus, LadderDetail::commands}) {
                for (const double part : {1.0, 0.02, 0.0001}) {
                    const auto span = std::max<int64_t>(
                        200, static_cast<int64_t>(static_cast<double>(whole_.span_ns()) * part));
                    const int64_t begin = whole_.begin_ns + (whole_.span_ns() - span) / 3;
                    const LadderPicture picture = prepare({begin, begin + span}, detail, connection);
                    EXPECT_LE(picture.arrows.size(), 3 * most_ladder_arrows);
                    EXPECT_LE(picture.pdus.size(), 3 * most_ladder_groups);
                    if (!picture.has_track) {
                        EXPECT_TRUE(picture.arrows.empty());
                        continue;
                    }
                    if (picture.delay.measured) continue;
                    ++unmeasured;
                    for (const LadderArrow& arrow : picture.arrows) {
                        EXPECT_EQ(arrow.transit.left_ns, arrow.transit.arrival_ns);
                    }
                }
            }
        }
    }
    RecordProperty("unmeasured", static_cast<int>(unmeasured));
}

TEST_F(PrepareLadder, WhatDoesNotPassTheFilterSaysSo) {
    load(losses_initiator);
    auto filter = std::make_shared<FilterResult>();
    filter->rows.packets = RowSet(store().segments().size());
    filter->rows.packets.set(99);
    filter->rows.pdus = RowSet(store().pdus().size());
    filter->rows.commands = RowSet(store().commands().size());
    const int64_t at = reading().timeline().time_of(100);
    LadderRequest wanted = request({at - 500'000, at + 500'000}, LadderDetail::packets);
    wanted.filter = filter;
    const StopFlag stop = false;
    const LadderPicture picture = prepare_ladder(reading(), wanted, stop);
    EXPECT_GT(picture.arrows.size(), 3u);
    for (const LadderArrow& arrow : picture.arrows) EXPECT_EQ(arrow.passes, arrow.packet == 100);
}

// Both ends of a path, recorded with one clock: the truth for what a ladder of both draws.
class TwoEnds : public PrepareLadder {
  protected:
    void load_both() {
        load(losses_initiator);
        auto path = OpenPath::follow({testing_gui::sample(losses_initiator).toStdString(),
                                      testing_gui::sample(losses_target).toStdString()},
                                     {});
        ASSERT_TRUE(path) << path.error().message;
        path_ = *path;
        far_ = testing_gui::loaded_sample(losses_target);
        far_reading_.emplace(far_->data()->read());
    }
    LadderPicture both(TimeRange range) const {
        const StopFlag stop = false;
        LadderRequest made = request(range, LadderDetail::packets);
        made.points = path_;
        return prepare_ladder(reading(), made, stop);
    }
    int64_t time_at_far(PacketNumber packet) const { return far_reading_->timeline().time_of(packet); }

    std::shared_ptr<const OpenPath> path_;
    std::unique_ptr<Document> far_;
    std::optional<CaptureData::Reading> far_reading_;
};

TEST_F(TwoEnds, WaysAreMeasuredAndWhatIsEstimatedIsNotTakenForIt) {
    load_both();
    std::mt19937 random(3);
    size_t measured = 0;
    for (int i = 0; i < 20; ++i) {
        const LadderPicture picture = both(stretch(random, 20'000'000));
        ASSERT_TRUE(picture.points);
        EXPECT_EQ(picture.points->known, LadderPoints::Known::both_ends);
        EXPECT_EQ(picture.points->at(Role::initiator), QStringLiteral("loss-mixed-initiator"));
        EXPECT_EQ(picture.points->at(Role::target), QStringLiteral("loss-mixed-target"));
        for (const LadderArrow& arrow : picture.arrows) {
            EXPECT_GE(arrow.transit.arrival_ns, arrow.transit.left_ns);
            EXPECT_NE(arrow.fate == LadderArrow::Fate::lost && arrow.packet == 0 && !arrow.measured, true);
            if (arrow.far_packet == 0) continue;
            ++measured;
            ASSERT_TRUE(arrow.measured);
            const int64_t far_ns =
                arrow.sender == Role::initiator ? arrow.transit.arrival_ns : arrow.transit.left_ns;
            // Of what came in several packets, the last one is meant on the way to the target, and the first on the way back.
            if (arrow.fate != LadderArrow::Fate::not_captured && arrow.sender == Role::target) {
                EXPECT_LE(std::abs(far_ns - time_at_far(arrow.far_packet)), arrow.plus_minus_ns + 1);
            }
            if (arrow.packet != 0) {
                EXPECT_EQ(arrow.sender == Role::initiator ? arrow.transit.left_ns : arrow.transit.arrival_ns,
                          arrow.captured_ns);
            }
        }
    }
    EXPECT_GT(measured, 200u);
}

// Every loss between the points is drawn, at its sender's end when it left, and ends on its way; nothing else does.
TEST_F(TwoEnds, LossesEndWhereTheyEnded) {
    load_both();
    size_t drawn = 0;
    for (const PointLossRow& row : path_->losses()) {
        if (row.fate->verdict != CopyVerdict::lost_between || row.fate->length == 0) continue;
        const TimeRange range{row.fate->time_ns - 2'000'000, row.fate->time_ns + 2'000'000};
        const LadderPicture picture = both(range);
        const auto of_it = [&](const LadderArrow& arrow) {
            return row.fate->at_b ? arrow.packet == 0 && arrow.far_packet == row.fate->packet
                                  : arrow.packet == row.fate->packet;
        };
        const auto found = std::ranges::find_if(picture.arrows, of_it);
        if (picture.arrows.size() >= most_ladder_arrows) continue;
        ASSERT_NE(found, picture.arrows.end()) << "packet " << row.fate->packet;
        ++drawn;
        EXPECT_TRUE(found->fate == LadderArrow::Fate::lost || found->lost_bytes > 0);
        EXPECT_LE(std::abs(found->transit.left_ns - row.fate->time_ns), found->plus_minus_ns + 1);
        if (drawn > 60) break;
    }
    EXPECT_GT(drawn, 20u);
    std::mt19937 random(4);
    for (int i = 0; i < 20; ++i) {
        for (const LadderArrow& arrow : both(stretch(random, 20'000'000)).arrows) {
            if (arrow.fate != LadderArrow::Fate::lost) continue;
            const auto told = std::ranges::any_of(path_->losses(), [&](const PointLossRow& row) {
                return row.fate->verdict == CopyVerdict::lost_between &&
                       row.fate->packet == (arrow.packet != 0 ? arrow.packet : arrow.far_packet) &&
                       row.fate->at_b == (arrow.packet == 0);
            });
            // What only the replay takes for lost is of a packet that the far end's capture does not reach.
            EXPECT_TRUE(told || !arrow.measured) << "packet " << arrow.packet;
        }
    }
}

// From afar, what was sent again has what it repeats, from whichever end.
TEST_F(TwoEnds, FromAfarLossesOfBothDirectionsAreThere) {
    load_both();
    const StopFlag stop = false;
    LadderRequest made = request(whole_, LadderDetail::automatic);
    made.points = path_;
    const LadderPicture picture = prepare_ladder(reading(), made, stop);
    EXPECT_NE(picture.detail, LadderDetail::packets);
    for (const Role sender : {Role::initiator, Role::target}) {
        EXPECT_TRUE(std::ranges::any_of(picture.arrows, [&](const LadderArrow& arrow) {
            return arrow.sender == sender && arrow.fate == LadderArrow::Fate::lost && arrow.measured;
        }));
    }
}

// An offset that is known to a millisecond is too much for ways that take a tenth of that.
TEST_F(TwoEnds, ABandThatIsWiderThanTheDelaysIsSaid) {
    LadderPoints points;
    points.known = LadderPoints::Known::both_ends;
    points.here = QStringLiteral("a");
    points.far = QStringLiteral("b");
    points.plus_minus_ns = 1'000'000;
    points.measured = 10;
    points.within_band = 4;
    EXPECT_FALSE(points_words(points, {}).contains(QStringLiteral("too much")));
    points.within_band = 6;
    EXPECT_TRUE(points_words(points, {}).contains(QStringLiteral("too much")));
    points.known = LadderPoints::Known::no_clock;
    EXPECT_TRUE(points_words(points, {}).contains(QStringLiteral("cannot be compared")));
}

TEST_F(TwoEnds, WithoutPointsTheFarEndIsEstimatedAsBefore) {
    load_both();
    std::mt19937 random(5);
    const TimeRange range = stretch(random, 20'000'000);
    const LadderPicture alone = prepare(range, LadderDetail::packets);
    EXPECT_FALSE(alone.points);
    for (const LadderArrow& arrow : alone.arrows) {
        EXPECT_FALSE(arrow.measured);
        EXPECT_EQ(arrow.far_packet, 0u);
    }
}

}  // namespace
}  // namespace sanscope

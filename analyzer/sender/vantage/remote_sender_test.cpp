// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/remote_sender.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analyzer/base/testing/durations.h"
#include "analyzer/net/decoded_packet.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

using test::ms;
using test::second;
using test::us;
constexpr int64_t round_trip = 10 * ms;  // from the tap to the sender and back
constexpr uint32_t mss = 1000;

// What comes out, as "a:ACK", "s:SEQ" (first transmission), "r:SEQ" (sequence seen before), "u:SEQ+LENGTH" (unseen).
class Recorder {
  public:
    explicit Recorder(SenderOptions options = {mss, true, true}, int64_t round_trip_ns = round_trip)
        : remote_(options, round_trip_ns) {}

    // Packets may be told of in any order; play() gives them in that of their time.
    void sent(const SentSegment& segment) { schedule_.push_back({segment.time_ns, true, segment, {}}); }
    void ack(const ReceivedAck& ack) { schedule_.push_back({ack.time_ns, false, {}, ack}); }
    void play() {
        std::stable_sort(schedule_.begin(), schedule_.end(),
                         [](const Packet& a, const Packet& b) { return a.at < b.at; });
        play_as_instructed();
    }
    void play_as_instructed() {
        for (Packet& p : schedule_) {
            p.sent.packet = p.ack.packet = ++packets_;
            p.sent.flags |= tcp_ack;
            p.ack.flags |= tcp_ack;
            if (p.is_sent) {
                remote_.on_sent(p.sent);
            } else {
                remote_.on_ack(p.ack);
            }
            drain();
        }
        schedule_.clear();
    }
    const std::vector<std::string>& finish() {
        play();
        remote_.finish();
        drain();
        return events;
    }

    uint32_t window = 0;  // of the sender, in segments; 0: nobody knows it
    std::vector<std::string> events;
    std::vector<int64_t> times;
    std::vector<int64_t> flights_at_most;  // of the segments
    std::vector<PacketNumber> packet_numbers;

  private:
    struct Packet {
        int64_t at;
        bool is_sent;
        SentSegment sent;
        ReceivedAck ack;
    };
    void drain() {
        RemoteSender::Event event;
        while (remote_.next(event, room())) {
            if (event.ack != nullptr) {
                acknowledged_ = event.ack->ack;
                events.push_back("a:" + std::to_string(event.ack->ack.value));
                times.push_back(event.ack->time_ns);
                packet_numbers.push_back(event.ack->packet);
                continue;
            }
            const SentSegment& s = *event.sent;
            flights_at_most.push_back(event.flight_at_most);
            const bool again = begun_ && s.seq.before(end_);
            events.push_back((s.unseen ? "u:"
                              : again  ? "r:"
                                       : "s:") +
                             std::to_string(s.seq.value) + (s.unseen ? "+" + std::to_string(s.length) : ""));
            if (!again) end_ = s.seq + s.length;
            begun_ = true;
            times.push_back(s.time_ns);
            packet_numbers.push_back(s.packet);
        }
    }

    int64_t room() const {
        if (window == 0 || !begun_) return RemoteSender::unknown_room;
        return int64_t{window} - acknowledged_.distance_to(end_) / static_cast<int32_t>(mss);
    }

    RemoteSender remote_;
    Serial32 acknowledged_;
    std::vector<Packet> schedule_;
    PacketNumber packets_ = 0;
    Serial32 end_;
    bool begun_ = false;
};

struct Segment {
    int64_t at = 0;
    uint32_t seq = 0;
    uint32_t length = mss;
    uint32_t ack = 0;
    uint32_t timestamp = 0;
    uint32_t echo = 0;
    uint16_t ip_id = 0;
    bool push = true;
    operator SentSegment() const {
        SentSegment s;
        s.time_ns = at;
        s.seq = Serial32(seq);
        s.length = length;
        s.ack = Serial32(ack);
        s.has_timestamp = timestamp != 0;
        s.timestamp = timestamp;
        s.timestamp_echo = echo;
        s.ip_id = ip_id;
        s.flags = static_cast<uint16_t>(push ? tcp_psh : 0);
        return s;
    }
};

struct Ack {
    int64_t at = 0;
    uint32_t ack = 0;
    uint32_t seq = 0;
    uint32_t length = 0;
    uint32_t timestamp = 0;
    uint32_t sack_begin = 0;
    uint32_t sack_end = 0;
    uint32_t window = 1 << 24;
    operator ReceivedAck() const {
        ReceivedAck a;
        a.time_ns = at;
        a.ack = Serial32(ack);
        a.seq = Serial32(seq);
        a.payload_length = length;
        a.has_timestamp = timestamp != 0;
        a.timestamp = timestamp;
        a.window = window;
        if (sack_end != sack_begin) {
            a.sack_blocks = 1;
            a.sack[0] = {Serial32(sack_begin), Serial32(sack_end)};
        }
        return a;
    }
};

// ---- Which acknowledgements come before a segment

TEST(RemoteSender, EchoedTimestampPartsTheAcknowledgementsThatCameFromThoseThatDidNot) {
    Recorder r;
    r.ack(Ack{.at = 0, .ack = 100, .timestamp = 50});
    r.sent(Segment{.at = 9 * ms, .seq = 900, .length = 0, .timestamp = 7, .echo = 49});
    r.ack(Ack{.at = ms, .ack = 200, .timestamp = 51});
    r.ack(Ack{.at = 2 * ms, .ack = 300, .timestamp = 52});
    r.sent(Segment{.at = 30 * ms, .seq = 900, .timestamp = 8, .echo = 51});
    EXPECT_THAT(r.finish(), ElementsAre("a:100", "a:200", "s:900", "a:300"));
}

// Over a path of less than a millisecond: the SYN and the acknowledgement of the SYN-ACK have the same timestamp.
TEST(RemoteSender, NoAcknowledgementComesBeforeTheSyn) {
    Recorder r({mss, true, true}, 700 * us);
    SentSegment syn_ack =
        Segment{.at = 700 * us, .seq = 899, .length = 0, .ack = 5000, .timestamp = 7, .echo = 50};
    syn_ack.flags = tcp_syn;
    r.sent(syn_ack);
    r.ack(Ack{.at = 710 * us, .ack = 900, .seq = 5000, .timestamp = 50});
    EXPECT_THAT(r.finish(), ElementsAre("s:899", "a:900"));
}

TEST(RemoteSender, LaterAcknowledgementOfATickIsNotWhatIsEchoed) {
    Recorder r;
    r.ack(Ack{.at = 0, .ack = 100, .timestamp = 50});
    r.sent(Segment{.at = 10 * ms, .seq = 900, .timestamp = 7, .echo = 50});
    r.ack(Ack{.at = 15 * ms, .ack = 200, .timestamp = 50});
    r.sent(Segment{.at = 20 * ms, .seq = 1900, .timestamp = 7, .echo = 50});
    EXPECT_THAT(r.finish(), ElementsAre("a:100", "s:900", "s:1900", "a:200"));
}

TEST(RemoteSender, AcknowledgementsBehindDataNotYetAcknowledgedAreNotEchoed) {
    // RFC 7323 §4.3: only what is at or before the point acknowledged last is taken for TS.Recent.
    Recorder r;
    r.sent(Segment{.at = 0, .seq = 900, .length = 0, .ack = 5000, .timestamp = 7, .echo = 49});
    r.ack(Ack{.at = ms, .ack = 900, .seq = 5000, .length = 48, .timestamp = 50});
    r.ack(Ack{.at = 2 * ms, .ack = 900, .seq = 5048, .timestamp = 51});
    r.sent(Segment{.at = 30 * ms, .seq = 900, .ack = 5048, .timestamp = 8, .echo = 50});
    EXPECT_THAT(r.finish(), ElementsAre("a:900", "a:900", "s:900"));
}

TEST(RemoteSender, DataThatASegmentAcknowledgesCameBeforeItAndOtherDataDidNot) {
    Recorder r;
    r.ack(Ack{.at = 0, .ack = 100, .seq = 5000, .length = 48});
    r.ack(Ack{.at = ms, .ack = 200, .seq = 5048, .length = 48});
    r.ack(Ack{.at = 2 * ms, .ack = 300, .seq = 5096, .length = 48});
    r.sent(Segment{.at = 30 * ms, .seq = 900, .ack = 5096});
    EXPECT_THAT(r.finish(), ElementsAre("a:100", "a:200", "s:900", "a:300"));
}

TEST(RemoteSender, DataSentAgainBindNothing) {
    Recorder r;
    r.ack(Ack{.at = 0, .ack = 100, .seq = 5000, .length = 48});
    r.sent(Segment{.at = 11 * ms, .seq = 900, .ack = 5048});
    r.ack(Ack{.at = 15 * ms, .ack = 200, .seq = 5000, .length = 48});
    r.sent(Segment{.at = 20 * ms, .seq = 1900, .ack = 5048});  // left the sender before the copy came
    EXPECT_THAT(r.finish(), ElementsAre("a:100", "s:900", "s:1900", "a:200"));
}

TEST(RemoteSender, SenderThatMissesDataSaysNothingOfWhatFollowedThem) {
    Recorder r;
    r.sent(Segment{.at = -ms, .seq = 900, .length = 0, .ack = 5000});
    r.ack(Ack{.at = 0, .ack = 100, .seq = 5000, .length = 48});  // lost behind the tap
    r.ack(Ack{.at = ms, .ack = 200, .seq = 5048, .length = 48});
    r.ack(Ack{.at = 2 * ms, .ack = 300, .seq = 5096, .length = 48});
    r.sent(Segment{.at = 11 * ms, .seq = 900, .length = 0, .ack = 5000});
    r.sent(Segment{.at = 12 * ms, .seq = 900, .length = 0, .ack = 5000});
    r.sent(Segment{.at = 30 * ms, .seq = 900, .ack = 5000});
    EXPECT_THAT(r.finish(), ElementsAre("a:100", "a:200", "a:300", "s:900"));
}

// Whatever acknowledgements were given since, none of them need have been processed.
TEST(RemoteSender, WhatMayBeInFlightIsToldWhileTheSenderMissesData) {
    Recorder r;
    r.ack(Ack{.at = 0, .ack = 900, .seq = 5000, .length = 48});
    r.sent(Segment{.at = 11 * ms, .seq = 900, .ack = 5048});
    r.ack(Ack{.at = 12 * ms, .ack = 1900, .seq = 5048, .length = 48});  // lost behind the tap
    r.sent(Segment{.at = 13 * ms, .seq = 1900, .length = 0, .ack = 5048});
    r.sent(Segment{.at = 23 * ms, .seq = 1900, .length = 0, .ack = 5048});
    r.sent(Segment{.at = 40 * ms, .seq = 1900, .ack = 5048});
    r.ack(Ack{.at = 41 * ms, .ack = 2900, .seq = 5096, .length = 48});
    r.sent(Segment{.at = 70 * ms, .seq = 2900, .ack = 5048});
    EXPECT_THAT(r.finish(), ElementsAre("a:900", "s:900", "a:1900", "s:1900", "a:2900", "s:2900"));
    EXPECT_THAT(r.flights_at_most, ElementsAre(0, 2 * mss, 3 * mss));
}

TEST(RemoteSender, ArrivalBoundsTheTimeOfSending) {
    Recorder r;
    r.ack(Ack{.at = 0, .ack = 100});
    r.ack(Ack{.at = 4 * ms, .ack = 200});
    r.ack(Ack{.at = 6 * ms, .ack = 300});
    r.sent(Segment{.at = 15 * ms, .seq = 900});
    EXPECT_THAT(r.finish(), ElementsAre("a:100", "a:200", "s:900", "a:300"));
}

// A sender with a tick of one millisecond and a flight far above what it sends, so that flight shows nothing; its
// answers come at once, which lets the clocks be compared. Acknowledgements echo nothing that changes.
void compare_clocks(Recorder& r, uint32_t& seq, int64_t until) {
    for (int64_t t = 0; t < until; t += 1700 * us) {
        const uint32_t receiver_tick = 100'000 + static_cast<uint32_t>(t / (1700 * us));
        r.ack(Ack{.at = t, .ack = seq, .timestamp = receiver_tick});
        const int64_t at_sender = t + round_trip / 2;
        r.sent(Segment{.at = t + round_trip,
                       .seq = seq,
                       .timestamp = 1 + static_cast<uint32_t>(at_sender / ms),
                       .echo = receiver_tick});
        seq += mss;
    }
}

TEST(RemoteSender, TickOfTheSenderPlacesASegmentHoweverLongItQueued) {
    Recorder r;
    uint32_t seq = 10'000;
    compare_clocks(r, seq, 2 * second);
    r.play();
    r.events.clear();
    // Three acknowledgements of one tick of the receiver reach the sender 5 ms later each; the segment is sent after
    // the second one, and is queued for 40 ms.
    const int64_t t = 3 * second;
    for (int i = 0; i < 3; ++i) {
        r.ack(Ack{.at = t + i * 5 * ms, .ack = seq + static_cast<uint32_t>(i) - 3, .timestamp = 900'000});
    }
    const int64_t at_sender = t + 5 * ms + round_trip / 2 + 100 * us;
    r.sent(Segment{.at = at_sender + round_trip / 2 + 40 * ms,
                   .seq = seq,
                   .timestamp = 1 + static_cast<uint32_t>(at_sender / ms),
                   .echo = 900'000});
    const std::string n = std::to_string(seq);
    EXPECT_THAT(r.finish(), ElementsAre("a:" + std::to_string(seq - 3), "a:" + std::to_string(seq - 2),
                                        "s:" + n, "a:" + std::to_string(seq - 1)));
    EXPECT_NEAR(static_cast<double>(r.times[r.times.size() - 2]), static_cast<double>(at_sender), 1.0 * ms);
}

TEST(RemoteSender, EchoGoesBeforeTheTickWhereAcknowledgementsQueueBehindData) {
    for (const bool bulk : {false, true}) {
        Recorder r;
        uint32_t seq = 10'000;
        compare_clocks(r, seq, 2 * second);
        r.play();
        r.events.clear();
        const int64_t t = 3 * second;
        const uint32_t length = bulk ? 9 * mss : 48;
        r.ack(Ack{.at = t, .ack = seq - 3, .seq = 0, .length = length, .timestamp = 900'000});
        r.ack(Ack{.at = t + ms, .ack = seq - 2, .seq = length, .timestamp = 900'001});
        r.ack(Ack{.at = t + 2 * ms, .ack = seq - 1, .seq = length, .length = length, .timestamp = 900'002});
        for (const int64_t after : {200 * us, 5 * ms}) {
            const int64_t at_sender = t + round_trip / 2 + after;
            r.sent(Segment{.at = at_sender + round_trip / 2,
                           .seq = seq,
                           .ack = length,
                           .timestamp = 1 + static_cast<uint32_t>(at_sender / ms),
                           .echo = 900'000});
            seq += mss;
        }
        const std::string a = "a:" + std::to_string(seq - 2 * mss - 2);
        const std::string s = "s:" + std::to_string(seq - mss);
        r.finish();
        EXPECT_EQ(
            std::find(r.events.begin(), r.events.end(), a) > std::find(r.events.begin(), r.events.end(), s),
            bulk);
    }
}

TEST(RemoteSender, GarbageInTimestampsDoesNotMoveASegmentBehindItsArrival) {
    Recorder r;
    uint32_t seq = 10'000;
    compare_clocks(r, seq, 2 * second);
    r.sent(Segment{.at = 2 * second + 20 * ms, .seq = seq, .timestamp = 5'000'000, .echo = 77});
    r.finish();
    EXPECT_LE(r.times.back(), 2 * second + 20 * ms - round_trip / 2);
}

TEST(RemoteSender, EchoThatOutlivesAcknowledgementsIsNone) {
    Recorder r;
    uint32_t seq = 10'000;
    compare_clocks(r, seq, 2 * second);
    r.play();
    r.events.clear();
    // From here on it echoes the same for longer than its clock is known without: it still sends at once.
    for (int64_t t = 2 * second; t < 10 * second; t += 1700 * us) {
        r.ack(Ack{.at = t, .ack = seq, .timestamp = 200'000 + static_cast<uint32_t>(t / ms)});
        const int64_t at_sender = t + round_trip / 2;
        r.sent(Segment{.at = t + round_trip,
                       .seq = seq,
                       .timestamp = 1 + static_cast<uint32_t>(at_sender / ms),
                       .echo = 100'500});
        seq += mss;
    }
    r.finish();
    // One and one in turn, once it is noticed; at the end one acknowledgement may be left.
    constexpr size_t noticed = 200;
    size_t out_of_turn = 0;
    for (size_t i = noticed; i + 1 < r.events.size(); ++i)
        out_of_turn += r.events[i][0] == r.events[i - 1][0] ? 1u : 0u;
    EXPECT_GT(r.events.size(), 9000u);
    EXPECT_EQ(out_of_turn, 0u);
}

// A sender that keeps `window` segments in flight over a link that is always full, seen from the receiver: each
// acknowledgement makes room for one segment, which arrives after all that are queued. Both ends' clocks have ticks so
// long that they show of the first window alone that nothing had released it.
struct FullLink {
    uint32_t window = 40;
    uint32_t write = 1;    // segments that it sends together, once there is room for all
    int tick = 1 << 30;    // from this round on the receiver's clock shows another, which is never echoed
    int shrink = 1 << 30;  // from this round on the receiver lets but half as much be in flight

    std::vector<std::string> play(Recorder& r, uint32_t seq, int rounds) const {
        std::vector<std::string> truth;
        uint32_t next = seq;
        uint32_t edge = seq + window * mss;
        int64_t arrival = round_trip;
        std::deque<Segment> under_way;
        const auto send = [&](uint32_t echo) {
            for (uint32_t i = 1; i <= write; ++i) {
                truth.push_back("s:" + std::to_string(next));
                under_way.push_back(
                    Segment{.at = arrival, .seq = next, .timestamp = 7, .echo = echo, .push = i == write});
                arrival += ms;
                next += mss;
            }
        };
        r.ack(Ack{.at = 0, .ack = seq, .timestamp = 49, .window = window * mss});
        truth.push_back("a:" + std::to_string(seq));
        for (uint32_t i = 0; i < window; i += write) send(49);
        for (int i = 0; i < rounds && !under_way.empty(); ++i) {
            const Segment segment = under_way.front();
            under_way.pop_front();
            r.sent(segment);
            const uint32_t ack = segment.seq + mss;
            const uint32_t opened = ack + (i < shrink ? window : window / 2) * mss;
            if (Serial32(opened).after(Serial32(edge))) edge = opened;
            arrival = std::max(arrival, segment.at + round_trip);
            r.ack(Ack{
                .at = segment.at + us, .ack = ack, .timestamp = i < tick ? 50u : 51u, .window = edge - ack});
            truth.push_back("a:" + std::to_string(ack));
            while (!Serial32(next + write * mss).after(Serial32(edge))) send(50);
        }
        r.play();
        return truth;
    }
};

TEST(RemoteSender, RoomInTheWindowTellsWhatReleasedASegmentWhereTheQueueHidesItsTime) {
    Recorder r;
    std::vector<std::string> truth = FullLink{}.play(r, 1000, 300);
    ASSERT_GT(r.events.size(), 400u);
    truth.resize(r.events.size());
    EXPECT_THAT(r.events, ElementsAreArray(truth));
}

TEST(RemoteSender, NoSegmentsBeyondAnyWindowArePlacedBeforeTheAcknowledgementsThatWaitForAnEcho) {
    Recorder r;
    const std::vector<std::string> truth = FullLink{.tick = 300}.play(r, 1000, 800);
    ASSERT_GT(r.events.size(), 1400u);
    const std::vector<std::string> said(r.events.begin() + 1000, r.events.end());
    const std::vector<std::string> so(truth.begin() + 1000,
                                      truth.begin() + static_cast<int64_t>(r.events.size()));
    EXPECT_THAT(said, ElementsAreArray(so));
}

// That the flight was sent before the segment that came alone, its IP identification shows. Else it was sent behind
// that one, and the sniffer lost it.
TEST(RemoteSender, FlightThatWasLostWholeIsSentAgainAfterATimeout) {
    enum class Case { lost, lost_by_sniffer, without_ip_ids, nothing };
    for (const Case is : {Case::lost, Case::lost_by_sniffer, Case::without_ip_ids, Case::nothing}) {
        const auto id = [&](int counted) {
            return static_cast<uint16_t>(is == Case::without_ip_ids ? 0 : counted);
        };
        Recorder r;
        r.ack(Ack{.at = 0, .ack = 1000, .timestamp = 50});
        r.sent(Segment{.at = 10 * ms, .seq = 1000, .timestamp = 7, .echo = 50, .ip_id = id(10)});
        r.ack(Ack{.at = 10 * ms + us, .ack = 2000, .timestamp = 60});
        // It sent 2000 to 4999 then. Or nothing, for want of data.
        r.sent(Segment{.at = 400 * ms,
                       .seq = 2000,
                       .timestamp = 390,
                       .echo = 60,
                       .ip_id = id(is == Case::lost ? 14 : 11)});
        r.ack(Ack{.at = 400 * ms + us, .ack = 3000, .timestamp = 450});
        r.sent(Segment{.at = 411 * ms,
                       .seq = is == Case::nothing ? 3000u : 5000u,
                       .timestamp = 401,
                       .echo = 450,
                       .ip_id = id(is == Case::nothing ? 12
                                   : is == Case::lost  ? 15
                                                       : 14)});
        const std::vector<std::string> events = r.finish();
        if (is == Case::lost) {
            EXPECT_THAT(events, ElementsAre("a:1000", "s:1000", "a:2000", "u:2000+1000", "u:3000+1000",
                                            "u:4000+1000", "r:2000", "a:3000", "s:5000"));
        } else {
            EXPECT_THAT(events, testing::Contains("s:2000"));
            EXPECT_THAT(events, testing::Not(testing::Contains("r:2000")));
        }
    }
}

// RFC 7323 §4.3: what lies behind data not yet acknowledged is not echoed, in none of the segments that go out at once
// with their acknowledgement.
TEST(RemoteSender, EchoSaysNothingOfWhatCameBehindDataThatAreAcknowledgedOnlyNow) {
    Recorder r;
    r.window = 4;
    r.ack(Ack{.at = 0, .ack = 1000, .timestamp = 50});
    for (uint32_t i = 0; i < 3; ++i)
        r.sent(Segment{.at = 10 * ms + i * us, .seq = 1000 + i * mss, .timestamp = 7, .echo = 50});
    r.ack(Ack{.at = 11 * ms, .ack = 1000, .length = 48, .timestamp = 50});
    r.ack(Ack{.at = 12 * ms, .ack = 4000, .seq = 48, .timestamp = 51});
    for (uint32_t i = 0; i < 4; ++i)
        r.sent(
            Segment{.at = 22 * ms + i * us, .seq = 4000 + i * mss, .ack = 48, .timestamp = 19, .echo = 50});
    const std::vector<std::string> events = r.finish();
    EXPECT_LT(std::find(events.begin(), events.end(), "a:4000"),
              std::find(events.begin(), events.end(), "s:5000"));
}

TEST(RemoteSender, WindowThatAReplayKnowsTellsItFromTheFirstSegmentOn) {
    Recorder r;
    r.window = 40;
    std::vector<std::string> truth = FullLink{}.play(r, 1000, 300);
    ASSERT_GT(r.events.size(), 400u);
    truth.resize(r.events.size());
    EXPECT_THAT(r.events, ElementsAreArray(truth));
}

TEST(RemoteSender, WindowThatIsTakenForTooLargeIsSeenNotToBeUsed) {
    Recorder r;
    r.window = 43;
    const std::vector<std::string> truth = FullLink{}.play(r, 1000, 300);
    ASSERT_GT(r.events.size(), 400u);
    const std::vector<std::string> said(r.events.begin() + 100, r.events.end());
    const std::vector<std::string> so(truth.begin() + 100,
                                      truth.begin() + static_cast<int64_t>(r.events.size()));
    EXPECT_THAT(said, ElementsAreArray(so));
}

TEST(RemoteSender, WriteWaitsForRoomForAllOfIt) {
    Recorder r;
    r.window = 40;
    std::vector<std::string> truth = FullLink{.write = 2}.play(r, 1000, 300);
    ASSERT_GT(r.events.size(), 400u);
    truth.resize(r.events.size());
    EXPECT_THAT(r.events, ElementsAreArray(truth));
}

TEST(RemoteSender, NothingIsSentBeyondTheReceiversWindow) {
    Recorder r;
    std::vector<std::string> truth = FullLink{.shrink = 100}.play(r, 1000, 300);
    ASSERT_GT(r.events.size(), 400u);
    truth.resize(r.events.size());
    EXPECT_THAT(r.events, ElementsAreArray(truth));
}

TEST(RemoteSender, SequenceNumbersWrap) {
    Recorder before;
    Recorder across;
    FullLink{}.play(before, 1000, 300);
    FullLink{}.play(across, 0xffffffffu - 150'000, 300);
    ASSERT_EQ(before.events.size(), across.events.size());
    for (size_t i = 0; i < before.events.size(); ++i) EXPECT_EQ(before.events[i][0], across.events[i][0]);
    EXPECT_EQ(before.times, across.times);
}

TEST(RemoteSender, AcknowledgedDataCameBeforeASegmentThoughThereWasRoomWithoutThem) {
    Recorder r;
    for (uint32_t i = 0; i < 3; ++i) r.ack(Ack{.at = i * 30 * us, .ack = 900, .seq = 48 * i, .length = 48});
    r.sent(Segment{.at = round_trip + 70 * us, .seq = 900 - mss, .ack = 96});
    EXPECT_THAT(r.finish(), ElementsAre("a:900", "a:900", "s:4294967196", "a:900"));
}

TEST(RemoteSender, ArrivalAHairTooSoonStillFollowsItsAcknowledgement) {
    Recorder r;
    r.ack(Ack{.at = 0, .ack = 100});
    r.sent(Segment{.at = round_trip - 10 * us, .seq = 900});
    EXPECT_THAT(r.finish(), ElementsAre("a:100", "s:900"));
}

TEST(RemoteSender, PiecesOfAHoleAreReleasedOneByOne) {
    Recorder r({mss, true, false});
    r.sent(Segment{.at = 0, .seq = 0, .length = 10 * mss});
    for (uint32_t i = 1; i <= 3; ++i) r.ack(Ack{.at = i * ms, .ack = (i + 1) * mss});
    r.sent(Segment{.at = 50 * ms, .seq = 14 * mss});
    EXPECT_THAT(r.finish(), ElementsAre("s:0", "a:2000", "u:10000+1000", "u:11000+1000", "a:3000",
                                        "u:12000+1000", "a:4000", "u:13000+1000", "s:14000"));
}

TEST(RemoteSender, PauseBeforeASegmentTellsItsTimeWhereTheWindowIsNotFull) {
    Recorder r({mss, true, false});
    FullLink{}.play(r, 1000, 200);
    r.play();
    r.events.clear();
    // Long after, all is acknowledged by three packets; then one segment for which there was room all along.
    const uint32_t next = 1000 + 200 * mss;
    const int64_t t = 5 * second;
    r.ack(Ack{.at = t, .ack = next - 2});
    r.ack(Ack{.at = t + ms, .ack = next - 1});
    r.ack(Ack{.at = t + 2 * ms, .ack = next});
    r.sent(Segment{.at = t + 3 * ms + round_trip + ms, .seq = next});  // it takes the link a millisecond
    r.finish();
    EXPECT_EQ(r.events.back(), "s:" + std::to_string(next));
    EXPECT_NEAR(static_cast<double>(r.times.back()), static_cast<double>(t + 3 * ms + round_trip / 2),
                50.0 * us);
}

TEST(RemoteSender, SegmentsUpToOneWithPushAreOneWrite) {
    Recorder r({mss, true, false});
    r.sent(Segment{.at = 0, .seq = 1000});
    r.ack(Ack{.at = us, .ack = 2000});
    for (uint32_t i = 0; i < 4; ++i) {
        if (i > 0) r.ack(Ack{.at = (i - 1) * 10 * us + 5 * us + us, .ack = 2000 + i});
        r.sent(Segment{.at = round_trip + 20 * us + i * 10 * us, .seq = 2000 + i * mss, .push = i == 3});
    }
    const std::vector<std::string>& events = r.finish();
    const auto first = std::find(events.begin(), events.end(), "s:2000");
    ASSERT_NE(first, events.end());
    EXPECT_THAT(std::vector<std::string>(first, first + 4),
                ElementsAre("s:2000", "s:3000", "s:4000", "s:5000"));
}

TEST(RemoteSender, RetransmissionFollowsTheAcknowledgementThatSackedThreeSegmentsBeyond) {
    Recorder r({mss, true, false});
    for (uint32_t i = 0; i < 6; ++i) r.sent(Segment{.at = i * 10 * us, .seq = 1000 + i * mss});
    for (uint32_t i = 1; i <= 4; ++i) {
        r.ack(Ack{.at = ms + i * 200 * us, .ack = 1000, .sack_begin = 2000, .sack_end = 2000 + i * mss});
    }
    r.play();
    r.events.clear();
    r.sent(Segment{.at = 50 * ms, .seq = 1000});
    EXPECT_THAT(r.finish(), ElementsAre("a:1000", "a:1000", "a:1000", "r:1000", "a:1000"));
}

TEST(RemoteSender, RetransmissionWithoutSackFollowsTheThirdDuplicate) {
    Recorder r({mss, false, false});
    for (uint32_t i = 0; i < 6; ++i) r.sent(Segment{.at = i * 10 * us, .seq = 1000 + i * mss});
    for (uint32_t i = 0; i < 6; ++i) r.ack(Ack{.at = ms + i * 200 * us, .ack = 1000});
    r.play();
    r.events.clear();
    r.sent(Segment{.at = 50 * ms, .seq = 1000});
    EXPECT_THAT(r.finish(),
                ElementsAre("a:1000", "a:1000", "a:1000", "a:1000", "r:1000", "a:1000", "a:1000"));
}

// ---- Times

TEST(RemoteSender, AcknowledgementReachesTheSenderHalfARoundTripLater) {
    Recorder r;
    r.ack(Ack{.at = 100 * ms, .ack = 100});
    r.finish();
    EXPECT_THAT(r.times, ElementsAre(105 * ms));
}

TEST(RemoteSender, RoundTripIsLearntFromAnswersWhereItIsNotTold) {
    Recorder r({mss, true, true}, no_time);
    r.ack(Ack{.at = 0, .ack = 100, .timestamp = 50});
    r.sent(Segment{.at = 12 * ms, .seq = 900, .timestamp = 7, .echo = 50});
    r.ack(Ack{.at = 20 * ms, .ack = 200, .timestamp = 70});
    r.finish();
    EXPECT_EQ(r.times.back(), 26 * ms);
}

TEST(RemoteSender, OneFalseAnswerDoesNotShortenTheRoundTrip) {
    Recorder r;
    r.ack(Ack{.at = 0, .ack = 100, .timestamp = 50});
    r.sent(Segment{.at = ms, .seq = 900, .timestamp = 7, .echo = 50});  // answers what the tap missed
    r.ack(Ack{.at = 20 * ms, .ack = 200, .timestamp = 70});
    r.finish();
    EXPECT_EQ(r.times.back(), 25 * ms);
}

TEST(RemoteSender, TimeNeverGoesBack) {
    Recorder r;
    r.ack(Ack{.at = 100 * ms, .ack = 100});
    r.sent(Segment{.at = 90 * ms, .seq = 900});
    r.ack(Ack{.at = 10 * ms, .ack = 200});
    r.sent(Segment{.at = -5 * second, .seq = 1900});
    r.play_as_instructed();
    r.finish();
    EXPECT_EQ(r.times.size(), 4u);
    EXPECT_TRUE(std::is_sorted(r.times.begin(), r.times.end()));
}

// ---- Losses and lateness before the tap

TEST(RemoteSender, HoleIsGivenBeforeWhatRevealedItAndItsRetransmissionWhenItCame) {
    Recorder r({mss, true, false});
    r.sent(Segment{.at = 0, .seq = 1000, .ip_id = 1});
    r.sent(Segment{.at = 10 * us, .seq = 3000, .ip_id = 3});
    r.sent(Segment{.at = 20 * us, .seq = 4000, .ip_id = 4});
    r.play();
    EXPECT_THAT(r.events, ElementsAre("s:1000"));  // it may yet come
    r.sent(Segment{.at = round_trip + ms, .seq = 2000, .ip_id = 5});
    EXPECT_THAT(r.finish(), ElementsAre("s:1000", "u:2000+1000", "s:3000", "s:4000", "r:2000"));
    EXPECT_EQ(r.packet_numbers[1], 2u);  // the packet that revealed it
}

TEST(RemoteSender, PureAcknowledgementRevealsTheTailThatWasLostBeforeIt) {
    Recorder r({mss, true, false});
    r.sent(Segment{.at = 0, .seq = 1000});
    r.sent(Segment{.at = 10 * us, .seq = 4000, .length = 0});
    r.sent(Segment{.at = 300 * ms, .seq = 2000});  // a timeout's retransmission, which continues the sequence
    EXPECT_THAT(r.finish(), ElementsAre("s:1000", "u:2000+1000", "u:3000+1000", "r:2000"));
}

TEST(RemoteSender, KeepAliveAndResetRevealNothing) {
    Recorder r({mss, true, false});
    r.sent(Segment{.at = 0, .seq = 1000});
    r.sent(Segment{.at = ms, .seq = 1999, .length = 0});
    SentSegment reset = Segment{.at = 2 * ms, .seq = 9000, .length = 0};
    reset.flags |= tcp_rst;
    r.sent(reset);
    EXPECT_THAT(r.finish(), ElementsAre("s:1000"));
}

TEST(RemoteSender, HoleIsGivenAfterARoundTripIfNothingFillsIt) {
    Recorder r({mss, true, false});
    r.sent(Segment{.at = 0, .seq = 1000});
    r.sent(Segment{.at = 10 * us, .seq = 3500});
    r.ack(Ack{.at = round_trip + ms, .ack = 2000});
    r.play();
    EXPECT_THAT(r.events, testing::Contains("u:2000+1000"));
    EXPECT_THAT(r.events, testing::Contains("u:3000+500"));
}

TEST(RemoteSender, SegmentThatIsOnlyLateTakesItsPlace) {
    Recorder r({mss, true, false});
    r.sent(Segment{.at = 0, .seq = 1000});
    r.sent(Segment{.at = 10 * us, .seq = 3000});
    r.sent(Segment{.at = 3 * ms, .seq = 2000});  // sooner than anybody could have asked for it
    r.play();
    EXPECT_THAT(r.events, ElementsAre("s:1000", "s:2000", "s:3000"));
    EXPECT_THAT(r.packet_numbers, ElementsAre(1u, 3u, 2u));
}

TEST(RemoteSender, EarlierTimestampTellsTheLateOriginal) {
    Recorder r;
    r.sent(Segment{.at = 0, .seq = 1000, .timestamp = 10, .echo = 1});
    r.sent(Segment{.at = 10 * us, .seq = 3000, .timestamp = 11, .echo = 1});
    r.sent(Segment{.at = 10 * ms, .seq = 2000, .timestamp = 10, .echo = 1});
    EXPECT_THAT(r.finish(), ElementsAre("s:1000", "s:2000", "s:3000"));
}

TEST(RemoteSender, LaterTimestampTellsTheRetransmissionHoweverSoonItComes) {
    Recorder r;
    r.sent(Segment{.at = 0, .seq = 1000, .timestamp = 10, .echo = 1});
    r.sent(Segment{.at = 10 * us, .seq = 3000, .timestamp = 11, .echo = 1});
    r.sent(Segment{.at = 5 * ms, .seq = 2000, .timestamp = 16, .echo = 1});
    r.play();
    EXPECT_THAT(r.events, ElementsAre("s:1000", "u:2000+1000", "s:3000", "r:2000"));
}

TEST(RemoteSender, IpIdentificationThatCountsUpTellsBest) {
    for (const bool late : {false, true}) {
        Recorder r;
        for (uint32_t i = 0; i < 40; ++i) {
            r.sent(Segment{.at = i * 10 * us,
                           .seq = 1000 + i * mss,
                           .timestamp = 10,
                           .echo = 1,
                           .ip_id = static_cast<uint16_t>(65'520 + i)});
        }
        r.play();
        r.events.clear();
        const uint16_t id = static_cast<uint16_t>(65'520 + 40);
        r.sent(Segment{
            .at = ms, .seq = 42'000, .timestamp = 10, .echo = 1, .ip_id = static_cast<uint16_t>(id + 1)});
        r.sent(Segment{.at = 2 * ms,
                       .seq = 41'000,
                       .timestamp = 10,
                       .echo = 1,
                       .ip_id = static_cast<uint16_t>(late ? id : id + 2)});
        r.finish();
        if (late) {
            EXPECT_THAT(r.events, ElementsAre("s:41000", "s:42000"));
        } else {
            EXPECT_THAT(r.events, ElementsAre("u:41000+1000", "s:42000", "r:41000"));
        }
    }
}

TEST(RemoteSender, LateOriginalInTheMidstOfALargerHolePartsIt) {
    Recorder r({mss, true, false});
    r.sent(Segment{.at = 0, .seq = 1000});
    r.sent(Segment{.at = 10 * us, .seq = 7000});
    r.sent(Segment{.at = ms, .seq = 4000});
    EXPECT_THAT(r.finish(), ElementsAre("s:1000", "u:2000+1000", "u:3000+1000", "s:4000", "u:5000+1000",
                                        "u:6000+1000", "s:7000"));
}

TEST(RemoteSender, OriginalThatComesAfterItsHoleWasGivenUpIsNotGivenTwice) {
    Recorder r;
    r.sent(Segment{.at = 0, .seq = 1000, .timestamp = 10, .echo = 1});
    r.sent(Segment{.at = 10 * us, .seq = 3000, .timestamp = 11, .echo = 1});
    r.ack(Ack{.at = 2 * round_trip, .ack = 2000});
    r.sent(Segment{.at = 3 * round_trip, .seq = 2000, .timestamp = 10, .echo = 1});
    EXPECT_THAT(r.finish(), ElementsAre("s:1000", "u:2000+1000", "s:3000", "a:2000"));
}

TEST(RemoteSender, CaptureThatDidNotLookForLongIsNoLoss) {
    Recorder r;
    r.sent(Segment{.at = 0, .seq = 1000});
    r.sent(Segment{.at = second, .seq = 1'000'000'000});
    EXPECT_THAT(r.finish(), ElementsAre("s:1000", "s:1000000000"));
}

TEST(RemoteSender, HoleOfManySegmentsIsGivenInFewPieces) {
    Recorder r;
    r.sent(Segment{.at = 0, .seq = 1000});
    r.sent(Segment{.at = ms, .seq = 2000 + 60'000'000});
    EXPECT_LE(r.finish().size(), 1100u);
    EXPECT_EQ(r.events.back(), "s:60002000");
}

// ---- What waits, and for how long

TEST(RemoteSender, PureAcknowledgementsOfTheSenderAreNoEvents) {
    Recorder r;
    r.sent(Segment{.at = 0, .seq = 1000, .length = 0});
    r.sent(Segment{.at = ms, .seq = 1000});
    EXPECT_THAT(r.finish(), ElementsAre("s:1000"));
}

TEST(RemoteSender, AcknowledgementsAreGivenThoughTheSenderFallsSilent) {
    Recorder r;
    r.ack(Ack{.at = 0, .ack = 100});
    r.play();
    EXPECT_TRUE(r.events.empty());
    r.ack(Ack{.at = 3 * second, .ack = 200});
    r.play();
    EXPECT_THAT(r.events, ElementsAre("a:100"));
}

TEST(RemoteSender, SoManyWaitAndNoMore) {
    Recorder r;
    const uint32_t count = 3 * RemoteSender::max_pending;
    for (uint32_t i = 0; i < count; ++i) r.ack(Ack{.at = i, .ack = i});
    r.play();
    EXPECT_GE(r.events.size(), count - RemoteSender::max_pending);
    Recorder holes;
    for (uint32_t i = 0; i < count; ++i) holes.sent(Segment{.at = i, .seq = 2 * i * mss});
    holes.play();
    EXPECT_GE(holes.events.size(), count - RemoteSender::max_pending);
}

TEST(RemoteSender, AnySequenceOfPacketsIsGivenEachOnceInOrderOfTime) {
    uint32_t random = 1;
    const auto next = [&random](uint32_t below) {
        random = random * 1664525 + 1013904223;
        return (random >> 8) % below;
    };
    for (int round = 0; round < 50; ++round) {
        Recorder r({mss, round % 2 == 0, true}, static_cast<int64_t>(next(3)) * 10 * ms);
        size_t acks = 0;
        for (int i = 0; i < 2000; ++i) {
            const int64_t at = static_cast<int64_t>(next(4)) * second + i * 100 * us;
            if (next(2) == 0) {
                ++acks;
                r.ack(Ack{.at = at,
                          .ack = next(1'000'000),
                          .seq = next(5000),
                          .length = next(100),
                          .timestamp = next(1000),
                          .sack_begin = next(1'000'000),
                          .sack_end = next(1'000'000)});
            } else {
                r.sent(Segment{.at = at,
                               .seq = next(1'000'000),
                               .length = next(3000),
                               .ack = next(5000),
                               .timestamp = next(1000),
                               .echo = next(1000),
                               .ip_id = static_cast<uint16_t>(next(50)),
                               .push = next(2) == 0});
            }
        }
        r.play_as_instructed();
        r.finish();
        size_t acks_out = 0;
        for (const std::string& event : r.events) acks_out += event[0] == 'a';
        EXPECT_EQ(acks_out, acks);
        EXPECT_TRUE(std::is_sorted(r.times.begin(), r.times.end()));
    }
}

}  // namespace
}  // namespace sanscope

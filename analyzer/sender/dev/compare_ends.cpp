// SPDX-License-Identifier: GPL-3.0-or-later

// How well RemoteSender reconstructs what a sender saw: reads two captures of one run, taken at its two ends with one
// clock, feeds RemoteSender from the receiver's and holds what comes out against the sender's own.
//
//     sender_compare_ends RECEIVER.pcap SENDER.pcap [PORT]
//
// The sender is the side with PORT (3260: the target); with a minus before it the other side. Of the busiest connection
// one line is printed: errors of times; for first transmissions how often exactly those acknowledgements come before a
// segment that did, and how often all but one or two; the error of what was in flight, in parts of it; and the counts.
// An acknowledgement captured at the sender while its socket was busy was processed later: that counts as an error here
// and is none.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analyzer/ingest/packet_source.h"
#include "analyzer/net/decode_frame.h"
#include "analyzer/sender/vantage/remote_sender.h"
#include "analyzer/sender/vantage/vantage_finder.h"

namespace {

using namespace sanscope;

struct Packet {
    DecodedPacket packet;
    TcpOptions options;
    int64_t time_ns = 0;
    PacketNumber number = 0;
    uint16_t peer_port = 0;
    bool from_sender = false;
};

std::vector<Packet> read(const std::string& path, uint16_t port, bool port_sends) {
    auto source = open_capture(path);
    if (!source) {
        fmt::print(stderr, "{}: {}\n", path, source.error().message);
        std::exit(1);
    }
    std::vector<Packet> packets;
    PacketBatch batch;
    while ((*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
        PacketNumber number = batch.first_packet;
        for (const RawPacket& raw : batch.packets) {
            Packet p;
            p.number = number++;
            p.time_ns = raw.time_ns;
            decode_frame(raw.link_type, raw.data, raw.captured_length, raw.wire_length, p.packet);
            if (p.packet.kind != DecodedPacket::Kind::tcp) continue;
            if (p.packet.source_port != port && p.packet.destination_port != port) continue;
            parse_tcp_options(p.packet, p.options);
            p.from_sender = (p.packet.source_port == port) == port_sends;
            p.peer_port = p.packet.source_port == port ? p.packet.destination_port : p.packet.source_port;
            packets.push_back(p);
        }
    }
    return packets;
}

uint16_t busiest_peer(const std::vector<Packet>& packets) {
    std::map<uint16_t, size_t> counts;
    for (const Packet& p : packets) ++counts[p.peer_port];
    const auto busiest = std::max_element(counts.begin(), counts.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    return busiest == counts.end() ? uint16_t{0} : busiest->first;
}

bool is_ack(const Packet& p) {
    return !p.from_sender && (p.packet.flags & tcp_ack) != 0;
}

uint32_t sequence_length(uint32_t payload, uint16_t flags) {
    return payload + ((flags & tcp_syn) != 0 ? 1 : 0) + ((flags & tcp_fin) != 0 ? 1 : 0);
}

// What is the same of a packet at both ends.
using Identity = std::tuple<uint16_t, uint32_t, uint32_t, uint32_t>;
Identity identity(const Packet& p) {
    return {p.packet.ip_id, p.packet.seq, p.packet.ack, p.options.timestamp};
}

// The sender's own capture, by what RemoteSender's events can be found with.
struct Truth {
    struct Sent {
        int64_t time_ns = 0;
        Serial32 acked;
        Serial32 end;
    };
    std::map<uint32_t, Sent> first_sent;                     // by sequence
    std::map<std::pair<uint32_t, uint16_t>, int64_t> again;  // by sequence and IP identification
    std::map<PacketNumber, int64_t> ack_ns;                  // by the receiver's packet numbers
    std::vector<Serial32> acks;                              // that arrived, each once, in order
};

Truth truth_of(const std::vector<Packet>& at_receiver, const std::vector<Packet>& at_sender, uint16_t peer) {
    std::multimap<Identity, PacketNumber> numbers;
    for (const Packet& p : at_receiver) {
        if (p.peer_port == peer && is_ack(p)) numbers.emplace(identity(p), p.number);
    }
    Truth truth;
    Serial32 acked;
    Serial32 end;
    bool any_sent = false;
    for (const Packet& p : at_sender) {
        if (p.peer_port != peer) continue;
        if (is_ack(p)) {
            const auto found = numbers.find(identity(p));
            if (found == numbers.end()) continue;
            truth.ack_ns[found->second] = p.time_ns;
            numbers.erase(found);
            const Serial32 ack(p.packet.ack);
            if (truth.acks.empty() || acked.before(ack)) {
                acked = ack;
                truth.acks.push_back(ack);
            }
            continue;
        }
        const uint32_t length = sequence_length(p.packet.payload_length, p.packet.flags);
        if (!p.from_sender || length == 0) continue;
        const Serial32 seq(p.packet.seq);
        if (any_sent && seq.before(end)) {
            truth.again.emplace(std::pair(p.packet.seq, p.packet.ip_id), p.time_ns);
            continue;
        }
        any_sent = true;
        end = seq + length;
        truth.first_sent.emplace(p.packet.seq, Truth::Sent{p.time_ns, acked, end});
    }
    return truth;
}

class Score {
  public:
    explicit Score(const Truth& truth) : truth_(truth) {}

    void on_ack(const ReceivedAck& ack) {
        if (!any_ack_ || acked_.before(ack.ack)) acked_ = ack.ack;
        any_ack_ = true;
        const auto found = truth_.ack_ns.find(ack.packet);
        if (found != truth_.ack_ns.end()) ack_error_us_.push_back(error_us(ack.time_ns, found->second));
    }

    void on_sent(const SentSegment& segment) {
        ++given_;
        unseen_ += segment.unseen;
        const Serial32 end = segment.seq + sequence_length(segment.length, segment.flags);
        if (any_sent_ && segment.seq.before(end_)) {
            const auto found = truth_.again.find({segment.seq.value, segment.ip_id});
            if (found == truth_.again.end()) {
                ++unknown_;
            } else {
                sent_error_us_.push_back(error_us(segment.time_ns, found->second));
            }
            return;
        }
        any_sent_ = true;
        end_ = end;
        const auto found = truth_.first_sent.find(segment.seq.value);
        if (found == truth_.first_sent.end()) {
            ++unknown_;
            return;
        }
        const Truth::Sent& sent = found->second;
        sent_error_us_.push_back(error_us(segment.time_ns, sent.time_ns));
        if (!any_ack_) return;
        off_by_.push_back(std::abs(rank(acked_) - rank(sent.acked)));
        const double flight = sent.acked.distance_to(sent.end);
        flight_error_.push_back(std::abs(acked_.distance_to(end_) - flight) / std::max(1000.0, flight));
    }

    void print() {
        const auto within = [this](std::ptrdiff_t most) {
            const auto count =
                std::count_if(off_by_.begin(), off_by_.end(), [=](auto d) { return d <= most; });
            return static_cast<double>(count) / static_cast<double>(std::max<size_t>(1, off_by_.size()));
        };
        fmt::print(
            "sent {:.0f} {:.0f} us, acks {:.0f} {:.0f} us (median, p90); exact {:.3f}, by one {:.3f}, by two "
            "{:.3f}; "
            "flight {:.4f} {:.4f} (median, p90); given {} of {}, unseen {}, not the sender's {}\n",
            quantile(sent_error_us_, 0.5), quantile(sent_error_us_, 0.9), quantile(ack_error_us_, 0.5),
            quantile(ack_error_us_, 0.9), within(0), within(1), within(2), quantile(flight_error_, 0.5),
            quantile(flight_error_, 0.9), given_, truth_.first_sent.size() + truth_.again.size(), unseen_,
            unknown_);
    }

  private:
    static double error_us(int64_t estimate_ns, int64_t truth_ns) {
        return std::abs(static_cast<double>(estimate_ns - truth_ns)) / 1e3;
    }
    std::ptrdiff_t rank(Serial32 ack) const {
        return std::partition_point(truth_.acks.begin(), truth_.acks.end(),
                                    [=](Serial32 a) { return !a.after(ack); }) -
               truth_.acks.begin();
    }
    static double quantile(std::vector<double>& values, double part) {
        if (values.empty()) return 0;
        const auto at =
            values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), at, values.end());
        return *at;
    }

    const Truth& truth_;
    Serial32 acked_;
    Serial32 end_;
    bool any_ack_ = false;
    bool any_sent_ = false;
    size_t given_ = 0;
    size_t unseen_ = 0;
    size_t unknown_ = 0;
    std::vector<double> sent_error_us_;
    std::vector<double> ack_error_us_;
    std::vector<std::ptrdiff_t> off_by_;
    std::vector<double> flight_error_;
};

SentSegment sent_segment(const Packet& p) {
    SentSegment segment;
    segment.time_ns = p.time_ns;
    segment.packet = p.number;
    segment.seq = Serial32(p.packet.seq);
    segment.length = p.packet.payload_length;
    segment.flags = p.packet.flags;
    segment.ip_id = p.packet.ip_id;
    segment.ack = Serial32(p.packet.ack);
    segment.has_timestamp = p.options.has_timestamps;
    segment.timestamp = p.options.timestamp;
    segment.timestamp_echo = p.options.timestamp_echo;
    return segment;
}

ReceivedAck received_ack(const Packet& p) {
    ReceivedAck ack;
    ack.time_ns = p.time_ns;
    ack.packet = p.number;
    ack.ack = Serial32(p.packet.ack);
    ack.seq = Serial32(p.packet.seq);
    ack.payload_length = p.packet.payload_length;
    ack.flags = p.packet.flags;
    ack.has_timestamp = p.options.has_timestamps;
    ack.timestamp = p.options.timestamp;
    ack.timestamp_echo = p.options.timestamp_echo;
    ack.sack_blocks = p.options.sack_blocks;
    for (size_t i = 0; i < p.options.sack_blocks; ++i)
        ack.sack[i] = {p.options.sack[i].begin, p.options.sack[i].end};
    return ack;
}

void drain(RemoteSender& remote, Score& score) {
    RemoteSender::Event event;
    while (remote.next(event)) {
        if (event.sent != nullptr) {
            score.on_sent(*event.sent);
        } else {
            score.on_ack(*event.ack);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        fmt::print(stderr, "usage: {} RECEIVER.pcap SENDER.pcap [PORT | -PORT]\n", argv[0]);
        return 2;
    }
    const int port_argument = argc > 3 ? std::atoi(argv[3]) : 3260;
    const auto port = static_cast<uint16_t>(std::abs(port_argument));
    const std::vector<Packet> at_receiver = read(argv[1], port, port_argument > 0);
    const std::vector<Packet> at_sender = read(argv[2], port, port_argument > 0);
    const uint16_t peer = busiest_peer(at_receiver);
    const Truth truth = truth_of(at_receiver, at_sender, peer);

    VantageFinder finder;  // the sender is its side b
    uint32_t mss = 0;
    bool sack = true;
    for (const Packet& p : at_receiver) {
        if (p.peer_port != peer) continue;
        finder.on_packet(!p.from_sender, p.time_ns, p.packet, p.options);
        if (p.from_sender) mss = std::max(mss, p.options.has_mss ? p.options.mss - 12u : 0u);
        if (p.from_sender && p.options.has_mss) sack = p.options.sack_permitted;
    }
    RemoteSender remote({mss, sack, true}, finder.round_trip_ns(Side::b));
    Score score(truth);
    for (const Packet& p : at_receiver) {
        if (p.peer_port != peer) continue;
        if (p.from_sender) {
            remote.on_sent(sent_segment(p));
        } else if (is_ack(p)) {
            remote.on_ack(received_ack(p));
        }
        drain(remote, score);
    }
    remote.finish();
    drain(remote, score);
    score.print();
    return 0;
}

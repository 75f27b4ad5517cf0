// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/vantage/remote_sender.h"

// Packets of both sides at will: every acknowledgement comes out once and in order, every segment that is no late
// original at most once, time never goes back, and no more wait than may.

namespace {

using namespace sanscope;

class Bytes {
  public:
    Bytes(const uint8_t* data, size_t size) : data_(data), left_(size) {}
    bool empty() const { return left_ == 0; }
    uint32_t take(size_t count) {
        uint32_t value = 0;
        for (size_t i = 0; i < count && left_ > 0; ++i, --left_) value = value << 8 | *data_++;
        return value;
    }

  private:
    const uint8_t* data_;
    size_t left_;
};

void require(bool holds) {
    if (!holds) std::abort();
}

struct Watch {
    int64_t time_ns = no_time;
    PacketNumber last_ack = 0;
    uint64_t acks = 0;
    std::set<PacketNumber> segments;

    void drain(RemoteSender& remote) {
        RemoteSender::Event event;
        while (remote.next(event)) {
            require((event.sent != nullptr) != (event.ack != nullptr));
            const int64_t at_ns = event.sent != nullptr ? event.sent->time_ns : event.ack->time_ns;
            require(at_ns >= time_ns);
            time_ns = at_ns;
            if (event.ack != nullptr) {
                require(event.ack->packet > last_ack);
                last_ack = event.ack->packet;
                ++acks;
            } else if (!event.sent->unseen) {
                require(segments.insert(event.sent->packet).second);
            } else {
                require(event.sent->length > 0);
            }
        }
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Bytes bytes(data, size);
    SenderOptions options;
    options.mss = bytes.take(2);
    options.sack = (bytes.take(1) & 1) != 0;
    const uint32_t trip = bytes.take(1);
    RemoteSender remote(options, trip == 0 ? no_time : static_cast<int64_t>(trip) * 100'000);
    Watch watch;
    int64_t time_ns = 0;
    uint32_t seq = bytes.take(4);
    uint32_t ack_seq = 0;
    PacketNumber packet = 0;
    uint64_t acks_in = 0;
    while (!bytes.empty()) {
        const uint32_t kind = bytes.take(1);
        // Mostly near what came before, now and then anywhere.
        if ((kind & 0x80) != 0) {
            time_ns = static_cast<int64_t>(static_cast<uint64_t>(bytes.take(4)) << 32 | bytes.take(4));
        } else {
            time_ns = static_cast<int64_t>(static_cast<uint64_t>(time_ns) + bytes.take(1) * 10'000);
        }
        ++packet;
        if ((kind & 1) != 0) {
            ReceivedAck ack;
            ack.time_ns = time_ns;
            ack.packet = packet;
            ack.flags = tcp_ack;
            ack.ack = Serial32((kind & 2) != 0 ? bytes.take(4) : seq - bytes.take(1) * 100);
            ack.seq = Serial32(ack_seq);
            if ((kind & 4) != 0) {
                ack.payload_length = bytes.take(1);
                ack_seq += ack.payload_length;
            }
            ack.has_timestamp = (kind & 8) != 0;
            ack.timestamp = bytes.take(1);
            if ((kind & 16) != 0) {
                ack.sack_blocks = static_cast<uint8_t>(bytes.take(1));
                for (auto& block : ack.sack)
                    block = {Serial32(seq - bytes.take(2)), Serial32(seq - bytes.take(2))};
            }
            remote.on_ack(ack);
            ++acks_in;
        } else {
            SentSegment segment;
            segment.time_ns = time_ns;
            segment.packet = packet;
            segment.flags = static_cast<uint16_t>(tcp_ack | (kind & 2) << 2);
            segment.length = (kind & 4) != 0 ? bytes.take(2) : 1000;
            switch (kind >> 5 & 3) {
                case 0:
                    segment.seq = Serial32(seq);
                    break;
                case 1:
                    segment.seq = Serial32(seq + bytes.take(2));
                    break;
                case 2:
                    segment.seq = Serial32(seq - bytes.take(2));
                    break;
                default:
                    segment.seq = Serial32(bytes.take(4));
            }
            if (Serial32(seq).before(segment.seq + segment.length)) seq = segment.seq.value + segment.length;
            segment.has_timestamp = (kind & 8) != 0;
            segment.timestamp = bytes.take(1) * (1 + (kind & 16) * 0x100000);
            segment.timestamp_echo = bytes.take(1);
            segment.ip_id = static_cast<uint16_t>((kind & 16) != 0 ? bytes.take(2) : packet);
            segment.ack = Serial32(ack_seq - bytes.take(1));
            remote.on_sent(segment);
        }
        watch.drain(remote);
        require(acks_in - watch.acks <= RemoteSender::max_pending);
    }
    remote.finish();
    watch.drain(remote);
    require(watch.acks == acks_in);
    return 0;
}

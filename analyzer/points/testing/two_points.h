// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/testing/durations.h"
#include "analyzer/engine/engine.h"
#include "analyzer/iscsi/testing/pdu_builder.h"
#include "analyzer/net/testing/frame_builder.h"
#include "analyzer/points/points_of_path.h"

namespace sanscope::test {

// Which of two points capture a packet.
enum Seen : unsigned { nowhere = 0, at_a = 1, at_b = 2, everywhere = 3 };

// Traffic that passes two points, each with a clock of its own, and what they capture of it.
class TwoPoints {
  public:
    // The moment of what happens next, by A's clock. It is for whoever sends to move it on.
    int64_t now = 0;
    int64_t from_a_to_b_ns = ms;
    int64_t from_b_to_a_ns = ms;
    int64_t b_ahead_ns = 0;  // from here on
    bool timestamps = true;  // TSval in milliseconds (RFC 7323)
    bool ids = true;         // IP identification

    // A packet passes the point at its sender's side now, and the other one as much later as the path takes.
    void pass(bool sender_at_b, const frames::Ipv4& ends, frames::Tcp header, const Bytes& payload,
              unsigned seen) {
        if (timestamps) {
            const auto tsval = static_cast<uint32_t>(now / ms);
            header.options.insert(header.options.end(), {1, 1, 8, 10});
            for (int shift = 24; shift >= 0; shift -= 8)
                header.options.push_back(static_cast<uint8_t>(tsval >> shift));
            header.options.insert(header.options.end(), 4, 0);
        }
        frames::Ipv4 from_to = ends;
        from_to.id = ids ? ++id_ : uint16_t{0};
        const frames::Layer frame = frames::ethernet(frames::ipv4(from_to, frames::tcp(header, payload)));
        const int64_t at_a_ns = now + (sender_at_b ? from_b_to_a_ns : 0);
        const int64_t at_b_ns = now + (sender_at_b ? 0 : from_a_to_b_ns);
        if ((seen & at_a) != 0) packets_[0].push_back({at_a_ns, at_a_ns, frame.bytes});
        if ((seen & at_b) != 0) packets_[1].push_back({at_b_ns, at_b_ns + b_ahead_ns, frame.bytes});
    }

    Result<PathPoints> follow() const {
        std::vector<std::unique_ptr<PointCapture>> captures;
        for (const bool b : {false, true}) {
            captures.push_back(
                std::make_unique<PointCapture>(b ? "b" : "a", std::pmr::get_default_resource()));
            for_each_batch(b, [&](const PacketBatch& batch) { captures.back()->add(batch); });
            captures.back()->finish();
        }
        return follow_path(std::move(captures), {});
    }
    // Of what one of them captured.
    std::unique_ptr<Engine> analysis(bool of_b, const ResultStore::Keep& keep) const {
        auto engine = std::make_unique<Engine>(keep);
        std::vector<DecodedPacket> decoded;
        for_each_batch(of_b, [&](const PacketBatch& batch) {
            decode_batch(batch, decoded);
            engine->process(batch, decoded);
        });
        engine->finish();
        return engine;
    }

  private:
    static constexpr int64_t epoch_ns = 1'790'000'000'000'000'000;
    struct Packet {
        int64_t true_ns;
        int64_t time_ns;
        Bytes bytes;
    };

    template <class Take>
    void for_each_batch(bool of_b, const Take& take) const {
        std::vector<Packet> packets = packets_[of_b ? 1 : 0];
        std::ranges::stable_sort(packets, {}, &Packet::true_ns);
        for (size_t i = 0; i < packets.size(); ++i) {
            PacketBatch batch;
            RawPacket raw;
            raw.data = packets[i].bytes.data();
            raw.wire_length = raw.captured_length = static_cast<uint32_t>(packets[i].bytes.size());
            raw.time_ns = epoch_ns + packets[i].time_ns;
            batch.packets.push_back(raw);
            batch.first_packet = i + 1;
            take(batch);
        }
    }

    std::array<std::vector<Packet>, 2> packets_;
    uint16_t id_ = 0;
};

// One iSCSI connection that passes them.
class PassingConnection {
  public:
    // `initiator_at_b`: on that side of the path, and the target on the other one.
    explicit PassingConnection(TwoPoints& points, bool initiator_at_b = false)
        : points_(points), initiator_at_b_(initiator_at_b), port_(initiator_at_b ? 50002 : 50001) {}

    // `answers_seen`: where what the target sends is captured.
    void log_in(unsigned answers_seen = everywhere) {
        send(false, {}, everywhere, tcp_syn);
        points_.now += 5 * ms;
        send(true, {}, answers_seen, tcp_syn | tcp_ack);
        points_.now += 5 * ms;
        send(false, {}, everywhere);
        send(false, login_request(text_keys({"InitiatorName=iqn.2026-01.org.example:i",
                                             "TargetName=iqn.2026-01.org.example:t"}))
                        .bytes());
        points_.now += 5 * ms;
        send(true, login_response({}).stat_sn(stat_sn_++).bytes(), answers_seen);
        points_.now += 5 * ms;
    }

    // The next bytes of a side's stream, sent now.
    void send(bool from_target, const Bytes& payload, unsigned seen = everywhere, int flags = tcp_ack) {
        frames::Tcp header = header_of(from_target, flags);
        if ((flags & tcp_syn) != 0) header.options = {2, 4, 0x05, 0xb4, 4, 2, 1, 1};
        points_.pass(from_target != initiator_at_b_, ends(from_target), header, payload, seen);
        next_[from_target] += static_cast<uint32_t>(payload.size()) + ((flags & tcp_syn) != 0 ? 1 : 0);
    }
    // The last bytes of a side's stream, these, once more.
    void send_again(bool from_target, const Bytes& payload, unsigned seen = everywhere) {
        frames::Tcp header = header_of(from_target, tcp_ack);
        header.seq -= static_cast<uint32_t>(payload.size());
        points_.pass(from_target != initiator_at_b_, ends(from_target), header, payload, seen);
    }

    Bytes request(uint32_t itt) {
        return scsi_command(itt, cmd_sn_++, Moves::in, 512, read_10(1, 1)).exp_stat_sn(stat_sn_).bytes();
    }
    Bytes answer(uint32_t itt) {
        return data_in(itt, 0, pattern(512), cmd_sn_).flags(0x81).stat_sn(stat_sn_++).bytes();
    }
    PduBuilder write(uint32_t itt, uint32_t bytes) {
        return scsi_command(itt, cmd_sn_++, Moves::out, bytes, write_10(1, static_cast<uint8_t>(bytes / 512)))
            .exp_stat_sn(stat_sn_);
    }
    Bytes status(uint32_t itt) { return scsi_response(itt, 0, stat_sn_++, cmd_sn_).bytes(); }
    Bytes permission(uint32_t itt, uint32_t ttt, uint32_t offset, uint32_t length) {
        return r2t(itt, ttt, offset, length, cmd_sn_).stat_sn(stat_sn_).bytes();
    }

    // A READ for which the target needs so long once it has the request.
    void read(int64_t target_ns) {
        const uint32_t itt = cmd_sn_;
        send(false, request(itt));
        points_.now += there() + target_ns;
        send(true, answer(itt));
        points_.now += back();
        send(false, {});
        points_.now += ms;
    }
    void reads(int count) {
        for (int i = 0; i < count; ++i) read(ms / 2);
    }

    int64_t there() const { return initiator_at_b_ ? points_.from_b_to_a_ns : points_.from_a_to_b_ns; }
    int64_t back() const { return initiator_at_b_ ? points_.from_a_to_b_ns : points_.from_b_to_a_ns; }
    uint32_t next_itt() const { return cmd_sn_; }

    uint32_t unheard = 0;  // so many of the last bytes of the target the initiator does not acknowledge yet

  private:
    frames::Tcp header_of(bool from_target, int flags) const {
        return {.source_port = from_target ? uint16_t{3260} : port_,
                .destination_port = from_target ? port_ : uint16_t{3260},
                .seq = next_[from_target],
                .ack = flags == tcp_syn ? 0 : next_[!from_target] - (from_target ? 0 : unheard),
                .flags = static_cast<uint16_t>(flags)};
    }
    frames::Ipv4 ends(bool from_target) const {
        const bool from_b = from_target != initiator_at_b_;
        return from_b ? frames::Ipv4{.source = "10.0.0.2", .destination = "10.0.0.1"}
                      : frames::Ipv4{.source = "10.0.0.1", .destination = "10.0.0.2"};
    }

    TwoPoints& points_;
    bool initiator_at_b_;
    uint16_t port_;
    std::array<uint32_t, 2> next_ = {1000, 5000};
    uint32_t cmd_sn_ = 1;
    uint32_t stat_sn_ = 1;
};

}  // namespace sanscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/testing/durations.h"
#include "analyzer/engine/engine.h"
#include "analyzer/iscsi/testing/pdu_builder.h"
#include "analyzer/net/testing/frame_builder.h"
#include "analyzer/report/findings.h"

namespace sanscope::test {

// A capture written frame by frame, and what is found in it.
class FramesCapture {
  public:
    FramesCapture() : engine_(rows_for_findings) {}

    // Frames come in order of time.
    void add(const frames::Layer& frame, int64_t at_ns, uint16_t interface = 0) {
        PacketBatch batch;
        RawPacket raw;
        raw.data = frame.bytes.data();
        raw.wire_length = raw.captured_length = static_cast<uint32_t>(frame.bytes.size());
        raw.time_ns = epoch_ns + at_ns;
        raw.interface = interface;
        batch.packets.push_back(raw);
        batch.first_packet = ++packets_;
        batch.after_gap = std::exchange(begins_file_, false);
        std::vector<DecodedPacket> decoded;
        decode_batch(batch, decoded);
        engine_.process(batch, decoded);
        now_ns = at_ns;
    }
    // What was added is a file, and what comes is another one.
    void begin_file() { begins_file_ = packets_ > 0; }
    PacketNumber packets() const { return packets_; }
    const ResultStore& store() const { return engine_.store(); }

    std::vector<Finding> find() {
        engine_.finish();
        const std::vector<Finding> found =
            findings({engine_.store(), engine_.totals(), engine_.issues(), {}, {}, nullptr, {}});
        return found;
    }
    // Those of one kind.
    std::vector<Finding> find(Finding::Kind kind) {
        std::vector<Finding> found = find();
        std::erase_if(found, [=](const Finding& finding) { return finding.kind != kind; });
        return found;
    }

    int64_t now_ns = 0;

  private:
    // No time is a round one: the clock has fine steps.
    static constexpr int64_t epoch_ns = 1'700'000'000'000'000'001;
    Engine engine_;
    PacketNumber packets_ = 0;
    bool begins_file_ = false;
};

// A host as its frames show it.
struct Host {
    std::string ip;
    uint8_t mac = 1;  // the last byte
    uint8_t ttl = 64;
    frames::ByteVector syn_options = {2, 4, 0x05, 0xb4, 4,
                                      2, 3, 3,    7};  // MSS 1460, SACK permitted, window scale 7
};

inline frames::ByteVector syn_options_with_mss(uint16_t mss) {
    return {2, 4, static_cast<uint8_t>(mss >> 8), static_cast<uint8_t>(mss), 4, 2, 3, 3, 7};
}

// One TCP connection in a FramesCapture, with iSCSI on it.
class FramesConnection {
  public:
    FramesConnection(FramesCapture& capture, Host initiator, Host target, uint16_t port = 50001)
        : capture_(capture), hosts_{std::move(initiator), std::move(target)}, port_(port) {}

    Host& host(bool target) { return hosts_[target]; }

    // `trip_ns`: from the initiator, where it is captured, to the target and back.
    void open(int64_t at_ns, int64_t trip_ns = ms) {
        segment(false, tcp_syn, at_ns, {});
        segment(true, tcp_syn | tcp_ack, at_ns + trip_ns, {});
        segment(false, tcp_ack, at_ns + trip_ns, {});
    }
    // Likewise, captured at the target.
    void open_at_target(int64_t at_ns, int64_t trip_ns = ms) {
        segment(false, tcp_syn, at_ns, {});
        segment(true, tcp_syn | tcp_ack, at_ns, {});
        segment(false, tcp_ack, at_ns + trip_ns, {});
    }
    // A SYN that nobody answers: open() sends it again.
    void send_syn(int64_t at_ns) {
        frames::Tcp header = header_of(false, tcp_syn);
        header.options = hosts_[false].syn_options;
        frame(false, frames::tcp(header), at_ns);
    }
    // A SYN, and an RST.
    void refuse(int64_t at_ns) {
        segment(false, tcp_syn, at_ns, {});
        segment(true, tcp_rst | tcp_ack, at_ns, {});
    }
    void login(int64_t at_ns, std::string_view initiator_name = "InitiatorName=iqn.2026-01.org.example:i",
               uint64_t isid = 0x00023d000001, int64_t took_ns = ms) {
        send(false,
             login_request(text_keys({initiator_name, "TargetName=iqn.2026-01.org.example:t"}), isid).bytes(),
             at_ns);
        send(true, login_response({}, isid).stat_sn(stat_sn_++).bytes(), at_ns + took_ns);
    }
    // A READ(10) of `blocks` of 512 bytes, its data in one Data-In, which fits a segment.
    void read(int64_t at_ns, uint8_t blocks = 2, int64_t took_ns = ms) {
        const uint32_t itt = cmd_sn_;
        const uint32_t length = 512u * blocks;
        send(
            false,
            scsi_command(itt, cmd_sn_++, Moves::in, length, read_10(1, blocks)).exp_stat_sn(stat_sn_).bytes(),
            at_ns);
        send(true, data_in(itt, 0, pattern(length), cmd_sn_).flags(0x81).stat_sn(stat_sn_++).bytes(),
             at_ns + took_ns);
        acknowledge(false, at_ns + took_ns);
    }
    // A READ(10) of so many KiB, each in a Data-In PDU of its own, the first `took_ns` behind the request, the others so far apart. The
    // initiator acknowledges each `ack_ns` later.
    void read_in_pieces(int64_t at_ns, uint8_t pieces, int64_t apart_ns, int64_t took_ns = ms,
                        int64_t ack_ns = 0) {
        const uint32_t itt = cmd_sn_;
        const uint32_t length = 1024u * pieces;
        send(false,
             scsi_command(itt, cmd_sn_++, Moves::in, length, read_10(1, static_cast<uint8_t>(2 * pieces)))
                 .exp_stat_sn(stat_sn_)
                 .bytes(),
             at_ns);
        for (uint8_t piece = 0; piece < pieces; ++piece) {
            const bool last = piece + 1 == pieces;
            PduBuilder data = data_in(itt, 1024u * piece, pattern(1024), cmd_sn_).data_sn(piece);
            if (last) data.flags(0x81).stat_sn(stat_sn_++);
            const int64_t sent_ns = at_ns + took_ns + piece * apart_ns;
            send(true, data.bytes(), sent_ns);
            acknowledge(false, sent_ns + ack_ns);
        }
    }
    void request_read(int64_t at_ns, uint8_t blocks = 2) {
        send(false,
             scsi_command(cmd_sn_, cmd_sn_, Moves::in, 512u * blocks, read_10(1, blocks))
                 .exp_stat_sn(stat_sn_)
                 .bytes(),
             at_ns);
        ++cmd_sn_;
    }

    // The next bytes of a side's stream.
    void send(bool from_target, const Bytes& payload, int64_t at_ns) {
        segment(from_target, tcp_ack | tcp_psh, at_ns, payload);
    }
    void acknowledge(bool from_target, int64_t at_ns) { segment(from_target, tcp_ack, at_ns, {}); }
    void reset(bool from_target, int64_t at_ns) { segment(from_target, tcp_rst | tcp_ack, at_ns, {}); }
    void close(bool from_target, int64_t at_ns) { segment(from_target, tcp_fin | tcp_ack, at_ns, {}); }
    // A side's segment that does not move its next sequence number on: sent again, or not received.
    void segment_at(bool from_target, uint32_t seq, const Bytes& payload, int64_t at_ns) {
        frames::Tcp header = header_of(from_target, tcp_ack);
        header.seq = seq;
        frame(from_target, frames::tcp(header, payload), at_ns);
    }
    uint32_t next_seq(bool of_target) const { return next_[of_target]; }
    void skip(bool of_target, uint32_t bytes) { next_[of_target] += bytes; }
    // What the other side has received of it; moves on by itself only while `receives`.
    void set_received(bool of_target, uint32_t seq) { received_[of_target] = seq; }
    bool receives[2] = {true, true};  // what initiator, target send arrives

  private:
    void segment(bool from_target, uint16_t flags, int64_t at_ns, const Bytes& payload) {
        frames::Tcp header = header_of(from_target, flags);
        if ((flags & tcp_syn) != 0) header.options = hosts_[from_target].syn_options;
        frame(from_target, frames::tcp(header, payload), at_ns);
        next_[from_target] +=
            static_cast<uint32_t>(payload.size()) + ((flags & (tcp_syn | tcp_fin)) != 0 ? 1 : 0);
        if (receives[from_target]) received_[from_target] = next_[from_target];
    }
    frames::Tcp header_of(bool from_target, uint16_t flags) const {
        return {.source_port = from_target ? uint16_t{3260} : port_,
                .destination_port = from_target ? port_ : uint16_t{3260},
                .seq = next_[from_target],
                .ack = (flags & tcp_ack) != 0 ? received_[!from_target] : 0,
                .flags = flags};
    }
    void frame(bool from_target, const frames::Layer& tcp, int64_t at_ns) {
        const Host& from = hosts_[from_target];
        capture_.add(
            frames::ethernet_from(
                from.mac,
                frames::ipv4({.source = from.ip, .destination = hosts_[!from_target].ip, .ttl = from.ttl},
                             tcp)),
            at_ns);
    }

    FramesCapture& capture_;
    std::array<Host, 2> hosts_;
    uint16_t port_;
    std::array<uint32_t, 2> next_ = {1000, 5000};
    std::array<uint32_t, 2> received_ = {1000, 5000};
    uint32_t cmd_sn_ = 1;
    uint32_t stat_sn_ = 1;
};

}  // namespace sanscope::test

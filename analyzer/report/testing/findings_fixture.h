// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/base/testing/durations.h"
#include "analyzer/report/findings.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope::test {

// Of the connections of the fixture.
constexpr uint32_t mss = 1000;

// A store of made-up rows and what is found in it: one session with one connection unless more are added, 1 s long, captured at
// the initiator. Rows may be added behind a find() too; the next one finds in all of them.
class Findings : public testing::Test {
  protected:
    explicit Findings(ResultStore::Keep keep = {}) : store(keep) {
        uint32_t session = 0;
        store.add_session(session).connections = 1;
        add_connection(session);
    }

    // Of the same two hosts as the others.
    ConnectionRow& add_connection(uint32_t session) {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        const std::array<uint8_t, 4> initiator = {10, 0, 0, 1};
        const std::array<uint8_t, 4> target = {10, 0, 0, 2};
        row.initiator = {IpAddress::from_v4(initiator.data()), static_cast<uint16_t>(50000 + number)};
        row.target = {IpAddress::from_v4(target.data()), 3260};
        row.first_packet = 100 * number;
        row.start_ns = 0;
        row.end_ns = 1000 * ms;
        row.bytes_out = row.bytes_in = 5'000'000;
        row.packets_out = row.packets_in = 5'000;
        row.mss = mss;
        row.rtt_min_ns = 2 * ms;
        row.vantage = Vantage::initiator;
        row.session = session;
        row.iscsi = true;
        return row;
    }

    // The senders of connection 1.
    SenderSummary& add_target() { return store.add_sender(1, Side::b); }
    SenderSummary& add_initiator() { return store.add_sender(1, Side::a); }

    // The sender's figures from `begin_ms` on; `window` has what is not usual.
    void add_window(SenderSummary& sender, int64_t begin_ms, WindowRow window) {
        window.connection = sender.connection();
        window.sender = sender.side();
        window.time_ns = begin_ms * ms;
        window.packet = static_cast<PacketNumber>(begin_ms) + 1;
        if (window.srtt_ns == no_time) window.srtt_ns = 2 * ms;
        if (window.cwnd == unknown<uint32_t>) window.cwnd = 100'000;
        store.add_window(sender, window);
    }

    // A packet of one byte every 0.1 ms, with always as much in flight, which its application limits.
    void add_flow(SenderSummary& sender, uint32_t packets, uint32_t in_flight = 1,
                  uint32_t advertised_window = 1'000'000) {
        for (uint32_t i = 0; i < packets; ++i) {
            WindowRow row{.snd_una = i, .snd_nxt = i + 1};
            row.connection = sender.connection();
            row.sender = sender.side();
            row.time_ns = int64_t{i} * 100'000;
            row.srtt_ns = 2 * ms;
            row.in_flight = in_flight;
            row.advertised_window = advertised_window;
            row.cwnd = 100'000;
            row.limit = SendLimit::application;
            store.add_window(sender, row);
        }
    }

    // A segment that was sent again 3 ms after its first copy.
    void add_loss(SenderSummary& sender, LossKind kind, int64_t time_ms, PacketNumber packet = 7) {
        store.add_loss(sender, {.packet = packet,
                                .time_ns = time_ms * ms,
                                .delay_ns = 3 * ms,
                                .connection = sender.connection(),
                                .length = mss,
                                .kind = kind,
                                .sender = sender.side()});
    }

    // Of connection 1 unless one is named; the command's number.
    uint64_t add_command(CommandRow values) {
        uint64_t number = 0;
        CommandRow& row = store.begin_command(number);
        if (values.connection == 0) values.connection = 1;
        values.session = 1;
        if (values.request_packet == 0) values.request_packet = 1000 + 2 * number;
        values.itt = static_cast<uint32_t>(number);
        row = values;
        store.requested(row);
        if (row.response_packet != 0) store.answered(row);
        store.end_command(number, row, values.opcode == scsi_op::read_16, values.opcode == scsi_op::write_16);
        return number;
    }

    // A good READ(16) of 64 KiB: its data come `wait_ms` after its request and take `data_ms`.
    uint64_t add_read(int64_t begin_ms, int64_t wait_ms, int64_t data_ms = 0) {
        const PacketNumber packet = 1000 + 2 * static_cast<PacketNumber>(begin_ms);
        return add_command({.bytes = 65536,
                            .request_packet = packet,
                            .response_packet = packet + 2 * static_cast<PacketNumber>(wait_ms + data_ms),
                            .request_ns = begin_ms * ms,
                            .first_data_ns = (begin_ms + wait_ms) * ms,
                            .last_data_ns = (begin_ms + wait_ms + data_ms) * ms,
                            .response_ns = (begin_ms + wait_ms + data_ms) * ms,
                            .name = "READ(16)",
                            .opcode = scsi_op::read_16,
                            .status = 0,
                            .outcome = Outcome::completed});
    }

    // A command that took 1 ms and ended with this status and sense data.
    uint64_t add_failed(uint16_t opcode, uint16_t status, uint16_t key = unknown<uint16_t>,
                        uint16_t asc = unknown<uint16_t>, uint16_t ascq = unknown<uint16_t>) {
        return add_command({.bytes = 4096,
                            .response_packet = 5000,
                            .request_ns = 10 * ms,
                            .response_ns = 11 * ms,
                            .name = opcode == scsi_op::read_16 ? "READ(16)" : "TEST UNIT READY",
                            .opcode = opcode,
                            .status = status,
                            .sense_key = key,
                            .asc = asc,
                            .ascq = ascq,
                            .outcome = Outcome::completed});
    }

    std::vector<Finding> find() {
        store.finish();
        return findings({store, totals, issues, damage, interfaces, stop, between});
    }
    // Those of one kind.
    std::vector<Finding> find(Finding::Kind kind) {
        std::vector<Finding> found = find();
        std::erase_if(found, [=](const Finding& finding) { return finding.kind != kind; });
        return found;
    }
    Finding find_one(Finding::Kind kind) {
        const std::vector<Finding> found = find(kind);
        EXPECT_EQ(found.size(), 1u) << finding_kind_name(kind);
        return found.empty() ? Finding{} : found.front();
    }

    ResultStore store;
    Engine::Totals totals{.packets = 10'000, .first_ns = 0, .last_ns = 2000 * ms};
    Issues issues;
    std::vector<Damage> damage;
    std::vector<CaptureInterface> interfaces;
    const std::atomic<bool>* stop = nullptr;
    std::function<void()> between;
};

}  // namespace sanscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "analyzer/base/testing/durations.h"
#include "analyzer/report/findings.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope::test {

// A store of made-up rows, and what is found in it. No connection is there until it is added.
class MadeUpCapture {
  public:
    // Each a session of its own unless one is named; 60 s long, captured at the initiator.
    ConnectionRow& add_connection(int64_t start_ns = 0, uint32_t of_session = 0) {
        uint32_t session = of_session;
        if (session == 0) store.add_session(session);
        SessionRow& names = store.session(session);
        ++names.connections;
        names.initiator_name = "iqn.initiator";
        names.target_name = "iqn.target";
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        const std::array<uint8_t, 4> initiator = {10, 0, 0, 1};
        const std::array<uint8_t, 4> target = {10, 0, 0, 2};
        row.initiator = {IpAddress::from_v4(initiator.data()), static_cast<uint16_t>(50000 + number)};
        row.target = {IpAddress::from_v4(target.data()), 3260};
        row.first_packet = 100'000 * number;
        row.start_ns = start_ns;
        row.end_ns = start_ns + 60 * second;
        row.packets_out = row.packets_in = 5'000;
        row.bytes_out = row.bytes_in = 5'000'000;
        row.mss = 1000;
        row.rtt_min_ns = ms;
        row.vantage = Vantage::initiator;
        row.session = session;
        row.iscsi = true;
        return row;
    }

    // Of the latest connection unless one is named. `took_ns` 0: not answered.
    uint64_t add_command(int64_t begin_ns, int64_t took_ns, CommandRow values) {
        uint64_t number = 0;
        CommandRow& row = store.begin_command(number);
        if (values.connection == 0) values.connection = static_cast<uint32_t>(store.connections().size());
        if (values.session == 0) values.session = store.connection(values.connection).session;
        values.request_packet = packet_at(begin_ns);
        values.request_ns = begin_ns;
        if (values.itt == unknown<uint32_t>) values.itt = static_cast<uint32_t>(number);
        if (values.lun == unknown<uint64_t>) values.lun = 0;
        if (took_ns > 0) {
            values.response_ns = begin_ns + took_ns;
            values.response_packet = packet_at(values.response_ns);
            if (!ending_is_known(values)) values.status = 0;
            values.outcome = Outcome::completed;
        }
        row = values;
        store.requested(row);
        if (row.response_packet != 0) store.answered(row);
        store.end_command(number, row, row.opcode == scsi_op::read_16, row.opcode == scsi_op::write_16);
        return number;
    }
    uint64_t add_read(int64_t begin_ns, int64_t took_ns, uint64_t lun = 0, uint64_t bytes = 4096) {
        return add_command(begin_ns, took_ns,
                           {.lun = lun, .bytes = bytes, .name = "READ(16)", .opcode = scsi_op::read_16});
    }

    void add_event(SessionEvent event) {
        if (event.connection == 0) event.connection = static_cast<uint32_t>(store.connections().size());
        if (event.session == 0) event.session = store.connection(event.connection).session;
        if (event.packet == 0) event.packet = packet_at(event.time_ns);
        store.add_session_event(event);
    }

    // Of every microsecond there is a packet.
    static PacketNumber packet_at(int64_t time_ns) { return static_cast<PacketNumber>(time_ns / 1000) + 1; }

    std::vector<Finding> find() {
        store.finish();
        return findings({store, totals, issues, {}, {}});
    }
    std::vector<Finding> find(Finding::Kind kind) {
        std::vector<Finding> found = find();
        std::erase_if(found, [=](const Finding& finding) { return finding.kind != kind; });
        return found;
    }
    // The one of that kind; one of nothing where there is not exactly one.
    Finding find_one(Finding::Kind kind) {
        const std::vector<Finding> found = find(kind);
        return found.size() == 1 ? found.front() : Finding{};
    }

    // As if nothing had been captured.
    void forget_all() {
        std::destroy_at(&store);
        std::construct_at(&store, ResultStore::Keep{});
    }

    ResultStore store{{}};
    Engine::Totals totals{.packets = 60'000'000, .first_ns = 0, .last_ns = 60 * second};
    Issues issues;
};

}  // namespace sanscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
//
// Initiators that say anything: the input is a byte of how it begins, then pieces, each a byte of which connection, a
// length of two bytes, and so many bytes. What the target answers must be whole PDUs, and no longer than the initiator
// said it takes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "captures/iscsi_peer/pdu_receiver.h"
#include "captures/iscsi_peer/target/target_connection.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/iscsi/testing/pdu_builder.h"

namespace {

using namespace sanscope;

constexpr size_t connections = 3;

void require(bool holds) {
    if (!holds) std::abort();
}

struct Reader {
    bool on_header(Bhs header) {
        require(is_from_target(header.opcode_value()));
        return false;
    }
    void on_data(std::span<const uint8_t>, uint32_t) {}
    void on_end(Bhs, bool) {}
};

// A connection, and what reads its answers; no digests.
struct Peer {
    explicit Peer(SessionTable& table) : connection(table, "192.0.2.1:3260") {}

    void hear() {
        for (int round = 0; round < 64 && connection.has_output(); ++round) {
            connection.fill(batch);
            while (!batch.empty()) {
                const iovec piece = batch.pieces().front();
                const std::span bytes(static_cast<const uint8_t*>(piece.iov_base), piece.iov_len);
                require(static_cast<bool>(receiver.take(bytes, reader)));
                batch.sent(piece.iov_len);
            }
        }
        require(!receiver.within_pdu());
    }

    OutputBatch batch;
    TargetConnection connection;
    PduReceiver receiver{{}};
    Reader reader;
};

TargetSettings settings(uint8_t begin) {
    TargetSettings settings;
    settings.name = "iqn.t";
    settings.backing = (begin & 1) != 0 ? Backing::ram : Backing::null;
    settings.size = 1 << 20;
    settings.luns = 2;
    settings.initial_r2t = (begin & 2) != 0;
    settings.first_burst_length = 1024;
    settings.max_burst_length = 2048;
    // So that all that is sent can be read.
    settings.header_digest = settings.data_digest = "None";
    return settings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    if (size == 0) return 0;
    const uint8_t begin = bytes[0];
    std::span<const uint8_t> input(bytes + 1, size - 1);
    const TargetSettings chosen = settings(begin);
    const ScsiDevice device(chosen);
    auto backing = MemoryBacking::make(chosen.backing, chosen.luns, chosen.size);
    require(static_cast<bool>(backing));
    UnitOccupation occupation(chosen.luns);
    SessionTable table(chosen, device, *backing, occupation);
    std::array<std::unique_ptr<Peer>, connections> peers;
    if ((begin & 4) != 0) {
        // Two connections of one session, in the full feature phase.
        const test::Bytes keys =
            test::text_keys({"InitiatorName=iqn.i", "TargetName=iqn.t", "InitialR2T=No", "MaxConnections=2",
                             "MaxBurstLength=2048", "FirstBurstLength=1024"});
        for (unsigned i = 0; i < 2; ++i) {
            peers[i] = std::make_unique<Peer>(table);
            peers[i]->connection.take(test::login_request(keys, 1, i).ttt(i << 16).bytes());
            peers[i]->hear();
            require(peers[i]->connection.logged_in());
        }
    }
    constexpr size_t head = 3;
    while (input.size() >= head) {
        std::unique_ptr<Peer>& peer = peers[input[0] % connections];
        const size_t length = std::min<size_t>(load_be16(input.data() + 1), input.size() - head);
        const std::span<const uint8_t> piece = input.subspan(head, length);
        input = input.subspan(head + length);
        if (!peer) peer = std::make_unique<Peer>(table);
        size_t at = 0;
        if (const uint32_t unwanted = peer->connection.unwanted(); unwanted > 0) {
            at = std::min<size_t>(unwanted, piece.size());
            if (at > 0) peer->connection.passed_over(static_cast<uint32_t>(at));
        }
        peer->connection.take(piece.subspan(at));
        for (std::unique_ptr<Peer>& one : peers) {
            if (!one) continue;
            one->hear();
            if (one->connection.ending() != TargetConnection::Ending::goes_on) one.reset();
        }
        table.woken.clear();
    }
    return 0;
}

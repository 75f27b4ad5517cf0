// SPDX-License-Identifier: GPL-3.0-or-later
//
// A target that sends anything, to an initiator that has logged in and has reads and writes under way: commands end
// once at most, data come in order and within what was asked for, and what is to be sent stays bounded.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "captures/iscsi_peer/initiator/initiator_connection.h"

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace {

using namespace sanscope;

constexpr uint32_t slots = 4;
constexpr uint32_t request = 10'000;

void require(bool holds) {
    if (!holds) std::abort();
}

struct Owner {
    void on_data(uint32_t slot, std::span<const uint8_t> piece, uint32_t at) {
        require(slot < slots && under_way[slot] && at == received[slot] && piece.size() <= request - at);
        received[slot] += static_cast<uint32_t>(piece.size());
    }
    void fill(uint32_t slot, std::span<uint8_t> piece, uint32_t at) {
        require(slot < slots && at <= request && piece.size() <= request - at);
        for (uint8_t& byte : piece) byte = 7;
    }
    void on_done(uint32_t slot, const TaskEnd& end) {
        require(slot < slots && under_way[slot]);
        if (end.how == TaskEnd::How::answered && end.status == 0) {
            require(uint64_t{end.moved} + end.residual == request);
        }
        for (const uint8_t byte : end.sense) sum += byte;
        under_way[slot] = false;
    }
    void on_management(uint32_t slot, uint8_t /*response*/) { require(slot < slots); }
    void on_async(uint8_t /*event*/) {}

    bool under_way[slots] = {};
    uint32_t received[slots] = {};
    unsigned sum = 0;
};

test::Bytes login_answer(unsigned flags, const std::string& text) {
    return test::PduBuilder(Opcode::login_response)
        .flags(flags)
        .tsih((flags & 3) == 3 ? 1 : 0)
        .exp_cmd_sn(1)
        .data(test::Bytes(text.begin(), text.end()))
        .bytes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    if (size < 2) return 0;
    const uint8_t choice = bytes[0];
    const size_t step = 1 + bytes[1];
    const char* const digests = (choice & 1) != 0 ? "CRC32C" : "None";
    SessionNumbers numbers;
    LoginOffer offer;
    offer.initiator_name = "i";
    offer.target_name = "t";
    offer.header_digest = offer.data_digest = digests;
    InitiatorConnection connection(offer, numbers, {.slots = slots});
    Owner owner;
    connection.sent(connection.to_send().size(), owner);
    const std::string keys = write_text_keys({{"HeaderDigest", digests},
                                              {"DataDigest", digests},
                                              {"InitialR2T", (choice & 2) != 0 ? "Yes" : "No"},
                                              {"MaxRecvDataSegmentLength", "3000"}});
    require(static_cast<bool>(connection.take(login_answer(0x81, ""), owner)));
    connection.sent(connection.to_send().size(), owner);
    require(static_cast<bool>(connection.take(login_answer(0x87, keys), owner)));

    for (size_t at = 2; at < size;) {
        while (connection.can_issue()) {
            const uint32_t slot = connection.next_slot();
            owner.under_way[slot] = true;
            owner.received[slot] = 0;
            const bool write = (slot & 1) != 0;
            connection.issue({.bytes = request,
                              .direction = write ? ScsiTask::Direction::write : ScsiTask::Direction::read,
                              .wants_data = (slot & 2) != 0},
                             owner);
        }
        require(connection.to_send().size() < 1'000'000);
        if ((choice & 4) != 0) connection.sent(connection.to_send().size() / 2, owner);
        const size_t unwanted = std::min<size_t>({connection.unwanted(), size - at, step});
        if (unwanted > 0) {
            if (!connection.passed_over(static_cast<uint32_t>(unwanted), owner)) return 0;
            at += unwanted;
            continue;
        }
        const size_t count = std::min(step, size - at);
        if (!connection.take(std::span(bytes + at, count), owner)) return 0;
        at += count;
    }
    return 0;
}

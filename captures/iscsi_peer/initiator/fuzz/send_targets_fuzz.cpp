// SPDX-License-Identifier: GPL-3.0-or-later
//
// A target that answers the question for its targets with anything: the input is a run of pieces, each the opcode, the
// flags, the response, a byte that chooses the tags, a length of two bytes, and so many bytes of text.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "captures/iscsi_peer/initiator/send_targets.h"
#include "captures/iscsi_peer/login/iscsi_name.h"

namespace {

using namespace sanscope;

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    constexpr size_t head = 6;
    std::span<const uint8_t> input(bytes, size);
    SendTargets exchange(1, 1);
    bool complete = false;
    while (input.size() >= head && !complete) {
        const SendTargets::Request request = exchange.request();
        const Bhs asked = request.header.view();
        require(asked.data_segment_length() == request.data.size());
        require(asked.immediate() && asked.final() && asked.cmd_sn().value == 1);
        require((asked.opcode() == Opcode::logout_request) == exchange.answered());
        const size_t length = std::min<size_t>(load_be16(input.data() + 4), input.size() - head);
        const std::string_view text(reinterpret_cast<const char*>(input.data()) + head, length);
        std::array<uint8_t, bhs_length> header{};
        std::copy_n(input.begin(), 3, header.begin());
        store_be32(header.data() + 16, (input[3] & 1) != 0 ? 77 : asked.itt());
        store_be32(header.data() + 20, (input[3] & 2) != 0 ? 5 : reserved_tag);
        input = input.subspan(head + length);
        const auto state = exchange.on_response(Bhs(header.data()), text);
        if (!state) {
            require(!state.error().message.empty());
            break;
        }
        complete = *state == SendTargets::State::complete;
    }
    for (const DiscoveredTarget& target : exchange.targets()) {
        require(is_name_text(target.name));
        for (const TargetPortal& portal : target.portals) {
            const auto again = read_target_portal(target_portal_text(portal));
            require(again && *again == portal);
        }
    }
    return 0;
}

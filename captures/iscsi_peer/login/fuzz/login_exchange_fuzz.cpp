// SPDX-License-Identifier: GPL-3.0-or-later
//
// A target that answers a login with anything: the input is a run of pieces, each a byte of flags, one of the status
// class, a length of two bytes, and so many bytes of text. It is met without CHAP, with it, and with a demand that the
// target prove itself; and by a target whose initiator says it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>

#include "captures/iscsi_peer/login/login_exchange.h"

#include "analyzer/iscsi/bhs_writer.h"

namespace {

using namespace sanscope;

void require(bool holds) {
    if (!holds) std::abort();
}

enum class Chap : uint8_t { none, of_initiator, mutual };

ChapCredentials credentials(Chap chap) {
    ChapCredentials credentials{.initiator = {"i", Secret("a secret of the host")}, .target = std::nullopt};
    if (chap == Chap::mutual) credentials.target = ChapAccount{"t", Secret("a secret of the disk")};
    return credentials;
}

void log_in(std::span<const uint8_t> input, Chap chap) {
    constexpr size_t head = 4;
    LoginOffer offer;
    offer.initiator_name = "iqn.i";
    offer.target_name = "iqn.t";
    offer.header_digest = "CRC32C,None";
    if (chap != Chap::none) offer.chap = credentials(chap);
    offer.chap_required = true;
    LoginExchange exchange(offer, 1);
    ChapTarget target(credentials(chap));
    bool believed = true;
    while (input.size() >= head) {
        const LoginExchange::Request request = exchange.request();
        require(request.header.view().data_segment_length() == request.data.size());
        require(static_cast<bool>(read_text_keys(request.data)));
        const size_t length = std::min<size_t>(load_be16(input.data() + 2), input.size() - head);
        const std::string_view text(reinterpret_cast<const char*>(input.data()) + head, length);
        if (const auto keys = read_text_keys(text); keys && believed)
            believed = static_cast<bool>(target.answer(*keys));
        require(!target.done());  // nobody guesses a secret
        std::array<uint8_t, bhs_length> header{};
        header[0] = static_cast<uint8_t>(Opcode::login_response);
        header[1] = input[0];
        header[15] = 7;
        header[36] = input[1] % 4;
        header[37] = input[1] / 4;
        input = input.subspan(head + length);
        const auto state = exchange.on_response(Bhs(header.data()), text);
        if (!state) {
            require(!state.error().message.empty());
            return;
        }
        if (*state == LoginExchange::State::redirected) return;
        if (*state != LoginExchange::State::complete) continue;
        const LoginOutcome& outcome = exchange.outcome();
        require(chap != Chap::mutual);
        require(outcome.chap_algorithm.has_value() == (chap == Chap::of_initiator));
        require(outcome.max_burst_length >= 512 && outcome.max_burst_length <= offer.max_burst_length);
        require(outcome.first_burst_length >= 512 && outcome.first_burst_length <= outcome.max_burst_length);
        require(outcome.max_recv_data_segment_length_target >= 512 &&
                outcome.max_recv_data_segment_length_target <= max_data_segment_length);
        require(!outcome.data_digest);  // it was not offered
        require(outcome.max_outstanding_r2t == 1 && outcome.max_connections == 1 &&
                outcome.error_recovery_level == 0);
        return;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    const std::span<const uint8_t> input(bytes, size);
    for (const Chap chap : {Chap::none, Chap::of_initiator, Chap::mutual}) log_in(input, chap);
    return 0;
}

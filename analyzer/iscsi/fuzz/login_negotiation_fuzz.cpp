// SPDX-License-Identifier: GPL-3.0-or-later

// Login and text PDUs with any header and any text: what is kept must stay bounded, and what is read must have been
// said.

#include <cstdint>
#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>
#include <string>
#include <vector>

#include "analyzer/iscsi/login_negotiation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace sanscope;
    FuzzedDataProvider choices(data, size);
    LoginNegotiation login;
    while (choices.remaining_bytes() > 0) {
        std::vector<uint8_t> header = choices.ConsumeBytes<uint8_t>(bhs_length);
        header.resize(bhs_length);
        constexpr Opcode opcodes[] = {Opcode::login_request, Opcode::login_response, Opcode::text_request,
                                      Opcode::text_response};
        header[0] = static_cast<uint8_t>(choices.PickValueInArray(opcodes));
        std::vector<uint8_t> text;
        if (choices.ConsumeBool()) {
            text.assign(choices.ConsumeIntegral<uint16_t>(), choices.ConsumeIntegral<uint8_t>());
        } else {
            text = choices.ConsumeBytes<uint8_t>(choices.ConsumeIntegralInRange<size_t>(0, 300));
        }
        // Exactly that much, so that the sanitizer sees a read beyond it.
        text.shrink_to_fit();
        Pdu pdu;
        pdu.header = header.data();
        pdu.header_captured = choices.ConsumeIntegralInRange<uint8_t>(8, bhs_length);
        pdu.data = text;
        login.on_pdu(pdu);
        SessionRow row;
        login.describe(row);
        if (row.initiator_name.size() > 4096 || row.target_name.size() > 4096) std::abort();
        if (row.header_digest.size() > 4096 || row.data_digest.size() > 4096) std::abort();
        if (!login.full_feature() && login.header_digest() != DigestUse::unknown) std::abort();
    }
    return 0;
}

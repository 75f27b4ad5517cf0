// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever comes through a pipe, and however it is cut: the same messages come out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "sanscope/v1/dissection.pb.h"

#include "analyzer/proto/message_pipe.h"

using namespace sanscope;  // NOLINT(google-build-using-namespace)

namespace {

struct Heard {
    std::vector<std::string> messages;
    bool garbage = false;
    bool operator==(const Heard&) const = default;
};

Heard hear(std::span<const uint8_t> bytes, size_t piece) {
    Heard heard;
    MessageDecoder decoder;
    v1::DissectRequest message;
    while (!bytes.empty()) {
        const auto now = bytes.first(std::min(piece, bytes.size()));
        bytes = bytes.subspan(now.size());
        decoder.add(now);
        MessageDecoder::Outcome outcome;
        while ((outcome = decoder.next(message)) == MessageDecoder::Outcome::message)
            heard.messages.push_back(message.SerializeAsString());
        heard.garbage = outcome == MessageDecoder::Outcome::garbage;
    }
    return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const std::span<const uint8_t> bytes(data + 1, size - 1);
    if (hear(bytes, std::max<size_t>(bytes.size(), 1)) != hear(bytes, 1 + data[0])) std::abort();
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever comes through a pipe, a request, a dissection's answer or a recorder's event, and however it is cut: the same
// messages come out, and none of more parts than there may be.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "sanscope/v1/dissection.pb.h"
#include "sanscope/v1/recording.pb.h"

#include "analyzer/proto/message_pipe.h"

using namespace sanscope;  // NOLINT(google-build-using-namespace)

namespace {

constexpr MessageDecoder::Limits limits{.length = 1 << 16, .parts = 64};

struct Heard {
    std::vector<std::string> messages;
    bool garbage = false;
    bool operator==(const Heard&) const = default;
};

bool within_limits(const v1::DissectRequest& request) {
    return static_cast<uint64_t>(request.feed_packets().packets_size()) <= limits.parts;
}
bool within_limits(const v1::DissectResponse& response) {
    return static_cast<uint64_t>(response.packet_tree().nodes_size() +
                                 response.packet_tree().sources_size()) <= limits.parts &&
           static_cast<uint64_t>(response.field_names().fields_size()) <= limits.parts;
}
bool within_limits(const v1::RecordingEvent& event) {
    return static_cast<uint64_t>(event.interfaces().interfaces_size()) <= limits.parts &&
           static_cast<uint64_t>(event.started().interfaces_size()) <= limits.parts;
}

template <class Message>
Heard hear(std::span<const uint8_t> bytes, size_t piece) {
    Heard heard;
    MessageDecoder decoder(limits);
    Message message;
    while (!bytes.empty()) {
        const auto now = bytes.first(std::min(piece, bytes.size()));
        bytes = bytes.subspan(now.size());
        decoder.add(now);
        MessageDecoder::Outcome outcome;
        while ((outcome = decoder.next(message)) == MessageDecoder::Outcome::message) {
            const std::string again = message.SerializeAsString();
            // A message that is no longer than the limit of parts has no more of them.
            if (again.size() > limits.parts && !within_limits(message)) std::abort();
            heard.messages.push_back(again);
        }
        heard.garbage = outcome == MessageDecoder::Outcome::garbage;
    }
    return heard;
}

template <class Message>
void compare(std::span<const uint8_t> bytes, size_t piece) {
    if (hear<Message>(bytes, std::max<size_t>(bytes.size(), 1)) != hear<Message>(bytes, piece)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const std::span<const uint8_t> bytes(data + 1, size - 1);
    const size_t piece = 1 + data[0];
    compare<v1::DissectRequest>(bytes, piece);
    compare<v1::DissectResponse>(bytes, piece);
    compare<v1::RecordingEvent>(bytes, piece);
    return 0;
}

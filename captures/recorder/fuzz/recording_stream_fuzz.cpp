// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever another host sends in place of a recording: what is written here are whole blocks, and no more packets than these
// hold; the end is reported once.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "captures/recorder/recording_relay.h"

#include "analyzer/proto/message_pipe.h"

using namespace sanscope;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // The output descriptor of a relay: a file that is looked at afterwards.
    static const int output = [] {
        const int file = ::memfd_create("recording", 0);
        if (file < 0 || (file != 3 && ::dup2(file, 3) != 3)) std::abort();
        return 3;
    }();
    if (::ftruncate(output, 0) != 0 || ::lseek(output, 0, SEEK_SET) != 0) std::abort();

    v1::RecordingRequest request;
    request.set_to_descriptor_3(true);
    int ends = 0;
    uint64_t reported_packets = 0;
    uint64_t reported_bytes = 0;
    RecordingRelay relay(request, "host", [&](const v1::RecordingEvent& event) {
        if (ends > 0) std::abort();
        if (!event.has_ended()) return;
        ++ends;
        reported_packets = event.ended().totals().packets();
        reported_bytes = event.ended().totals().bytes();
    });
    MessageDecoder decoder;
    decoder.add({data, size});
    v1::RecordingEvent event;
    while (decoder.next(event) == MessageDecoder::Outcome::message) relay.take(event);
    relay.cut_short("the end");
    if (ends != 1) std::abort();

    const off_t length = ::lseek(output, 0, SEEK_END);
    std::vector<uint8_t> written(static_cast<size_t>(length));
    if (::pread(output, written.data(), written.size(), 0) != length) std::abort();
    const auto packets = packets_in_whole_blocks(written);
    if (!packets || *packets != reported_packets || written.size() != reported_bytes) std::abort();
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later

// A tracepoint's format as text, then records one after another as a ring has them, read by that format where it makes
// sense and by a right one.

#include <cstdint>
#include <fuzzer/FuzzedDataProvider.h>
#include <limits>
#include <string>
#include <vector>

#include "captures/kernel_truth/perf_decoder.h"
#include "captures/kernel_truth/testing/perf_records.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace sanscope;
    static const PerfDecoder right = testing_records::decoder();
    FuzzedDataProvider input(data, size);
    const auto format = TracepointFormat::parse(input.ConsumeRandomLengthString(2000));
    auto made = format ? PerfDecoder::create(*format) : Result<PerfDecoder>(Error{});
    if (made) {
        made->add_cong_state_set(*format);
        made->add_destroy_sock(*format);
    }
    TruthAssembler assembler(v1::KernelTruth::METHOD_PERF_EVENTS);
    while (input.remaining_bytes() > 0) {
        const auto record = input.ConsumeBytes<uint8_t>(input.ConsumeIntegralInRange<size_t>(0, 200));
        right.decode(record, assembler);
        if (made) made->decode(record, assembler);
    }
    v1::KernelTruth truth;
    assembler.take(std::numeric_limits<uint64_t>::max(), 1000, ClockOffsets::fixed(0, 0), truth);
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <span>

#include "analyzer/scsi/cdb.h"

namespace sanscope {
namespace {

// The mix of a disk under load: all have one row for their operation code.
void decode_reads_and_writes(benchmark::State& state) {
    constexpr std::array<std::array<uint8_t, 16>, 4> cdbs = {{
        {0x28, 0, 0, 1, 2, 3, 0, 0, 8},
        {0x2a, 0, 0, 1, 2, 3, 0, 0, 8},
        {0x88, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 8},
        {0x8a, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 8},
    }};
    size_t i = 0;
    for (auto _ : state) benchmark::DoNotOptimize(decode_cdb(cdbs[i++ % cdbs.size()]));
}
BENCHMARK(decode_reads_and_writes);

void decode_service_action(benchmark::State& state, uint8_t high, uint8_t low) {
    std::array<uint8_t, 200> cdb{0x7f};
    cdb[8] = high;
    cdb[9] = low;
    for (auto _ : state) benchmark::DoNotOptimize(decode_cdb(cdb));
}
BENCHMARK_CAPTURE(decode_service_action, read_32, 0x00, 0x09);
BENCHMARK_CAPTURE(decode_service_action, osd_read, 0x88, 0x05);

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "captures/experiment/run_records.h"

// What is read is written and read again as the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace sanscope::lab;
    const std::string text =
        run_records_header() + '\n' + std::string(reinterpret_cast<const char*>(data), size);
    const auto parsed = parse_run_records(text);
    if (!parsed) return 0;
    if (parsed->whole_bytes > text.size()) std::abort();
    std::string again = run_records_header() + '\n';
    for (const RunRecord& record : parsed->records) again += run_record_line(record) + '\n';
    const auto reread = parse_run_records(again);
    if (!reread || reread->records.size() != parsed->records.size()) std::abort();
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a pcapng file: the packets and the damage found must not depend on how the bytes are cut into batches,
// nor on whether the sections, the notes and the names are kept, nor may notes and names depend on the cuts. The first byte
// of the input chooses those.
#include <cstddef>
#include <cstdint>
#include <span>

#include "analyzer/ingest/capture_format.h"
#include "analyzer/ingest/fuzz/parser_agreement.h"

using namespace sanscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const uint8_t cuts = data[0];
    const std::span<const uint8_t> bytes(data + 1, size - 1);
    const auto make = [bytes] { return make_record_parser(bytes, "fuzz"); };
    auto whole = make();
    if (!whole) return 0;
    const test::Found at_once = test::parse_in_pieces(std::move(*whole), bytes, [&] { return bytes.size(); });
    uint32_t state = cuts;
    const auto next_length = [&state, cuts] {
        state = state * 1'664'525 + 1'013'904'223;
        return size_t{state >> 24} % (size_t{cuts} + 1);
    };
    const auto make_keeping = [&] {
        auto parser = std::move(*make());
        parser->keep_sections();
        parser->keep_notes();
        parser->keep_names();
        return parser;
    };
    const test::Found keeping = test::parse_in_pieces(make_keeping(), bytes, [&] { return bytes.size(); });
    test::demand_agreement(at_once, keeping);
    test::demand_agreement(keeping, test::parse_in_pieces(make_keeping(), bytes, next_length));
    return 0;
}

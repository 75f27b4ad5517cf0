// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "analyzer/ingest/pcapng_blocks.h"

// The pieces pcapng blocks consist of, little-endian. `Out` is whatever has append(std::string_view): a BlockWriter, a string.
namespace sanscope::pcapng {

static_assert(std::endian::native == std::endian::little, "blocks are written in the order of the host");

// Type and length before a block's body, the length again behind it.
constexpr uint32_t block_frame = 12;
// Bytes before the packet's own in the body of an enhanced packet block.
constexpr uint32_t packet_fields = 20;
constexpr uint64_t section_length_unknown = ~uint64_t{0};
// Of if_tsresol: 10 to the minus ninth.
constexpr char nanoseconds = 9;

constexpr uint32_t padded(uint32_t length) {
    return (length + 3) & ~uint32_t{3};
}

template <class Out, class T>
void append_integer(Out& out, T value) {
    static_assert(std::is_integral_v<T>);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(std::string_view(bytes, sizeof bytes));
}

template <class Out>
void append_padded(Out& out, std::string_view bytes) {
    if (!bytes.empty()) out.append(bytes);
    constexpr char zeros[4] = {};
    out.append(std::string_view(zeros, (4 - bytes.size() % 4) % 4));
}

constexpr uint32_t option_length(std::string_view value) {
    return 4 + padded(static_cast<uint32_t>(value.size()));
}
constexpr uint32_t end_of_options_length = 4;

// A value has 65535 bytes at most.
template <class Out>
void append_option(Out& out, uint16_t code, std::string_view value) {
    append_integer(out, code);
    append_integer(out, static_cast<uint16_t>(value.size()));
    append_padded(out, value);
}

template <class Out>
void append_option(Out& out, uint16_t code, uint64_t value) {
    append_option(out, code, {reinterpret_cast<const char*>(&value), sizeof value});
}

template <class Out>
void append_end_of_options(Out& out) {
    append_integer(out, opt_endofopt);
    append_integer(out, uint16_t{0});
}

// A block of which the body is at hand, a multiple of four bytes long.
template <class Out>
void append_block(Out& out, uint32_t type, std::string_view body) {
    const auto length = static_cast<uint32_t>(body.size()) + block_frame;
    append_integer(out, type);
    append_integer(out, length);
    out.append(body);
    append_integer(out, length);
}

// What a section header's body begins with, before its options.
template <class Out>
void append_section_start(Out& out) {
    append_integer(out, byte_order_magic);
    append_integer(out, uint16_t{1});  // version 1.0
    append_integer(out, uint16_t{0});
    append_integer(out, section_length_unknown);
}

}  // namespace sanscope::pcapng

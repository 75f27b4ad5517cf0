// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/vocabulary/ip_address.h"

#include <charconv>

#include "analyzer/base/byte_order.h"

namespace sanscope {
namespace {

struct ZeroRun {
    int begin = 0;
    int length = 0;
};

// RFC 5952 §4.2: "::" stands for the longest run of at least two zero groups, the first of equals.
ZeroRun longest_zero_run(const std::array<uint16_t, 8>& groups) {
    ZeroRun longest;
    ZeroRun run;
    for (int i = 0; i < 8; ++i) {
        if (groups[static_cast<size_t>(i)] != 0) {
            run.length = 0;
            continue;
        }
        if (run.length == 0) run.begin = i;
        ++run.length;
        if (run.length > longest.length) longest = run;
    }
    return longest.length >= 2 ? longest : ZeroRun{};
}

// The callers' buffers hold the longest text, so that it always fits.
char* write_number(char* to, unsigned number, int base = 10) {
    return std::to_chars(to, to + 5, number, base).ptr;
}

char* write_v4(const std::array<uint8_t, 16>& bytes, char* to) {
    for (size_t i = 12; i < 16; i++) {
        if (i != 12) *to++ = '.';
        to = write_number(to, bytes[i]);
    }
    return to;
}

char* write_v6(const std::array<uint8_t, 16>& bytes, char* to) {
    std::array<uint16_t, 8> groups;
    for (size_t i = 0; i < 8; ++i) groups[i] = load_be16(&bytes[2 * i]);
    const ZeroRun zeros = longest_zero_run(groups);
    for (int i = 0; i < 8; ++i) {
        if (zeros.length != 0 && i == zeros.begin) {
            *to++ = ':';
            *to++ = ':';
            i += zeros.length - 1;
            continue;
        }
        const bool after_zeros = zeros.length != 0 && i == zeros.begin + zeros.length;
        if (i != 0 && !after_zeros) *to++ = ':';
        to = write_number(to, groups[static_cast<size_t>(i)], 16);
    }
    return to;
}

}  // namespace

std::string format(const IpAddress& address) {
    std::array<char, max_endpoint_text> buffer;
    char* const end =
        address.is_v4() ? write_v4(address.bytes(), buffer.data()) : write_v6(address.bytes(), buffer.data());
    return {buffer.data(), end};
}

std::string format_endpoint(const IpAddress& address, uint16_t port) {
    std::array<char, max_endpoint_text> buffer;
    return std::string(format_endpoint(address, port, buffer));
}

std::string_view format_endpoint(const IpAddress& address, uint16_t port,
                                 std::span<char, max_endpoint_text> buffer) {
    char* to = buffer.data();
    if (address.is_v4()) {
        to = write_v4(address.bytes(), to);
    } else {
        *to++ = '[';
        to = write_v6(address.bytes(), to);
        *to++ = ']';
    }
    *to++ = ':';
    to = write_number(to, port);
    return {buffer.data(), static_cast<size_t>(to - buffer.data())};
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/sort_text.h"

#include <arpa/inet.h>
#include <charconv>
#include <cstring>

namespace sanscope {
namespace {

// All of `text` in decimal, or nothing of it.
bool read_port(std::string_view text, uint16_t& port) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, port);
    return read.ec == std::errc() && read.ptr == end;
}

bool read_v4(std::string_view text, char* bytes) {
    const char* next = text.data();
    const char* const end = next + text.size();
    for (int i = 0; i < 4; ++i) {
        if (i > 0 && (next == end || *next++ != '.')) return false;
        uint8_t byte = 0;
        const auto read = std::from_chars(next, end, byte);
        if (read.ec != std::errc()) return false;
        bytes[i] = static_cast<char>(byte);
        next = read.ptr;
    }
    return next == end;
}

}  // namespace

bool holds_endpoints(const ColumnInfo& column) {
    return column.type == ColumnType::text && column.description.find("IP:PORT") != std::string_view::npos;
}

bool read_hexadecimal(std::string_view text, uint64_t& number) {
    if (text.size() < 3 || text.size() > 18 || !text.starts_with("0x")) return false;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + 2, end, number, 16);
    return read.ec == std::errc() && read.ptr == end;
}

std::string_view SortText::of_endpoint(std::string_view text) {
    constexpr size_t v4_bytes = 4;
    constexpr size_t v6_bytes = 16;
    const size_t colon = text.rfind(':');
    uint16_t port = 0;
    if (colon == std::string_view::npos || !read_port(text.substr(colon + 1), port)) return text;
    const std::string_view address = text.substr(0, colon);
    char* const bytes = buffer_.data() + 1;
    size_t length = 0;
    if (read_v4(address, bytes)) {
        length = v4_bytes;
    } else if (address.size() > 2 && address.size() <= INET6_ADDRSTRLEN && address.front() == '[' &&
               address.back() == ']') {
        std::array<char, INET6_ADDRSTRLEN> inner{};
        std::memcpy(inner.data(), address.data() + 1, address.size() - 2);
        if (inet_pton(AF_INET6, inner.data(), bytes) != 1) return text;
        length = v6_bytes;
    } else {
        return text;
    }
    buffer_[0] = static_cast<char>(length == v4_bytes ? 1 : 2);
    bytes[length] = static_cast<char>(port >> 8);
    bytes[length + 1] = static_cast<char>(port & 0xff);
    return {buffer_.data(), 1 + length + 2};
}

}  // namespace sanscope

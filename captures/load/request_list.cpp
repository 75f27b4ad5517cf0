// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/request_list.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <system_error>

namespace sanscope {
namespace {

constexpr uint64_t block = 512;

std::string_view next_field(std::string_view& line) {
    const size_t comma = std::min(line.find(','), line.size());
    const std::string_view field = line.substr(0, comma);
    line.remove_prefix(std::min(comma + 1, line.size()));
    return field;
}

template <class Number>
bool parse(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

bool parse_request(std::string_view line, CommandRow& row) {
    if (std::ranges::count(line, ',') != 3) return false;
    uint64_t offset = 0;
    const std::string_view due = next_field(line);
    const std::string_view operation = next_field(line);
    const std::string_view place = next_field(line);
    if (!parse(due, row.request_ns) || row.request_ns < 0 || !parse(place, offset) || !parse(line, row.bytes))
        return false;
    if (row.bytes == 0 || row.bytes % block != 0 || offset % block != 0) return false;
    if (operation != "read" && operation != "write") return false;
    row.name = operation == "read" ? "READ(16)" : "WRITE(16)";
    row.lba = offset / block;
    row.blocks = row.bytes / block;
    return true;
}

}  // namespace

bool is_request_list(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    std::string begin(request_list_header.size(), '\0');
    std::ifstream in(path, std::ios::binary);
    in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return in && begin == request_list_header;
}

Result<std::monostate> read_request_list(std::string_view text, TraceMaker& maker) {
    for (size_t number = 1; !text.empty(); ++number) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (number == 1) {
            if (line != request_list_header)
                return Error{fmt::format("its first line is not {}", request_list_header)};
            continue;
        }
        CommandRow row;
        if (!parse_request(line, row)) {
            return Error{fmt::format("line {} is no request: {}, the last two multiples of {}", number,
                                     request_list_header, block)};
        }
        maker.add(row);
    }
    return std::monostate{};
}

}  // namespace sanscope

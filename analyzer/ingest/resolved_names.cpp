// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/resolved_names.h"

#include <algorithm>

#include "analyzer/ingest/pcapng_options.h"

namespace sanscope {
namespace {

constexpr size_t v4_length = 4;
constexpr size_t v6_length = 16;

bool is_of_host_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

// The first host name of those that stand one behind the other, each with a zero at its end; empty where none is.
std::string_view first_host_name(std::span<const uint8_t> names) {
    std::string_view left(reinterpret_cast<const char*>(names.data()), names.size());
    while (!left.empty()) {
        const size_t end = std::min(left.find('\0'), left.size());
        if (is_host_name(left.substr(0, end))) return left.substr(0, end);
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return {};
}

}  // namespace

bool is_host_name(std::string_view word) {
    constexpr size_t longest = 253;
    return !word.empty() && word.size() <= longest && std::ranges::all_of(word, is_of_host_name);
}

void ResolvedNames::add_block(std::span<const uint8_t> body, FileByteOrder order) {
    for_each_pcapng_option(body, order, [this](uint16_t type, std::span<const uint8_t> value) {
        Address address{};
        if (type == pcapng::nrb_record_ipv4 && value.size() > v4_length) {
            address[10] = address[11] = 0xff;
            std::copy_n(value.begin(), v4_length, address.begin() + 12);
            add(address, first_host_name(value.subspan(v4_length)));
        } else if (type == pcapng::nrb_record_ipv6 && value.size() > v6_length) {
            std::copy_n(value.begin(), v6_length, address.begin());
            add(address, first_host_name(value.subspan(v6_length)));
        }
    });
}

void ResolvedNames::add_all(const ResolvedNames& others) {
    for (const auto& [address, name] : others.names_) add(address, name);
    left_out_ += others.left_out_;
}

void ResolvedNames::add(const Address& address, std::string_view name) {
    if (name.empty() || names_.contains(address)) return;
    if (names_.size() == max_names) {
        ++left_out_;
        return;
    }
    names_.emplace(address, name);
}

}  // namespace sanscope

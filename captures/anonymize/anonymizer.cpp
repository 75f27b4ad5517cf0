// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/anonymizer.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <optional>

namespace sanscope {
namespace {

constexpr size_t max_known = 65536;

std::string hex(std::span<const uint8_t> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const uint8_t byte : bytes) {
        text.push_back(digits[byte >> 4]);
        text.push_back(digits[byte & 15]);
    }
    return text;
}

bool is_padding(uint8_t byte) {
    return byte == 0 || byte == ' ';
}

bool is_text(std::span<const uint8_t> bytes) {
    return std::ranges::all_of(bytes, [](uint8_t byte) { return byte >= 0x20 && byte != 0x7f; });
}

struct ParsedAddress {
    std::array<uint8_t, 16> bytes{};
    size_t length = 0;
};

std::optional<ParsedAddress> parse_address(const std::string& text) {
    ParsedAddress out;
    if (::inet_pton(AF_INET, text.c_str(), out.bytes.data()) == 1) {
        out.length = 4;
        return out;
    }
    if (::inet_pton(AF_INET6, text.c_str(), out.bytes.data()) == 1) {
        out.length = 16;
        return out;
    }
    return std::nullopt;
}

void append_field(std::string& line, std::string_view field) {
    line.push_back('"');
    for (const char c : field) {
        if (c == '"') line.push_back('"');
        line.push_back(c);
    }
    line.push_back('"');
}

}  // namespace

Result<std::unique_ptr<Anonymizer>> Anonymizer::create(const MappingKey& key) {
    auto addresses = AddressMap::create(key);
    if (!addresses) return addresses.error();
    auto names = NameMap::create(key);
    if (!names) return names.error();
    std::unique_ptr<Anonymizer> made(new Anonymizer(std::move(*addresses), std::move(*names)));
    auto macs = MacMap::create(key, made->addresses_);
    if (!macs) return macs.error();
    made->macs_ = std::make_unique<MacMap>(std::move(*macs));
    return made;
}

void Anonymizer::list(Kind kind, std::string_view original, std::string_view replacement) {
    const auto key = std::pair(kind, std::string(original));
    if (listed_.contains(key)) return;
    if (listed_.size() >= max_listed) {
        ++unlisted_;
        return;
    }
    listed_.emplace(key, replacement);
}

void Anonymizer::list_hex(Kind kind, std::string_view original, std::span<const uint8_t> replacement) {
    list(kind, original, hex(replacement));
}

bool Anonymizer::is_new(const IpAddress& address) {
    const uint64_t place = (address.words[0] * 0x9e3779b97f4a7c15 ^ address.words[1]) % max_known;
    IpAddress& known = known_ips_[place];
    if (known == address) return false;
    known = address;
    return true;
}

void Anonymizer::map_v4(uint8_t* address) {
    const IpAddress original = IpAddress::from_v4(address);
    addresses_.map_v4(address, address);
    if (is_new(original)) list(Kind::ipv4, format(original), format(IpAddress::from_v4(address)));
}

void Anonymizer::map_v6(uint8_t* address) {
    const IpAddress original = IpAddress::from_v6(address);
    addresses_.map_v6(address, address);
    if (is_new(original)) list(Kind::ipv6, format(original), format(IpAddress::from_v6(address)));
}

void Anonymizer::map_mac(uint8_t* address) {
    const MacAddress original = MacAddress::from(address);
    auto known = known_macs_.find(original);
    if (known == known_macs_.end()) {
        if (known_macs_.size() >= max_known) known_macs_.clear();
        known = known_macs_.emplace(original, macs_->map(original)).first;
        list(Kind::mac, format(original), format(known->second));
    }
    std::ranges::copy(known->second.bytes, address);
}

std::string Anonymizer::map_name(std::string_view name) {
    std::string replacement = names_.map(name);
    list(Kind::name, name, replacement);
    return replacement;
}

std::string Anonymizer::map_secret(std::string_view value) {
    std::string replacement = names_.map_binary_value(value);
    list(Kind::secret, value, replacement);
    return replacement;
}

std::string Anonymizer::map_target_address(std::string_view value) {
    size_t end = 0;  // of the host
    if (value.starts_with('[')) {
        end = value.find(']');
        end = end == std::string_view::npos ? value.size() : end + 1;
    } else {
        end = std::min(value.find_first_of(":,"), value.size());
    }
    // More than a port and a tag behind it is no address that is known: all of it is a name.
    const std::string_view rest = value.substr(end);
    if (rest.find_first_not_of(":,0123456789") != std::string_view::npos) return map_name(value);
    const std::string_view host = value.substr(0, end);
    const bool bracketed = host.size() > 2 && host.starts_with('[') && host.ends_with(']');
    const auto address = parse_address(std::string(bracketed ? host.substr(1, host.size() - 2) : host));
    if (!address) return map_name(host).append(rest);

    std::array<uint8_t, 16> mapped = address->bytes;
    IpAddress to;
    if (address->length == 4) {
        map_v4(mapped.data());
        to = IpAddress::from_v4(mapped.data());
    } else {
        map_v6(mapped.data());
        to = IpAddress::from_v6(mapped.data());
    }
    std::string text = format(to);
    if (bracketed) text = '[' + text + ']';
    if (text.size() != host.size())
        text = names_.host_for_address(host, std::span(mapped).first(address->length));
    list(Kind::address_text, host, text);
    return text.append(rest);
}

void Anonymizer::map_padded(std::span<uint8_t> field) {
    while (!field.empty() && is_padding(field.back())) field = field.first(field.size() - 1);
    while (!field.empty() && is_padding(field.front())) field = field.subspan(1);
    if (field.empty()) return;
    if (!is_text(field)) return map_bytes(field);
    const std::string replacement =
        map_name(std::string_view(reinterpret_cast<const char*>(field.data()), field.size()));
    std::ranges::copy(replacement, field.begin());
}

void Anonymizer::map_naa(std::span<uint8_t> bytes) {
    const std::string original = hex(bytes);
    names_.map_naa(bytes);
    list_hex(Kind::naa, original, bytes);
}

void Anonymizer::map_eui(std::span<uint8_t> bytes) {
    const std::string original = hex(bytes);
    names_.map_eui(bytes);
    list_hex(Kind::eui, original, bytes);
}

void Anonymizer::map_bytes(std::span<uint8_t> bytes) {
    const std::string original = hex(bytes);
    names_.map_bytes(bytes);
    list_hex(Kind::bytes, original, bytes);
}

std::string_view kind_name(Anonymizer::Kind kind) {
    constexpr std::array<std::string_view, 9> names = {
        "ipv4", "ipv6", "mac", "name", "address in TargetAddress", "secret", "naa", "eui", "bytes"};
    return names[static_cast<size_t>(kind)];
}

std::string mapping_csv(const Anonymizer& anonymizer) {
    std::string text = "kind,original,replacement\n";
    for (const auto& [what, replacement] : anonymizer.listed()) {
        text.append(kind_name(what.first)).push_back(',');
        append_field(text, what.second);
        text.push_back(',');
        append_field(text, replacement);
        text.push_back('\n');
    }
    return text;
}

}  // namespace sanscope

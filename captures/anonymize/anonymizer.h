// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "captures/anonymize/address_map.h"
#include "captures/anonymize/name_map.h"

#include "analyzer/base/result.h"

namespace sanscope {

// All replacements of one run, by one key, and what was replaced by what, for whoever is to take them back.
class Anonymizer {
  public:
    // In order of the mapping's file.
    enum class Kind : uint8_t { ipv4, ipv6, mac, name, address_text, secret, naa, eui, bytes };

    // So many replacements are remembered; what comes beyond is replaced all the same, and counted.
    static constexpr size_t max_listed = size_t{1} << 18;

    static Result<std::unique_ptr<Anonymizer>> create(const MappingKey& key);
    Anonymizer(const Anonymizer&) = delete;
    Anonymizer& operator=(const Anonymizer&) = delete;

    // Each in place: 4, 16 and 6 bytes.
    void map_v4(uint8_t* address);
    void map_v6(uint8_t* address);
    void map_mac(uint8_t* address);

    std::string map_name(std::string_view name);
    std::string map_secret(std::string_view value);
    // domainname[:port][,portal group tag], as TargetAddress has it (RFC 7143 §13.8).
    std::string map_target_address(std::string_view value);
    // A name of fixed length between spaces and zeros, which stay: a serial number. Of what is no text, all of it.
    void map_padded(std::span<uint8_t> field);
    void map_naa(std::span<uint8_t> bytes);
    void map_eui(std::span<uint8_t> bytes);
    void map_bytes(std::span<uint8_t> bytes);

    using Listed = std::map<std::pair<Kind, std::string>, std::string>;
    const Listed& listed() const { return listed_; }
    uint64_t unlisted() const { return unlisted_; }

  private:
    Anonymizer(AddressMap addresses, NameMap names)
        : addresses_(std::move(addresses)), names_(std::move(names)) {}
    void list(Kind kind, std::string_view original, std::string_view replacement);
    void list_hex(Kind kind, std::string_view original, std::span<const uint8_t> replacement);
    bool is_new(const IpAddress& address);

    AddressMap addresses_;
    std::unique_ptr<MacMap> macs_;
    NameMap names_;
    Listed listed_;
    uint64_t unlisted_ = 0;
    // The addresses met last: those need not be listed again.
    std::map<MacAddress, MacAddress> known_macs_;
    std::unordered_map<uint64_t, IpAddress> known_ips_;
};

std::string_view kind_name(Anonymizer::Kind kind);
// One line a replacement: kind,original,replacement. What is no text is in hexadecimal.
std::string mapping_csv(const Anonymizer& anonymizer);

}  // namespace sanscope

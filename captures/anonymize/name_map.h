// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "captures/anonymize/symbol_permutation.h"

#include "analyzer/base/result.h"

namespace sanscope {

// Names to others of the same length in bytes and of the same form, one to one; the same name has the same replacement wherever
// it stands, and whatever it is the name of.
//
// A letter becomes a letter of the same case, a digit a digit, a character of UTF-8 one that takes as many bytes; what
// separates them stays. So does the type of an iSCSI name (RFC 7143 §4.2.7): "iqn." is followed by another year and month and
// another name, "naa." and "eui." by other hexadecimal digits, of an NAA the first stays. What follows a name in a SCSI name
// string (",t,0x0001", ",i,0x…": SPC-4 §7.8.6.11) stays.
class NameMap {
  public:
    static Result<NameMap> create(const MappingKey& key);

    std::string map(std::string_view name) const;
    // A binary value of a text key (RFC 7143 §6.1): 0x and hexadecimal digits, 0b and base64; anything else as a name.
    std::string map_binary_value(std::string_view value) const;
    // A host as in TargetAddress, of which the text must not become longer or shorter: a name as a name; an address, of which
    // the replacement seldom has the same length, as a host name that no host has. `address` tells the IP address's replacement
    // as bytes.
    std::string host_for_address(std::string_view text, std::span<const uint8_t> address) const;

    // A number of 8, 12 or 16 bytes: as the digits of an iSCSI name of that type.
    void map_naa(std::span<uint8_t> bytes) const;
    void map_eui(std::span<uint8_t> bytes) const;
    // Bytes of no known form.
    void map_bytes(std::span<uint8_t> bytes) const;

  private:
    explicit NameMap(SymbolPermutation permutation) : permutation_(std::move(permutation)) {}
    std::string map_text(std::string_view text, std::string_view tag, size_t year_at) const;
    std::string map_hex(std::string_view digits, std::string_view tag, size_t kept) const;
    std::string map_base64(std::string_view text) const;
    void map_nibbles(std::span<uint8_t> bytes, std::string_view tag, size_t kept) const;

    SymbolPermutation permutation_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/ingest/file_byte_order.h"

namespace sanscope {

// At most 253 letters, digits, `.`, `_` and `-` (RFC 1035 §2.3.4, with the underscore that is in use).
bool is_host_name(std::string_view word);

// Names of hosts that a pcapng brings along: those of its name resolution blocks (draft-ietf-opsawg-pcapng §4.5). Of several
// names of an address the first that is a host name counts. Memory is bounded: addresses beyond `max_names` are only counted.
class ResolvedNames {
  public:
    static constexpr size_t max_names = 100'000;

    // As in an IPv6 header; of IPv4 the IPv4-mapped one.
    using Address = std::array<uint8_t, 16>;

    const std::map<Address, std::string>& all() const { return names_; }
    uint64_t left_out() const { return left_out_; }

    // For the reader: the body of such a block. A record that does not lie within it ends it; what is no name is passed over.
    void add_block(std::span<const uint8_t> body, FileByteOrder order);

    // Those of another capture; of an address that both name, the name that is here already stays.
    void add_all(const ResolvedNames& others);

    bool operator==(const ResolvedNames&) const = default;

  private:
    void add(const Address& address, std::string_view name);

    std::map<Address, std::string> names_;
    uint64_t left_out_ = 0;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What packets may lie in that is not decoded, so that TCP within it is not seen.
enum class Encapsulation : uint8_t {
    none,
    link_type,   // of a capture's interface; with its number
    ether_type,  // that is not known, and not of a protocol that manages the link; with its number
#define ENCAPSULATION(name, title, by_port_alone) name,
#include "analyzer/vocabulary/encapsulations.def"
#undef ENCAPSULATION
    more,  // than are told apart
};

// Packets that were passed over, by what they lie in.
class PassedOver {
  public:
    struct Row {
        Encapsulation in = Encapsulation::none;
        uint16_t number = 0;  // of a link type or an EtherType, else 0
        uint64_t packets = 0;
        uint64_t wire_bytes = 0;
        PacketNumber first_packet = 0;
    };
    // Told apart; the rest are one row, Encapsulation::more.
    static constexpr size_t most_rows = 64;

    void add(Encapsulation in, uint16_t number, PacketNumber packet, uint32_t wire_length);
    std::span<const Row> rows() const { return rows_; }

  private:
    std::vector<Row> rows_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "analyzer/store/stored_rows.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Finds the rows of one table by the packet in one of their columns, while the table grows: rows come mostly in order of
// packet, but may come late. Four bytes a row. Rows without a packet are in nobody's answer; a row's packet must not change
// once the row was taken in.
template <class Row, PacketNumber Row::*packet>
class RowsOfPacket {
  public:
    // What is kept lies in `memory`, which must outlive this.
    explicit RowsOfPacket(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : sorted_(memory) {}

    // Takes in the rows appended since the last time.
    void update(const StoredRows<Row>& rows) {
        for (; taken_ < rows.size(); ++taken_) {
            const PacketNumber now = packet_of(rows, taken_);
            if (now == 0) continue;
            const auto index = static_cast<uint32_t>(taken_);
            if (sorted_.empty() || packet_of(rows, sorted_.back()) <= now) {
                sorted_.push_back(index);
            } else {
                late_.push_back(index);
                if (late_.size() > max_late) put_in_place(rows);
            }
        }
    }

    // Calls `found` with the indices of the packet's rows, in order of the table.
    template <class Found>
    void find(const StoredRows<Row>& rows, PacketNumber wanted, Found found) const {
        const auto before = [&](uint32_t index, PacketNumber number) {
            return packet_of(rows, index) < number;
        };
        auto next = std::lower_bound(sorted_.begin(), sorted_.end(), wanted, before);
        auto late = late_.begin();
        const auto skip = [&] {
            while (late != late_.end() && packet_of(rows, *late) != wanted) ++late;
        };
        for (skip();; skip()) {
            const bool more = next != sorted_.end() && packet_of(rows, *next) == wanted;
            if (!more && late == late_.end()) return;
            const bool take_late = !more || (late != late_.end() && *late < *next);
            found(size_t{take_late ? *late++ : *next++});
        }
    }

    size_t memory_bytes() const { return (sorted_.capacity() + late_.capacity()) * sizeof(uint32_t); }

  private:
    static PacketNumber packet_of(const StoredRows<Row>& rows, size_t index) {
        return rows.template get<packet>(index);
    }

    static constexpr size_t max_late = 256;  // a search looks at each of these

    void put_in_place(const StoredRows<Row>& rows) {
        const auto before = [&](uint32_t a, uint32_t b) {
            return std::pair(packet_of(rows, a), a) < std::pair(packet_of(rows, b), b);
        };
        std::sort(late_.begin(), late_.end(), before);
        const auto first =
            std::upper_bound(sorted_.begin(), sorted_.end(), late_.front(), before) - sorted_.begin();
        const auto middle = static_cast<std::ptrdiff_t>(sorted_.size());
        sorted_.insert(sorted_.end(), late_.begin(), late_.end());
        std::inplace_merge(sorted_.begin() + first, sorted_.begin() + middle, sorted_.end(), before);
        late_.clear();
    }

    std::pmr::vector<uint32_t> sorted_;  // by packet, then by row
    std::vector<uint32_t> late_;
    size_t taken_ = 0;
};

}  // namespace sanscope

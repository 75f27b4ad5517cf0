// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sanscope {

// From a 32-bit task tag to a 32-bit slot number. Open addressing with linear probing; removal moves later
// entries back, so that there are no tombstones and a lookup ends at the first empty place.
class TaskTable {
  public:
    static constexpr uint32_t none = 0xffffffff;

    // The slot of `tag`, or `none`.
    uint32_t find(uint32_t tag) const {
        if (entries_.empty()) return none;
        for (size_t i = home(tag);; i = (i + 1) & mask()) {
            if (entries_[i].slot == none) return none;
            if (entries_[i].tag == tag) return entries_[i].slot;
        }
    }

    // `slot` != none. Replaces what stood under the tag.
    void set(uint32_t tag, uint32_t slot) {
        if ((size_ + 1) * 2 > entries_.size()) grow();
        size_t i = home(tag);
        while (entries_[i].slot != none && entries_[i].tag != tag) i = (i + 1) & mask();
        if (entries_[i].slot == none) ++size_;
        entries_[i] = {tag, slot};
    }

    void erase(uint32_t tag) {
        if (entries_.empty()) return;
        size_t i = home(tag);
        while (entries_[i].slot != none && entries_[i].tag != tag) i = (i + 1) & mask();
        if (entries_[i].slot == none) return;
        --size_;
        for (size_t j = (i + 1) & mask(); entries_[j].slot != none; j = (j + 1) & mask()) {
            const size_t distance_home = (j - home(entries_[j].tag)) & mask();
            if (distance_home >= ((j - i) & mask())) {
                entries_[i] = entries_[j];
                i = j;
            }
        }
        entries_[i].slot = none;
    }

    size_t size() const { return size_; }

  private:
    struct Entry {
        uint32_t tag;
        uint32_t slot;
    };
    size_t mask() const { return entries_.size() - 1; }
    size_t home(uint32_t tag) const { return (tag * 0x9e3779b1u >> 7) & mask(); }

    void grow() {
        std::vector<Entry> old(entries_.empty() ? 16 : entries_.size() * 2, Entry{0, none});
        old.swap(entries_);
        size_ = 0;
        for (const Entry& entry : old) {
            if (entry.slot != none) set(entry.tag, entry.slot);
        }
    }

    std::vector<Entry> entries_;
    size_t size_ = 0;
};

}  // namespace sanscope

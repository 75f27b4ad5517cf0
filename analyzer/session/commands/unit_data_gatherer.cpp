// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/commands/unit_data_gatherer.h"

#include <algorithm>

namespace sanscope {

void UnitDataGatherer::begin(uint64_t command, std::span<const uint8_t> data) {
    forget(command);
    if (data.empty() || !make_room(data.size(), command)) return;
    gathered_.push_back({command, {data.begin(), data.end()}});
    bytes_ += data.size();
}

std::span<const uint8_t> UnitDataGatherer::go_on(uint64_t command, uint32_t offset,
                                                 std::span<const uint8_t> data) {
    const auto found = find(command);
    if (found == gathered_.end()) return {};
    if (data.empty() || offset != found->bytes.size() || !make_room(data.size(), command)) {
        forget(command);
        return {};
    }
    Gathered& gathered = *find(command);
    gathered.bytes.insert(gathered.bytes.end(), data.begin(), data.end());
    bytes_ += data.size();
    return gathered.bytes;
}

std::span<const uint8_t> UnitDataGatherer::of(uint64_t command) const {
    const auto found = std::ranges::find(gathered_, command, &Gathered::command);
    return found == gathered_.end() ? std::span<const uint8_t>{} : std::span<const uint8_t>{found->bytes};
}

void UnitDataGatherer::forget(uint64_t command) {
    const auto found = find(command);
    if (found == gathered_.end()) return;
    bytes_ -= found->bytes.size();
    gathered_.erase(found);
}

std::deque<UnitDataGatherer::Gathered>::iterator UnitDataGatherer::find(uint64_t command) {
    return std::ranges::find(gathered_, command, &Gathered::command);
}

// The oldest of the others give way.
bool UnitDataGatherer::make_room(size_t bytes, uint64_t for_command) {
    while (bytes_ + bytes > most_bytes) {
        const auto oldest =
            std::ranges::find_if(gathered_, [=](const Gathered& one) { return one.command != for_command; });
        if (oldest == gathered_.end()) return false;
        bytes_ -= oldest->bytes.size();
        gathered_.erase(oldest);
    }
    return true;
}

}  // namespace sanscope

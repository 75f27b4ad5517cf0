// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sanscope {

// Figures for people: three digits and a unit.
std::string human_bytes(double bytes);           // "1.24 MB", powers of 1000
std::string human_binary_bytes(uint64_t bytes);  // "64 KiB", "4 KiB", powers of 1024; for transfer sizes
std::string human_count(uint64_t count);         // "1.24 M"; exact below 10,000
std::string counted(uint64_t count,
                    std::string_view noun);  // "1 command", "12.3 k commands"; the noun as of one
std::string counted_exactly(uint64_t count, std::string_view noun);  // "12345 commands"
std::string human_duration(int64_t duration_ns);                     // "812 ns", "1.24 ms", "3 min 20 s"
std::string human_percent(double share);      // of 0.273 "27 %"; one decimal below 10 % and near 100 %
std::string human_size_class(unsigned size);  // of Summary::GroupKey: "<= 64 KiB"; "-" of no bytes
std::string utc_time(int64_t time_ns);        // "2026-11-21 10:33:56.123456 UTC"

}  // namespace sanscope

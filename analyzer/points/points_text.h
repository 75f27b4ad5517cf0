// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "analyzer/points/points_of_path.h"

namespace sanscope {

// For reading: the points along the path, what is to be said first, `commands` (split_text()), the clocks, and then each
// connection between two points. Lines of at most some 130 characters, UTF-8.
std::string points_text(const PathPoints& path, std::string_view commands = {});

// "1.24 ms ± 80 us", or "0 ns to 4.1 ms" where the band is as wide as what it is about; "unknown".
std::string band_words(const TimeBand& band);
// With sign and seconds: "+5.000123 s ± 2.01 ms".
std::string offset_words(const TimeBand& band);

}  // namespace sanscope

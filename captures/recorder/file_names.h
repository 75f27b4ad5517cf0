// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace sanscope {

// The name of file `number` (from 1) of a recording of several, as dumpcap has it: OUT_00001_20261122093000.pcapng for
// OUT.pcapng; the time is local. After 99999 comes 00000.
std::string numbered_file_name(const std::string& path, uint32_t number, std::time_t now);

}  // namespace sanscope

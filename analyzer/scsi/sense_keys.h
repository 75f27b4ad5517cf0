// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// Sense keys (SPC-4 table 48).
namespace sanscope::sense_key {

constexpr uint8_t no_sense = 0x0;
constexpr uint8_t recovered_error = 0x1;
constexpr uint8_t not_ready = 0x2;
constexpr uint8_t medium_error = 0x3;
constexpr uint8_t hardware_error = 0x4;
constexpr uint8_t illegal_request = 0x5;
constexpr uint8_t unit_attention = 0x6;
constexpr uint8_t data_protect = 0x7;
constexpr uint8_t blank_check = 0x8;
constexpr uint8_t aborted_command = 0xb;
constexpr uint8_t volume_overflow = 0xd;
constexpr uint8_t miscompare = 0xe;

}  // namespace sanscope::sense_key

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace sanscope {

// Where fields of a basic header segment end, in bytes from its begin (RFC 7143 §11): a header that the capture cut short
// has those that end in what was captured.
constexpr size_t tag_end = 20;              // Initiator Task Tag
constexpr size_t transfer_length_end = 24;  // SCSI Command: Expected Data Transfer Length
constexpr size_t cmd_sn_end = 28;
constexpr size_t stat_sn_end = 28;
constexpr size_t exp_stat_sn_end = 32;
constexpr size_t exp_cmd_sn_end = 32;
constexpr size_t max_cmd_sn_end = 36;
constexpr size_t buffer_offset_end = 44;

}  // namespace sanscope

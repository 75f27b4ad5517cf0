// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string_view>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The words of the tables, by value of their enumeration.

constexpr std::array<std::string_view, ca_states> ca_state_names = {"Open", "Disorder", "CWR", "Recovery",
                                                                    "Loss"};

constexpr std::array<std::string_view, send_limits + 1> send_limit_names = {
    "application", "receiver", "congestion", "pacing", "recovery", ""};

constexpr std::array<std::string_view, loss_kinds> loss_kind_names = {
    "fast_retransmit",   "rto",          "tlp", "spurious", "out_of_order", "duplicate", "keep_alive",
    "zero_window_probe", "not_captured",
};

constexpr std::array<std::string_view, 3> reordering_names = {"", "path", "tap"};

constexpr std::array<std::string_view, 4> vantage_names = {"", "initiator", "target", "middle"};

}  // namespace sanscope

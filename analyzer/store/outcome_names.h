// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string_view>

namespace sanscope {

// The words of the table `commands`, by value of Outcome.
constexpr std::array<std::string_view, 4> outcome_names = {"unanswered", "completed", "aborted",
                                                           "response_only"};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string_view>

namespace sanscope {

// The words of the table `commands`, by value of Outcome; none for what is not known.
constexpr std::array<std::string_view, 7> outcome_names = {
    "unanswered", "completed", "aborted", "response_only", "", "rejected", "terminated"};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/budget_parts.h"

namespace sanscope {
namespace {

struct PartNames {
    std::string_view name;
    std::string_view title;
};

constexpr std::array<PartNames, budget_parts> names = {{
    {"request_path", "request path"},
    {"cwnd", "congestion window"},
    {"recovery", "recovery"},
    {"timeout", "timeout"},
    {"receiver_window", "receiver window"},
    {"pacing", "pacing"},
    {"application", "initiator"},
    {"r2t_wait", "R2T wait"},
    {"target", "target"},
    {"behind_others", "behind others"},
    {"wire", "wire"},
    {"return_path", "return path"},
    {"unknown", "unknown"},
}};

}  // namespace

std::string_view budget_part_name(BudgetPart part) {
    return names[static_cast<size_t>(part)].name;
}

std::string_view budget_part_title(BudgetPart part) {
    return names[static_cast<size_t>(part)].title;
}

}  // namespace sanscope

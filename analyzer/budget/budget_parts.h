// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sanscope {

// Whose time a part of a command's turnaround was. docs/where-the-time-goes.md has what each means and rests on.
enum class BudgetPart : uint8_t {
    request_path,     // the command, and the data sent with it, travelled to the target
    cwnd,             // data were held back by their sender's congestion window …
    recovery,         // … by lost segments that were sent again when acknowledgements asked for them
    timeout,          // … by lost segments that were sent again when a timer expired
    receiver_window,  // … by the window that the receiver advertised
    pacing,           // … by the sender's pacing
    application,      // the initiator had Data-Out to send and did not
    r2t_wait,         // the initiator had sent all that the target let it send
    target,           // the target had all, and sent nothing though it could have
    behind_others,    // data stood behind those of other commands
    wire,             // its bytes were being sent at the path's rate
    return_path,      // the last byte travelled back
    unknown,          // the capture does not tell
};
constexpr size_t budget_parts = 13;

// "request_path"; stable.
std::string_view budget_part_name(BudgetPart part);
// "request path", for reading.
std::string_view budget_part_title(BudgetPart part);

// The turnaround of one command in parts, nanoseconds, none of them negative; their sum is the turnaround exactly.
class CommandBudget {
  public:
    int64_t operator[](BudgetPart part) const { return ns_[static_cast<size_t>(part)]; }
    int64_t& operator[](BudgetPart part) { return ns_[static_cast<size_t>(part)]; }
    const std::array<int64_t, budget_parts>& parts() const { return ns_; }

  private:
    std::array<int64_t, budget_parts> ns_{};
};

}  // namespace sanscope

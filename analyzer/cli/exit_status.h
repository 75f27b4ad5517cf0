// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sanscope {

// What every subcommand ends with.
enum ExitStatus : int {
    exit_all_analysed = 0,
    exit_nothing_analysed = 1,
    exit_usage = 2,
    exit_input_damaged = 3,  // all before the damage was analysed and is in the output
    exit_findings = 4,       // all was analysed or not, and there is a finding that was asked for (--fail-on)
    exit_interrupted = 130,  // Ctrl-C; likewise
};

}  // namespace sanscope

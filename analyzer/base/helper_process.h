// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope {

// Another program of the project that runs for this one, and the pipes to it. Nothing is done when this goes: whoever has it
// ends the process and waits for it.
struct HelperProcess {
    pid_t process = 0;
    FileDescriptor input;   // its standard input, for writing; does not block
    FileDescriptor output;  // its standard output, for reading; does not block
    FileDescriptor errors;  // its standard error, likewise
};

// Where a helper program is: as the environment variable `variable` says, beside this program, in ../libexec/sanscope from
// there, where they are installed, or else to be looked for in the PATH.
std::string find_helper_program(std::string_view name, const char* variable);

// Starts it. `inherited`: a descriptor of this process that it gets as its descriptor 3; -1: none. SIGPIPE is ignored in this
// process from then on. An Error says why it does not run.
Result<HelperProcess> start_helper(const std::string& program, const std::vector<std::string>& arguments,
                                   int inherited = -1);

// What waitpid() shows, as "ended with status 2".
std::string how_process_ended(int status);

// Of what a process printed, the last line that says something.
std::string last_line_of(std::string_view text);

}  // namespace sanscope

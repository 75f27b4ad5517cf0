// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace sanscope {

// What stands where a command was to be named, and which may have been meant: an error message. Empty where nothing stands there, or
// a command was named. `app` has parsed its arguments, and found them wrong.
std::string missing_command(const CLI::App& app);

}  // namespace sanscope

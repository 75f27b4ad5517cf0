// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <variant>

#include "analyzer/base/result.h"

namespace sanscope {

// The rights this process was started with: kept aside until they are needed, then given up for good. To be made before
// any thread is.
class Rights {
  public:
    // From here on they are kept, but not in effect; all but those for capturing and for asking the kernel are gone.
    Rights();

    // Has them in effect until give_up().
    void raise();
    // Gives them all up, for this process and whatever it starts: no capabilities, no new ones, and where sudo or a
    // set-user-ID bit made it root, the user and groups of whoever called. An Error where that did not succeed: then
    // nothing may go on.
    Result<std::monostate> give_up();

    // Who files are made as, for a message: " (as bob)"; empty where that is who started it.
    const std::string& as_whom() const { return as_whom_; }

  private:
    Result<std::monostate> become_caller();

    std::string as_whom_;
};

}  // namespace sanscope

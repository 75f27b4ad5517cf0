// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analyzer/budget/scenarios/simulated_host.h"
#include "analyzer/engine/engine.h"

namespace sanscope::simulated {

// What the engine makes of a capture taken at one host: frames as they passed there, whole.
class SimulatedCapture {
  public:
    SimulatedCapture(const std::vector<SeenSegment>& seen, const SimulatedSender::Options& agreed);

    const ResultStore& store() const { return engine_.store(); }
    // In the order of their requests; without the login.
    const std::vector<CommandNumber>& commands() const { return commands_; }

  private:
    Engine engine_{ResultStore::Keep{}};
    std::vector<CommandNumber> commands_;
};

}  // namespace sanscope::simulated

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>

#include "dissectors/epan_bridge/epan_bridge.h"

namespace sanscope {

// Answers the requests that come on one descriptor on the other, in order, until the first is at its end.
class DissectServer {
  public:
    // `not_kept_from`: as Confinement has it, for whoever asks.
    DissectServer(EpanBridge& bridge, int requests, int responses, std::string not_kept_from)
        : bridge_(bridge),
          requests_(requests),
          responses_(responses),
          not_kept_from_(std::move(not_kept_from)) {}

    // False where what came was no request, or a response could not be written.
    bool run();

  private:
    void answer(const v1::DissectRequest& request, v1::DissectResponse& response);
    bool send(const v1::DissectResponse& response);

    EpanBridge& bridge_;
    int requests_;
    int responses_;
    std::string not_kept_from_;
    bool opened_ = false;
    std::vector<uint8_t> bytes_;
};

}  // namespace sanscope

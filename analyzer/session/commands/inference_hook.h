// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/iscsi/pdu_framer.h"

namespace sanscope {

// What the tracker asks of whoever infers commands that the capture does not show whole: once an answer is seen that
// nothing seen explains, never for each PDU.
class InferenceHook {
  public:
    // The slot of the request inferred without a tag that this answer with an unknown tag belongs to;
    // CommandsInFlight::none if there is none, or it cannot be known.
    virtual uint32_t claim_nameless(const Pdu& pdu, uint32_t connection) = 0;
    // An answer of its own has turned up for a command that was taken to be answered.
    virtual void take_back(uint32_t slot) = 0;

  protected:
    ~InferenceHook() = default;
};

}  // namespace sanscope

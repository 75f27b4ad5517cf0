// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/report/findings.h"

namespace sanscope {

// What findings are told from, of what an engine has read from a source: holds the source's damage and interfaces as they are
// when it is made; the engine, and `stop` where there is one, must outlive it.
class CaptureFindingsInput {
  public:
    CaptureFindingsInput(const Engine& engine, const PacketSource& source, const std::atomic<bool>* stop);
    CaptureFindingsInput(const CaptureFindingsInput&) = delete;
    CaptureFindingsInput& operator=(const CaptureFindingsInput&) = delete;

    FindingsInput& operator*() { return input_; }
    FindingsInput* operator->() { return &input_; }

  private:
    std::vector<Damage> damage_;
    std::vector<CaptureInterface> interfaces_;
    FindingsInput input_;
};

}  // namespace sanscope

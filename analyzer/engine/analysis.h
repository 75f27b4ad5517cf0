// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <functional>

#include "analyzer/engine/engine.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {

struct AnalysisOptions {
    // With more than one, reading and decoding of later batches go on while one is processed. What comes out does not
    // depend on it.
    unsigned threads = 1;
    // Set from elsewhere (a signal handler, a button) to end early.
    const std::atomic<bool>* stop = nullptr;
    // Called after each batch, by one thread at a time.
    std::function<void()> progress;
};

// Sends a whole source down the line and finishes the engine. False if it was stopped: what was analysed by then stands.
bool analyse(PacketSource& source, Engine& engine, const AnalysisOptions& options);

}  // namespace sanscope

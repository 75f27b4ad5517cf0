// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <functional>
#include <shared_mutex>
#include <span>

#include "analyzer/engine/engine.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/net/decoded_packet.h"

namespace sanscope {

struct AnalysisOptions {
    // With two or more, a second thread replays the TCP senders behind the first one; or, where somebody looks on with one lock alone,
    // reads and decodes ahead of it. More than two are of no use. What comes out does not depend on it.
    unsigned threads = 1;
    // Set from elsewhere (a signal handler, a button) to end early.
    const std::atomic<bool>* stop = nullptr;
    // Called after each batch, by one thread at a time.
    std::function<void()> progress;
    // Is shown each batch once its packets are found and decoded, in order, by one thread at a time, while others are processed.
    std::function<void(const PacketBatch&, std::span<const DecodedPacket>)> parsed;
    // Held by whoever processes a batch, or finishes the engine: others may look at the engine and its store with a shared
    // hold on it. They should not for long.
    std::shared_mutex* engine_lock = nullptr;
    // With engine_lock: held by the second thread while it replays senders, so that it need not wait for the first. Who looks takes
    // a shared hold on engine_lock, then one on this.
    std::shared_mutex* senders_lock = nullptr;
};

// Sends a whole source down the line and finishes the engine. False if it was stopped: what was analysed by then stands.
bool analyse(PacketSource& source, Engine& engine, const AnalysisOptions& options);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/analysis.h"

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace sanscope {
namespace {

struct Token {
    PacketBatch batch;
    std::vector<DecodedPacket> decoded;
};

bool is_stopped(const AnalysisOptions& options) {
    return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
}

std::unique_lock<std::shared_mutex> lock_engine(const AnalysisOptions& options) {
    return options.engine_lock == nullptr ? std::unique_lock<std::shared_mutex>()
                                          : std::unique_lock(*options.engine_lock);
}

void process(Token& token, Engine& engine, const AnalysisOptions& options) {
    {
        const auto lock = lock_engine(options);
        engine.process(token.batch, token.decoded);
    }
    if (options.progress) options.progress();
}

void analyse_in_turn(PacketSource& source, Engine& engine, const AnalysisOptions& options) {
    Token token;
    while (!is_stopped(options) && source.claim(token.batch)) {
        source.load(token.batch);
        source.parse(token.batch);
        if (options.parsed) options.parsed(token.batch);
        auto lock = lock_engine(options);
        // So few at once that what was decoded is still near the processor.
        constexpr size_t at_once = 128;
        for (size_t first = 0; first < token.batch.packets.size(); first += at_once) {
            decode_batch(token.batch, token.decoded, first, at_once);
            engine.process(token.batch, token.decoded, first);
        }
        if (lock.owns_lock()) lock.unlock();
        if (options.progress) options.progress();
    }
}

// Reading ahead: one thread fills batches and decodes them, in order, the thread that called run() processes them. Each keeps
// what it works on in its own core's caches: the engine's state never moves to another core, only packets do.
class Pipeline {
  public:
    Pipeline(PacketSource& source, Engine& engine, const AnalysisOptions& options)
        : source_(source), engine_(engine), options_(options) {}

    void run() {
        const std::jthread reader([this] { read_ahead(); });
        for (uint64_t next = 0; wait_for_filled(next); ++next) {
            process(slots_[next % slots], engine_, options_);
            emptied(next + 1);
        }
    }

  private:
    // Enough that the two seldom wait for each other, few enough that most of what was read is still in a cache.
    static constexpr uint64_t slots = 8;
    // A reader that waited goes on when so many are empty, so that one waking serves for several batches.
    static constexpr uint64_t worth_waking = slots / 2;

    void read_ahead() {
        uint64_t next = 0;
        while (!is_stopped(options_)) {
            wait_for_empty(next);
            Token& token = slots_[next % slots];
            if (!source_.claim(token.batch)) break;
            source_.load(token.batch);
            source_.parse(token.batch);
            if (options_.parsed) options_.parsed(token.batch);
            decode_batch(token.batch, token.decoded);
            filled(++next);
        }
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }

    void wait_for_empty(uint64_t next) {
        std::unique_lock lock(mutex_);
        if (next - emptied_ < slots) return;
        reader_waits_ = true;
        changed_.wait(lock, [&] { return next - emptied_ <= slots - worth_waking; });
        reader_waits_ = false;
    }

    // False when there is no more.
    bool wait_for_filled(uint64_t next) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return filled_ > next || ended_; });
        return filled_ > next;
    }

    void filled(uint64_t count) {
        const std::lock_guard lock(mutex_);
        filled_ = count;
        changed_.notify_all();
    }

    void emptied(uint64_t count) {
        const std::lock_guard lock(mutex_);
        emptied_ = count;
        if (reader_waits_ && filled_ - emptied_ <= slots - worth_waking) changed_.notify_all();
    }

    PacketSource& source_;
    Engine& engine_;
    const AnalysisOptions& options_;
    std::array<Token, slots> slots_;
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t filled_ = 0;   // batches read so far
    uint64_t emptied_ = 0;  // … and processed
    bool reader_waits_ = false;
    bool ended_ = false;  // nothing more is read
};

}  // namespace

bool analyse(PacketSource& source, Engine& engine, const AnalysisOptions& options) {
    if (options.threads > 1) {
        Pipeline(source, engine, options).run();
    } else {
        analyse_in_turn(source, engine, options);
    }
    const auto lock = lock_engine(options);
    engine.finish();
    return !is_stopped(options);
}

}  // namespace sanscope

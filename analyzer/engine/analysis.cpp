// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/analysis.h"

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

// Lets threads through one at a time, in the order of their tickets: 0, 1, 2 …
class Turnstile {
  public:
    void enter(uint64_t ticket) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return next_ == ticket; });
    }
    void leave() {
        {
            const std::lock_guard lock(mutex_);
            ++next_;
        }
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t next_ = 0;
};

// Each thread takes a batch through all stages. What depends on order (finding packets, following streams) waits for its
// turn; what does not (copying bytes in, decoding) goes on meanwhile.
class Pipeline {
  public:
    Pipeline(PacketSource& source, Engine& engine, const AnalysisOptions& options)
        : source_(source), engine_(engine), options_(options) {}

    void run() {
        std::vector<std::jthread> others;
        for (unsigned i = 1; i < options_.threads; ++i) {
            others.emplace_back([this] { take_batches(); });
        }
        take_batches();
    }

  private:
    void take_batches() {
        Token token;
        uint64_t ticket = 0;
        while (claim(token, ticket)) {
            source_.load(token.batch);
            parsing_.enter(ticket);
            source_.parse(token.batch);
            if (options_.parsed) options_.parsed(token.batch);
            parsing_.leave();
            decode_batch(token.batch, token.decoded);
            processing_.enter(ticket);
            process(token, engine_, options_);
            processing_.leave();
        }
    }

    bool claim(Token& token, uint64_t& ticket) {
        const std::lock_guard lock(claiming_);
        if (is_stopped(options_) || !source_.claim(token.batch)) return false;
        ticket = claimed_++;
        return true;
    }

    PacketSource& source_;
    Engine& engine_;
    const AnalysisOptions& options_;
    std::mutex claiming_;
    uint64_t claimed_ = 0;
    Turnstile parsing_;
    Turnstile processing_;
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

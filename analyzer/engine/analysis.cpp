// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/analysis.h"

#include <algorithm>
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
    bool data_not_kept = false;
};

// Of some packets up to those parsed last.
bool data_not_kept(const PacketSource& source) {
    const auto& interfaces = source.interfaces();
    return std::any_of(interfaces.begin(), interfaces.end(),
                       [](const CaptureInterface& interface) { return interface.data_not_kept; });
}

bool is_stopped(const AnalysisOptions& options) {
    return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
}

std::unique_lock<std::shared_mutex> lock(std::shared_mutex* mutex) {
    return mutex == nullptr ? std::unique_lock<std::shared_mutex>() : std::unique_lock(*mutex);
}

std::unique_lock<std::shared_mutex> lock_engine(const AnalysisOptions& options) {
    return lock(options.engine_lock);
}

void process(Token& token, Engine& engine, const AnalysisOptions& options) {
    {
        const auto lock = lock_engine(options);
        if (token.data_not_kept) engine.data_are_not_kept();
        engine.process(token.batch, token.decoded);
    }
    if (options.progress) options.progress();
}

void analyse_in_turn(PacketSource& source, Engine& engine, const AnalysisOptions& options) {
    Token token;
    while (!is_stopped(options) && source.claim(token.batch)) {
        source.load(token.batch);
        source.parse(token.batch);
        if (options.parsed) {
            decode_batch(token.batch, token.decoded);
            options.parsed(token.batch, token.decoded);
        }
        auto lock = lock_engine(options);
        if (data_not_kept(source)) engine.data_are_not_kept();
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
            decode_batch(token.batch, token.decoded);
            if (options_.parsed) options_.parsed(token.batch, token.decoded);
            token.data_not_kept = data_not_kept(source_);
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

// One thread reads, decodes and follows what iSCSI says; another one replays the TCP senders, some batches behind. Of the engine's
// state each has its own part: packets move from core to core, and what the second is to do with them.
class SendersApart {
  public:
    SendersApart(PacketSource& source, Engine& engine, const AnalysisOptions& options)
        : source_(source), engine_(engine), options_(options) {}

    // False, with nothing done, where it cannot be.
    bool run() {
        lane_ = {&between_, [this] { settle(); }};
        if (!engine_.defer_senders(lane_)) return false;
        const std::jthread senders([this] { follow_senders(); });
        for (uint64_t next = 0; !is_stopped(options_); ++next) {
            wait_for_emptied(next < slots ? 0 : next - slots + 1);
            Slot& slot = slots_[next % slots];
            if (!source_.claim(slot.batch)) break;
            source_.load(slot.batch);
            source_.parse(slot.batch);
            decode_batch(slot.batch, slot.decoded);
            if (options_.parsed) options_.parsed(slot.batch, slot.decoded);
            {
                const auto lock = lock_engine(options_);
                if (data_not_kept(source_)) engine_.data_are_not_kept();
                lane_.work = &slot.work;
                engine_.process(slot.batch, slot.decoded);
                lane_.work = &between_;
            }
            filled(next + 1);
            if (options_.progress) options_.progress();
        }
        {
            const auto lock = lock_engine(options_);
            engine_.finish();
        }
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
        return true;
    }

  private:
    struct Slot {
        PacketBatch batch;
        std::vector<DecodedPacket> decoded;
        SenderWork work;
    };
    static constexpr uint64_t slots = 8;

    void follow_senders() {
        for (uint64_t next = 0;; ++next) {
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [&] { return filled_ > next || ended_; });
                if (filled_ <= next) return;
            }
            do_work(slots_[next % slots].work);
            const std::lock_guard lock(mutex_);
            emptied_ = next + 1;
            if (waits_for_ != 0 && emptied_ >= waits_for_) changed_.notify_all();
        }
    }

    // On the first thread, in the midst of a batch: what it has of it by then is done there.
    void settle() {
        wait_for_emptied(filled_);
        do_work(*lane_.work);
    }

    void do_work(SenderWork& work) {
        const auto lock = sanscope::lock(options_.senders_lock);
        engine_.do_sender_work(work);
    }

    void filled(uint64_t count) {
        const std::lock_guard lock(mutex_);
        filled_ = count;
        changed_.notify_all();
    }

    void wait_for_emptied(uint64_t count) {
        std::unique_lock lock(mutex_);
        waits_for_ = count;
        changed_.wait(lock, [&] { return emptied_ >= count; });
        waits_for_ = 0;
    }

    PacketSource& source_;
    Engine& engine_;
    const AnalysisOptions& options_;
    Engine::SenderLane lane_;
    std::array<Slot, slots> slots_;
    SenderWork between_;  // of no batch
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t filled_ = 0;     // batches handed on so far
    uint64_t emptied_ = 0;    // … and done
    uint64_t waits_for_ = 0;  // so many of these the first thread waits
    bool ended_ = false;      // no more is handed on
};

}  // namespace

bool analyse(PacketSource& source, Engine& engine, const AnalysisOptions& options) {
    // Whoever looks at the store meanwhile must not meet a thread that writes to it.
    const bool may_part =
        options.threads > 1 && (options.engine_lock == nullptr || options.senders_lock != nullptr);
    if (may_part && SendersApart(source, engine, options).run()) return !is_stopped(options);
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

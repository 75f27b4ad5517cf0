// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/capture_data.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "analyzer/engine/analysis.h"

namespace sanscope {

using std::chrono::milliseconds;

namespace {

// What a file is made into is in memory, where it is looked at fastest, unless it is very much. A recording goes on for long.
constexpr size_t most_in_memory_of_file = size_t{4} << 30;
// Of the rest of it, which is in a file: what views and findings look at.
constexpr size_t most_resident = size_t{192} << 20;

}  // namespace

CaptureData::CaptureData(std::string path, std::unique_ptr<SpillingMemory> memory,
                         std::unique_ptr<PacketReader> reader, bool growing)
    : path_(std::move(path)),
      memory_(std::move(memory)),
      reader_(std::move(reader)),
      engine_(ResultStore::Keep::everything(), Engine::StopAfter::none, memory_.get()),
      timeline_(engine_.store(), reader_->index(), memory_.get()),
      pdu_index_(engine_.store(), memory_.get()),
      budgets_(std::make_shared<SharedBudgets>(engine_.store(), true)),
      growing_(growing) {}

CaptureData::~CaptureData() = default;

Result<std::shared_ptr<CaptureData>> CaptureData::open(const std::string& path, const DecodeAs& decode_as) {
    auto memory = std::make_unique<SpillingMemory>(most_in_memory_of_file);
    auto reader = PacketReader::begin(path, memory.get());
    if (!reader) return reader.error();
    (*reader)->source_to_pass().keep_notes();
    (*reader)->source_to_pass().keep_names();
    std::shared_ptr<CaptureData> data(new CaptureData(path, std::move(memory), std::move(*reader), false));
    data->decode_as_ = decode_as;
    data->engine_.decode_as(decode_as);
    return data;
}

Result<std::shared_ptr<CaptureData>> CaptureData::open_growing(const std::string& path,
                                                               std::shared_ptr<FileGrowth> growth,
                                                               size_t most_in_memory) {
    auto memory = std::make_unique<SpillingMemory>(most_in_memory);
    auto reader = PacketReader::begin_growing(path, std::move(growth), memory.get());
    if (!reader) return reader.error();
    (*reader)->source_to_pass().keep_notes();
    (*reader)->source_to_pass().keep_names();
    return std::shared_ptr<CaptureData>(new CaptureData(path, std::move(memory), std::move(*reader), true));
}

CaptureData::Reading CaptureData::read() const {
    Reading reading;
    reading.data_ = this;
    if (complete()) return reading;
    reading.timeline_ = std::shared_lock(timeline_lock_);
    reading.engine_ = std::shared_lock(engine_lock_);
    reading.senders_ = std::shared_lock(senders_lock_);
    reading.packets_ = std::shared_lock(packets_lock_);
    return reading;
}

std::optional<CaptureData::Reading> CaptureData::try_read() const {
    Reading reading;
    reading.data_ = this;
    if (complete()) return reading;
    reading.timeline_ = std::shared_lock(timeline_lock_, std::try_to_lock);
    if (!reading.timeline_) return std::nullopt;
    reading.engine_ = std::shared_lock(engine_lock_, std::try_to_lock);
    if (!reading.engine_) return std::nullopt;
    reading.senders_ = std::shared_lock(senders_lock_, std::try_to_lock);
    if (!reading.senders_) return std::nullopt;
    reading.packets_ = std::shared_lock(packets_lock_, std::try_to_lock);
    if (!reading.packets_) return std::nullopt;
    return reading;
}

CaptureData::Progress CaptureData::progress() const {
    const PacketSource& source = reader_->source();
    return {source.bytes_read(), source.bytes_total(), packets_.load(std::memory_order_relaxed)};
}

void CaptureData::keep_within_memory() const {
    memory_->keep_within(most_resident);
}

std::string CaptureData::read_by_wireshark() const {
    const auto files = reader_->source().read_by_wireshark();
    return files.empty() ? std::string() : files.front().format;
}

bool CaptureData::has_rows_in_file() const {
    return memory_->bytes_in_file() > 0;
}

CaptureData::Standstill CaptureData::stand_still() const {
    return {std::shared_lock(engine_lock_), std::shared_lock(senders_lock_), std::shared_lock(packets_lock_)};
}

// In small steps, so that neither the loader nor a view waits long. The loader waits only while rows are copied, and for
// what little is left then.
void CaptureData::update_indices(bool last, const std::atomic<bool>& abandoned) {
    constexpr size_t rows_at_once = 32'768;
    for (bool all = false; !all && !abandoned;) {
        const std::lock_guard timeline(timeline_lock_);
        {
            const Standstill standstill = stand_still();
            all = timeline_.copy_rows(rows_at_once);
            all &= pdu_index_.copy_rows(rows_at_once);
        }
        timeline_.take_copied();
        pdu_index_.take_copied();
    }
    for (bool all = false; !all && !abandoned;) {
        const std::lock_guard timeline(timeline_lock_);
        const Standstill standstill = stand_still();
        all = timeline_.update(rows_at_once);
        pdu_index_.update();
    }
    if (!last || abandoned) return;
    {
        const std::lock_guard timeline(timeline_lock_);
        const Standstill standstill = stand_still();
        timeline_.take_rest();
        pdu_index_.update();
    }
    std::unique_ptr<Timeline::Final> final;
    {
        const std::shared_lock timeline(timeline_lock_);
        const Standstill standstill = stand_still();
        final = timeline_.prepare_final(abandoned);
    }
    if (final == nullptr) return;
    const std::lock_guard timeline(timeline_lock_);
    const Standstill standstill = stand_still();
    timeline_.finish(std::move(final));
}

void CaptureData::load(const std::atomic<bool>& stop, const std::atomic<bool>& abandoned,
                       const std::function<void()>& grown) {
    constexpr milliseconds first_look{20};
    constexpr milliseconds between_descriptions{100};
    // Whoever opens a file waits for the whole of it: pictures of a part of it take their time from that.
    const milliseconds between_looks{growing_ ? 33 : 200};
    std::mutex mutex;
    std::condition_variable changed;
    bool ended = false;

    std::thread follower([&] {
        auto wait = first_look;
        std::unique_lock lock(mutex);
        while (!changed.wait_for(lock, wait, [&] { return ended; })) {
            lock.unlock();
            update_indices(false, abandoned);
            keep_within_memory();
            grown();
            wait = std::min(wait * 2, between_looks);
            lock.lock();
        }
    });

    AnalysisOptions options;
    options.threads = 2;
    options.stop = &stop;
    options.engine_lock = &engine_lock_;
    // A recording may have a kernel's word, which keeps its senders on the first thread: another one reads ahead then.
    if (!growing_) options.senders_lock = &senders_lock_;
    options.parsed = [&](const PacketBatch& batch, std::span<const DecodedPacket> decoded) {
        const std::lock_guard lock(packets_lock_);
        if (const auto added = reader_->add(batch, decoded); !added && fault_.empty())
            fault_ = added.error().message;
        packets_.store(reader_->index().packets(), std::memory_order_relaxed);
    };
    auto described = std::chrono::steady_clock::now();
    options.progress = [&] {
        const auto now = std::chrono::steady_clock::now();
        if (now - described < between_descriptions) return;
        described = now;
        const std::lock_guard lock(engine_lock_);
        engine_.describe_connections();
    };
    stopped_ = !analyse(reader_->source_to_pass(), engine_, options);
    {
        const std::lock_guard lock(packets_lock_);
        if (const auto ended_well = reader_->end(); !ended_well && fault_.empty()) {
            fault_ = ended_well.error().message;
        }
    }
    {
        const std::lock_guard lock(mutex);
        ended = true;
    }
    changed.notify_all();
    follower.join();
    update_indices(true, abandoned);
    if (abandoned) return;
    memory_->set_aside();
    budgets_->release();
    complete_.store(true, std::memory_order_release);
    grown();
}

}  // namespace sanscope

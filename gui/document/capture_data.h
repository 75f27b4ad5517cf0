// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/base/spilling_memory.h"
#include "analyzer/budget/shared_budgets.h"
#include "analyzer/engine/engine.h"
#include "analyzer/packets/packet_reader.h"
#include "analyzer/store/pdu_index.h"
#include "analyzer/timeline/timeline.h"

namespace sanscope {

// All that is known of one capture: the engine and its tables, the packets, the timeline. It is filled by load() on a thread
// of its own; meanwhile others look at it through a Reading, on any thread but the GUI's, which only tries.
class CaptureData {
  public:
    // Everything, held still as long as this lives: not long, while the capture is loaded.
    class Reading {
      public:
        const Engine& engine() const { return data_->engine_; }
        const ResultStore& store() const { return data_->engine_.store(); }
        const PacketReader& packets() const { return *data_->reader_; }
        const PacketIndex& index() const { return data_->reader_->index(); }
        const Timeline& timeline() const { return data_->timeline_; }
        const PduIndex& pdu_index() const { return data_->pdu_index_; }
        // Where the commands' time went, once the capture is whole; for all that show it.
        const std::shared_ptr<SharedBudgets>& budgets() const { return data_->budgets_; }

      private:
        friend class CaptureData;
        const CaptureData* data_ = nullptr;
        std::shared_lock<std::shared_mutex> timeline_;
        std::shared_lock<std::shared_mutex> engine_;
        std::shared_lock<std::shared_mutex> senders_;
        std::shared_lock<std::shared_mutex> packets_;
    };

    // How far loading is. Any thread may ask.
    struct Progress {
        uint64_t bytes_read = 0;
        uint64_t bytes_total = 0;  // 0: not known
        uint64_t packets = 0;
    };

    // An Error where nothing can be read. `decode_as`: what the user says of connections.
    static Result<std::shared_ptr<CaptureData>> open(const std::string& path, const DecodeAs& decode_as = {});
    // The same of a capture that is still being written, to a plain file: load() goes on until growth has ended. Waits until
    // the file begins. Beyond the first `most_in_memory` bytes of them, rows lie in a file.
    static Result<std::shared_ptr<CaptureData>> open_growing(
        const std::string& path, std::shared_ptr<FileGrowth> growth,
        size_t most_in_memory = most_in_memory_of_recording);
    static constexpr size_t most_in_memory_of_recording = size_t{128} << 20;
    ~CaptureData();
    CaptureData(const CaptureData&) = delete;
    CaptureData& operator=(const CaptureData&) = delete;

    // Reads the capture to its end, or until `stop`: what was read by then is complete then. Calls `grown` some five times a
    // second, of a recording thirty times, on another thread, when there is more to see. Once. `abandoned`: nobody will look
    // at it any more; returns as soon as it can, and nothing is complete.
    void load(const std::atomic<bool>& stop, const std::atomic<bool>& abandoned,
              const std::function<void()>& grown);

    // Waits for the loader to let go, some milliseconds at most.
    Reading read() const;
    // Without waiting: nothing while the loader is writing. Once complete, always something.
    std::optional<Reading> try_read() const;

    // Loading has ended, nothing changes any more.
    bool complete() const { return complete_.load(std::memory_order_acquire); }
    Progress progress() const;
    // What is kept in a file, since it is much, leaves the memory where views have brought too much of it back. To be called
    // some times a second; load() does so too.
    void keep_within_memory() const;
    // Whether there is anything for that to do. Any thread may ask.
    bool has_rows_in_file() const;
    const std::string& path() const { return path_; }
    const DecodeAs& decode_as() const { return decode_as_; }

    // Once complete: why its end is not the file's.
    bool stopped() const { return stopped_; }
    const std::vector<Damage>& damage() const { return reader_->source().damage(); }
    // Of a file in a format that only Wireshark's reader knows, which is slower: that format. Empty of any other.
    std::string read_by_wireshark() const;
    const CaptureNotes* notes() const { return reader_->source().notes(); }   // nullptr: such a file has none
    const ResolvedNames* names() const { return reader_->source().names(); }  // likewise
    const std::string& fault() const { return fault_; }  // an error on this side; mostly empty

  private:
    CaptureData(std::string path, std::unique_ptr<SpillingMemory> memory,
                std::unique_ptr<PacketReader> reader, bool growing);
    void follow(const std::function<void()>& grown);
    void update_indices(bool last, const std::atomic<bool>& abandoned);
    // The loader writes nothing as long as it has these.
    using Standstill = std::array<std::shared_lock<std::shared_mutex>, 3>;
    Standstill stand_still() const;

    std::string path_;
    DecodeAs decode_as_;
    std::unique_ptr<SpillingMemory> memory_;  // of all that grows with the packets
    std::unique_ptr<PacketReader> reader_;
    Engine engine_;
    Timeline timeline_;
    PduIndex pdu_index_;
    std::shared_ptr<SharedBudgets> budgets_;
    // Whoever wants several takes them in this order.
    mutable std::shared_mutex timeline_lock_;  // timeline_, pdu_index_
    mutable std::shared_mutex engine_lock_;    // engine_
    mutable std::shared_mutex senders_lock_;   // what the senders' thread changes of it
    mutable std::shared_mutex packets_lock_;   // reader_
    const bool growing_;                       // a recording
    std::atomic<bool> complete_ = false;
    std::atomic<uint64_t> packets_ = 0;
    bool stopped_ = false;
    std::string fault_;
};

}  // namespace sanscope

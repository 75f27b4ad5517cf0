// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "captures/recorder/block_source.h"
#include "captures/recorder/clock_watch.h"
#include "captures/recorder/file_series.h"
#include "captures/recorder/header_keeper.h"
#include "captures/recorder/interface_capture.h"
#include "captures/recorder/merge_buffers.h"
#include "captures/recorder/packet_buffers.h"
#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/file_descriptor.h"

namespace sanscope {

// What happened, from any thread to the one that reports it.
class EventQueue {
  public:
    EventQueue();
    void push(v1::RecordingEvent event);
    std::vector<v1::RecordingEvent> take();
    // Readable while there are some.
    int descriptor() const { return wake_.get(); }

  private:
    std::mutex mutex_;
    std::vector<v1::RecordingEvent> events_;
    FileDescriptor wake_;
};

// A recording: a thread for each interface, which fills buffers, and one that writes them into files. In the order of
// the functions: with the process's rights open(); without them prepare(); then start().
class Recorder : private BlockSink {
  public:
    struct Surroundings {
        std::vector<std::unique_ptr<BlockSource>> sources;
        // What is not recorded though the request's filter has it, in the filter's language; empty: nothing.
        std::string left_out;
        std::function<std::unique_ptr<BlockFile>()> instead_of_file;  // as FileSeries has it
    };
    Recorder(v1::RecordingRequest request, Surroundings surroundings, EventQueue& events);
    ~Recorder() override;

    // All interfaces, or none: a trouble is reported, and false.
    bool open();
    // The filter, likewise.
    bool prepare();
    // The first file, and off it goes; likewise. `as_whom`: as FileSeries has it.
    bool start(const std::string& as_whom);

    // The recording comes to its end, which is reported, and done() after that.
    void request_stop(v1::RecordingEnded::Why why);
    // Whether the writer has ended; the recording's end is in the events then.
    bool done() const { return done_; }

    v1::RecordingProgress progress() const;
    // The blocks that a file would end with now.
    std::string statistics() const;

  private:
    using Clock = std::chrono::steady_clock;

    bool take(std::string blocks) override;
    void report(const CaptureTrouble& trouble, bool fatal);
    std::string header() const;
    v1::RecordingTotals totals() const;
    void look_at_clock();
    void run();
    bool captures_ended() const;
    void write(std::span<const uint8_t> blocks, uint64_t packets);
    void write_packets(std::span<const uint8_t> blocks, uint64_t packets);
    void report_out_of_step();
    void take_in(PacketBuffer* buffer);
    void write_other_blocks(bool all);
    Clock::time_point waiting_since() const;
    void merge(bool all);
    void end(FileSeries::State state);

    v1::RecordingRequest request_;
    std::string filter_;  // the whole of it
    std::vector<std::unique_ptr<BlockSource>> sources_;
    std::function<std::unique_ptr<BlockFile>()> instead_of_file_;
    EventQueue& events_;
    PacketBuffers buffers_;
    std::vector<std::unique_ptr<InterfaceCapture>> captures_;
    std::optional<MergeBuffers> merged_;  // only where there are several interfaces
    // Only where not all of several interfaces is kept: what follows connections, and what it lets pass.
    std::optional<WrittenOutput> kept_;
    std::optional<HeaderKeeper> keeper_;
    ClockWatch clock_;
    Clock::time_point times_unsure_until_;
    std::optional<FileSeries> files_;
    int64_t began_ns_ = 0;
    std::thread writer_;

    std::mutex other_mutex_;
    std::condition_variable other_written_;
    std::string other_blocks_;  // of the sources
    std::string held_blocks_;   // the writer's: of these, what waits for packets that came before
    Clock::time_point held_since_;
    std::atomic<bool> take_no_more_ = false;
    std::atomic<int> stop_why_ = -1;
    std::atomic<bool> done_ = false;

    // The writer's figures, for others to read.
    std::atomic<uint64_t> packets_ = 0;
    std::atomic<uint64_t> bytes_ = 0;
    std::atomic<uint64_t> file_bytes_ = 0;
    std::atomic<uint32_t> file_count_ = 0;
    std::atomic<uint64_t> refused_ = 0;  // packets that no file took
};

}  // namespace sanscope

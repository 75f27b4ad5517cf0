// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "captures/recorder/block_file.h"
#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/result.h"

namespace sanscope {

// The files of a recording, one after the other: where each ends, how many are kept, and when it is enough.
class FileSeries {
  public:
    using Clock = std::chrono::steady_clock;

    enum class State : uint8_t {
        goes_on,
        limit_reached,
        failed,       // was reported as trouble
        reader_gone,  // of the pipe that is written to
    };

    struct Surroundings {
        std::function<std::string()> header;  // what every file begins with
        std::function<std::string()> tail;    // what every file ends with; always as long
        std::function<void(v1::RecordingEvent)> report;
        // Whose rights files are made with, for a message: " (as bob)".
        std::string as_whom;
        // What the blocks of a file go into, where that is not a file.
        std::function<std::unique_ptr<BlockFile>()> instead_of_file = nullptr;
    };

    // Of the request only the output, the rotation and the limits matter.
    FileSeries(const v1::RecordingRequest& request, Surroundings surroundings);

    // Makes the first file. An Error, which names it, where that cannot be.
    Result<std::monostate> begin(Clock::time_point now);
    // Writes whole blocks with so many packets, to as many files as it takes; no more than the limits allow.
    State write(std::span<const uint8_t> blocks, uint64_t packets, Clock::time_point now);
    // To be called now and then: some limits are reached by waiting.
    State tick(Clock::time_point now);
    // Ends the file in hand.
    void finish();

    // Of all files; the bytes are those of whole blocks that can be read.
    uint64_t packets() const { return packets_; }
    uint64_t bytes() const { return ended_bytes_ + (file_ ? file_->bytes() : 0); }
    uint64_t file_bytes() const { return file_ ? file_->bytes() : 0; }
    uint32_t files() const { return files_; }

  private:
    struct Room {
        uint64_t bytes = UINT64_MAX;
        uint64_t packets = UINT64_MAX;
        bool of_file = false;  // another file has more
    };

    bool rotates() const;
    Room room() const;
    Result<std::monostate> open_next(Clock::time_point now);
    void end_file(bool with_tail);
    State fail(std::string message);
    State put(std::span<const uint8_t> blocks, uint64_t packets);

    v1::RecordingRequest request_;
    Surroundings surroundings_;
    size_t tail_length_;
    State state_ = State::goes_on;
    std::unique_ptr<BlockFile> file_;
    std::string path_;
    std::deque<std::string> ring_;
    Clock::time_point began_;
    Clock::time_point file_began_;
    uint64_t file_packets_ = 0;
    uint64_t header_bytes_ = 0;
    uint64_t packets_ = 0;
    uint64_t ended_bytes_ = 0;
    uint32_t files_ = 0;
};

}  // namespace sanscope

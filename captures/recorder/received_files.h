// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "captures/recorder/block_file.h"
#include "sanscope/v1/recording.pb.h"

namespace sanscope {

// The files of a recording that another host makes: it says when each begins and ends, this host where they are and how
// many are kept.
class ReceivedFiles {
  public:
    enum class State : uint8_t {
        goes_on,
        failed,       // was reported as trouble
        reader_gone,  // of the pipe that is written to
    };

    // Of the request only the output and the ring matter. `tell` takes FileBegun, FileEnded and what goes wrong.
    ReceivedFiles(const v1::RecordingRequest& request, std::function<void(v1::RecordingEvent)> report)
        : request_(request), report_(std::move(report)) {}

    void begin_file();
    // Whole blocks with so many packets. What no file takes is counted.
    void write(std::span<const uint8_t> blocks, uint64_t packets);
    void end_file();
    // The blocks that a file gets behind its last whole one, should it end early.
    void set_statistics(std::string blocks) { statistics_ = std::move(blocks); }
    // Nothing more will come.
    void cut_short();

    State state() const { return state_; }
    // Of all files.
    uint64_t packets() const { return packets_; }
    uint64_t bytes() const { return ended_bytes_ + file_bytes(); }
    uint64_t file_packets() const { return file_ ? file_packets_ : 0; }
    uint64_t file_bytes() const { return file_ ? file_->bytes() : 0; }
    uint32_t files() const { return files_; }
    // Packets that found no room.
    uint64_t refused() const { return refused_; }

  private:
    void fail(std::string message);

    v1::RecordingRequest request_;
    std::function<void(v1::RecordingEvent)> report_;
    std::unique_ptr<BlockFile> file_;
    std::string path_;
    std::deque<std::string> ring_;
    std::string statistics_;
    State state_ = State::goes_on;
    uint64_t file_packets_ = 0;
    uint64_t packets_ = 0;
    uint64_t refused_ = 0;
    uint64_t ended_bytes_ = 0;
    uint32_t files_ = 0;
};

}  // namespace sanscope

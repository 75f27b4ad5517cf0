// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "captures/recorder/block_compression.h"
#include "captures/recorder/received_files.h"
#include "captures/recorder/remote_limits.h"
#include "sanscope/v1/recording.pb.h"

namespace sanscope {

// Makes of the events of a recording on another host, which bring its packets along, those of a recording that is made
// here.
class RecordingRelay {
  public:
    // `tell` takes the events of this side.
    RecordingRelay(const v1::RecordingRequest& request, std::string host,
                   std::function<void(v1::RecordingEvent)> report)
        : host_(std::move(host)), report_(report), files_(request, std::move(report)), limits_(request) {}

    // What that host is asked for.
    static v1::RecordingRequest request_to_host(v1::RecordingRequest request);

    // Takes an event of that host's, which is not trusted.
    void take(const v1::RecordingEvent& event);
    // Nothing more comes, for this reason, though the recording has not ended; empty: as was asked.
    void cut_short(const std::string& why);
    // Ends the recording where the host does not keep to what it was asked for; besides, that is done after each event.
    void look_at_limits(std::chrono::steady_clock::time_point now);

    bool started() const { return started_; }
    bool ended() const { return ended_; }
    // Nothing more can be written here.
    bool output_gone() const { return files_.state() != ReceivedFiles::State::goes_on; }
    v1::RecordingProgress progress() const;

  private:
    void take_event(const v1::RecordingEvent& event);
    void take_trouble(const v1::RecordingEvent& event);
    void take_blocks(const std::string& piece);
    void end(v1::RecordingEnded::Why why);
    v1::RecordingTotals totals() const;

    std::string host_;
    std::function<void(v1::RecordingEvent)> report_;
    ReceivedFiles files_;
    RemoteLimits limits_;
    BlockDecompressor decompressor_;
    std::chrono::steady_clock::time_point started_at_;
    unsigned troubles_ = 0;
    v1::RecordingTotals remote_totals_;
    bool started_ = false;
    bool ended_ = false;
};

}  // namespace sanscope

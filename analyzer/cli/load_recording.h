// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "captures/recorder/recording.h"
#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/result.h"
#include "analyzer/cli/live_report.h"

namespace sanscope {

// A recording beside a load, and the report on it. What goes wrong with it is told on standard error.
class LoadRecording {
  public:
    // Once packets are being recorded. An Error where they cannot be.
    static Result<std::unique_ptr<LoadRecording>> begin(const v1::RecordingRequest& request);

    // Takes what the recorder told; now and then.
    void follow();
    // The load has ended: ends the recording as well, and reports.
    std::string end();
    // Nothing was lost. After end().
    bool whole() const { return whole_; }

  private:
    LoadRecording() = default;
    void take(const v1::RecordingEvent& event);

    std::unique_ptr<Recording> recording_;
    LiveReport report_;
    bool begun_ = false;
    bool ended_ = false;
    bool whole_ = true;
    std::string fault_;
};

}  // namespace sanscope

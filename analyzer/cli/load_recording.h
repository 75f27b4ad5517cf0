// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "captures/recorder/recording.h"
#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/result.h"
#include "analyzer/cli/live_report.h"

namespace sanscope {

// A recording beside a load, and the report on it.
class LoadRecording {
  public:
    using ShowMessage = std::function<void(const std::string& message)>;

    // Once packets are being recorded. An Error where they cannot be. What goes wrong from then on goes to `tell`,
    // within follow() and end().
    static Result<std::unique_ptr<LoadRecording>> begin(const v1::RecordingRequest& request,
                                                        ShowMessage show_message);

    // Takes the recorder's events; to be called now and then.
    void follow();
    // The load has ended: ends the recording as well, and reports.
    std::string end();
    // Nothing was lost. After end().
    bool whole() const { return whole_; }

  private:
    explicit LoadRecording(ShowMessage show_message) : show_message_(std::move(show_message)) {}
    void take(const v1::RecordingEvent& event);

    ShowMessage show_message_;
    std::unique_ptr<Recording> recording_;
    LiveReport report_;
    bool begun_ = false;
    bool ended_ = false;
    bool whole_ = true;
    std::string fault_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "gui/document/capture_data.h"
#include "gui/document/latest_job.h"

#include "analyzer/base/result.h"
#include "analyzer/compare/capture_figures.h"
#include "analyzer/report/findings.h"

namespace sanscope {

// What a comparison keeps of one capture.
struct MeasuredCapture {
    CaptureFigures figures;
    std::vector<Finding> findings;  // figures.findings[i] is of findings[i], with its place in the capture
    std::string damage;             // where the file is damaged; empty where it is not
};

// How far the reading of a file is. Any thread may ask.
struct MeasuringProgress {
    std::atomic<uint64_t> bytes_read = 0;
    std::atomic<uint64_t> bytes_total = 0;  // 0: not known
};

// Analyses the file as `sanscope compare` does. An Error where nothing of it could be. What comes of one that was stopped is of no
// use: of a part of a capture, what is found would be taken for a change.
Result<std::shared_ptr<const MeasuredCapture>> measure_file(const std::string& path, const StopFlag& stop,
                                                            MeasuringProgress& progress);
// The same of one that is open, and complete.
Result<std::shared_ptr<const MeasuredCapture>> measure_open_capture(const CaptureData& data,
                                                                    const StopFlag& stop);

}  // namespace sanscope

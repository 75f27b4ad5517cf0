// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sanscope/v1/recording.pb.h"

namespace sanscope {

// What is reported of a recording's files, whoever writes them. Files are numbered from 1; sizes are bytes.
v1::RecordingEvent file_begun_event(std::string path, uint32_t number);
v1::RecordingEvent file_ended_event(std::string path, uint64_t packets, uint64_t bytes);
// That a file cannot be written, and that the recording ends therefore.
v1::RecordingEvent output_failed_event(std::string_view message);

}  // namespace sanscope

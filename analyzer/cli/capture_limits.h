// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/result.h"

namespace sanscope {

// Conditions as dumpcap has them: `stop_after` of -a, `rotate` of -b, each KEY:NUMBER. An Error says what is wrong with
// one.
//
//     duration:SECONDS  filesize:KB (of 1000 bytes)  packets:N  files:N
//
// With a rotation, -a filesize ends each file, as -b filesize does; so does -a packets, but not the recording.
Result<std::monostate> set_limits(const std::vector<std::string>& stop_after,
                                  const std::vector<std::string>& rotate, v1::RecordingRequest& request);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/base/result.h"
#include "analyzer/export/export_control.h"

namespace sanscope {

// Copies a file, byte for byte, to a place where it is once it is whole; what was there before is there until then. False
// where it was stopped before, and an Error where it cannot be read or written: then nothing has changed. Progress in bytes.
Result<bool> copy_recording(const std::string& from, const std::string& to, const ExportControl& control);

}  // namespace sanscope

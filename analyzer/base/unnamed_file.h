// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope {

// A new file without a name, to be read and written, in the folder for large temporary files: TMPDIR, else /var/tmp. It is
// gone with its last descriptor.
Result<FileDescriptor> unnamed_file();

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope {

// A new file without a name, to be read and written, in the folder for large temporary files: TMPDIR, else /var/tmp. It is
// gone with its last descriptor.
Result<FileDescriptor> unnamed_file();

// Whether so much more goes into a file such that some is left for others on its disk, 1 GiB: what grows with a capture, which
// may have been made to unpack to any size, is not to fill it.
bool disk_has_room(int file, uint64_t bytes);

}  // namespace sanscope

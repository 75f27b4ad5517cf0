// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope {

// A new file without a name, to be read and written, in the folder for large temporary files: TMPDIR, else /var/tmp. It is
// gone with its last descriptor.
Result<FileDescriptor> unnamed_file();

// A new file without a name in a folder where it is to have one, to be written: what ends this process before that leaves nothing
// behind. No descriptor where the folder's file system has no such files, or nobody could give one its name.
FileDescriptor unnamed_file_in(const std::string& folder, mode_t permissions);
// Gives one its name. False, with errno, where it cannot be, as where something has that name (EEXIST).
bool give_name(int unnamed, const std::string& name);

// Whether so much more goes into a file such that some is left for others on its disk, 1 GiB: what grows with a capture, which
// may have been made to unpack to any size, is not to fill it.
bool disk_has_room(int file, uint64_t bytes);

}  // namespace sanscope

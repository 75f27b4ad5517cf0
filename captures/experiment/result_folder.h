// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "analyzer/base/result.h"

namespace sanscope::lab {

// Makes the folder, and those above it, where they are not there. Where root was come by through sudo, those that are made
// belong to who called it, as whom the recorder writes into them. The Error begins with the path.
Result<std::monostate> make_folder(const std::filesystem::path& path);

}  // namespace sanscope::lab

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/version_text.h"

#include <fmt/format.h>

namespace sanscope {

std::string version_text(std::string_view program, const std::vector<LibraryVersion>& libraries) {
    std::string text = fmt::format("{} {}", program, build_identity());
    for (const LibraryVersion& library : libraries) {
        text += &library == &libraries.front() ? "\n  with " : ", ";
        text += fmt::format("{} {}", library.name, library.version);
    }
    return text;
}

}  // namespace sanscope

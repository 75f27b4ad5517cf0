// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sanscope {

// What this program was built from: "1.0.0 (commit e85e2e8a)", "1.0.0 (commit e85e2e8a with changes)", "1.0.0 (Debian package
// 1.0.0~deb12)", or the version alone where neither is known.
std::string_view build_identity();

struct LibraryVersion {
    std::string_view name;
    std::string version;
};

// What --version prints of a program: its name and what it was built from, and in a second line the libraries, unless there are
// none. Without a line feed at the end.
std::string version_text(std::string_view program, const std::vector<LibraryVersion>& libraries);

}  // namespace sanscope

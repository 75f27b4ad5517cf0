// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/version_text.h"

#include <gmock/gmock.h>

namespace sanscope {
namespace {

using testing::StartsWith;

TEST(VersionText, NamesTheProgramAndWhatItWasBuiltFrom) {
    EXPECT_EQ(version_text("tool", {}), "tool " + std::string(build_identity()));
}

TEST(VersionText, NamesLibrariesInOneLine) {
    EXPECT_EQ(version_text("tool", {{"fmt", "9.1.0"}, {"zlib", "1.2.13"}}),
              version_text("tool", {}) + "\n  with fmt 9.1.0, zlib 1.2.13");
}

TEST(VersionText, BeginsWithTheVersionOfTheProject) {
    EXPECT_THAT(std::string(build_identity()), StartsWith(SANSCOPE_VERSION));
}

}  // namespace
}  // namespace sanscope

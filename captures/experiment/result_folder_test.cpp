// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/result_folder.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sanscope::lab {
namespace {

using ::testing::HasSubstr;

class ResultFolder : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "result_folder_XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        root = name;
    }
    void TearDown() override {
        ::unsetenv("SUDO_UID");
        ::unsetenv("SUDO_GID");
        std::filesystem::remove_all(root);
    }
    static uid_t owner(const std::filesystem::path& path) {
        struct stat status {};
        EXPECT_EQ(::stat(path.c_str(), &status), 0);
        return status.st_uid;
    }

    std::filesystem::path root;
};

TEST_F(ResultFolder, IsMadeWithThoseAboveIt) {
    ASSERT_TRUE(make_folder(root / "a" / "b"));
    EXPECT_TRUE(std::filesystem::is_directory(root / "a" / "b"));
    EXPECT_TRUE(make_folder(root / "a" / "b")) << "it may be there already";
    EXPECT_TRUE(make_folder(root / "a" / "c" / ""));
    EXPECT_TRUE(std::filesystem::is_directory(root / "a" / "c"));
}

TEST_F(ResultFolder, ThatCannotBeMadeIsNamedWithWhy) {
    std::ofstream(root / "file") << "x";
    const auto made = make_folder(root / "file" / "b");
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr((root / "file").string() + ": "));
}

TEST_F(ResultFolder, BelongsToWhoCalledSudo) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
    std::filesystem::create_directory(root / "before");
    ::setenv("SUDO_UID", "65534", 1);
    ::setenv("SUDO_GID", "65534", 1);
    ASSERT_TRUE(make_folder(root / "before" / "new"));
    EXPECT_EQ(owner(root / "before" / "new"), 65534u);
    EXPECT_EQ(owner(root / "before"), 0u) << "only what was made is given away";
    ::setenv("SUDO_UID", "root", 1);
    ASSERT_TRUE(make_folder(root / "other"));
    EXPECT_EQ(owner(root / "other"), 0u);
}

}  // namespace
}  // namespace sanscope::lab

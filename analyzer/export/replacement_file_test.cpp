// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/replacement_file.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/export/testing/temporary_folder.h"

namespace sanscope {
namespace {

namespace fs = std::filesystem;
using test::file_text;
using test::TemporaryFolder;
using test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;

std::span<const char> chars(std::string_view text) {
    return {text.data(), text.size()};
}
std::span<const uint8_t> bytes(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(ReplacementFile, TakesItsPlaceWhenCommitted) {
    const TemporaryFolder folder;
    const std::string target = folder.path("new");
    auto file = ReplacementFile::create(target);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_TRUE((*file)->sink().write(chars("0123456789")));
    EXPECT_FALSE(fs::exists(target));
    EXPECT_TRUE((*file)->overwrite(2, bytes("ab")));
    EXPECT_TRUE((*file)->cut(7));
    ASSERT_TRUE((*file)->commit());
    EXPECT_EQ(file_text(target), "01ab456");
    EXPECT_THAT(folder.names(), ElementsAre("new"));
}

TEST(ReplacementFile, LeavesWhatWasThereUntilThen) {
    const TemporaryFolder folder;
    const std::string target = folder.path("old");
    write_file(target, "old");
    {
        auto file = ReplacementFile::create(target);
        ASSERT_TRUE(file);
        (*file)->sink().write(chars("new"));
        EXPECT_EQ(file_text(target), "old");
    }
    EXPECT_EQ(file_text(target), "old");
    EXPECT_THAT(folder.names(), ElementsAre("old"));
}

TEST(ReplacementFile, LeavesNothingWhereTheProcessIsKilled) {
    const TemporaryFolder folder;
    const std::string target = folder.path("old");
    write_file(target, "old");
    const pid_t child = ::fork();
    if (child == 0) {
        auto file = ReplacementFile::create(target);
        if (file) (*file)->sink().write(chars("new"));
        ::raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(file_text(target), "old");
    EXPECT_THAT(folder.names(), ElementsAre("old"));
}

TEST(ReplacementFile, KeepsPermissionsAndFollowsLinks) {
    const TemporaryFolder folder;
    write_file(folder.path("old"), "old");
    ASSERT_EQ(::chmod(folder.path("old").c_str(), 0640), 0);
    fs::create_symlink("old", folder.path("link"));
    auto file = ReplacementFile::create(folder.path("link"));
    ASSERT_TRUE(file);
    (*file)->sink().write(chars("new"));
    ASSERT_TRUE((*file)->commit());
    EXPECT_EQ(file_text(folder.path("old")), "new");
    EXPECT_TRUE(fs::is_symlink(folder.path("link")));
    EXPECT_EQ(fs::status(folder.path("old")).permissions(), fs::perms(0640));
}

TEST(ReplacementFile, CannotTakeThePlaceOfWhatIsNoFile) {
    const TemporaryFolder folder;
    EXPECT_THAT(ReplacementFile::create(folder.path("")).error().message, HasSubstr("cannot create"));
    EXPECT_THAT(ReplacementFile::create("/dev/null").error().message, HasSubstr("no file"));
    EXPECT_THAT(ReplacementFile::create(folder.path("none/file")).error().message,
                HasSubstr("cannot create"));
    EXPECT_TRUE(folder.names().empty());
}

TEST(ReplacementFile, TwoAtOnceDoNotDisturbEachOther) {
    const TemporaryFolder folder;
    auto first = ReplacementFile::create(folder.path("a"));
    auto second = ReplacementFile::create(folder.path("a"));
    ASSERT_TRUE(first && second);
    (*first)->sink().write(chars("first"));
    (*second)->sink().write(chars("second"));
    ASSERT_TRUE((*second)->commit());
    EXPECT_EQ(file_text(folder.path("a")), "second");
    ASSERT_TRUE((*first)->commit());
    EXPECT_EQ(file_text(folder.path("a")), "first");
}

TEST(RefuseOverwriting, KnowsAFileByAnyName) {
    const TemporaryFolder folder;
    write_file(folder.path("a"), "a");
    write_file(folder.path("b"), "a");
    fs::create_symlink("a", folder.path("soft"));
    fs::create_hard_link(folder.path("a"), folder.path("hard"));
    for (const char* name : {"a", "soft", "hard", "./a"}) {
        EXPECT_FALSE(refuse_overwriting(folder.path("a"), folder.path(name))) << name;
    }
    EXPECT_TRUE(refuse_overwriting(folder.path("a"), folder.path("b")));
    EXPECT_TRUE(refuse_overwriting(folder.path("a"), folder.path("none")));
    EXPECT_TRUE(refuse_overwriting("-", folder.path("a")));
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/dissectd/write_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace sanscope {
namespace {

enum Found : int { as_promised = 0, not_known = 1, wrote = 2, could_not_read = 3, lost_what_was_open = 4 };

int look(const std::string& path) {
    const int open_before = ::open(path.c_str(), O_RDWR);
    if (!deny_writing()) return not_known;
    if (::open((path + ".new").c_str(), O_WRONLY | O_CREAT, 0600) >= 0 || errno != EACCES) return wrote;
    if (::open(path.c_str(), O_WRONLY) >= 0 || ::unlink(path.c_str()) == 0) return wrote;
    if (::open(path.c_str(), O_RDONLY) < 0) return could_not_read;
    return ::write(open_before, "x", 1) == 1 ? as_promised : lost_what_was_open;
}

TEST(WriteLock, FilesCanBeReadAndNotWritten) {
    std::string path = testing::TempDir() + "sanscope-lock-XXXXXX";
    ::close(::mkstemp(path.data()));
    const pid_t child = ::fork();
    if (child == 0) ::_exit(look(path));
    int status = 0;
    ::waitpid(child, &status, 0);
    ::unlink(path.c_str());
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == not_known) GTEST_SKIP() << "the kernel has no Landlock";
    EXPECT_EQ(WEXITSTATUS(status), as_promised);
}

}  // namespace
}  // namespace sanscope

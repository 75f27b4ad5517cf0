// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/login/secret.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <thread>
#include <unistd.h>
#include <utmp.h>

#include "analyzer/base/file_descriptor.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::Optional;

std::string text_of(const Secret& secret) {
    return {secret.bytes().begin(), secret.bytes().end()};
}

TEST(Secret, IsTheSameOnlyWhereEachByteIs) {
    EXPECT_TRUE(Secret("abc") == Secret("abc"));
    EXPECT_FALSE(Secret("abc") == Secret("abd"));
    EXPECT_FALSE(Secret("abc") == Secret("abcd"));
    EXPECT_TRUE(Secret() == Secret(""));
}

TEST(Secret, CopiesAreTheirOwn) {
    Secret one("abc");
    Secret two = one;
    one.wipe();
    EXPECT_TRUE(one.empty());
    EXPECT_EQ(text_of(two), "abc");
    one = two;
    EXPECT_EQ(text_of(one), "abc");
    one = std::move(two);
    EXPECT_EQ(text_of(one), "abc");
}

TEST(Secret, OfLessThan96BitsIsCalledWeak) {
    EXPECT_THAT(weakness_of(Secret("12345678901")), Optional(HasSubstr("11 bytes")));
    EXPECT_FALSE(weakness_of(Secret("123456789012")));
}

class SecretFile : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "secret-XXXXXX";
        const FileDescriptor file(::mkstemp(name.data()));
        ASSERT_GE(file.get(), 0);
        path = name;
    }
    void TearDown() override { std::filesystem::remove(path); }

    Result<Secret> read(const std::string& content, mode_t mode = 0600) {
        std::ofstream(path, std::ios::binary) << content;
        EXPECT_EQ(::chmod(path.c_str(), mode), 0);
        return read_secret_file(path);
    }
    std::string path;
};

TEST_F(SecretFile, GivesItsFirstLine) {
    EXPECT_EQ(text_of(*read("the secret\nsomething else\n")), "the secret");
    EXPECT_EQ(text_of(*read("the secret\r\n")), "the secret");
    EXPECT_EQ(text_of(*read(" with spaces ")), " with spaces ");
    EXPECT_EQ(text_of(*read(std::string(longest_secret, 's') + "\n")), std::string(longest_secret, 's'));
}

TEST_F(SecretFile, WithoutASecretIsAnError) {
    EXPECT_FALSE(read(""));
    EXPECT_FALSE(read("\nthe second line\n"));
    EXPECT_FALSE(read("\r\n"));
    EXPECT_FALSE(read(std::string(longest_secret + 1, 's')));
    EXPECT_FALSE(read(std::string(100'000, 's')));
    EXPECT_FALSE(read_secret_file(path + ".none"));
    EXPECT_FALSE(read_secret_file(testing::TempDir())) << "a folder";
}

TEST_F(SecretFile, ThatOthersMayReadIsRefused) {
    for (const mode_t mode : {0640u, 0604u, 0644u, 0660u, 0620u, 0602u}) {
        const auto secret = read("the secret\n", mode);
        ASSERT_FALSE(secret) << std::oct << mode;
        EXPECT_THAT(secret.error().message, HasSubstr("chmod 600"));
    }
    EXPECT_TRUE(read("the secret\n", 0400));
}

TEST(SecretPipe, IsReadToo) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const FileDescriptor reading(ends[0]);
    {
        const FileDescriptor writing(ends[1]);
        ASSERT_EQ(::write(writing.get(), "the secret\n", 11), 11);
    }
    const auto secret = read_secret_file("/dev/fd/" + std::to_string(reading.get()));
    ASSERT_TRUE(secret) << secret.error().message;
    EXPECT_EQ(text_of(*secret), "the secret");
}

// A process on a terminal of its own that asks for a secret and shows, through its exit status, whether it is the right
// one.
class SecretFromKeyboard : public testing::Test {
  protected:
    static constexpr int right = 0;
    static constexpr int wrong = 1;
    static constexpr int none = 2;

    void SetUp() override {
        int controlling = -1;
        int terminal = -1;
        ASSERT_EQ(::openpty(&controlling, &terminal, nullptr, nullptr, nullptr), 0);
        master = FileDescriptor(controlling);
        slave = FileDescriptor(terminal);
        ASSERT_TRUE(echoes());
        asker = ::fork();
        ASSERT_GE(asker, 0);
        if (asker == 0) {
            if (::login_tty(terminal) != 0) ::_exit(none);
            const auto secret = ask_secret("Secret of host: ");
            ::_exit(!secret ? none : text_of(*secret) == "the secret" ? right : wrong);
        }
        while (echoes()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        prompt = shown();
    }
    bool echoes() const {
        termios settings{};
        EXPECT_EQ(::tcgetattr(slave.get(), &settings), 0);
        return (settings.c_lflag & ECHO) != 0;
    }
    std::string shown() {
        std::array<char, 256> bytes{};
        const ssize_t count = ::read(master.get(), bytes.data(), bytes.size());
        return {bytes.data(), count > 0 ? static_cast<size_t>(count) : 0};
    }
    void type(std::string_view text) {
        ASSERT_EQ(::write(master.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    int end() {
        int status = 0;
        EXPECT_EQ(::waitpid(asker, &status, 0), asker);
        return status;
    }

    FileDescriptor master;
    FileDescriptor slave;
    std::string prompt;
    pid_t asker = -1;
};

TEST_F(SecretFromKeyboard, IsNotShown) {
    EXPECT_EQ(prompt, "Secret of host: ");
    type("the secret\n");
    const int status = end();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), right);
    EXPECT_EQ(shown(), "\r\n");
    EXPECT_TRUE(echoes());
}

TEST_F(SecretFromKeyboard, EmptyIsNone) {
    type("\n");
    const int status = end();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), none);
}

TEST_F(SecretFromKeyboard, ASignalFindsTheTerminalAsItWas) {
    // readpassphrase() misses one that comes just before it reads.
    int status = 0;
    pid_t ended = 0;
    while (ended == 0) {
        ASSERT_EQ(::kill(asker, SIGTERM), 0);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        ended = ::waitpid(asker, &status, WNOHANG);
    }
    ASSERT_EQ(ended, asker);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
    EXPECT_TRUE(echoes());
}

TEST(SecretLine, LeavesTheNextOneToItsReader) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const FileDescriptor out(ends[0]);
    FileDescriptor in(ends[1]);
    constexpr std::string_view text = "the first one\r\nthe second one\n\nno end";
    ASSERT_EQ(::write(in.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    in = FileDescriptor();
    const auto first = read_secret_line(out.get());
    ASSERT_TRUE(first);
    EXPECT_TRUE(*first == Secret("the first one"));
    const auto second = read_secret_line(out.get());
    ASSERT_TRUE(second);
    EXPECT_TRUE(*second == Secret("the second one"));
    EXPECT_FALSE(read_secret_line(out.get()));
    const auto last = read_secret_line(out.get());
    ASSERT_TRUE(last);
    EXPECT_TRUE(*last == Secret("no end"));
    EXPECT_FALSE(read_secret_line(out.get()));
}

TEST(SecretLine, HasAnEnd) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const FileDescriptor out(ends[0]);
    const FileDescriptor in(ends[1]);
    const std::string endless(longest_secret + 100, 'x');
    ASSERT_EQ(::write(in.get(), endless.data(), endless.size()), static_cast<ssize_t>(endless.size()));
    const auto secret = read_secret_line(out.get());
    ASSERT_FALSE(secret);
    EXPECT_THAT(secret.error().message, HasSubstr("longer than"));
}

TEST(SecretWithoutKeyboard, IsAnError) {
    const pid_t asker = ::fork();
    ASSERT_GE(asker, 0);
    if (asker == 0) {
        ::setsid();
        const auto secret = ask_secret("Secret: ");
        ::_exit(!secret && secret.error().message.find("no terminal") != std::string::npos ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(asker, &status, 0), asker);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(SecretInAProcess, IsInNoCoreDump) {
    const pid_t holder = ::fork();
    ASSERT_GE(holder, 0);
    if (holder == 0) {
        std::array<int, 2> ends{};
        const bool written = ::pipe(ends.data()) == 0 && ::write(ends[1], "a secret\n", 9) == 9;
        const bool before = ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0;  // other tests held secrets, too
        const auto secret = read_secret_line(ends[0]);
        rlimit core{1, 1};
        ::getrlimit(RLIMIT_CORE, &core);
        const bool kept = secret && ::prctl(PR_GET_DUMPABLE) == 0 && core.rlim_cur == 0 && core.rlim_max == 0;
        ::_exit(written && before && kept ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(holder, &status, 0), holder);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace sanscope

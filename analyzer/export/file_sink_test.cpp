// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/file_sink.h"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace sanscope {
namespace {

std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

struct FileSinkTest : testing::Test {
    std::string path = testing::TempDir() + "file_sink_test." + std::to_string(::getpid());
    ~FileSinkTest() override { std::filesystem::remove(path); }
};

TEST_F(FileSinkTest, what_is_written_is_in_the_file) {
    std::ofstream(path) << "what was there before, and longer";
    {
        auto sink = FileSink::create(path);
        ASSERT_TRUE(sink);
        EXPECT_TRUE(sink->write(std::string_view("one ")));
        EXPECT_TRUE(sink->write(std::string_view("two")));
        EXPECT_TRUE(sink->close());
        EXPECT_EQ(sink->error(), nullptr);
    }
    EXPECT_EQ(contents(path), "one two");
}

TEST_F(FileSinkTest, a_file_that_cannot_be_created_is_an_error) {
    const auto sink = FileSink::create(path + "/no/such/folder");
    ASSERT_FALSE(sink);
    EXPECT_EQ(sink.error().message, "cannot create: No such file or directory");
}

TEST(FileSink, a_full_disk_is_an_error_that_stays) {
    if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
    auto sink = FileSink::create("/dev/full");
    ASSERT_TRUE(sink);
    EXPECT_FALSE(sink->write(std::string_view("text")));
    ASSERT_NE(sink->error(), nullptr);
    EXPECT_EQ(sink->error()->message, "cannot write: No space left on device");
    EXPECT_FALSE(sink->reader_gone());
    EXPECT_FALSE(sink->write(std::string_view("more")));
    EXPECT_FALSE(sink->close());
}

TEST(FileSink, a_reader_that_is_gone_is_no_error) {
    std::signal(SIGPIPE, SIG_IGN);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    FileSink sink(ends[1], true);
    EXPECT_FALSE(sink.write(std::string_view("text")));
    EXPECT_TRUE(sink.reader_gone());
    EXPECT_EQ(sink.error(), nullptr);
    EXPECT_FALSE(sink.write(std::string_view("more")));
}

TEST(FileSink, a_pipe_that_does_not_block_is_waited_for) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
    ::fcntl(ends[0], F_SETFL, 0);
    const std::string text(1'000'000, 'x');  // more than a pipe holds
    std::string received;
    std::thread reader([&] {
        std::array<char, 4096> buffer;
        ssize_t count = 0;
        while ((count = ::read(ends[0], buffer.data(), buffer.size())) > 0) {
            received.append(buffer.data(), static_cast<size_t>(count));
        }
    });
    FileSink sink(ends[1], true);
    EXPECT_TRUE(sink.write(text));
    EXPECT_TRUE(sink.close());
    reader.join();
    ::close(ends[0]);
    EXPECT_EQ(received, text);
}

}  // namespace
}  // namespace sanscope

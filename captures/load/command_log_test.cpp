// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/command_log.h"

#include <algorithm>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "analyzer/export/testing/temporary_folder.h"

namespace sanscope {
namespace {

using test::file_text;
using test::TemporaryFolder;

constexpr const char* header = "send_ns,done_ns,itt,session,connection,lun,lba,bytes,direction,status\n";

TEST(CommandLog, ARowTellsACommand) {
    const TemporaryFolder folder;
    auto log = CommandLog::create(folder.path("log.csv"));
    ASSERT_TRUE(log);
    CommandLogWriter writer(**log, 1'000'000'000'000);
    writer.add({.send_ns = 5,
                .done_ns = 905,
                .itt = 26,
                .session = 1,
                .connection = 2,
                .lun = 3,
                .lba = 4096,
                .bytes = 65536,
                .kind = LoadKind::write,
                .status = "GOOD"});
    writer.add({.send_ns = 7,
                .ended = false,
                .itt = 0xffffffff,
                .status = load_failure_key(LoadFailure::never_answered)});
    writer.flush();
    ASSERT_TRUE((*log)->close());
    EXPECT_EQ(file_text(folder.path("log.csv")),
              std::string(header) + "1000000000005,1000000000905,0x0000001a,1,2,3,4096,65536,write,GOOD\n" +
                  "1000000000007,,0xffffffff,0,0,0,0,0,read,never_answered\n");
}

TEST(CommandLog, ThreadsWriteWholeRows) {
    const TemporaryFolder folder;
    auto log = CommandLog::create(folder.path("log.csv"));
    ASSERT_TRUE(log);
    constexpr unsigned rows = 20'000;
    std::vector<std::thread> threads;
    for (uint32_t session = 0; session < 3; ++session) {
        threads.emplace_back([&log, session] {
            CommandLogWriter writer(**log, 0);
            for (uint32_t itt = 0; itt < rows; ++itt) {
                writer.add({.send_ns = ~(int64_t{1} << 63),
                            .done_ns = itt,
                            .itt = itt,
                            .session = session,
                            .lba = ~uint64_t{0},
                            .bytes = ~uint64_t{0},
                            .status = "RESERVATION_CONFLICT"});
            }
            writer.flush();
        });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE((*log)->close());
    std::istringstream text(file_text(folder.path("log.csv")));
    std::string line;
    std::getline(text, line);
    std::vector<uint32_t> next(3);
    unsigned lines = 0;
    while (std::getline(text, line)) {
        ++lines;
        ASSERT_EQ(std::count(line.begin(), line.end(), ','), 9) << line;
        const uint32_t session = static_cast<uint32_t>(line[line.find(",0x") + 12] - '0');
        ASSERT_LT(session, 3u);
        EXPECT_THAT(line, testing::HasSubstr(fmt::format(",0x{:08x},{},", next[session], session)));
        ++next[session];
    }
    EXPECT_EQ(lines, 3 * rows);
}

TEST(CommandLog, AFileThatCannotBeIsAnError) {
    EXPECT_FALSE(CommandLog::create("/nowhere/at/all.csv"));
    auto full = CommandLog::create("/dev/full");
    ASSERT_TRUE(full);
    const auto closed = (*full)->close();
    ASSERT_FALSE(closed);
    EXPECT_THAT(closed.error().message, testing::HasSubstr("cannot write"));
}

}  // namespace
}  // namespace sanscope

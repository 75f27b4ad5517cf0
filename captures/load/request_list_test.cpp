// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/request_list.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <gmock/gmock.h>
#include <string>

namespace sanscope {
namespace {

using testing::HasSubstr;

const TraceOptions options{.lun = {.blocks = 1000, .block_size = 512}};
const std::string header = std::string(request_list_header) + "\n";

TEST(RequestList, ARequestIsALine) {
    TraceMaker maker(options);
    ASSERT_TRUE(read_request_list(header + "0,read,4096,8192\n2000,write,512,512", maker));
    const Trace trace = maker.finish();
    ASSERT_EQ(trace.commands.size(), 2u);
    EXPECT_EQ(trace.commands[0].lba, 8u);
    EXPECT_EQ(trace.commands[0].blocks, 16u);
    EXPECT_FALSE(trace.commands[0].write);
    EXPECT_EQ(trace.commands[1].offset_ns, 2000);
    EXPECT_EQ(trace.commands[1].lba, 1u);
    EXPECT_TRUE(trace.commands[1].write);
    EXPECT_EQ(trace.left_out(), "");
}

TEST(RequestList, RequestsOfTheSameMomentKeepTheirOrder) {
    std::string text = header;
    for (int i = 0; i < 100; ++i)
        text += fmt::format("0,{},{},512\n", i % 3 == 0 ? "write" : "read", i * 512);
    TraceMaker maker(options);
    ASSERT_TRUE(read_request_list(text, maker));
    const Trace trace = maker.finish();
    ASSERT_EQ(trace.commands.size(), 100u);
    for (size_t i = 0; i < 100; ++i) EXPECT_EQ(trace.commands[i].lba, i);
}

TEST(RequestList, OfWhatIsNoRequestTheLineIsTold) {
    const auto refusal = [](const std::string& line) {
        TraceMaker maker(options);
        const auto read = read_request_list(header + "0,read,0,512\n" + line + "\n", maker);
        return read ? "" : read.error().message;
    };
    EXPECT_EQ(refusal("0,read,0,512"), "");
    for (const char* const line :
         {"", "0,read,0", "0,read,0,512,", "0,erase,0,512", "0,read,1,512", "0,read,0,100", "0,read,0,0",
          "-1,read,0,512", ",read,0,512", "0,read,0x0,512", "0,read,0,99999999999999999999", "0, read,0,512"})
        EXPECT_THAT(refusal(line), HasSubstr("line 3 is no request")) << line;
    TraceMaker maker(options);
    EXPECT_FALSE(read_request_list("a,b\n", maker));
}

TEST(RequestList, WhatIsBeyondTheLunIsLeftOut) {
    TraceMaker maker(options);
    ASSERT_TRUE(read_request_list(header + "0,read,511488,512\n0,read,512000,512\n"
                                           "0,write,18446744073709551104,18446744073709551104\n",
                                  maker));
    const Trace trace = maker.finish();
    EXPECT_EQ(trace.commands.size(), 1u);
    EXPECT_EQ(trace.beyond, 2u);
}

TEST(RequestList, IsToldFromACaptureByItsFirstLine) {
    std::string folder = (std::filesystem::temp_directory_path() / "request_list.XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const std::string list = folder + "/list";
    std::ofstream(list) << header << "0,read,4096,8192\n";
    std::ofstream(folder + "/other") << "offset_ns";
    EXPECT_TRUE(is_request_list(list));
    EXPECT_FALSE(is_request_list(folder + "/other"));
    EXPECT_FALSE(is_request_list(folder));
    EXPECT_FALSE(is_request_list(folder + "/none"));
    const auto trace = load_trace({list}, options);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->commands.size(), 1u);
    const auto mixed = load_trace({list, folder + "/other"}, options);
    ASSERT_FALSE(mixed);
    EXPECT_THAT(mixed.error().message, HasSubstr("other"));
    std::ofstream(list, std::ios::app) << "1\n";
    const auto wrong = load_trace({list}, options);
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, HasSubstr("list: line 3"));
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sanscope

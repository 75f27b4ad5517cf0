// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/tracepoint_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

using testing::HasSubstr;

TEST(TracepointFormat, finds_number_and_fields) {
    const auto format = TracepointFormat::parse(
        "name: tcp_probe\n"
        "ID: 2273\n"
        "format:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\n"
        "\tfield:__u8 saddr[28];\toffset:8;\tsize:28;\tsigned:0;\n"
        "\tfield:const void * skaddr;\toffset:128;\tsize:8;\tsigned:0;\n"
        "\tfield:const void *other;\toffset:136;\tsize:8;\tsigned:0;\n"
        "\n"
        "print fmt: \"family=%s src=%pISpc\", REC->saddr\n");
    ASSERT_TRUE(format) << format.error().message;
    EXPECT_EQ(format->id(), 2273);
    EXPECT_EQ(format->field("saddr").offset, 8u);
    EXPECT_EQ(format->field("saddr").size, 28u);
    EXPECT_EQ(format->field("skaddr").offset, 128u);
    EXPECT_EQ(format->field("other").offset, 136u);
    EXPECT_TRUE(format->field("common_type").is_there());
    EXPECT_FALSE(format->field("dport").is_there());
}

TEST(TracepointFormat, refuses_what_has_no_number) {
    EXPECT_FALSE(TracepointFormat::parse(""));
    EXPECT_FALSE(TracepointFormat::parse("name: tcp_probe\n"));
    const auto format = TracepointFormat::parse("ID: 70000\n");
    ASSERT_FALSE(format);
    EXPECT_THAT(format.error().message, HasSubstr("70000"));
}

TEST(TracepointFormat, refuses_fields_that_lie_nowhere) {
    for (const char* field :
         {"field:u8 a; offset:4096; size:1; signed:0;", "field:u8 a; offset:-1; size:1; signed:0;",
          "field:u8 a; offset:1; size:4294967295; signed:0;", "field:u8 a; offset:1;"}) {
        EXPECT_FALSE(TracepointFormat::parse(std::string("ID: 1\n") + field)) << field;
    }
}

}  // namespace
}  // namespace sanscope

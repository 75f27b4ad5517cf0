// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_news.h"

#include <gmock/gmock.h>

namespace sanscope::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunNews a_run(RunNews::Kind kind) {
    return {.kind = kind, .number = 3, .of = 20, .label = "iSCSI, reads", .repetition = 2};
}

TEST(RunNews, IsALineForPeople) {
    RunNews news = a_run(RunNews::Kind::begins);
    EXPECT_EQ(news_line(news), "");
    news.kind = RunNews::Kind::done;
    news.text = "throughput, MB/s 12.00";
    EXPECT_EQ(news_line(news), "   3/20  iSCSI, reads: throughput, MB/s 12.00");
    news.seconds_left = 130;
    EXPECT_EQ(news_line(news), "   3/20  iSCSI, reads: throughput, MB/s 12.00  (3 min left)");
    news.kind = RunNews::Kind::failed;
    news.text = "no route";
    EXPECT_EQ(news_line(news), "   3/20  iSCSI, reads: failed: no route");
}

TEST(RunNews, IsAnObjectForPrograms) {
    RunNews news = a_run(RunNews::Kind::begins);
    EXPECT_EQ(news_json(news), R"({"kind":"run","number":3,"of":20,"label":"iSCSI, reads","repetition":2})");
    news.kind = RunNews::Kind::done;
    news.text = "fast";
    news.seconds_left = 7.5;
    news.capture = "one.pcapng";
    EXPECT_EQ(news_json(news), R"({"kind":"done","number":3,"of":20,"label":"iSCSI, reads","repetition":2,)"
                               R"("text":"fast","seconds_left":7.5,"capture":"one.pcapng"})");
    news = a_run(RunNews::Kind::failed);
    news.text = "a \"quoted\"\nword \xff";
    const std::string json = news_json(news);
    EXPECT_THAT(json, HasSubstr(R"("kind":"failed")"));
    EXPECT_THAT(json, HasSubstr(R"(a \"quoted\"\nword )"));
    EXPECT_THAT(json, Not(HasSubstr("\n"))) << "one object, one line";
    EXPECT_THAT(json, Not(HasSubstr("\xff")));
}

TEST(RunNews, TellsHowTheWholeBeginsAndEnds) {
    EXPECT_EQ(message_json("left out"), R"({"kind":"message","text":"left out"})");
    EXPECT_EQ(begun_json(5, 2, 31.5), R"({"kind":"begun","runs":5,"done":2,"seconds":31.5})");
    EXPECT_EQ(ended_json(130, 4, 1), R"({"kind":"ended","status":130,"done":4,"failed":1})");
}

}  // namespace
}  // namespace sanscope::lab

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/write_permission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

using testing::HasSubstr;

const WrittenLun empty_lun{.name = "LUN 0 of iqn.x", .serial = "beaf10  ", .content = ""};
const WrittenLun full_lun{.name = "LUN 0 of iqn.x", .serial = "beaf10", .content = "ext4 file system 'home'"};

std::string refusal(const WriteWish& wish, const WrittenLun& lun, const AskUser& ask = {}) {
    const auto permission = write_permission(wish, lun, ask);
    return permission ? "" : permission.error().message;
}

AskUser answering(std::optional<std::string> answer, std::string* asked = nullptr) {
    return [answer, asked](const std::string& question) {
        if (asked != nullptr) *asked += question;
        return answer;
    };
}

TEST(WritePermission, TheNamedSerialNumberAllows) {
    EXPECT_EQ(refusal({.allowed_serials = {"beaf10"}}, empty_lun), "");
    EXPECT_EQ(refusal({.allowed_serials = {"other", " beaf10 "}}, empty_lun), "");
}

TEST(WritePermission, WithoutItNothingIsWritten) {
    EXPECT_EQ(refusal({}, empty_lun),
              "LUN 0 of iqn.x is not written to: that needs --allow-writes 'beaf10', its unit serial number");
    EXPECT_EQ(refusal({.really = true}, empty_lun), refusal({}, empty_lun));
    EXPECT_EQ(refusal({.allowed_serials = {"beaf1"}}, empty_lun),
              "LUN 0 of iqn.x is not written to: its unit serial number is 'beaf10', and --allow-writes "
              "names 'beaf1'");
    EXPECT_THAT(refusal({.allowed_serials = {"BEAF10"}}, empty_lun), HasSubstr("names 'BEAF10'"));
    EXPECT_THAT(refusal({.allowed_serials = {""}}, empty_lun), HasSubstr("names ''"));
}

TEST(WritePermission, AWrongNameIsNotAskedAgain) {
    std::string asked;
    EXPECT_NE(refusal({.allowed_serials = {"other"}}, empty_lun, answering("beaf10", &asked)), "");
    EXPECT_EQ(asked, "");
}

TEST(WritePermission, TheAnswerToAQuestionAllows) {
    std::string asked;
    EXPECT_EQ(refusal({}, empty_lun, answering("beaf10", &asked)), "");
    EXPECT_THAT(asked, HasSubstr("overwrites LUN 0 of iqn.x with the unit serial number 'beaf10'."));
    EXPECT_THAT(refusal({}, empty_lun, answering("yes")), HasSubstr("the answer was not"));
    EXPECT_THAT(refusal({}, empty_lun, answering("")), HasSubstr("the answer was not"));
    EXPECT_THAT(refusal({}, empty_lun, answering(std::nullopt)), HasSubstr("the answer was not"));
}

TEST(WritePermission, WhatIsOnTheLunIsOnlyOverwrittenIfReallyMeant) {
    std::string asked;
    EXPECT_EQ(refusal({.allowed_serials = {"beaf10"}}, full_lun, answering("beaf10", &asked)),
              "LUN 0 of iqn.x is not written to: it holds ext4 file system 'home', which only --really would "
              "overwrite");
    EXPECT_EQ(asked, "");
    EXPECT_EQ(refusal({.allowed_serials = {"beaf10"}, .really = true}, full_lun), "");
    EXPECT_EQ(refusal({.really = true}, full_lun, answering("beaf10", &asked)), "");
    EXPECT_THAT(asked, HasSubstr("which holds ext4 file system 'home'"));
    EXPECT_NE(refusal({.really = true}, full_lun), "");
}

TEST(WritePermission, ALunWithoutASerialNumberIsNeverWrittenTo) {
    for (const std::string& serial : {std::string(), std::string("    "), std::string(8, '\0')}) {
        const WrittenLun lun{.name = "LUN 1", .serial = serial, .content = ""};
        EXPECT_THAT(refusal({.allowed_serials = {serial}, .really = true}, lun, answering(serial)),
                    HasSubstr("tells no unit serial number"));
    }
}

TEST(WritePermission, WhatATargetTellsDoesNotReachTheTerminalAsControlCharacters) {
    const WrittenLun lun{.name = "LUN\x1b[2J",
                         .serial =
                             "a\nb\x07"
                             "c",
                         .content = ""};
    const std::string text = refusal({}, lun);
    EXPECT_EQ(text.find_first_of("\x1b\n\x07"), std::string::npos) << text;
}

}  // namespace
}  // namespace sanscope

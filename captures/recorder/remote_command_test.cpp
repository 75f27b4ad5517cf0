// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/remote_command.h"

#include <array>
#include <cstdio>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

v1::RemoteHost host(const std::string& name, const std::string& ssh = "", const std::string& recorder = "") {
    v1::RemoteHost remote;
    remote.set_host(name);
    remote.set_ssh_command(ssh);
    remote.set_recorder(recorder);
    return remote;
}

// What a shell makes of a command line.
std::string said_by_shell(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    std::array<char, 4096> room;
    return {room.data(), std::fread(room.data(), 1, room.size(), pipe.get())};
}

TEST(WordsOf, SplitsAsAShellWithoutExpandingAnything) {
    EXPECT_THAT(*words_of("ssh -p 2222  -i key"), ElementsAre("ssh", "-p", "2222", "-i", "key"));
    EXPECT_THAT(*words_of(R"(ssh -i "my key" -o 'A b="c"' a\ b "q\"\x" '')"),
                ElementsAre("ssh", "-i", "my key", "-o", "A b=\"c\"", "a b", "q\"\\x", ""));
    EXPECT_THAT(*words_of("ssh $(reboot) `id` ~ * ; a&b"),
                ElementsAre("ssh", "$(reboot)", "`id`", "~", "*", ";", "a&b"));
    EXPECT_THAT(*words_of(" \t"), ElementsAre());
    EXPECT_THAT(*words_of("a\\"), ElementsAre("a\\"));
    EXPECT_FALSE(words_of("ssh 'a"));
    EXPECT_FALSE(words_of("ssh \"a"));
}

TEST(ShellWord, IsOneWordForAShell) {
    for (const std::string word :
         {"plain", "it's", "a b", "$(id)", "`id`", "*", "\\", "'", "\"", "a;b&c|d>e", ""})
        EXPECT_EQ(said_by_shell("printf '<%s>' " + shell_word(word)), "<" + word + ">");
}

TEST(RemoteCommand, TheUsersWordsComeFirstAndTheHostIsNoOption) {
    const auto words = remote_command(host("user@example.org", "ssh -p 2222"));
    ASSERT_TRUE(words);
    const std::vector<std::string> begin(words->begin(), words->begin() + 3);
    EXPECT_THAT(begin, ElementsAre("ssh", "-p", "2222"));
    const std::vector<std::string> end(words->end() - 3, words->end() - 1);
    EXPECT_THAT(end, ElementsAre("--", "user@example.org"));
    EXPECT_THAT(words->back(), HasSubstr("'sanscope-recorder' '/usr/local/bin/sanscope-recorder'"));
    EXPECT_EQ(remote_command(host("h"))->front(), "ssh");
}

TEST(RemoteCommand, WhatIsNoHostOrPathIsRefused) {
    for (const char* name : {"", "-oProxyCommand=id", "a b", "a\nb"})
        EXPECT_FALSE(remote_command(host(name))) << name;
    for (const char* path : {"-c", "a\nb"}) EXPECT_FALSE(remote_command(host("h", "", path))) << path;
    for (const char* command : {"'", " ", "''"}) EXPECT_FALSE(remote_command(host("h", command))) << command;
}

TEST(RemoteCommand, RunsTheFirstRecorderThereIsAndSaysWhereThereIsNone) {
    const auto none = remote_command(host("h", "", "/nowhere/it's $(echo here)"));
    ASSERT_TRUE(none);
    EXPECT_EQ(said_by_shell("(" + none->back() + "); printf %s $?"), std::to_string(recorder_not_found));
    const auto one = remote_command(host("h", "", "/bin/pwd"));
    ASSERT_TRUE(one);
    EXPECT_EQ(said_by_shell("cd /; " + one->back()), "/\n");
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/helper_process.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sanscope {
namespace {

std::string all_of(const FileDescriptor& descriptor) {
    std::string text;
    char room[256];
    pollfd watched{descriptor.get(), POLLIN, 0};
    while (::poll(&watched, 1, 10'000) == 1) {
        const ssize_t came = ::read(descriptor.get(), room, sizeof room);
        if (came <= 0) break;
        text.append(room, static_cast<size_t>(came));
    }
    return text;
}

int status_of(const HelperProcess& helper) {
    int status = 0;
    EXPECT_EQ(::waitpid(helper.process, &status, 0), helper.process);
    return status;
}

TEST(HelperProcess, HasPipesInAllThreeDirections) {
    auto helper = start_helper("sh", {"-c", "read line; echo \"$line\" twice; echo oh >&2; exit 3"});
    ASSERT_TRUE(helper);
    ASSERT_EQ(::write(helper->input.get(), "once\n", 5), 5);
    EXPECT_EQ(all_of(helper->output), "once twice\n");
    EXPECT_EQ(all_of(helper->errors), "oh\n");
    EXPECT_EQ(how_process_ended(status_of(*helper)), "ended with status 3");
}

TEST(HelperProcess, GetsADescriptorOfOursAsItsThird) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const FileDescriptor read_end(ends[0]);
    FileDescriptor write_end(ends[1]);
    auto helper = start_helper("sh", {"-c", "echo given >&3"}, write_end.get());
    ASSERT_TRUE(helper);
    write_end = FileDescriptor();
    EXPECT_EQ(all_of(read_end), "given\n");
    status_of(*helper);
}

TEST(HelperProcess, SaysWhichProgramIsNotThereAndHowOneEnded) {
    const auto none = start_helper("/nowhere/to/be/found", {});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message, "/nowhere/to/be/found cannot be started: No such file or directory");
    auto killed = start_helper("sh", {"-c", "kill -9 $$"});
    ASSERT_TRUE(killed);
    EXPECT_EQ(how_process_ended(status_of(*killed)), "was ended by signal 9 (Killed)");
}

TEST(HelperProcess, IsFoundAsTheEnvironmentSaysOrLeftToThePath) {
    ::setenv("SANSCOPE_TEST_HELPER", "/opt/helper", 1);
    EXPECT_EQ(find_helper_program("helper", "SANSCOPE_TEST_HELPER"), "/opt/helper");
    ::unsetenv("SANSCOPE_TEST_HELPER");
    EXPECT_EQ(find_helper_program("no-such-helper", "SANSCOPE_TEST_HELPER"), "no-such-helper");
    EXPECT_TRUE(find_helper_program("base_test", "SANSCOPE_TEST_HELPER").ends_with("/base_test"));
}

TEST(HelperProcess, TheLastLineIsTheOneThatSaysSomething) {
    EXPECT_EQ(last_line_of("one\ntwo\n \n"), "two");
    EXPECT_EQ(last_line_of("alone"), "alone");
    EXPECT_EQ(last_line_of("\n\n"), "");
}

}  // namespace
}  // namespace sanscope

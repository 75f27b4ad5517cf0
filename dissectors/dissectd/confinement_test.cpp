// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/dissectd/confinement.h"

#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <netinet/in.h>
#include <sstream>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <thread>
#include <unistd.h>

#include "dissectors/dissectd/landlock_rules.h"
#include "dissectors/dissectd/system_call_filter.h"

namespace sanscope {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

// What the attempts of a child came to: 0, or their errno.
using Outcomes = std::map<std::string, int>;

// What a child tries: a system call's answer, with errno where it is negative.
class Attempts {
  public:
    explicit Attempts(int report) : report_(report) {}
    void operator()(const char* name, long answer) const {
        const int error = answer < 0 ? errno : 0;
        ::dprintf(report_, "%s %d\n", name, error);
    }

  private:
    int report_;
};

class ConfinementTest : public testing::Test {
  protected:
    ConfinementTest() {
        std::string made = testing::TempDir() + "sanscope-confinement-XXXXXX";
        folder = ::mkdtemp(made.data());
        std::filesystem::create_directory(allowed());
        std::ofstream(secret()) << "secret";
        std::ofstream(allowed() + "/data") << "data";
    }
    ~ConfinementTest() override { std::filesystem::remove_all(folder); }

    std::string secret() const { return folder + "/id_ed25519"; }
    std::string allowed() const { return folder + "/allowed"; }
    std::vector<std::string> readable() const {
        std::vector<std::string> paths = files_of_the_system();
        paths.push_back(allowed());
        paths.push_back(folder + "/not there");
        return paths;
    }

    // In a process of its own, which `how_it_ended` reports.
    Outcomes in_child(const std::function<void(const Attempts&)>& act) {
        int ends[2];
        EXPECT_EQ(::pipe(ends), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            ::close(ends[0]);
            act(Attempts(ends[1]));
            ::_exit(0);
        }
        ::close(ends[1]);
        std::string said;
        std::array<char, 4096> room;
        for (ssize_t came; (came = ::read(ends[0], room.data(), room.size())) > 0;)
            said.append(room.data(), static_cast<size_t>(came));
        ::close(ends[0]);
        ::waitpid(child, &how_it_ended, 0);
        Outcomes outcomes;
        std::istringstream lines(said);
        for (std::string name; lines >> name;) lines >> outcomes[name];
        return outcomes;
    }

    void try_files(const Attempts& report) const {
        report("read_secret", ::open(secret().c_str(), O_RDONLY | O_CLOEXEC));
        report("list_folder", ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        report("write", ::open(secret().c_str(), O_WRONLY | O_CLOEXEC));
        report("write_allowed", ::open((allowed() + "/data").c_str(), O_RDWR | O_CLOEXEC));
        report("create", ::open((allowed() + "/new").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        report("remove", ::unlink(secret().c_str()));
        report("make_folder", ::mkdir((folder + "/made").c_str(), 0700));
        report("make_link", ::symlink("x", (folder + "/link").c_str()));
        report("rename", ::rename(secret().c_str(), (folder + "/renamed").c_str()));
        report("execute", ::execl("/bin/true", "true", nullptr));
    }

    std::string folder;
    int how_it_ended = 0;
};

sockaddr_in loopback(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

TEST_F(ConfinementTest, EachAttemptToGetOutIsRefused) {
    const int tcp = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int udp = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    Confinement reached;
    const Outcomes outcomes = in_child([&](const Attempts& report) {
        const pid_t parent = ::getppid();
        if (!confine(readable()).not_kept_from.empty()) {
            report("unsupported", 0);
            return;
        }
        try_files(report);
        report("truncate", ::truncate(secret().c_str(), 0));
        report("truncate_allowed", ::truncate((allowed() + "/data").c_str(), 0));
        report("chmod", ::chmod((allowed() + "/data").c_str(), 0666));
        report("chown", ::chown((allowed() + "/data").c_str(), 0, 0));
        report("socket_inet", ::socket(AF_INET, SOCK_STREAM, 0));
        report("socket_unix", ::socket(AF_UNIX, SOCK_STREAM, 0));
        report("socket_netlink", ::socket(AF_NETLINK, SOCK_RAW, 0));
        const sockaddr_in address = loopback(9);
        const auto* const to = reinterpret_cast<const sockaddr*>(&address);
        report("connect", ::connect(tcp, to, sizeof address));
        report("bind", ::bind(tcp, to, sizeof address));
        report("sendto", ::sendto(udp, "x", 1, 0, to, sizeof address));
        report("kill", ::kill(parent, 0));
        report("tgkill", ::syscall(SYS_tgkill, parent, parent, 0));
        report("ptrace", ::ptrace(PTRACE_ATTACH, parent, nullptr, nullptr));
        char byte = 0;
        iovec here{&byte, 1};
        report("process_vm_readv", ::process_vm_readv(parent, &here, 1, &here, 1, 0));
        report("fork", ::fork());
        report("prlimit", ::prlimit(parent, RLIMIT_CORE, nullptr, nullptr));
        constexpr long io_uring_setup = 425;
        report("io_uring", ::syscall(io_uring_setup, 1, nullptr));
        report("unshare", ::unshare(0));
        report("bpf", ::syscall(SYS_bpf, 0, nullptr, 0));
        report("push_into_terminal", ::ioctl(STDIN_FILENO, TIOCSTI, "x"));
        report("setuid", ::setuid(::getuid()));
    });
    ::close(tcp);
    ::close(udp);
    if (outcomes.contains("unsupported")) GTEST_SKIP() << "this kernel cannot confine";
    EXPECT_EQ(outcomes.size(), 31u);
    EXPECT_THAT(outcomes, Each(Pair(testing::_, AnyOf(EACCES, EPERM))));
    EXPECT_TRUE(std::filesystem::exists(secret()));
    EXPECT_EQ(std::filesystem::file_size(secret()), 6u);
}

TEST_F(ConfinementTest, WhatDissectorsNeedStays) {
    const int open_before = ::open(secret().c_str(), O_RDWR | O_CLOEXEC);
    const Outcomes outcomes = in_child([&](const Attempts& report) {
        confine(readable());
        report("read_allowed", ::open((allowed() + "/data").c_str(), O_RDONLY | O_CLOEXEC));
        report("list_allowed", ::open(allowed().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        report("read_library", ::open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC));
        report("write_open", ::write(open_before, "x", 1));
        // As packets reach Wireshark's reader of files.
        const int memory = ::memfd_create("packets", MFD_CLOEXEC);
        report("memory_file", memory);
        report("shorten_memory_file", ::ftruncate(memory, 0));
        const std::string path = "/proc/self/fd/" + std::to_string(memory);
        report("read_memory_file", ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        report("map_memory",
               ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
                   ? -1
                   : 0);
        int ran = 0;
        std::thread([&] { ran = 1; }).join();
        report("thread", ran - 1);
    });
    ::close(open_before);
    EXPECT_EQ(outcomes.size(), 9u);
    EXPECT_THAT(outcomes, Each(Pair(testing::_, 0)));
}

TEST_F(ConfinementTest, AnAssertionStillEndsTheProcessBySignal) {
    in_child([&](const Attempts&) {
        confine(readable());
        std::abort();
    });
    EXPECT_TRUE(WIFSIGNALED(how_it_ended));
    EXPECT_EQ(WTERMSIG(how_it_ended), SIGABRT);
}

// A later kernel's Landlock does what an earlier one's could not, one version after the other.
TEST_F(ConfinementTest, LandlockRefusesWhatItsVersionKnows) {
    const int abi = landlock_abi();
    if (abi < 1) GTEST_SKIP() << "the kernel has no Landlock";
    sockaddr_un abstract{};
    abstract.sun_family = AF_UNIX;
    const std::string name = "sanscope-confinement-" + std::to_string(::getpid());
    std::memcpy(abstract.sun_path + 1, name.data(), name.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(::bind(listening, reinterpret_cast<const sockaddr*>(&abstract), length), 0);
    ASSERT_EQ(::listen(listening, 16), 0);
    constexpr int newest_known = 6;
    for (int version = 1; version <= std::min(abi, newest_known); ++version) {
        SCOPED_TRACE(version);
        const Outcomes outcomes = in_child([&](const Attempts& report) {
            const pid_t parent = ::getppid();
            if (!restrict_by_landlock(version, readable())) {
                report("unsupported", 0);
                return;
            }
            try_files(report);
            if (version >= 3) report("truncate", ::truncate((allowed() + "/data").c_str(), 0));
            if (version >= 4) {
                const int tcp = ::socket(AF_INET, SOCK_STREAM, 0);
                const sockaddr_in address = loopback(0);
                report("bind", ::bind(tcp, reinterpret_cast<const sockaddr*>(&address), sizeof address));
                const sockaddr_in other = loopback(9);
                report("connect", ::connect(tcp, reinterpret_cast<const sockaddr*>(&other), sizeof other));
            }
            termios attributes{};
            if (version >= 5)
                report("ioctl", ::ioctl(::open("/dev/null", O_RDONLY | O_CLOEXEC), TCGETS, &attributes));
            if (version >= 6) {
                const int local = ::socket(AF_UNIX, SOCK_STREAM, 0);
                report("abstract", ::connect(local, reinterpret_cast<const sockaddr*>(&abstract), length));
                report("kill", ::kill(parent, 0));
            }
        });
        EXPECT_THAT(outcomes, Not(Contains(Pair("unsupported", 0))));
        EXPECT_THAT(outcomes, Each(Pair(testing::_, AnyOf(EACCES, EPERM, EXDEV))));
    }
    ::close(listening);
}

TEST_F(ConfinementTest, WithoutLandlockNothingCanBeWritten) {
    const Outcomes outcomes = in_child([&](const Attempts& report) {
        if (!refuse_system_calls()) {
            report("unsupported", 0);
            return;
        }
        const int file = ::open(secret().c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) report("read", -1);
        report("write", ::open(secret().c_str(), O_WRONLY | O_CLOEXEC));
        report("create", ::open((folder + "/new").c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
        report("temporary", ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
        report("empty", ::open(secret().c_str(), O_RDONLY | O_TRUNC | O_CLOEXEC));
        report("remove", ::unlink(secret().c_str()));
        report("execute", ::execl("/bin/true", "true", nullptr));
        report("socket", ::socket(AF_INET, SOCK_STREAM, 0));
    });
    if (outcomes.contains("unsupported")) GTEST_SKIP() << "this kernel has no seccomp filters";
    EXPECT_EQ(outcomes.size(), 7u);
    EXPECT_THAT(outcomes, Each(Pair(testing::_, EPERM)));
}

TEST(ConfinementWords, TellWhatTheKernelCannot) {
    EXPECT_THAT(not_kept_from(7, true, 1), IsEmpty());
    EXPECT_THAT(not_kept_from(1, true, 1), IsEmpty()) << "what the first version lacks, the filter refuses";
    EXPECT_THAT(not_kept_from(7, true, 3), HasSubstr("reading files in threads"));
    EXPECT_THAT(not_kept_from(0, true, 1), HasSubstr("reading files (this kernel has no Landlock"));
    EXPECT_THAT(not_kept_from(0, false, 1), HasSubstr("reading and writing files (this kernel"));
    EXPECT_THAT(not_kept_from(7, false, 1),
                HasSubstr("the network and other processes (this kernel has no seccomp"));
    EXPECT_THAT(not_kept_from(2, false, 1), HasSubstr("truncating files"));
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/helper_process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <grp.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace sanscope {
namespace {

constexpr int pipe_room = 1 << 20;
constexpr int inherited_as = 3;

struct Pipe {
    FileDescriptor read_end;
    FileDescriptor write_end;
};

bool make_pipe(Pipe& made) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    made = {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
    ::fcntl(ends[1], F_SETPIPE_SZ, pipe_room);  // less is only slower
    return true;
}

void unblock(const FileDescriptor& descriptor) {
    ::fcntl(descriptor.get(), F_SETFL, ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

// Of a program that this user may not start: who may, where that is a group.
std::string who_may_start(const std::string& program) {
    struct stat status {};
    if (::stat(program.c_str(), &status) != 0 || (status.st_mode & S_IXOTH) != 0 ||
        (status.st_mode & S_IXGRP) == 0)
        return {};
    const group* const owner = ::getgrgid(status.st_gid);
    if (owner == nullptr || owner->gr_gid == 0) return {};
    return fmt::format(
        "; only root and members of the group {0} may start it. Add yourself, and log in again:\n"
        "    sudo usermod -aG {0} $USER",
        owner->gr_name);
}

}  // namespace

std::string find_helper_program(std::string_view name, const char* variable) {
    if (const char* const told = std::getenv(variable); told != nullptr && *told != '\0') return told;
    std::error_code error;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    if (error) return std::string(name);
    for (const auto& place : {folder / name, folder / "../libexec/sanscope" / name,
                              std::filesystem::path(SANSCOPE_HELPERS) / name}) {
        if (std::filesystem::exists(place, error)) return place.lexically_normal().string();
    }
    return std::string(name);
}

Result<HelperProcess> start_helper(const std::string& program, const std::vector<std::string>& arguments,
                                   int inherited) {
    Pipe input;
    Pipe output;
    Pipe errors;
    if (!make_pipe(input) || !make_pipe(output) || !make_pipe(errors))
        return Error{fmt::format("no pipe to {}: {}", program, std::strerror(errno))};
    std::signal(SIGPIPE, SIG_IGN);

    std::vector<char*> argument_list{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        argument_list.push_back(const_cast<char*>(argument.c_str()));
    argument_list.push_back(nullptr);

    // dup2() onto itself would leave a descriptor to be closed on exec.
    const FileDescriptor passed(inherited < 0 ? -1 : ::fcntl(inherited, F_DUPFD_CLOEXEC, inherited_as + 1));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.read_end.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.write_end.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors.write_end.get(), STDERR_FILENO);
    if (passed.get() >= 0) posix_spawn_file_actions_adddup2(&actions, passed.get(), inherited_as);
    HelperProcess started;
    const int failed =
        ::posix_spawnp(&started.process, program.c_str(), &actions, nullptr, argument_list.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        return Error{fmt::format("{} cannot be started: {}{}", program, std::strerror(failed),
                                 failed == EACCES ? who_may_start(program) : std::string())};
    }
    // The helper's own ends close here with their pipes: as long as they were open, its end would not show.
    started.input = std::move(input.write_end);
    started.output = std::move(output.read_end);
    started.errors = std::move(errors.read_end);
    unblock(started.input);
    unblock(started.output);
    unblock(started.errors);
    return started;
}

std::string how_process_ended(int status) {
    if (WIFSIGNALED(status)) {
        return fmt::format("was ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    }
    return fmt::format("ended with status {}", WEXITSTATUS(status));
}

std::string last_line_of(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.remove_suffix(1);
    const size_t begin = text.find_last_of('\n');
    return std::string(begin == std::string_view::npos ? text : text.substr(begin + 1));
}

}  // namespace sanscope

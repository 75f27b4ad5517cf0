// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/program_versions.h"

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <csignal>
#include <flatbuffers/base.h>
#include <fmt/format.h>
#include <lz4.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "captures/iscsi_peer/login/chap.h"

#include "analyzer/base/helper_process.h"
#include "analyzer/base/version_text.h"
#include "analyzer/proto/message_pipe.h"
#include "analyzer/query/pattern.h"

namespace sanscope {
namespace {

constexpr int patience_ms = 10'000;
constexpr size_t most_printed = 4096;

std::vector<LibraryVersion> libraries() {
    return {{"CLI11", CLI11_VERSION},
            {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
            {"zlib", zlibVersion()},
            {"zstd", ZSTD_versionString()},
            {"lz4", LZ4_versionString()},
            {"Protocol Buffers", message_library_version()},
            {"FlatBuffers", fmt::format("{}.{}.{}", FLATBUFFERS_VERSION_MAJOR, FLATBUFFERS_VERSION_MINOR,
                                        FLATBUFFERS_VERSION_REVISION)},
            {"PCRE2", pattern_library_version()},
            {"OpenSSL", hash_library_version()}};
}

// What a program prints until it closes its output, or time is up.
std::string printed_by(int output) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(patience_ms);
    std::string text;
    std::array<char, 1024> room;
    while (text.size() < most_printed) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd watched{output, POLLIN, 0};
        if (left <= 0 || ::poll(&watched, 1, static_cast<int>(left)) <= 0) break;
        const ssize_t count = ::read(output, room.data(), room.size());
        if (count <= 0) break;
        text.append(room.data(), static_cast<size_t>(count));
    }
    return text;
}

std::string version_of(std::string_view name, const char* variable) {
    const std::string program = find_helper_program(name, variable);
    auto started = start_helper(program, {"--version"});
    if (!started) return fmt::format("\n{}: {}", name, started.error().message);
    started->input = FileDescriptor();
    const std::string text = printed_by(started->output.get());
    ::kill(started->process, SIGKILL);  // of no effect where it has ended
    int status = 0;
    ::waitpid(started->process, &status, 0);
    if (text.starts_with(name)) return "\n" + text.substr(0, text.find_last_not_of('\n') + 1);
    return fmt::format("\n{}: {} does not say its version", name, program);
}

}  // namespace

std::string program_versions() {
    return version_text("sanscope", libraries()) + version_of("sanscope-recorder", "SANSCOPE_RECORDER") +
           version_of("sanscope-dissectd", "SANSCOPE_DISSECTD");
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/foreign_file.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "analyzer/base/helper_process.h"
#include "analyzer/base/unnamed_file.h"
#include "analyzer/base/write_all.h"

namespace sanscope {
namespace {

constexpr int longest_silence_ms = 60'000;
constexpr size_t most_words = 4096;
// As the program ends: see dissectors/capture_reader/main.cpp.
constexpr int ended_well = 0;
constexpr int does_not_know_the_format = 2;
constexpr std::string_view format_sign = "format: ";

class ForeignSource final : public ByteSource {
  public:
    explicit ForeignSource(HelperProcess helper) : helper_(std::move(helper)) {
        helper_.input = FileDescriptor(-1);
    }
    ForeignSource(const ForeignSource&) = delete;
    ForeignSource& operator=(const ForeignSource&) = delete;
    ~ForeignSource() override { end(SIGKILL); }

    size_t read(std::span<uint8_t> into) override {
        while (!ended_) {
            const ssize_t came = ::read(helper_.output.get(), into.data(), into.size());
            if (came > 0) {
                read_.fetch_add(static_cast<uint64_t>(came), std::memory_order_relaxed);
                return static_cast<size_t>(came);
            }
            if (came == 0) {
                end(0);
            } else if (errno == EAGAIN || errno == EINTR) {
                wait();
            } else {
                fault_ =
                    fmt::format("what Wireshark's reader writes cannot be read: {}", std::strerror(errno));
                end(SIGKILL);
            }
        }
        return 0;
    }
    const std::string& fault() const override { return fault_; }
    uint64_t stored_bytes_read() const override { return read_.load(std::memory_order_relaxed); }

    // The format that it said to have found, waiting for that; empty where it ended without.
    std::string wait_for_format() {
        while (!ended_ && words_.find('\n') == std::string::npos) {
            pollfd errors{helper_.errors.get(), POLLIN, 0};
            const int ready = ::poll(&errors, 1, longest_silence_ms);
            if (ready < 0 && errno == EINTR) continue;
            if (ready == 0) {
                silent();
                break;
            }
            errors_ended_ = !take_words();
            if (errors_ended_) break;
        }
        const size_t end_of_line = words_.find('\n');
        // What it wrote before it ended is still to be read where it told a format.
        if (errors_ended_ && !words_.starts_with(format_sign)) end(0);
        if (!words_.starts_with(format_sign) || end_of_line == std::string::npos) return {};
        std::string format = words_.substr(format_sign.size(), end_of_line - format_sign.size());
        words_.erase(0, end_of_line + 1);
        return format;
    }
    bool knows_not() const {
        return ended_ && WIFEXITED(status_) && WEXITSTATUS(status_) == does_not_know_the_format;
    }

  private:
    void wait() {
        pollfd ends[] = {{helper_.output.get(), POLLIN, 0}, {helper_.errors.get(), POLLIN, 0}};
        const int ready = ::poll(ends, errors_ended_ ? 1 : 2, longest_silence_ms);
        if (ready == 0) return silent();
        if (ends[1].revents != 0 && !errors_ended_) errors_ended_ = !take_words();
    }

    void silent() {
        end(SIGKILL);
        fault_ = "Wireshark's reader gave nothing for a minute";
    }

    // False when there are no more to come.
    bool take_words() {
        std::array<char, 1024> room;
        for (;;) {
            const ssize_t came = ::read(helper_.errors.get(), room.data(), room.size());
            if (came == 0) return false;
            if (came < 0 && errno == EINTR) continue;
            if (came < 0) return errno == EAGAIN;
            if (words_.size() < most_words) words_.append(room.data(), static_cast<size_t>(came));
        }
    }

    void end(int signal) {
        if (ended_) return;
        ended_ = true;
        if (signal != 0) ::kill(helper_.process, signal);
        while (::waitpid(helper_.process, &status_, 0) < 0 && errno == EINTR) {
        }
        if (signal != 0) return;
        take_words();
        if (WIFEXITED(status_) && WEXITSTATUS(status_) == ended_well) return;
        const std::string said = WIFEXITED(status_) ? last_line_of(words_) : std::string();
        fault_ = said.empty() ? fmt::format("Wireshark's reader {}", how_process_ended(status_))
                              : fmt::format("Wireshark's reader: {}", said);
    }

    HelperProcess helper_;
    std::string words_;  // on its standard error
    std::string fault_;
    std::atomic<uint64_t> read_ = 0;
    int status_ = 0;
    bool errors_ended_ = false;
    bool ended_ = false;
};

}  // namespace

Result<ForeignFile> open_foreign_file(int descriptor, const std::string& not_known) {
    const std::string program = find_helper_program("sanscope-capture-reader", "SANSCOPE_CAPTURE_READER");
    auto helper = start_helper(program, {}, descriptor);
    if (!helper) return Error{not_known};
    auto source = std::make_unique<ForeignSource>(std::move(*helper));
    ForeignFile file;
    file.format = source->wait_for_format();
    if (file.format.empty()) {
        const bool says_why = !source->knows_not() && !source->fault().empty();
        return Error{says_why ? source->fault() : not_known};
    }
    file.pcapng = std::move(source);
    return file;
}

Result<FileDescriptor> store_bytes(ByteSource& source, std::span<const uint8_t> first) {
    Result<FileDescriptor> file = unnamed_file();
    if (!file) return file;
    std::vector<uint8_t> bytes(first.begin(), first.end());
    constexpr size_t piece = size_t{1} << 20;
    for (;;) {
        if (!disk_has_room(file->get(), bytes.size()))
            return Error{"there is no room for a temporary copy of it; TMPDIR says where there is more"};
        if (!write_all(file->get(), bytes)) {
            return Error{
                fmt::format("a temporary copy of it could not be written: {}", std::strerror(errno))};
        }
        bytes.resize(piece);
        bytes.resize(source.read(bytes));
        if (bytes.empty()) break;
    }
    if (!source.fault().empty()) return Error{source.fault()};
    return file;
}

}  // namespace sanscope

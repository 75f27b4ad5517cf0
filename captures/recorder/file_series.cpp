// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/file_series.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "captures/recorder/file_events.h"
#include "captures/recorder/file_names.h"
#include "captures/recorder/output_file.h"
#include "captures/recorder/recording_blocks.h"

namespace sanscope {
namespace {

constexpr int given_descriptor = 3;

bool is_over(FileSeries::Clock::time_point began, double seconds, FileSeries::Clock::time_point now) {
    return std::chrono::duration<double>(now - began).count() >= seconds;
}

}  // namespace

FileSeries::FileSeries(const v1::RecordingRequest& request, Surroundings surroundings)
    : request_(request), surroundings_(std::move(surroundings)), tail_length_(surroundings_.tail().size()) {}

bool FileSeries::rotates() const {
    const auto& rotation = request_.rotation();
    return !request_.to_descriptor_3() &&
           (rotation.has_bytes() || rotation.has_packets() || rotation.has_seconds());
}

Result<std::monostate> FileSeries::begin(Clock::time_point now) {
    began_ = now;
    return open_next(now);
}

Result<std::monostate> FileSeries::open_next(Clock::time_point now) {
    const bool many = rotates();
    path_ = many && !surroundings_.instead_of_file
                ? numbered_file_name(request_.path(), files_ + 1, std::time(nullptr))
                : request_.path();
    if (surroundings_.instead_of_file) {
        file_ = surroundings_.instead_of_file();
    } else if (request_.to_descriptor_3()) {
        path_ = "standard output";
        file_ = std::make_unique<OutputFile>(
            FileDescriptor(::fcntl(given_descriptor, F_DUPFD_CLOEXEC, given_descriptor)));
    } else {
        auto made = OutputFile::create(path_);
        if (!made) return Error{fmt::format("{}: {}{}", path_, made.error().message, surroundings_.as_whom)};
        file_ = std::make_unique<OutputFile>(std::move(*made));
    }
    ++files_;
    file_began_ = now;
    file_packets_ = 0;

    v1::RecordingEvent event = file_begun_event(path_, files_);
    if (many && !surroundings_.instead_of_file && request_.rotation().has_ring_files()) {
        ring_.push_back(path_);
        if (ring_.size() > std::max<uint32_t>(request_.rotation().ring_files(), 1)) {
            if (::unlink(ring_.front().c_str()) == 0) event.mutable_file_begun()->set_removed(ring_.front());
            ring_.pop_front();
        }
    }
    surroundings_.report(std::move(event));

    const std::string header = surroundings_.header();
    header_bytes_ = header.size();
    if (put({reinterpret_cast<const uint8_t*>(header.data()), header.size()}, 0) == State::failed)
        return Error{fmt::format("{}: cannot be written", path_)};
    return std::monostate{};
}

FileSeries::Room FileSeries::room() const {
    Room room;
    const auto limit = [](uint64_t& room_left, uint64_t most, uint64_t used) {
        const uint64_t left = most > used ? most - used : 0;
        if (left >= room_left) return false;
        room_left = left;
        return true;
    };
    const auto& limits = request_.stop_after();
    if (limits.has_bytes()) limit(room.bytes, limits.bytes(), bytes() + tail_length_);
    if (limits.has_packets()) limit(room.packets, limits.packets(), packets_);
    const auto& rotation = request_.rotation();
    if (!rotates()) return room;
    if (rotation.has_bytes())
        room.of_file = limit(room.bytes, rotation.bytes(), file_bytes() + tail_length_) || room.of_file;
    if (rotation.has_packets())
        room.of_file = limit(room.packets, rotation.packets(), file_packets_) || room.of_file;
    return room;
}

FileSeries::State FileSeries::write(std::span<const uint8_t> blocks, uint64_t packets,
                                    Clock::time_point now) {
    while (!blocks.empty() && state_ == State::goes_on) {
        if (!file_) {
            if (const auto opened = open_next(now); !opened) return fail(opened.error().message);
        }
        const Room left = room();
        BlockCut fits{blocks.size(), packets};
        if (fits.bytes > left.bytes || fits.packets > left.packets)
            fits = cut_blocks(blocks, left.bytes, left.packets);
        // A packet longer than a whole file may be gets one of its own.
        if (fits.bytes == 0 && left.of_file && file_bytes() == header_bytes_)
            fits = cut_blocks(blocks, packet_block_length(UINT32_MAX / 2), 1);
        if (fits.bytes > 0 && put(blocks.first(fits.bytes), fits.packets) != State::goes_on) return state_;
        blocks = blocks.subspan(fits.bytes);
        packets -= fits.packets;

        const auto& limits = request_.stop_after();
        if (limits.has_packets() && packets_ >= limits.packets()) return state_ = State::limit_reached;
        const auto& rotation = request_.rotation();
        const bool full = rotates() && rotation.has_packets() && file_packets_ >= rotation.packets();
        if (blocks.empty() && !full) break;
        if (!left.of_file && !full) return state_ = State::limit_reached;
        end_file(true);
        if (limits.has_files() && files_ >= limits.files()) state_ = State::limit_reached;
    }
    return state_;
}

FileSeries::State FileSeries::put(std::span<const uint8_t> blocks, uint64_t packets) {
    const OutputFile::Written written = file_->write(blocks, packets, surroundings_.tail());
    packets_ += written.packets;
    file_packets_ += written.packets;
    if (written.all) return state_;
    if (written.error == EPIPE) {
        end_file(false);
        return state_ = State::reader_gone;
    }
    std::string message = fmt::format("{}: {}; it holds the {} packets recorded until then", path_,
                                      std::generic_category().message(written.error), file_packets_);
    end_file(false);
    return fail(std::move(message));
}

FileSeries::State FileSeries::tick(Clock::time_point now) {
    if (state_ != State::goes_on) return state_;
    const auto& limits = request_.stop_after();
    if (limits.has_seconds() && is_over(began_, limits.seconds(), now)) return state_ = State::limit_reached;
    const auto& rotation = request_.rotation();
    if (file_ && rotates() && rotation.has_seconds() && is_over(file_began_, rotation.seconds(), now)) {
        end_file(true);
        if (limits.has_files() && files_ >= limits.files()) return state_ = State::limit_reached;
        if (const auto opened = open_next(now); !opened) return fail(opened.error().message);
    }
    return state_;
}

void FileSeries::finish() {
    if (file_) end_file(true);
}

void FileSeries::end_file(bool with_tail) {
    if (with_tail) {
        const std::string tail = surroundings_.tail();
        // Should there be no room for it, the file is whole without it.
        file_->write({reinterpret_cast<const uint8_t*>(tail.data()), tail.size()}, 0, {});
    }
    v1::RecordingEvent event = file_ended_event(path_, file_packets_, file_->bytes());
    ended_bytes_ += file_->bytes();
    const bool closed = file_->close();
    const int error = errno;
    file_.reset();
    surroundings_.report(std::move(event));
    if (!closed) fail(fmt::format("{}: {}", path_, std::generic_category().message(error)));
}

FileSeries::State FileSeries::fail(std::string message) {
    if (state_ == State::failed) return state_;
    surroundings_.report(output_failed_event(std::move(message)));
    return state_ = State::failed;
}

}  // namespace sanscope

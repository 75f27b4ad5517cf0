// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/received_files.h"

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

namespace sanscope {
namespace {

constexpr int given_descriptor = 3;

}  // namespace

void ReceivedFiles::begin_file() {
    if (state_ != State::goes_on) return;
    end_file();
    const auto& rotation = request_.rotation();
    const bool many = rotation.has_bytes() || rotation.has_packets() || rotation.has_seconds();
    if (request_.to_descriptor_3()) {
        if (files_ > 0) return fail("standard output is only one file");
        path_ = "standard output";
        file_ = std::make_unique<OutputFile>(
            FileDescriptor(::fcntl(given_descriptor, F_DUPFD_CLOEXEC, given_descriptor)));
    } else {
        if (!many && files_ > 0) return fail(fmt::format("{}: more than one file came for it", path_));
        path_ = many ? numbered_file_name(request_.path(), files_ + 1, std::time(nullptr)) : request_.path();
        auto made = OutputFile::create(path_);
        if (!made) return fail(fmt::format("{}: {}", path_, made.error().message));
        file_ = std::make_unique<OutputFile>(std::move(*made));
    }
    ++files_;
    file_packets_ = 0;
    v1::RecordingEvent event = file_begun_event(path_, files_);
    if (many && rotation.has_ring_files()) {
        ring_.push_back(path_);
        if (ring_.size() > std::max<uint32_t>(rotation.ring_files(), 1)) {
            if (::unlink(ring_.front().c_str()) == 0) event.mutable_file_begun()->set_removed(ring_.front());
            ring_.pop_front();
        }
    }
    report_(std::move(event));
}

void ReceivedFiles::write(std::span<const uint8_t> blocks, uint64_t packets) {
    if (!file_) {
        refused_ += packets;
        return;
    }
    const BlockFile::Written written = file_->write(blocks, packets, statistics_);
    packets_ += written.packets;
    file_packets_ += written.packets;
    refused_ += packets - written.packets;
    if (written.all) return;
    if (written.error == EPIPE) {
        state_ = State::reader_gone;
        end_file();
        return;
    }
    std::string message = fmt::format("{}: {}; it holds the {} packets recorded until then", path_,
                                      std::generic_category().message(written.error), file_packets_);
    state_ = State::failed;
    end_file();
    fail(std::move(message));
}

void ReceivedFiles::end_file() {
    if (!file_) return;
    v1::RecordingEvent event = file_ended_event(path_, file_packets_, file_->bytes());
    ended_bytes_ += file_->bytes();
    const bool closed = file_->close();
    const int error = errno;
    file_.reset();
    report_(std::move(event));
    if (!closed && state_ == State::goes_on)
        fail(fmt::format("{}: {}", path_, std::generic_category().message(error)));
}

void ReceivedFiles::cut_short() {
    if (!file_) return;
    // Should there be no room for it, the file is whole without it.
    file_->write({reinterpret_cast<const uint8_t*>(statistics_.data()), statistics_.size()}, 0, {});
    end_file();
}

void ReceivedFiles::fail(std::string message) {
    state_ = State::failed;
    report_(output_failed_event(std::move(message)));
}

}  // namespace sanscope

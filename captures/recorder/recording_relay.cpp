// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/recording_relay.h"

#include <fmt/format.h>
#include <utility>

#include "analyzer/base/utf8.h"

namespace sanscope {
namespace {

using Ended = v1::RecordingEnded;

std::span<const uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

v1::RecordingRequest RecordingRelay::request_to_host(v1::RecordingRequest request) {
    request.set_streamed(true);
    request.set_go_on_alone(false);
    request.clear_path();
    request.clear_to_descriptor_3();
    if (request.has_rotation()) request.mutable_rotation()->clear_ring_files();
    return request;
}

void RecordingRelay::take(const v1::RecordingEvent& event) {
    if (ended_) return;
    take_event(event);
    look_at_limits(std::chrono::steady_clock::now());
}

void RecordingRelay::look_at_limits(std::chrono::steady_clock::time_point now) {
    if (ended_) return;
    RemoteLimits::Received received;
    if (started_) received.time = now - started_at_;
    received.packets = files_.packets();
    received.bytes = files_.bytes();
    received.files = files_.files();
    received.file_packets = files_.file_packets();
    received.file_bytes = files_.file_bytes();
    if (const auto broken = limits_.broken_by(received))
        cut_short(fmt::format("{} {}; the recording ends here", host_, *broken));
}

void RecordingRelay::take_event(const v1::RecordingEvent& event) {
    switch (event.event_case()) {
        case v1::RecordingEvent::kFileBegun:
            files_.begin_file();
            break;
        case v1::RecordingEvent::kBlocks:
            take_blocks(event.blocks().zstd());
            break;
        case v1::RecordingEvent::kFileEnded:
            files_.end_file();
            break;
        case v1::RecordingEvent::kStarted:
            if (output_gone() || started_) break;
            started_ = true;
            started_at_ = std::chrono::steady_clock::now();
            report_(event);
            break;
        case v1::RecordingEvent::kProgress:
            remote_totals_ = event.progress().totals();
            if (packets_in_whole_blocks(bytes_of(event.progress().statistics())) == uint64_t{0})
                files_.set_statistics(event.progress().statistics());
            break;
        case v1::RecordingEvent::kTrouble:
            take_trouble(event);
            break;
        case v1::RecordingEvent::kEnded:
            remote_totals_ = event.ended().totals();
            end(event.ended().why());
            break;
        default:
            break;  // nothing that was asked for
    }
}

void RecordingRelay::take_trouble(const v1::RecordingEvent& event) {
    constexpr unsigned most_troubles = 1000;
    constexpr size_t longest = 2000;
    if (++troubles_ > most_troubles) {
        cut_short(fmt::format("{} has too much to complain of; the recording ends here", host_));
        return;
    }
    v1::RecordingEvent told = event;
    const std::string_view message = event.trouble().message();
    told.mutable_trouble()->set_message(
        fmt::format("{}: {}", host_, cleaned_text(message.substr(0, longest))));
    report_(std::move(told));
}

void RecordingRelay::take_blocks(const std::string& piece) {
    const auto blocks = decompressor_.decompress(bytes_of(piece));
    if (!blocks) {
        cut_short(fmt::format("{}: what comes from there is no recording", host_));
        return;
    }
    files_.write(blocks->bytes, blocks->packets);
}

void RecordingRelay::cut_short(const std::string& why) {
    if (ended_) return;
    files_.cut_short();
    if (!why.empty()) {
        v1::RecordingEvent event;
        event.mutable_trouble()->set_message(why);
        event.mutable_trouble()->set_fatal(true);
        report_(std::move(event));
    }
    end(started_ ? Ended::RECORDER_DIED : Ended::NOT_BEGUN);
}

void RecordingRelay::end(Ended::Why why) {
    files_.cut_short();
    v1::RecordingEvent event;
    Ended& ended = *event.mutable_ended();
    ended.set_why(why);
    if (files_.state() == ReceivedFiles::State::failed) ended.set_why(Ended::OUTPUT_FAILED);
    if (files_.state() == ReceivedFiles::State::reader_gone) ended.set_why(Ended::READER_GONE);
    if (!started_) ended.set_why(Ended::NOT_BEGUN);
    *ended.mutable_totals() = totals();
    // What came for a reader that is gone was not wanted.
    if (files_.state() == ReceivedFiles::State::failed)
        ended.mutable_totals()->set_lost_at_the_end(remote_totals_.lost_at_the_end() + files_.refused());
    ended_ = true;
    report_(std::move(event));
}

v1::RecordingTotals RecordingRelay::totals() const {
    v1::RecordingTotals totals = remote_totals_;
    totals.set_packets(files_.packets());
    totals.set_bytes(files_.bytes());
    totals.set_files(files_.files());
    return totals;
}

v1::RecordingProgress RecordingRelay::progress() const {
    v1::RecordingProgress progress;
    *progress.mutable_totals() = totals();
    progress.set_readable_bytes(files_.file_bytes());
    return progress;
}

}  // namespace sanscope

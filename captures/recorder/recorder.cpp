// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/recorder.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "captures/recorder/own_connection.h"
#include "captures/recorder/recording_blocks.h"
#include "captures/recorder/recording_request.h"

namespace sanscope {
namespace {

using std::chrono::milliseconds;
using Trouble = v1::RecordingTrouble;
using Ended = v1::RecordingEnded;

// Small enough that what is copied in is still in a cache when it is copied out, large enough for a system call.
constexpr size_t buffer_bytes = size_t{512} << 10;
// For when the disk makes the writer wait: 64 MiB, which are touched only then.
constexpr size_t buffer_count = 128;
// Of sources other than interfaces, waiting to be written.
constexpr size_t most_other_bytes = size_t{16} << 20;
constexpr std::chrono::seconds between_statistics{10};
constexpr milliseconds latest_merge{300};
constexpr milliseconds between_clock_looks{100};

int64_t host_time_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::span<const uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

EventQueue::EventQueue() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void EventQueue::push(v1::RecordingEvent event) {
    {
        const std::lock_guard lock(mutex_);
        events_.push_back(std::move(event));
    }
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

std::vector<v1::RecordingEvent> EventQueue::take() {
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t came = ::read(wake_.get(), &count, sizeof count);
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
}

Recorder::Recorder(v1::RecordingRequest request, Surroundings surroundings, EventQueue& events)
    : request_(std::move(request)),
      filter_(filter_without(request_.filter(), surroundings.left_out)),
      sources_(std::move(surroundings.sources)),
      instead_of_file_(std::move(surroundings.instead_of_file)),
      events_(events),
      buffers_(buffer_count, buffer_bytes) {}

Recorder::~Recorder() {
    for (const auto& capture : captures_) capture->discard_and_stop();
    take_no_more_ = true;
    if (writer_.joinable()) writer_.join();
}

void Recorder::report(const CaptureTrouble& trouble, bool fatal) {
    v1::RecordingEvent event;
    event.mutable_trouble()->set_kind(trouble.kind);
    event.mutable_trouble()->set_message(trouble.message);
    event.mutable_trouble()->set_fatal(fatal);
    events_.push(std::move(event));
}

bool Recorder::open() {
    if (const auto fault = fault_of(request_)) {
        report({Trouble::WRONG_REQUEST, *fault}, true);
        return false;
    }
    for (const std::string& name : request_.interfaces()) {
        std::vector<CaptureTrouble> warnings;
        auto opened = InterfaceCapture::open(name, request_, warnings);
        for (const CaptureTrouble& warning : warnings) report(warning, false);
        if (const auto* const trouble = std::get_if<CaptureTrouble>(&opened)) {
            report(*trouble, true);
            return false;
        }
        captures_.push_back(std::move(std::get<0>(opened)));
        const bool keeps_all = request_.keep() == v1::RecordingRequest::ALL;
        if (!keeps_all && !is_followed_link_type(captures_.back()->link_type())) {
            report({Trouble::WRONG_REQUEST,
                    fmt::format("{}: headers are not known there from what they carry; only whole packets "
                                "can be kept",
                                name)},
                   true);
            return false;
        }
    }
    std::erase_if(sources_, [&](const std::unique_ptr<BlockSource>& source) {
        const auto opened = source->open();
        if (!opened) report({Trouble::NOT_OFFERED, opened.error().message}, false);
        return !opened;
    });
    return true;
}

bool Recorder::prepare() {
    for (const auto& capture : captures_) {
        const auto set = capture->set_filter(filter_);
        if (set) continue;
        report(
            {Trouble::WRONG_FILTER, fmt::format("filter '{}': {}", request_.filter(), set.error().message)},
            true);
        return false;
    }
    return true;
}

bool Recorder::start(const std::string& as_whom) {
    began_ns_ = host_time_ns();
    files_.emplace(request_,
                   FileSeries::Surroundings{
                       .header = [this] { return header(); },
                       .tail = [this] { return statistics(); },
                       .report = [this](v1::RecordingEvent event) { events_.push(std::move(event)); },
                       .as_whom = as_whom,
                       .instead_of_file = instead_of_file_});
    if (const auto begun = files_->begin(Clock::now()); !begun) {
        report({Trouble::OUTPUT, begun.error().message}, true);
        return false;
    }
    file_count_ = files_->files();
    bytes_ = file_bytes_ = files_->bytes();
    v1::RecordingEvent event;
    event.mutable_started()->set_keep(request_.keep());
    for (const auto& capture : captures_) {
        v1::RecordedInterface& interface = *event.mutable_started()->add_interfaces();
        interface.set_name(capture->name());
        interface.set_link_type(capture->link_type());
        interface.set_snap_length(capture->snap_length());
        interface.set_nanoseconds(capture->nanoseconds());
    }
    events_.push(std::move(event));
    const bool keeps_headers = request_.keep() == v1::RecordingRequest::HEADERS;
    const bool several = captures_.size() > 1;
    if (keeps_headers && several) {
        // A connection may use several of them.
        std::vector<uint16_t> link_types;
        for (const auto& capture : captures_) link_types.push_back(capture->link_type());
        kept_.emplace(buffer_bytes,
                      [this](std::span<const uint8_t> blocks, uint64_t packets) { write(blocks, packets); });
        keeper_.emplace(std::move(link_types), *kept_);
    }
    if (several) merged_.emplace(captures_.size(), buffers_, latest_merge);
    for (size_t i = 0; i < captures_.size(); ++i) {
        captures_[i]->start(static_cast<uint32_t>(i), buffers_, keeps_headers && !several,
                            [this](const CaptureTrouble& trouble) { report(trouble, false); });
    }
    for (const auto& source : sources_) source->start(*this);
    writer_ = std::thread([this] { run(); });
    return true;
}

void Recorder::request_stop(Ended::Why why) {
    int none = -1;
    stop_why_.compare_exchange_strong(none, why);
    for (const auto& capture : captures_) capture->request_stop();
}

bool Recorder::take(std::string blocks) {
    std::unique_lock lock(other_mutex_);
    while (!take_no_more_ && other_blocks_.size() > most_other_bytes)
        other_written_.wait_for(lock, milliseconds(100));
    if (take_no_more_) return false;
    other_blocks_ += blocks;
    return true;
}

Recorder::Clock::time_point Recorder::waiting_since() const {
    if (keeper_) return keeper_->waiting_since();
    return captures_.size() == 1 ? captures_.front()->waiting_since() : Clock::time_point::max();
}

// Behind the packets that came before them.
void Recorder::write_other_blocks(bool all) {
    const auto write_held = [&] {
        if (!all && waiting_since() < held_since_) return;
        if (!held_blocks_.empty()) write(bytes_of(held_blocks_), 0);
        held_blocks_.clear();
    };
    write_held();
    if (!held_blocks_.empty()) return;
    {
        const std::lock_guard lock(other_mutex_);
        held_blocks_.swap(other_blocks_);
    }
    if (held_blocks_.empty()) return;
    other_written_.notify_all();
    held_since_ = Clock::now();
    write_held();
}

std::string Recorder::header() const {
    std::string blocks = section_header(request_.keep() == v1::RecordingRequest::HEADERS);
    for (const auto& capture : captures_) {
        blocks += interface_description({.name = capture->name(),
                                         .filter = filter_,
                                         .link_type = capture->link_type(),
                                         .snap_length = capture->snap_length()});
    }
    for (const auto& source : sources_) source->file_begins(blocks);
    return blocks;
}

std::string Recorder::statistics() const {
    std::string blocks;
    const int64_t now_ns = host_time_ns();
    for (size_t i = 0; i < captures_.size(); ++i) {
        blocks += interface_statistics(static_cast<uint32_t>(i),
                                       {.began_ns = began_ns_,
                                        .now_ns = now_ns,
                                        .received = captures_[i]->received(),
                                        .dropped_by_interface = captures_[i]->dropped_by_interface(),
                                        .dropped_by_kernel = captures_[i]->dropped_by_kernel()});
    }
    return blocks;
}

v1::RecordingTotals Recorder::totals() const {
    v1::RecordingTotals totals;
    uint64_t discarded = 0;
    for (const auto& capture : captures_) {
        v1::InterfaceCounts& counts = *totals.add_interfaces();
        counts.set_received(capture->received());
        counts.set_dropped_by_kernel(capture->dropped_by_kernel());
        counts.set_dropped_by_interface(capture->dropped_by_interface());
        counts.set_state(capture->state());
        discarded += capture->discarded();
    }
    totals.set_packets(packets_);
    totals.set_bytes(bytes_);
    totals.set_files(file_count_);
    totals.set_lost_at_the_end(discarded + refused_);
    return totals;
}

v1::RecordingProgress Recorder::progress() const {
    v1::RecordingProgress progress;
    *progress.mutable_totals() = totals();
    progress.set_readable_bytes(file_bytes_);
    return progress;
}

bool Recorder::captures_ended() const {
    return std::ranges::all_of(captures_, [](const auto& capture) { return capture->ended(); });
}

void Recorder::write(std::span<const uint8_t> blocks, uint64_t packets) {
    const uint64_t before = files_->packets();
    const FileSeries::State state = files_->write(blocks, packets, Clock::now());
    const uint64_t written = files_->packets() - before;
    if (state == FileSeries::State::failed) refused_ += packets - written;
    packets_ = files_->packets();
    bytes_ = files_->bytes();
    file_bytes_ = files_->file_bytes();
    file_count_ = files_->files();
}

void Recorder::write_packets(std::span<const uint8_t> blocks, uint64_t packets) {
    if (keeper_) return keeper_->take_blocks(blocks, Clock::now());
    write(blocks, packets);
}

void Recorder::report_out_of_step() {
    uint64_t packets = keeper_ ? keeper_->out_of_step() : 0;
    for (const auto& capture : captures_) packets += capture->out_of_step();
    if (packets == 0) return;
    report({Trouble::NOTE,
            fmt::format("of {} of iSCSI connections not all is known for what it is, for packets before "
                        "them are missing: of that, nothing was kept",
                        packets == 1 ? "1 packet" : fmt::format("{} packets", packets))},
           false);
}

void Recorder::take_in(PacketBuffer* buffer) {
    if (merged_) {
        merged_->add(buffer);
        return;
    }
    write_packets(buffer->blocks(), buffer->packets);
    buffers_.give_back(buffer);
}

void Recorder::merge(bool all) {
    if (!merged_) return;
    merged_->merge(Clock::now(), all, [this](std::span<const uint8_t> blocks, uint64_t packets) {
        write_packets(blocks, packets);
    });
}

// Nothing is lost by that, but who reads the file should know.
void Recorder::look_at_clock() {
    const std::optional<int64_t> step_ns = clock_.look();
    if (!step_ns) return;
    merge(true);
    times_unsure_until_ = Clock::now() + latest_merge;  // what captures know may be of before
    report(
        {Trouble::NOTE,
         fmt::format("the clock of this host was set {:.3f} s {}: the times of packets jump there, and what "
                     "lasted across that is not known",
                     std::abs(static_cast<double>(*step_ns)) / 1e9, *step_ns < 0 ? "back" : "ahead")},
        false);
}

void Recorder::run() {
    Clock::time_point next_statistics = Clock::now() + between_statistics;
    FileSeries::State state = FileSeries::State::goes_on;
    Clock::time_point next_clock_look = Clock::now();
    std::vector<int64_t> complete(captures_.size());
    bool ended = false;
    while (state == FileSeries::State::goes_on && !ended) {
        // What a capture says to be complete was handed over before: these come first, the buffers then.
        ended = captures_ended();
        for (size_t i = 0; i < captures_.size(); ++i) complete[i] = captures_[i]->complete_until_ns();
        PacketBuffer* buffer = buffers_.next(milliseconds(ended ? 0 : 20));
        for (; buffer != nullptr; buffer = merged_ || ended ? buffers_.next(milliseconds(0)) : nullptr)
            take_in(buffer);
        if (merged_ && Clock::now() < times_unsure_until_) merged_->forget_times();
        for (size_t i = 0; merged_ && i < captures_.size(); ++i) {
            merged_->complete_until(static_cast<uint32_t>(i), complete[i]);
            if (captures_[i]->state() == v1::InterfaceCounts::REMOVED)
                merged_->ended(static_cast<uint32_t>(i));
        }
        merge(ended);
        const Clock::time_point now = Clock::now();
        if (keeper_) {
            keeper_->tick(now);
            kept_->hand_over();
        }
        write_other_blocks(ended);
        if (now >= next_clock_look) {
            look_at_clock();
            next_clock_look = now + between_clock_looks;
        }
        state = files_->tick(now);
        file_count_ = files_->files();
        if (state == FileSeries::State::goes_on && now >= next_statistics) {
            write(bytes_of(statistics()), 0);
            next_statistics = now + between_statistics;
        }
    }
    end(state);
}

// The last of what there is, and the totals.
void Recorder::end(FileSeries::State state) {
    const auto why = [&] {
        switch (state) {
            case FileSeries::State::limit_reached:
                return Ended::LIMIT_REACHED;
            case FileSeries::State::failed:
                return Ended::OUTPUT_FAILED;
            case FileSeries::State::reader_gone:
                return Ended::READER_GONE;
            default:
                return stop_why_ < 0 ? Ended::INTERFACES_GONE : static_cast<Ended::Why>(stop_why_.load());
        }
    }();
    for (const auto& capture : captures_) capture->discard_and_stop();
    // A source may be waiting for room until it hears that there will be none.
    if (state != FileSeries::State::goes_on) take_no_more_ = true;
    for (const auto& source : sources_) source->stop();
    take_no_more_ = true;
    const auto drop = [&](PacketBuffer* buffer) {
        if (state == FileSeries::State::failed) refused_ += buffer->packets;
        buffers_.give_back(buffer);
    };
    while (!captures_ended()) {
        if (PacketBuffer* const buffer = buffers_.next(milliseconds(5))) drop(buffer);
    }
    while (PacketBuffer* const buffer = buffers_.next(milliseconds(0))) drop(buffer);
    merge(true);  // what no file takes is counted
    if (keeper_) keeper_->finish();
    write_other_blocks(true);
    for (const auto& capture : captures_) capture->join();
    report_out_of_step();
    files_->finish();
    bytes_ = files_->bytes();
    file_bytes_ = 0;

    v1::RecordingEvent event;
    event.mutable_ended()->set_why(why);
    *event.mutable_ended()->mutable_totals() = totals();
    // Beyond a limit nothing was wanted.
    if (state != FileSeries::State::failed) event.mutable_ended()->mutable_totals()->set_lost_at_the_end(0);
    events_.push(std::move(event));
    done_ = true;
}

}  // namespace sanscope

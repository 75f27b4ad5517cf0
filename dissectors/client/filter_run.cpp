// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/client/filter_run.h"

#include <fmt/format.h>

#include "dissectors/client/capture_messages.h"

namespace sanscope {
namespace {

constexpr size_t packets_at_once = 512;
constexpr size_t bytes_at_once = size_t{512} << 10;
constexpr size_t messages_under_way = 4;

}  // namespace

Result<FilterRun::Outcome> FilterRun::look(PacketSource& source, const Options& options) {
    return pass(source, options, Pass::look, nullptr);
}

Result<FilterRun::Outcome> FilterRun::run(PacketSource& source, const Options& options,
                                          const OnMatch& on_match) {
    return pass(source, options, Pass::filter, &on_match);
}

Result<FilterRun::Outcome> FilterRun::pass(PacketSource& source, const Options& options, Pass pass,
                                           const OnMatch* on_match) {
    Outcome outcome;
    source_ = &source;
    source.keep_sections();
    under_way_.clear();
    fault_.clear();
    const auto stopped = [&] {
        return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
    };
    const auto take_oldest = [&]() -> Result<bool> {
        if (!take_answer(under_way_.front(), outcome, on_match)) return recover(pass, outcome, on_match);
        under_way_.pop_front();
        return true;
    };
    for (;;) {
        const auto batch = std::make_shared<PacketBatch>();
        if (stopped() || !source.claim(*batch)) break;
        source.load(*batch);
        source.parse(*batch);
        for (size_t next = 0; next < batch->packets.size();) {
            if (!opened_) {
                first_time_ns_ = batch->packets[next].time_ns;
                if (const auto opened = open(); !opened) return opened.error();
            }
            Part part{.batch = batch, .first = next};
            for (size_t bytes = 0;
                 next < batch->packets.size() && part.count < packets_at_once && bytes < bytes_at_once;
                 ++next, ++part.count)
                bytes += batch->packets[next].captured_length;
            under_way_.push_back(std::move(part));
            if (!send(under_way_.back(), pass)) {
                if (const auto recovered = recover(pass, outcome, on_match); !recovered)
                    return recovered.error();
            }
            while (under_way_.size() > messages_under_way) {
                if (const auto taken = take_oldest(); !taken) return taken.error();
                if (options.progress) options.progress(outcome.packets);
            }
            if (!fault_.empty()) return Error{fault_};
        }
    }
    while (!under_way_.empty()) {
        if (const auto taken = take_oldest(); !taken) return taken.error();
    }
    if (!fault_.empty()) return Error{fault_};
    if (const PcapngSections* const sections = source.sections();
        sections != nullptr && sections->end() <= outcome.packets) {
        outcome.left_out.push_back(fmt::format("{} packets: {}", outcome.packets - sections->end() + 1,
                                               PcapngSections::why_ended()));
    }
    return outcome;
}

// Announces the capture to the helper, if need be a new one.
Result<bool> FilterRun::open() {
    constexpr int attempts = 3;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        if (const auto running = client_.run(); !running) return running.error();
        v1::DissectRequest request;
        v1::OpenCapture& capture = *request.mutable_open_capture();
        capture = open_message(source_->interfaces(), first_time_ns_);
        capture.set_whole_capture(true);
        next_block_ = 0;
        if (!client_.send(request) || !client_.receive()) continue;
        opened_ = true;
        return true;
    }
    return client_.helper_is_gone();
}

bool FilterRun::send(Part& part, Pass pass) {
    const PcapngSections* const sections = source_->sections();
    part.behind = 0;
    while (sections != nullptr) {
        v1::DissectRequest more;
        const uint64_t last = part.batch->first_packet + part.first + part.count - 1;
        if (!fill_sections(*sections, last, next_block_, *more.mutable_add_sections())) break;
        if (!client_.send(more)) return false;
        ++part.behind;
    }
    v1::DissectRequest request;
    auto& packets = pass == Pass::look ? *request.mutable_feed_packets()->mutable_packets()
                                       : *request.mutable_run_filter()->mutable_packets();
    if (pass == Pass::filter) request.mutable_run_filter()->set_filter(filter_);
    for (size_t i = part.first; i < part.first + part.count; ++i) {
        const RawPacket& packet = part.batch->packets[i];
        const uint64_t number = part.batch->first_packet + i;
        if (sections == nullptr) {
            fill_packet(packet, number, *packets.Add());
        } else if (const uint32_t section = sections->section_of(number); section != 0) {
            const uint8_t* const block = packet.data - packet.block_head;
            const uint32_t length = sections->order_of(section).load32(block + 4);
            fill_block({block, length}, *sections, number, *packets.Add());
        }
    }
    return client_.send(request);
}

// False when the helper has died over it.
bool FilterRun::take_answer(const Part& part, Outcome& outcome, const OnMatch* on_match) {
    for (size_t i = 0; i < part.behind; ++i) {
        if (!client_.receive()) return false;
    }
    const auto response = client_.receive();
    if (!response) return false;
    if (response->has_error()) fault_ = response->error().message();
    const auto& refused =
        response->has_done() ? response->done().refused() : response->filter_matches().refused();
    outcome.left_out.insert(outcome.left_out.end(), refused.begin(), refused.end());
    outcome.packets += part.count;
    if (on_match == nullptr) return true;
    for (const uint32_t number : response->filter_matches().numbers()) {
        const uint64_t at = number - part.batch->first_packet;
        if (at < part.first || at >= part.first + part.count) continue;
        ++outcome.matched;
        (*on_match)(part.batch->packets[at], number);
    }
    return true;
}

// Sends what was under way once more to a new helper. The oldest part is what the last one died of: it goes packet by
// packet.
Result<bool> FilterRun::recover(Pass pass, Outcome& outcome, const OnMatch* on_match) {
    // What it answered before it died still counts; the last part may not even have been sent.
    while (!under_way_.empty() && take_answer(under_way_.front(), outcome, on_match)) under_way_.pop_front();
    if (const auto opened = open(); !opened) return opened.error();
    if (under_way_.empty()) return true;
    std::deque<Part> again;
    again.swap(under_way_);
    const Part suspect = again.front();
    again.pop_front();
    for (size_t i = 0; i < suspect.count; ++i) {
        Part single{.batch = suspect.batch, .first = suspect.first + i, .count = 1};
        if (send(single, pass) && take_answer(single, outcome, on_match)) continue;
        ++outcome.packets;
        outcome.left_out.push_back(fmt::format("packet {}: the helper process {}",
                                               suspect.batch->first_packet + suspect.first + i,
                                               client_.last_end()));
        if (const auto opened = open(); !opened) return opened.error();
    }
    under_way_ = std::move(again);
    for (Part& part : under_way_) {
        if (!send(part, pass)) return recover(pass, outcome, on_match);
    }
    return true;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/scenarios/simulated_host.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sanscope::simulated {

SimulatedHost::SimulatedHost(VirtualTime& time, const Options& options, SimulatedLink& link)
    : time_(time),
      options_(options),
      link_(link),
      receiver_(time, options.receiver,
                [this](WireSegment ack) {
                    ack.seq = sender_.figures().snd_nxt;
                    transmit(ack);
                }),
      sender_(time, options.sender,
              {[this](WireSegment wire) {
                   wire.ack = receiver_.acknowledged_with_data();
                   wire.window = receiver_.window();
                   transmit(wire);
                   note_state();
               },
               [this](const WireSegment&) { note_state(); }, [](CaState, CaState) {}}) {}

void SimulatedHost::established(int64_t rtt_ns, uint32_t window) {
    sender_.established(rtt_ns, window);
    note_state();
}

void SimulatedHost::send(const test::Bytes& pdu, std::function<void()> arrived) {
    stream_.insert(stream_.end(), pdu.begin(), pdu.end());
    unread_.push_back({stream_.size(), std::move(arrived)});
    sender_.write(pdu.size());
    note_state();
}

void SimulatedHost::saw(const WireSegment& segment, const SimulatedHost& from) {
    SeenSegment seen{time_.now(), from.options_.initiator, segment, {}};
    if (segment.length > 0) {
        const auto begin = from.stream_.begin() + static_cast<std::ptrdiff_t>(from.position(segment.seq));
        seen.payload.assign(begin, begin + segment.length);
    }
    seen_.push_back(std::move(seen));
}

void SimulatedHost::transmit(WireSegment wire) {
    saw(wire, *this);
    const uint64_t dropped = link_.dropped();
    link_.send(wire);
    const bool arrives = link_.dropped() == dropped;
    const int64_t now_ns = time_.now();
    Transmission sent{
        position(wire.seq), position(wire.end()), now_ns, now_ns, now_ns, arrives, false, false};
    if (arrives && options_.bits_per_second > 0) {
        const uint64_t bits = (uint64_t{wire.length} + SimulatedLink::header_bytes) * 8;
        sent.begins_ns = std::max(now_ns, link_free_ns_);
        link_free_ns_ =
            sent.begins_ns + static_cast<int64_t>(bits * uint64_t{second} / options_.bits_per_second);
        sent.leaves_ns = link_free_ns_;
    }
    if (wire.length == 0) return;
    sent.again = sent.begin < sent_once_;
    sent.by_timer = sent.again && sender_.figures().state == CaState::loss;
    sent_once_ = std::max(sent_once_, sent.end);
    transmissions_.push_back(sent);
}

void SimulatedHost::note_state() {
    const SimulatedSender::Figures figures = sender_.figures();
    const bool expired = sender_.timeouts() != timeouts_;
    timeouts_ = sender_.timeouts();
    states_.push_back({time_.now(), figures.limit, figures.state, expired, position(figures.snd_una),
                       position(figures.snd_nxt)});
}

void SimulatedHost::on_segment(const WireSegment& segment, SimulatedHost& from) {
    saw(segment, from);
    sender_.on_ack(segment);
    const uint64_t before = receiver_.bytes_received();
    receiver_.on_segment(segment);
    if (receiver_.bytes_received() == before) return;
    from.readable_.push_back({receiver_.bytes_received(), time_.now()});
    read(from);
}

void SimulatedHost::read(SimulatedHost& from) {
    while (reading_ && !from.unread_.empty() && from.unread_.front().end <= receiver_.bytes_received()) {
        const Sent pdu = std::move(from.unread_.front());
        from.unread_.pop_front();
        pdu.arrived();
    }
}

void SimulatedHost::pause_reading() {
    reading_ = false;
    receiver_.pause_reading();
}

void SimulatedHost::resume_reading(SimulatedHost& from) {
    reading_ = true;
    receiver_.resume_reading();
    read(from);
}

int64_t SimulatedHost::first_sent_ns(uint64_t position) const {
    for (const Transmission& sent : transmissions_) {
        if (sent.begin < position && position <= sent.end) return sent.sent_ns;
    }
    throw std::logic_error("never sent");
}

int64_t SimulatedHost::readable_ns(uint64_t position) const {
    const auto found = std::ranges::lower_bound(readable_, position, {}, &Readable::end);
    if (found == readable_.end()) throw std::logic_error("never arrived");
    return found->time_ns;
}

const SimulatedHost::Transmission& SimulatedHost::delivery_of(uint64_t position) const {
    const int64_t leaves_ns = readable_ns(position) - options_.delay_ns;
    for (const Transmission& sent : transmissions_) {
        if (sent.arrives && sent.leaves_ns == leaves_ns) return sent;
    }
    throw std::logic_error("nothing arrived then");
}

const SimulatedHost::Transmission& SimulatedHost::first_arrival_of(uint64_t position) const {
    for (const Transmission& sent : transmissions_) {
        if (sent.arrives && sent.begin < position && position <= sent.end) return sent;
    }
    throw std::logic_error("never arrived");
}

}  // namespace sanscope::simulated

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/loss_journal.h"

#include <algorithm>

namespace sanscope {

void LossJournal::add(const SentSegment& segment, Serial32 begin, uint32_t length, LossKind kind,
                      SendQueue::Segment* original, int64_t now_us) {
    const bool seen = original != nullptr && !original->unseen;
    const PacketNumber first_packet = seen ? original->first_packet : 0;
    const int64_t delay_ns = seen ? (now_us - original->first_sent_us) * 1000 : no_time;
    const uint64_t loss = log_.loss(kind, segment, segment.time_ns, begin, length, first_packet, delay_ns);
    if (loss == 0 || !is_sent_again(kind)) return;
    if (original != nullptr) original->loss = loss;
    if (recent_.empty()) recent_.resize(max_recent);
    recent_[recent_count_++ % max_recent] = {begin, begin + length, loss, kind};
    last_sent_again_ns_ = segment.time_ns;
}

uint64_t LossJournal::add_late(const SentSegment& segment, Serial32 begin, uint32_t length) {
    return log_.loss(LossKind::out_of_order, segment, segment.time_ns, begin, length, 0,
                     segment.overtaken_ns);
}

void LossJournal::classify_late(uint64_t row, bool asked_for) {
    const Reordering by = asked_for ? Reordering::path : Reordering::tap;
    log_.reordered(row, by);
    log_.summary().on_reordered(by);
}

void LossJournal::on_transition(CaState from, CaState to, const char* cause) {
    log_.transition(packet_, time_ns_, from, to, cause);
}

void LossJournal::make_spurious(Retransmission& sent) {
    log_.reclassify(sent.loss, sent.kind, LossKind::spurious,
                    static_cast<uint32_t>(sent.begin.distance_to(sent.end)));
    sent.kind = LossKind::spurious;
}

void LossJournal::on_dsack(Serial32 begin, Serial32 end) {
    for (uint64_t k = 0; k < std::min<uint64_t>(recent_count_, max_recent); ++k) {
        Retransmission& sent = recent_[(recent_count_ - 1 - k) % max_recent];
        if (sent.kind == LossKind::spurious || sent.begin.before(begin) || sent.end.after(end)) continue;
        make_spurious(sent);
        break;
    }
}

// Long after anything was sent again, it answers a probe.
void LossJournal::on_unasked_ack(int64_t time_ns) {
    constexpr int64_t long_ns = 1'000'000'000;
    if (recent_count_ > 0 && time_ns - last_sent_again_ns_ < long_ns) log_.summary().on_unasked_ack();
}

// It may have been shown before, of the retransmission, which may have been of several segments. Of what is not remembered any more
// nobody knows.
void LossJournal::on_spurious_retransmission(const SendQueue::Segment& segment) {
    for (Retransmission& sent : recent_) {
        if (sent.loss == segment.loss && sent.kind != LossKind::spurious) return make_spurious(sent);
    }
}

// A D-SACK may have shown so before.
void LossJournal::on_needless_probe(Serial32 end) {
    for (uint64_t k = 0; k < std::min<uint64_t>(recent_count_, max_recent); ++k) {
        Retransmission& sent = recent_[(recent_count_ - 1 - k) % max_recent];
        if (sent.end != end) continue;
        if (sent.kind == LossKind::tlp) make_spurious(sent);
        return;
    }
}

void LossJournal::on_timeout_undone() {
    for (uint64_t k = timeouts_begin_; k < recent_count_; ++k) {
        if (k + max_recent < recent_count_) continue;
        Retransmission& sent = recent_[k % max_recent];
        if (sent.kind == LossKind::rto) make_spurious(sent);
    }
}

void LossJournal::on_reordered_delivery(const SendQueue::Segment& segment, bool on_path) {
    if (segment.unseen) return;
    if (on_path && !segment.ever_retransmitted) log_.summary().on_reordered(Reordering::path);
    if (segment.late == 0) return;
    // Sent again already: the receiver had asked for it.
    const bool asked = on_path || segment.ever_retransmitted;
    log_.reordered(segment.late, asked ? Reordering::path : Reordering::tap);
    if (!asked) log_.summary().on_reordered(Reordering::tap);
}

}  // namespace sanscope

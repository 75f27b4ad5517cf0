// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Of one connection: which NOP-Outs and NOP-Ins asked for an answer and have none (RFC 7143 §11.18, §11.19). The initiator's
// are answered by their Initiator Task Tag, the target's by their Target Transfer Tag.
class PingTracker {
  public:
    // Each PDU of the connection.
    void on_pdu(const Pdu& pdu, bool from_target) {
        // Whoever receives it drops it (RFC 7143 §7.8), and what it was is not known: it may be an answer.
        if (pdu.header_digest == Digest::bad) [[unlikely]]
            return on_unseen(from_target);
        const Opcode opcode = pdu.bhs().opcode();
        if (opcode == Opcode::nop_out || opcode == Opcode::nop_in || opcode == Opcode::reject) [[unlikely]]
            on_ping_or_reject(pdu, from_target);
        Pings& asked = of(!from_target);
        if (asked.waiting > 0) [[unlikely]]
            on_other_pdu(asked, pdu);
    }

    // Headers of that sender are missing: answers may have been among them.
    void on_unseen(bool from_target) { of(!from_target).waiting = 0; }

    void finish(uint32_t connection, ResultStore& store) const {
        for (const Role sender : {Role::initiator, Role::target}) {
            const Pings& pings = pings_[sender == Role::target ? 1 : 0];
            const bool late = pings.waiting == 0;
            if (late && pings.late_answer_ns == no_time) continue;
            const Ping& first = late ? pings.late : pings.list[0];
            UnansweredPing ping;
            ping.packet = first.sent.packet;
            ping.time_ns = first.sent.time_ns;
            ping.connection = connection;
            ping.sender = sender;
            ping.pdus_since = first.pdus_since;
            ping.last_pdu_ns = late ? pings.late_last_pdu_ns : pings.last_pdu_ns;
            if (late) ping.answer_ns = pings.late_answer_ns;
            ping.answered = pings.answered;
            ping.longest_answer_ns = pings.longest_answer_ns;
            store.add_unanswered_ping(ping);
        }
    }

  private:
    static constexpr size_t most_waiting = 8;
    static constexpr int64_t least_late_ns = 900'000'000;
    static constexpr size_t ttt_end = 24;

    struct Ping {
        uint32_t tag = 0;
        Arrival sent;
        uint64_t pdus_since = 0;
    };
    struct Pings {
        std::array<Ping, most_waiting> list;  // in order
        size_t waiting = 0;
        int64_t last_pdu_ns = no_time;
        // Answers that came before what they answer, as where a hole held that stream back.
        std::array<uint32_t, most_waiting> early{};
        size_t earlies = 0;
        uint64_t answered = 0;
        int64_t longest_answer_ns = 0;
        // The latest that was answered late.
        Ping late;
        int64_t late_answer_ns = no_time;
        int64_t late_last_pdu_ns = no_time;
    };

    Pings& of(bool from_target) { return pings_[from_target ? 1 : 0]; }

    static void on_other_pdu(Pings& asked, const Pdu& pdu) {
        if (pdu.last.packet == 0) return;
        for (size_t i = 0; i < asked.waiting; ++i) {
            if (pdu.last.packet > asked.list[i].sent.packet) ++asked.list[i].pdus_since;
        }
        asked.last_pdu_ns = pdu.last.time_ns;
    }

    void on_ping_or_reject(const Pdu& pdu, bool from_target) {
        if (pdu.bhs().opcode() != Opcode::reject) return on_ping(pdu, from_target);
        // It answers the NOP-Out whose header it brings (§11.17.2); what it rejects is not known where that was cut off.
        if (pdu.data.size() < ttt_end) return on_unseen(from_target);
        const Bhs rejected(pdu.data.data());
        if (rejected.opcode() != Opcode::nop_out || pdu.last.packet == 0) return;
        forget(of(false), rejected.itt());
    }

    static void forget(Pings& pings, uint32_t tag) {
        const auto end = pings.list.begin() + pings.waiting;
        const auto ping =
            std::find_if(pings.list.begin(), end, [=](const Ping& one) { return one.tag == tag; });
        if (ping == end) return;
        std::shift_left(ping, end, 1);
        --pings.waiting;
    }

    void on_ping(const Pdu& pdu, bool from_target) {
        // With tags that are not known it may be the answer.
        if (pdu.inferred || pdu.header_captured < ttt_end) return on_unseen(from_target);
        if (pdu.last.packet == 0) return;
        const Bhs bhs = pdu.bhs();
        // A NOP-Out answers by TTT and asks by ITT, a NOP-In the other way round.
        const uint32_t answers = from_target ? bhs.itt() : bhs.ttt();
        const uint32_t asks = from_target ? bhs.ttt() : bhs.itt();
        if (answers != reserved_tag) return on_answer(of(!from_target), answers, pdu.last);
        if (asks != reserved_tag) on_question(of(from_target), asks, pdu.last);
    }

    static void on_question(Pings& pings, uint32_t tag, Arrival sent) {
        const auto early = std::find(pings.early.begin(), pings.early.begin() + pings.earlies, tag);
        if (early != pings.early.begin() + pings.earlies) {
            *early = pings.early[--pings.earlies];
            ++pings.answered;
            return;
        }
        if (pings.waiting < most_waiting) pings.list[pings.waiting++] = {tag, sent, 0};
    }

    static void on_answer(Pings& pings, uint32_t tag, Arrival came) {
        const auto end = pings.list.begin() + pings.waiting;
        const auto ping =
            std::find_if(pings.list.begin(), end, [=](const Ping& one) { return one.tag == tag; });
        if (ping == end) {
            if (pings.earlies == most_waiting) {
                std::shift_left(pings.early.begin(), pings.early.end(), 1);
                --pings.earlies;
            }
            pings.early[pings.earlies++] = tag;
            return;
        }
        int64_t took_ns = 0;
        if (__builtin_sub_overflow(came.time_ns, ping->sent.time_ns, &took_ns)) took_ns = 0;
        if (took_ns >= least_late_ns) {
            // The one before it, then, was nothing out of the ordinary.
            if (pings.late_answer_ns != no_time)
                count_answer(pings, pings.late_answer_ns - pings.late.sent.time_ns);
            pings.late = *ping;
            pings.late_answer_ns = came.time_ns;
            pings.late_last_pdu_ns = pings.last_pdu_ns;
        } else {
            count_answer(pings, took_ns);
        }
        std::shift_left(ping, end, 1);
        --pings.waiting;
    }

    static void count_answer(Pings& pings, int64_t took_ns) {
        ++pings.answered;
        pings.longest_answer_ns = std::max(pings.longest_answer_ns, took_ns);
    }

    Pings pings_[2];  // of the initiator, of the target
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>

#include "analyzer/sender/events/capture_clock.h"
#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/inference/sent_history.h"
#include "analyzer/sender/kernel/send_budget.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// What the TCP of one side of a connection was doing, replayed from what it sent and what acknowledgements reached it:
// its windows, its congestion state, its losses, into the store. Events come in the sender's order.
class SenderReplay {
  public:
    // `connection` and `from` name the side in the rows; `budget` outlives this, as does `clock`, which made the times of the
    // events continuous; without it they are the capture's own.
    SenderReplay(ResultStore& store, SendBudget& budget, uint32_t connection, Side from,
                 const SenderOptions& options, const CaptureClock* clock = nullptr);
    ~SenderReplay();

    void on_sent(const SentSegment& segment);       // pure acknowledgements too: keep-alives are among them
    void on_ack(const ReceivedAck& ack);            // any segment of the other side that has ACK set
    void on_duplicate(const SentSegment& segment);  // a copy of the packet before, made by the capture
    // Bytes that no captured packet brought, though they were acknowledged.
    void on_missing(const SentHistory::Missing& missing);
    void finish();  // nothing comes any more
    // The other side of the connection, which outlives the last event: a gap of the capture that one side's events show is the
    // other's, too.
    void share_gaps_with(SenderReplay& other);

    // How many more segments the window has room for now, by the best explanation so far; unknown_room where that has
    // no window of its own yet. Negative: more is in flight than it allows.
    int64_t room() const;
    static constexpr int64_t unknown_room = -(int64_t{1} << 40);

    // More may be in flight than the events say, up to so many bytes.
    void note_flight_at_most(int64_t bytes);
    // No round trip of the whole path is shorter.
    void note_least_rtt(int64_t ns);

    const SenderSummary& summary() const;

  private:
    class Machine;
    std::unique_ptr<Machine> machine_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "analyzer/sender/sender_events.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// What the TCP of one side of a connection was doing, replayed from what it sent and what acknowledgements reached it:
// its windows, its congestion state, its losses, into the store. Events come in the sender's order.
class SenderReplay {
  public:
    // `connection` and `from_a` name the side in the rows.
    SenderReplay(ResultStore& store, uint32_t connection, bool from_a, const SenderOptions& options);
    ~SenderReplay();

    void on_sent(const SentSegment& segment);  // data, SYN or FIN; a pure acknowledgement is none
    void on_ack(const ReceivedAck& ack);       // any segment of the other side that has ACK set
    void finish();                             // nothing comes any more

  private:
    class Machine;
    std::unique_ptr<Machine> machine_;
};

}  // namespace sanscope

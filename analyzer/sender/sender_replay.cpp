// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/sender_replay.h"

namespace sanscope {

class SenderReplay::Machine {};

SenderReplay::SenderReplay(ResultStore& /*store*/, uint32_t /*connection*/, bool /*from_a*/,
                           const SenderOptions& /*options*/)
    : machine_(std::make_unique<Machine>()) {}
SenderReplay::~SenderReplay() = default;
void SenderReplay::on_sent(const SentSegment& /*segment*/) {}
void SenderReplay::on_ack(const ReceivedAck& /*ack*/) {}
void SenderReplay::finish() {}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/sender/inference/loss_journal.h"
#include "analyzer/sender/inference/replayed_sender.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Why the sender sends this segment of its queue again: it was found lost, or a timer ran out, which cannot be seen.
// The kernel is brought to do what it did then.
LossKind explain_retransmission(ReplayedSender& kernel, LossJournal& journal, SendQueue::Index i);

}  // namespace sanscope

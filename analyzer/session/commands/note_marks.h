// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Enters a PDU of a command, as it completes, into the command's marks, where the store keeps them.
void note_marks(ResultStore& store, CommandNumber command, ConnectionNumber connection, const Pdu& pdu);

}  // namespace sanscope

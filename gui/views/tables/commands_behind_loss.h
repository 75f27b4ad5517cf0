// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "gui/document/capture_data.h"
#include "gui/document/latest_job.h"

namespace sanscope {

// Whether a loss is one that others wait for: bytes that did not arrive, and were sent again. A tail loss probe is sent on suspicion
// (RFC 8985 §7): it is one only where what its sender did upon the answer shows that it repaired something.
bool keeps_waiting(const ResultStore& store, const LossRow& loss);

// The commands (1-based, in order) that waited for a loss (1-based): of its connection, under way at some time between the loss
// and its repair, with data of the loss's sender that are, or stand behind, the lost bytes in its stream and had begun by the
// repair: TCP delivers none of it before them. Empty for what is no such loss. One pass over the PDUs of one direction of the
// connection; any thread.
std::vector<uint64_t> commands_behind_loss(const CaptureData::Reading& reading, uint64_t loss,
                                           const StopFlag& stop);

// A filter over Commands for these: as many as it can name, the first ones. Empty for none.
QString filter_for_commands(const std::vector<uint64_t>& commands);
constexpr size_t most_commands_in_filter = 1000;

}  // namespace sanscope

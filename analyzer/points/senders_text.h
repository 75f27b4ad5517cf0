// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analyzer/points/sender_agreement.h"

namespace sanscope {

// For reading, for points_text(): how near the replay of a sender from the other end came to that from its own.
std::string senders_text(const PathPoints& path, const std::vector<SenderAgreement>& rows);

}  // namespace sanscope

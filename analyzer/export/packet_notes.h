// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What is to be said of packets: instead of the comments they have. Packets with an empty list are to have none; packets
// that are not named keep theirs. A text may be empty, as that of a bookmark.
using PacketNotes = std::map<PacketNumber, std::vector<std::string>>;

// The notes as they can be stored, their texts cleaned_text(). An Error where one is longer than a comment can be.
Result<PacketNotes> storable_notes(const PacketNotes& notes);

}  // namespace sanscope

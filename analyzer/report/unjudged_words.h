// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Why what the senders' TCP of a connection did cannot be told, as a sentence in small letters: "one direction was not captured".
// Empty where it can.
std::string unjudged_words(const ConnectionRow& connection);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "captures/anonymize/anonymizer.h"

namespace sanscope {

// Replaces names, addresses and secrets in the text of Login and Text PDUs (RFC 7143 §6.1, §13): pairs "key=value", each ended by
// a zero byte. In place, in the same number of bytes. Values of the negotiated keys stay; those of keys that are not known are
// taken for names. `text` may be cut anywhere: of what is cut, as much is replaced as is there.
void rewrite_text_keys(std::span<uint8_t> text, Anonymizer& anonymizer);

// What stands behind bytes that were not captured, up to the next zero byte, has no key that is known: taken for a name.
void rewrite_text_keys_behind_hole(std::span<uint8_t> text, Anonymizer& anonymizer);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/packet_notes.h"

#include <fmt/format.h>

#include "analyzer/base/utf8.h"
#include "analyzer/export/pcapng_writer.h"

namespace sanscope {

Result<PacketNotes> storable_notes(const PacketNotes& notes) {
    PacketNotes storable;
    for (const auto& [packet, texts] : notes) {
        std::vector<std::string>& cleaned = storable[packet];
        for (const std::string& text : texts) {
            cleaned.push_back(cleaned_text(text));
            if (cleaned.back().size() > max_comment_length) {
                return Error{fmt::format(
                    "a note on packet {} is {} bytes long, and a comment in a pcapng has at most {}", packet,
                    cleaned.back().size(), max_comment_length)};
            }
        }
    }
    return storable;
}

}  // namespace sanscope

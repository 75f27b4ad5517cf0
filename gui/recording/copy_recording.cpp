// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/copy_recording.h"

#include <utility>
#include <vector>

#include "analyzer/export/replacement_file.h"
#include "analyzer/ingest/byte_source.h"

namespace sanscope {

Result<bool> copy_recording(const std::string& from, const std::string& to, const ExportControl& control) {
    auto input = open_input(from);
    if (!input) return input.error();
    auto file = ReplacementFile::create(to);
    if (!file) return file.error();
    const uint64_t size = input->size;
    FileSource source(std::move(input->descriptor));
    constexpr size_t piece = size_t{1} << 20;
    std::vector<uint8_t> room(piece);
    while (const size_t read = source.read(room)) {
        if (control.stopped()) return false;
        if (!(*file)->sink().write({reinterpret_cast<const char*>(room.data()), read})) break;
        control.report_progress(source.stored_bytes_read(), size);
    }
    if (!source.fault().empty()) return Error{source.fault()};
    if (control.stopped()) return false;
    if (const auto committed = (*file)->commit(); !committed) return committed.error();
    return true;
}

}  // namespace sanscope

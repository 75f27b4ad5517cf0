// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/merged_capture.h"

#include <filesystem>
#include <fmt/format.h>

#include "analyzer/export/pcapng_writer.h"
#include "analyzer/export/replacement_file.h"

namespace sanscope {
namespace {

Error about(const std::string& file, const Error& error) {
    return {fmt::format("{}: {}", file, error.message)};
}

std::vector<CaptureInterface> named_after_files(const std::vector<CaptureInterface>& interfaces) {
    std::vector<CaptureInterface> named = interfaces;
    for (CaptureInterface& interface : named) {
        const std::string file = std::filesystem::path(interface.file).filename().string();
        interface.name = interface.name.empty() ? file : fmt::format("{}: {}", file, interface.name);
    }
    return named;
}

}  // namespace

Result<MergedCapture> merge_captures(std::span<const std::string> paths, const std::string& target,
                                     const ExportControl& control) {
    if (paths.size() < 2) return about(target, {"there is nothing to merge: it takes two captures at least"});
    if (paths.size() > most_merged_captures) {
        return about(target, {fmt::format("{} captures are too many to merge: {} at most", paths.size(),
                                          most_merged_captures)});
    }
    for (const std::string& path : paths) {
        if (const auto allowed = refuse_overwriting(path, target); !allowed)
            return about(target, allowed.error());
    }
    auto source = open_captures({paths.begin(), paths.end()});
    if (!source) return source.error();
    auto file = ReplacementFile::create(target);
    if (!file) return about(target, file.error());

    (*source)->keep_names();
    MergedCapture merged;
    PcapngWriter writer((*file)->sink());
    PacketBatch batch;
    size_t described = 0;
    for (bool takes_more = true; takes_more && (*source)->claim(batch);) {
        (*source)->load(batch);
        (*source)->parse(batch);
        if (control.stopped()) {
            merged.stopped = true;
            return merged;
        }
        const std::vector<CaptureInterface>& interfaces = (*source)->interfaces();
        if (interfaces.size() > described) {
            described = interfaces.size();
            writer.add_interfaces(named_after_files(interfaces));
        }
        for (const RawPacket& packet : batch.packets) {
            takes_more = writer.write(packet);
            if (!takes_more) break;
        }
        control.report_progress((*source)->bytes_read(), (*source)->bytes_total());
    }
    if (const ResolvedNames* const names = (*source)->names()) writer.add_names(*names);
    writer.finish();
    if (const auto committed = (*file)->commit(); !committed) return about(target, committed.error());
    merged.written = writer.written();
    merged.left_out = writer.left_out();
    merged.damage = (*source)->damage();
    return merged;
}

}  // namespace sanscope

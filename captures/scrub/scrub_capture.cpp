// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/scrub_capture.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "captures/scrub/block_scrubber.h"
#include "captures/scrub/zstd_sink.h"

#include "analyzer/export/block_writer.h"
#include "analyzer/export/record_bytes.h"
#include "analyzer/export/replacement_file.h"
#include "analyzer/ingest/capture_format.h"
#include "analyzer/ingest/pcapng_parser.h"
#include "analyzer/ingest/record_parser.h"

namespace sanscope {
namespace {

Error about(const std::string& file, const Error& error) {
    return {fmt::format("{}: {}", file, error.message)};
}

// Sends all records of a capture to `scrubber`; false where that was stopped.
bool scrub_records(const std::string& capture, RecordBytes& bytes, RecordParser& parser,
                   BlockScrubber& scrubber, const BlockWriter& out, const ExportControl& control,
                   std::optional<Damage>& damage) {
    const bool pcapng = is_pcapng(bytes.held());
    if (!pcapng) scrubber.begin_pcap(parser.interfaces().front());
    std::vector<RawPacket> packets;
    uint64_t position = 0;
    size_t wanted = 1;
    while (!parser.fault() && out.ok() && bytes.fill(wanted)) {
        if (control.stopped()) return false;
        packets.clear();
        const auto held = bytes.held();
        const RecordParser::Progress progress = parser.parse(held, packets);
        size_t consumed = progress.consumed;
        if (parser.fault())
            consumed = static_cast<size_t>(std::max(parser.fault()->at_byte, position) - position);
        if (pcapng) {
            scrubber.take_blocks(held.first(consumed), packets);
        } else {
            scrubber.take_records(packets);
        }
        position += consumed;
        bytes.drop(progress.consumed);
        wanted = std::max<size_t>(progress.wanted, 1);
        control.report_progress(bytes.stored_read(), bytes.stored_total());
    }
    const auto whole_until = parser.fault() ? parser.fault() : parser.fault_at_end(bytes.held().size());
    if (whole_until) damage = Damage{capture, whole_until->at_byte, whole_until->message};
    // Where reading failed, that is the reason.
    if (!parser.fault() && !bytes.fault().empty())
        damage = Damage{capture, position + bytes.held().size(), bytes.fault()};
    scrubber.finish();
    return true;
}

}  // namespace

Result<ScrubbedCapture> scrub_capture(const std::string& capture, const std::string& target,
                                      const ExportControl& control) {
    for (const char* const ending : {".gz", ".lz4", ".bz2", ".xz"}) {
        if (target.ends_with(ending))
            return about(target, {"a scrubbed copy is written plain, or with zstd (.zst)"});
    }
    if (capture != "-") {
        if (const auto refused = refuse_overwriting(capture, target); !refused)
            return about(target, refused.error());
    }
    Result<RecordBytes> bytes = RecordBytes::open(capture);
    if (!bytes) return about(capture, bytes.error());
    bytes->fill(capture_start_length(bytes->held()));
    bytes->fill(capture_start_length(bytes->held()));
    Result<std::unique_ptr<RecordParser>> parser = make_record_parser(bytes->held(), capture);
    if (!parser) return about(capture, bytes->fault().empty() ? parser.error() : Error{bytes->fault()});

    auto file = ReplacementFile::create(target);
    if (!file) return about(target, file.error());
    std::unique_ptr<ZstdSink> compressed;
    if (target.ends_with(".zst")) compressed = std::make_unique<ZstdSink>((*file)->sink());
    BlockWriter out(compressed != nullptr ? static_cast<ByteSink&>(*compressed) : (*file)->sink());
    BlockScrubber scrubber(out);
    std::optional<Damage> damage;
    if (!scrub_records(capture, *bytes, **parser, scrubber, out, control, damage)) {
        ScrubbedCapture outcome;
        outcome.stopped = true;
        return outcome;
    }
    const bool written = out.finish() && (compressed == nullptr || compressed->finish());
    if (!written && compressed != nullptr && compressed->error() != nullptr)
        return about(target, *compressed->error());
    if (const auto committed = (*file)->commit(); !committed) return about(target, committed.error());
    ScrubbedCapture outcome = scrubber.outcome();
    outcome.damage = damage;
    return outcome;
}

}  // namespace sanscope

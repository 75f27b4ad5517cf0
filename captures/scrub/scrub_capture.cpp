// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/scrub_capture.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "captures/scrub/block_scrubber.h"
#include "captures/scrub/zstd_sink.h"

#include "analyzer/export/block_writer.h"
#include "analyzer/export/byte_sink.h"
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
    if (control.stopped()) return false;
    const auto whole_until = parser.fault() ? parser.fault() : parser.fault_at_end(bytes.held().size());
    if (whole_until) damage = Damage{capture, whole_until->at_byte, whole_until->message};
    // Where reading failed, that is the reason.
    if (!parser.fault() && !bytes.fault().empty())
        damage = Damage{capture, position + bytes.held().size(), bytes.fault()};
    scrubber.finish();
    return true;
}

struct OpenCapture {
    RecordBytes bytes;
    std::unique_ptr<RecordParser> parser;
};

Result<OpenCapture> open_records(const std::string& capture) {
    Result<RecordBytes> bytes = RecordBytes::open(capture);
    if (!bytes) return about(capture, bytes.error());
    bytes->fill(capture_start_length(bytes->held()));
    bytes->fill(capture_start_length(bytes->held()));
    Result<std::unique_ptr<RecordParser>> parser = make_record_parser(bytes->held(), capture);
    if (!parser) return about(capture, bytes->fault().empty() ? parser.error() : Error{bytes->fault()});
    return OpenCapture{std::move(*bytes), std::move(*parser)};
}

class NoSink final : public ByteSink {
  public:
    bool write(std::span<const char>) override { return true; }
    const Error* error() const override { return nullptr; }
};

// The first of two times that a capture with a rewriter is gone through; false where that was stopped.
Result<bool> note_records(const std::string& capture, CaptureRewriter& rewriter,
                          const ExportControl& control) {
    std::error_code unknown;
    const bool is_stream = capture == "-" || (std::filesystem::exists(capture, unknown) &&
                                              !std::filesystem::is_regular_file(capture, unknown));
    if (is_stream) return about(capture, {"what is to be anonymized is read twice, and must be a file"});
    Result<OpenCapture> records = open_records(capture);
    if (!records) return records.error();
    NoSink nowhere;
    BlockWriter out(nowhere);
    BlockScrubber scrubber(out, &rewriter, BlockScrubber::Pass::note);
    std::optional<Damage> damage;
    if (!scrub_records(capture, records->bytes, *records->parser, scrubber, out, control, damage))
        return false;
    rewriter.settle();
    return true;
}

}  // namespace

Result<ScrubbedCapture> scrub_capture(const std::string& capture, const std::string& target,
                                      const ExportControl& control, CaptureRewriter* rewriter) {
    for (const char* const ending : {".gz", ".lz4", ".bz2", ".xz"}) {
        if (target.ends_with(ending))
            return about(target, {"a scrubbed copy is written plain, or with zstd (.zst)"});
    }
    if (capture != "-") {
        if (const auto refused = refuse_overwriting(capture, target); !refused)
            return about(target, refused.error());
    }
    const auto was_stopped = [] {
        ScrubbedCapture outcome;
        outcome.stopped = true;
        return outcome;
    };
    // Of two times, each is half of it.
    const auto half = [&](bool second) {
        return ExportControl{.stop = control.stop,
                             .progress = [&control, second](uint64_t done, uint64_t total) {
                                 control.report_progress((second ? total : 0) + done, 2 * total);
                             }};
    };
    if (rewriter != nullptr) {
        const auto noted = note_records(capture, *rewriter, half(false));
        if (!noted) return noted.error();
        if (!*noted) return was_stopped();
    }
    Result<OpenCapture> records = open_records(capture);
    if (!records) return records.error();

    auto file = ReplacementFile::create(target);
    if (!file) return about(target, file.error());
    std::unique_ptr<ZstdSink> compressed;
    if (target.ends_with(".zst")) compressed = std::make_unique<ZstdSink>((*file)->sink());
    BlockWriter out(compressed != nullptr ? static_cast<ByteSink&>(*compressed) : (*file)->sink());
    BlockScrubber scrubber(out, rewriter);
    std::optional<Damage> damage;
    if (!scrub_records(capture, records->bytes, *records->parser, scrubber, out,
                       rewriter == nullptr ? control : half(true), damage))
        return was_stopped();
    const bool written = out.finish() && (compressed == nullptr || compressed->finish());
    if (!written && compressed != nullptr && compressed->error() != nullptr)
        return about(target, *compressed->error());
    if (const auto committed = (*file)->commit(); !committed) return about(target, committed.error());
    ScrubbedCapture outcome = scrubber.outcome();
    outcome.damage = damage;
    return outcome;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/annotated_copy.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "analyzer/export/block_writer.h"
#include "analyzer/export/pcapng_copier.h"
#include "analyzer/export/pcapng_writer.h"
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

// Where the records of a capture go.
class Copy {
  public:
    virtual ~Copy() = default;
    // As PcapngCopier::copy().
    virtual std::optional<Error> take(std::span<const uint8_t> bytes, std::span<const RawPacket> packets) = 0;
    // Once all is taken: completes the file. `damage_at` as of PcapngCopier::end().
    virtual Result<std::monostate> end(ReplacementFile& file, std::optional<uint64_t> damage_at) = 0;
    virtual bool ok() const = 0;
    virtual void count(AnnotatedCopy& outcome) const = 0;
};

class CopyOfPcapng final : public Copy {
  public:
    CopyOfPcapng(const PacketNotes& notes, ByteSink& sink) : out_(sink), copier_(notes, out_) {}

    std::optional<Error> take(std::span<const uint8_t> bytes, std::span<const RawPacket> packets) override {
        return copier_.copy(bytes, packets);
    }

    Result<std::monostate> end(ReplacementFile& file, std::optional<uint64_t> damage_at) override {
        out_.finish();
        const PcapngCopier::Ending ending = copier_.end(damage_at);
        if (ending.size == 0) return Error{"there is no whole block to copy"};
        for (const PcapngCopier::SectionLength& section : ending.lengths) {
            std::array<uint8_t, 8> bytes{};
            for (size_t i = 0; i < bytes.size(); i++) {
                const size_t shift = 8 * (section.order.swapped ? bytes.size() - 1 - i : i);
                bytes[i] = static_cast<uint8_t>(section.length >> shift);
            }
            if (auto done = file.overwrite(section.at, bytes); !done) return done;
        }
        return file.cut(ending.size);
    }

    bool ok() const override { return out_.ok(); }

    void count(AnnotatedCopy& outcome) const override {
        outcome.packets = copier_.packets();
        outcome.annotated = copier_.annotated();
        outcome.left_out = copier_.left_out();
    }

  private:
    BlockWriter out_;
    PcapngCopier copier_;
};

class CopyOfPcap final : public Copy {
  public:
    CopyOfPcap(const PacketNotes& notes, ByteSink& sink, const RecordParser& parser)
        : notes_(notes), next_note_(notes.begin()), writer_(sink) {
        writer_.add_interfaces(parser.interfaces());
    }

    std::optional<Error> take(std::span<const uint8_t>, std::span<const RawPacket> packets) override {
        for (const RawPacket& packet : packets) {
            ++number_;
            while (next_note_ != notes_.end() && next_note_->first < number_) ++next_note_;
            const bool named = next_note_ != notes_.end() && next_note_->first == number_;
            const uint64_t written_before = writer_.written();
            ok_ = writer_.write(packet, named ? std::span<const std::string>(next_note_->second)
                                              : std::span<const std::string>());
            if (named && writer_.written() > written_before) ++annotated_;
        }
        return std::nullopt;
    }

    Result<std::monostate> end(ReplacementFile&, std::optional<uint64_t>) override {
        ok_ = writer_.finish();
        return std::monostate{};
    }

    bool ok() const override { return ok_; }

    void count(AnnotatedCopy& outcome) const override {
        outcome.packets = writer_.written();
        outcome.annotated = annotated_;
        outcome.left_out = writer_.left_out();
    }

  private:
    const PacketNotes& notes_;
    PacketNotes::const_iterator next_note_;
    PcapngWriter writer_;
    uint64_t number_ = 0;
    uint64_t annotated_ = 0;
    bool ok_ = true;
};

// What stands in the way of copying `captures` at all.
std::optional<Error> why_not(std::span<const std::string> captures, const std::string& target) {
    if (captures.empty()) return Error{"no capture was named"};
    if (captures.size() > 1) {
        return Error{fmt::format(
            "{} captures are open as one, and their packets numbered over all of them: notes can be saved "
            "in a copy of one file only",
            captures.size())};
    }
    const std::string& capture = captures.front();
    if (capture == "-") return Error{"standard input cannot be read again to be copied"};
    // Opening a pipe would wait for whoever writes to it.
    std::error_code unknown;
    const bool is_there = std::filesystem::exists(capture, unknown);
    if (is_there && !std::filesystem::is_regular_file(capture, unknown))
        return about(capture, {"is not a file: only a file can be copied"});
    if (const auto refused = refuse_overwriting(capture, target); !refused)
        return about(target, refused.error());
    return std::nullopt;
}

// Sends all records of a capture to `copy`; nothing where that was stopped. The damage is that of `outcome`, and where the
// block begins that is not whole is returned in `damage_at`.
std::optional<Error> copy_records(const std::string& capture, RecordBytes& bytes, RecordParser& parser,
                                  Copy& copy, const ExportControl& control, AnnotatedCopy& outcome,
                                  std::optional<uint64_t>& damage_at) {
    std::vector<RawPacket> packets;
    uint64_t position = 0;
    size_t wanted = 1;
    while (!parser.fault() && copy.ok() && bytes.fill(wanted)) {
        if (control.stopped()) {
            outcome.stopped = true;
            return std::nullopt;
        }
        packets.clear();
        const auto held = bytes.held();
        const RecordParser::Progress progress = parser.parse(held, packets);
        size_t consumed = progress.consumed;
        if (parser.fault())
            consumed = static_cast<size_t>(std::max(parser.fault()->at_byte, position) - position);
        if (auto error = copy.take(held.first(consumed), packets)) return about(capture, *error);
        position += consumed;
        bytes.drop(progress.consumed);
        wanted = std::max<size_t>(progress.wanted, 1);
        control.report_progress(bytes.stored_read(), bytes.stored_total());
    }
    if (!copy.ok()) return std::nullopt;

    const auto whole_until = parser.fault() ? parser.fault() : parser.fault_at_end(bytes.held().size());
    if (whole_until) {
        damage_at = whole_until->at_byte;
        outcome.damage = Damage{capture, whole_until->at_byte, whole_until->message};
    }
    // Where reading failed, that is the reason.
    if (!parser.fault() && !bytes.fault().empty())
        outcome.damage = Damage{capture, position + bytes.held().size(), bytes.fault()};
    return std::nullopt;
}

}  // namespace

Result<AnnotatedCopy> write_annotated_copy(std::span<const std::string> captures, const PacketNotes& notes,
                                           const std::string& target, const ExportControl& control) {
    if (auto reason = why_not(captures, target)) return *reason;
    const std::string& capture = captures.front();
    Result<PacketNotes> storable = storable_notes(notes);
    if (!storable) return storable.error();

    Result<RecordBytes> bytes = RecordBytes::open(capture);
    if (!bytes) return about(capture, bytes.error());
    bytes->fill(capture_start_length(bytes->held()));
    bytes->fill(capture_start_length(bytes->held()));
    Result<std::unique_ptr<RecordParser>> parser = make_record_parser(bytes->held(), capture);
    if (!parser) return about(capture, bytes->fault().empty() ? parser.error() : Error{bytes->fault()});

    auto file = ReplacementFile::create(target);
    if (!file) return about(target, file.error());
    std::unique_ptr<Copy> copy;
    if (is_pcapng(bytes->held())) {
        copy = std::make_unique<CopyOfPcapng>(*storable, (*file)->sink());
    } else {
        copy = std::make_unique<CopyOfPcap>(*storable, (*file)->sink(), **parser);
    }

    AnnotatedCopy outcome;
    std::optional<uint64_t> damage_at;
    if (auto error = copy_records(capture, *bytes, **parser, *copy, control, outcome, damage_at))
        return *error;
    if (outcome.stopped) return outcome;
    if (const auto ended = copy->end(**file, damage_at); !ended) {
        const bool could_write = (*file)->sink().error() == nullptr;
        return about(could_write ? capture : target, ended.error());
    }
    if (const auto committed = (*file)->commit(); !committed) return about(target, committed.error());
    copy->count(outcome);
    outcome.not_placed = storable->size() - outcome.annotated;
    return outcome;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later

// Operations: a stream of PDUs, with digests or without, comes in pieces of any size, some cut off, some missing. With
// nothing cut or missing the PDUs found must be those sent, however the stream was split and whether the digests were
// told or not. With losses every PDU found undamaged must be one that was sent, where it was sent, and none is found
// twice. In the raw half the stream is any bytes: then only the framer's own promises must hold.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>
#include <map>
#include <memory>
#include <vector>

#include "analyzer/iscsi/header_belief.h"
#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/iscsi/testing/pdu_builder.h"

namespace {

using namespace sanscope;
using test::Bytes;
using test::PduBuilder;

void require(bool claim, int line = __builtin_LINE()) {
    if (claim) return;
    std::fprintf(stderr, "The claim in line %d does not hold.\n", line);
    std::abort();
}

class KnowsTags final : public HeaderWitness {
  public:
    explicit KnowsTags(uint32_t tags) : tags_(tags) {}
    bool is_plausible_header(const uint8_t* bytes, size_t captured, uint64_t) const override {
        require(captured >= least_cut_header);
        return Bhs(bytes).itt() < tags_;
    }

  private:
    uint32_t tags_;
};

struct Sent {
    Bytes header;
    Bytes data;
    uint64_t begin;
    uint64_t end;
};

PduBuilder any_pdu(FuzzedDataProvider& choices, bool from_target, uint32_t itt) {
    constexpr size_t lengths[] = {1, 2, 3, 4, 5, 48, 100, 511, 512, 513, 2000};
    const size_t length = choices.PickValueInArray(lengths);
    const unsigned kind = choices.ConsumeIntegralInRange<unsigned>(0, 4);
    if (from_target) {
        switch (kind) {
            case 0:
                return test::data_in(itt, 0, test::pattern(length, itt), 1).flags(0x80);
            case 1:
                return test::r2t(itt, itt, 0, 512, 1);
            case 2:
                return test::scsi_response(itt, 2, itt, 1).data(test::pattern(std::min<size_t>(length, 252)));
            case 3:
                return PduBuilder(Opcode::nop_in).flags(0x80).itt(itt).ttt(reserved_tag).exp_cmd_sn(1);
            default:
                return test::scsi_response(itt, 0, itt, 1);
        }
    }
    switch (kind) {
        case 0:
            return test::data_out(itt, 1, 0, test::pattern(length, itt));
        case 1:
            return test::scsi_command(itt, itt, test::Moves::out, 2000, test::write_10(0, 4))
                .data(test::pattern(length, itt));
        case 2:
            return test::scsi_command(itt, itt, test::Moves::in, 32, {0x7f})
                .ahs(test::pattern(4 + itt % 20 * 4));
        case 3:
            return PduBuilder(Opcode::nop_out).flags(0x80).itt(itt).ttt(reserved_tag).cmd_sn(itt);
        default:
            return test::scsi_command(itt, itt, test::Moves::in, 512, test::read_10(0, 1));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
    FuzzedDataProvider choices(input, size);
    const bool from_target = choices.ConsumeBool();
    const bool header_digest = choices.ConsumeBool();
    const bool data_digest = choices.ConsumeBool();
    const bool told = choices.ConsumeBool();
    const bool lossy = choices.ConsumeBool();
    const bool raw = choices.ConsumeIntegralInRange<int>(0, 3) == 0;

    Bytes stream;
    std::map<uint64_t, Sent> sent;  // by offset
    const auto count = choices.ConsumeIntegralInRange<uint32_t>(1, 20);
    for (uint32_t itt = 0; itt < count && !raw; ++itt) {
        const PduBuilder pdu = any_pdu(choices, from_target, itt);
        const Bytes plain = pdu.bytes();
        const Bytes bytes = pdu.bytes(header_digest, data_digest);
        const Bhs bhs(plain.data());
        const auto data_at = plain.begin() + static_cast<std::ptrdiff_t>(bhs_length + bhs.ahs_length());
        const uint64_t begin = stream.size();
        stream.insert(stream.end(), bytes.begin(), bytes.end());
        sent[begin] = {pdu.header(), Bytes(data_at, data_at + bhs.data_segment_length()), begin,
                       stream.size()};
    }
    if (raw) {
        stream = choices.ConsumeBytes<uint8_t>(choices.ConsumeIntegralInRange<size_t>(0, 3000));
    }

    const KnowsTags witness(count);
    PduFramer framer(from_target, witness);
    const auto use = [](bool digest) { return digest ? DigestUse::yes : DigestUse::no; };
    if (told) framer.set_digests(use(header_digest), use(data_digest));
    if (lossy && choices.ConsumeBool()) framer.begin_unsynchronised();

    size_t found = 0;
    bool lost_any = false;
    uint64_t last_offset = 0;
    const auto on_pdu = [&] {
        const Pdu& pdu = framer.pdu();
        require(pdu.header_captured >= 8 && pdu.header_captured <= bhs_length);
        require(found == 0 || pdu.offset > last_offset);
        last_offset = pdu.offset;
        ++found;
        constexpr DigestError::Cause not_examined = DigestError::Cause::not_examined;
        require(pdu.header_digest == Digest::bad || pdu.header_error.cause == not_examined);
        require(pdu.data_digest == Digest::bad || pdu.data_error.cause == not_examined);
        if (raw || pdu.last.packet == 0) return;
        require(pdu.first.packet != 0 && pdu.first.packet <= pdu.last.packet);
        const bool must_be_one_sent = !lost_any || (told && !pdu.damaged);
        if (!must_be_one_sent) return;
        const auto original = sent.find(pdu.offset);
        require(original != sent.end());
        require(std::equal(pdu.header, pdu.header + pdu.header_captured, original->second.header.begin()));
        require(pdu.data.size() <= original->second.data.size());
        require(std::equal(pdu.data.begin(), pdu.data.end(), original->second.data.begin()));
        require(pdu.header_digest != Digest::bad && pdu.data_digest != Digest::bad);
        if (lost_any) return;
        require(!pdu.damaged && pdu.header_captured == bhs_length);
        if (original->second.data.size() <= 512) require(pdu.data.size() == original->second.data.size());
        if (told && header_digest) require(pdu.header_digest == Digest::ok);
        if (told && data_digest && !original->second.data.empty()) require(pdu.data_digest == Digest::ok);
    };

    uint64_t packet = 0;
    size_t at = 0;
    while (at < stream.size()) {
        ++packet;
        const size_t longest = choices.ConsumeBool() ? 60 : 1500;
        const auto wanted = choices.ConsumeIntegralInRange<size_t>(1, longest);
        const size_t length = std::min(wanted, stream.size() - at);
        StreamPiece piece;
        piece.offset = at;
        piece.length = piece.captured = static_cast<uint32_t>(length);
        if (lossy) {
            switch (choices.ConsumeIntegralInRange<int>(0, 7)) {
                case 0:
                    piece.not_captured = true;
                    piece.captured = 0;
                    break;
                case 1:
                    piece.captured = choices.ConsumeIntegralInRange<uint32_t>(0, piece.length - 1);
                    break;
                default:
                    break;
            }
            lost_any = lost_any || piece.captured < piece.length;
        }
        // A block of exactly that size, so that the sanitizer sees a read beyond it.
        const auto exact = std::make_unique<uint8_t[]>(piece.captured);
        std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), piece.captured, exact.get());
        piece.data = exact.get();
        piece.carried = piece.delivered = {packet, static_cast<int64_t>(packet)};
        at += length;
        PduFramer::Cursor cursor(piece);
        for (int turns = 0;; ++turns) {
            require(turns < 10'000);
            const PduFramer::Fed fed = framer.feed(cursor);
            if (fed == PduFramer::Fed::pdu) on_pdu();
            if (fed == PduFramer::Fed::resynchronised) {
                require(framer.stretch().begin <= framer.stretch().end);
                require(framer.stretch().end <= at);
                require(raw || lossy);
            }
            if (fed == PduFramer::Fed::more) break;
        }
        require(cursor.length == 0);
    }
    if (framer.finish()) on_pdu();
    require(!framer.finish());
    if (!raw && !lossy) require(found == sent.size());
    if (!raw && told && lossy) require(found <= sent.size());
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/digest_errors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <string_view>

#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

using Cause = DigestError::Cause;

constexpr std::array senders_causes = {Cause::never_computed, Cause::byte_swapped, Cause::crc32,
                                       Cause::no_final_xor, Cause::no_padding};
constexpr size_t least_alike = 4;

std::string_view words_of(Cause cause) {
    switch (cause) {
        case Cause::never_computed:
            return "are 0: never computed";
        case Cause::byte_swapped:
            return "are the CRC32C in the other byte order";
        case Cause::crc32:
            return "are the CRC32 of IEEE 802.3 instead of CRC32C";
        case Cause::no_final_xor:
            return "are the CRC32C without its final inversion";
        case Cause::no_padding:
            return "are the CRC32C without the padding bytes";
        default:
            return "";
    }
}

}  // namespace

void DigestErrors::add(const SessionEvent& event) {
    add(event.header_error, true, event.packet);
    add(event.data_error, false, event.packet);
}

void DigestErrors::add(const DigestError& error, bool of_header, PacketNumber packet) {
    if (error.cause == Cause::not_examined) return;
    ++examined_;
    ++counts_[static_cast<size_t>(error.cause)];
    if (error.cause == Cause::unexplained && !error.crc32_known) ++without_crc32_;
    if (error.cause != Cause::flipped_bit) return;
    const auto bit = static_cast<unsigned>(std::countr_zero(error.flipped));
    flips_.push_back({of_header, uint64_t{error.byte} * 8 + bit, packet, error.in_digest});
}

uint64_t DigestErrors::senders() const {
    uint64_t sum = 0;
    for (const Cause cause : senders_causes) sum += of(cause);
    return sum;
}

bool DigestErrors::are_all_senders() const {
    const uint64_t count = senders();
    if (count == 0) return false;
    const bool one_rule =
        std::ranges::any_of(senders_causes, [&](Cause cause) { return of(cause) == count; });
    const uint64_t untried = of(Cause::crc32) == count ? without_crc32_ : 0;
    return one_rule && count + untried == examined_;
}

std::vector<std::string> DigestErrors::signs() const {
    std::vector<std::string> signs;
    const std::string all = human_count(examined_);
    if (!flips_.empty()) {
        constexpr size_t most_places = 3;
        std::string places;
        for (size_t i = 0; i < std::min(flips_.size(), most_places); ++i) {
            const Flip& flip = flips_[i];
            places += i == 0 ? "" : "; ";
            places += flip.in_digest
                          ? fmt::format("bit {} of a byte of the digest of {} in packet {}", flip.bit % 8,
                                        flip.of_header ? "the header" : "data", flip.packet)
                          : fmt::format("byte {}, bit {} of {} in packet {}", flip.bit / 8, flip.bit % 8,
                                        flip.of_header ? "the header" : "data", flip.packet);
        }
        signs.push_back(fmt::format("{} of {} differ from what was sent in a single bit: {}{}",
                                    human_count(flips_.size()), all, places,
                                    flips_.size() > most_places ? "; …" : ""));
    }
    if (const uint64_t count = of(Cause::flipped_in_byte); count > 0) {
        signs.push_back(fmt::format("{} of {} differ from what was sent in bits of a single byte",
                                    human_count(count), all));
    }
    for (const Cause cause : senders_causes) {
        if (of(cause) > 0)
            signs.push_back(fmt::format("{} of {} {}", human_count(of(cause)), all, words_of(cause)));
    }
    if (unexplained() > 0) {
        signs.push_back(fmt::format("{} of {} are explained neither by a flipped bit nor by another rule",
                                    human_count(unexplained()), all));
    }
    return signs;
}

std::vector<DigestErrors::Flip> DigestErrors::flips_of_one_part(bool header) const {
    std::vector<Flip> flips;
    std::ranges::copy_if(flips_, std::back_inserter(flips),
                         [=](const Flip& flip) { return flip.of_header == header; });
    return flips;
}

unsigned DigestErrors::common_width(const std::vector<Flip>& flips) {
    if (flips.size() < least_alike) return 0;
    for (const unsigned width : {64u, 32u, 8u}) {
        const uint64_t place = flips.front().bit % width;
        if (std::ranges::all_of(flips, [=](const Flip& flip) { return flip.bit % width == place; }))
            return width;
    }
    return 0;
}

bool DigestErrors::is_one_field() const {
    const std::vector<Flip> flips = flips_of_one_part(true);
    return flips.size() >= least_alike && flips.size() == flips_.size() &&
           std::ranges::all_of(
               flips, [&](const Flip& flip) { return flip.bit == flips.front().bit && !flip.in_digest; });
}

std::string DigestErrors::places_in_words() const {
    if (is_one_field()) {
        return fmt::format("always bit {} of byte {} of the header", flips_.front().bit % 8,
                           flips_.front().bit / 8);
    }
    for (const bool header : {false, true}) {
        const std::vector<Flip> flips = flips_of_one_part(header);
        const unsigned width = common_width(flips);
        if (width == 0) continue;
        return fmt::format("all {} flipped bits of {} are bit {} of a word of {} bits",
                           human_count(flips.size()), header ? "headers" : "data", flips.front().bit % width,
                           width);
    }
    return {};
}

bool DigestErrors::is_in_proportion(const DigestedBytes& bytes) const {
    constexpr size_t least = 8;
    constexpr double least_expected = 2;
    if (flips_.size() < least || bytes.headers == 0 || bytes.data == 0) return false;
    const auto all = static_cast<double>(flips_.size());
    const auto in_headers = static_cast<double>(flips_of_one_part(true).size());
    const double share = static_cast<double>(bytes.headers) /
                         (static_cast<double>(bytes.headers) + static_cast<double>(bytes.data));
    const double expected = all * share;
    if (expected < least_expected || all - expected < least_expected) return false;
    if (in_headers < 1 || in_headers == all) return false;
    return std::abs(in_headers - expected) <= 2 * std::sqrt(expected * (1 - share));
}

}  // namespace sanscope

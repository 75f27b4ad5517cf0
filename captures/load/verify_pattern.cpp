// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/verify_pattern.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <fmt/core.h>
#include <sys/random.h>
#include <unistd.h>

#include "captures/load/random_numbers.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/base/crc32c.h"

namespace sanscope {
namespace {

constexpr uint64_t letters = 0x65706f63736e6173;  // "sanscope"
constexpr size_t offset_at = 8;
constexpr size_t seed_at = 16;
constexpr size_t generation_at = 24;
constexpr size_t run_at = 32;
constexpr size_t crc_at = 40;
constexpr size_t filling_at = 44;

// With more wrong bits than this, or than bytes, it is not that some bits were flipped: it is something else.
constexpr size_t most_flipped_bits = 64;

template <class T>
void store_le(uint8_t* p, T value) {
    std::memcpy(p, &value, sizeof value);
}

uint32_t crc_of(const uint8_t* piece) {
    uint32_t crc = crc32c_update(crc32c_init, {piece, crc_at});
    crc = crc32c_update(crc, {piece + filling_at, VerifyPattern::piece_bytes - filling_at});
    return crc32c_final(crc);
}

bool is_intact(std::span<const uint8_t> found) {
    return found.size() == VerifyPattern::piece_bytes && load_le64(found.data()) == letters &&
           load_le32(found.data() + crc_at) == crc_of(found.data());
}

unsigned different_bits(std::span<const uint8_t> a, std::span<const uint8_t> b) {
    unsigned bits = 0;
    for (size_t i = 0; i < a.size(); ++i)
        bits += static_cast<unsigned>(std::popcount(static_cast<unsigned>(a[i] ^ b[i])));
    return bits;
}

}  // namespace

uint64_t VerifyPattern::this_run() {
    static const uint64_t run = [] {
        uint64_t random = 0;
        if (::getrandom(&random, sizeof random, 0) == sizeof random) return random;
        const auto now = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
        return RandomNumbers::mixed(now ^ static_cast<uint64_t>(::getpid()) << 32);
    }();
    return run;
}

void VerifyPattern::write_piece(uint8_t* piece, uint64_t offset, uint64_t generation) const {
    store_le(piece, letters);
    store_le(piece + offset_at, offset);
    store_le(piece + seed_at, seed_);
    store_le(piece + generation_at, generation);
    store_le(piece + run_at, run_);
    RandomNumbers numbers(RandomNumbers::mixed(
        run_ ^
        RandomNumbers::mixed(RandomNumbers::mixed(seed_ ^ RandomNumbers::mixed(offset)) + generation)));
    store_le(piece + filling_at, static_cast<uint32_t>(numbers.next()));
    for (size_t at = filling_at + 4; at < piece_bytes; at += 8) store_le(piece + at, numbers.next());
    store_le(piece + crc_at, crc_of(piece));
}

void VerifyPattern::fill(std::span<uint8_t> data, uint64_t offset, uint64_t generation) const {
    for (size_t at = 0; at + piece_bytes <= data.size(); at += piece_bytes)
        write_piece(data.data() + at, offset + at, generation);
}

std::optional<VerifyPattern::Mismatch> VerifyPattern::check(std::span<const uint8_t> data, uint64_t offset,
                                                            uint64_t generation) const {
    Piece expected;
    while (!data.empty()) {
        const auto within = static_cast<size_t>(offset % piece_bytes);
        const size_t count = std::min(piece_bytes - within, data.size());
        write_piece(expected.data(), offset - within, generation);
        const std::span<const uint8_t> wanted = std::span<const uint8_t>(expected).subspan(within, count);
        const std::span<const uint8_t> found = data.first(count);
        if (std::memcmp(found.data(), wanted.data(), count) != 0) {
            const auto wrong = std::mismatch(found.begin(), found.end(), wanted.begin()).first;
            return Mismatch{offset + static_cast<uint64_t>(wrong - found.begin()),
                            explained(found, wanted, offset, generation)};
        }
        data = data.subspan(count);
        offset += count;
    }
    return std::nullopt;
}

std::string VerifyPattern::explained(std::span<const uint8_t> found, std::span<const uint8_t> expected,
                                     uint64_t offset, uint64_t generation) const {
    if (std::ranges::all_of(found, [](uint8_t byte) { return byte == 0; })) return "zeros are there";
    if (is_intact(found)) {
        const uint64_t their_offset = load_le64(found.data() + offset_at);
        const uint64_t their_seed = load_le64(found.data() + seed_at);
        const uint64_t their_generation = load_le64(found.data() + generation_at);
        if (their_seed != seed_)
            return fmt::format("the data of another run is there, with the seed {}", their_seed);
        if (load_le64(found.data() + run_at) != run_)
            return "the data of another run with the same seed is there";
        if (their_offset != offset) return fmt::format("the data of offset {} is there", their_offset);
        return fmt::format("{} write is there, number {} instead of {}",
                           their_generation < generation ? "an older" : "a later", their_generation,
                           generation);
    }
    if (const unsigned bits = different_bits(found, expected);
        bits <= std::min(most_flipped_bits, found.size()))
        return fmt::format("{} of {} bits are flipped", bits, 8 * found.size());
    return "other data is there, not written by this load";
}

}  // namespace sanscope

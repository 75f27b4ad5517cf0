// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace sanscope {

// What --verify writes, so that what is read back shows whether it is what was written there, and if not, what else it
// is. Each piece of 512 bytes stands for itself, all numbers little-endian:
//
//      0  the letters "sanscope"
//      8  offset of the piece in the LUN, in bytes
//     16  seed of the run
//     24  generation: which write to this place it was
//     32  the run: a random number, for what an earlier run of the same seed wrote is not what this one did
//     40  CRC-32C of all other bytes of the piece, in order
//     44  filled from a generator of random numbers that starts from all of these
class VerifyPattern {
  public:
    static constexpr size_t piece_bytes = 512;

    // Of this process, the same for all of its life.
    static uint64_t this_run();

    explicit VerifyPattern(uint64_t seed, uint64_t run = this_run()) : seed_(seed), run_(run) {}

    // `data` is a whole number of pieces; `offset`, of its first byte in the LUN, a multiple of one.
    void fill(std::span<uint8_t> data, uint64_t offset, uint64_t generation) const;

    struct Mismatch {
        uint64_t offset = 0;   // of the first wrong byte in the LUN
        std::string happened;  // what seems to have: "the data of offset 4096 is there"
    };
    // What is wrong with `data`, which begins and ends anywhere, and should be of this generation; nullopt where
    // nothing is. Of a piece that is there in part only less can be said.
    std::optional<Mismatch> check(std::span<const uint8_t> data, uint64_t offset, uint64_t generation) const;

  private:
    using Piece = std::array<uint8_t, piece_bytes>;

    void write_piece(uint8_t* piece, uint64_t offset, uint64_t generation) const;
    std::string explained(std::span<const uint8_t> found, std::span<const uint8_t> expected, uint64_t offset,
                          uint64_t generation) const;

    uint64_t seed_;
    uint64_t run_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "analyzer/base/result.h"

struct evp_cipher_ctx_st;

namespace sanscope {

// What all replacements depend on: with the same key, the same original has the same replacement in every capture. Whoever has
// it can take the replacements back.
using MappingKey = std::array<uint8_t, 32>;

// Another for each run.
Result<MappingKey> random_mapping_key();
// From a file of which only its owner has rights (as ssh demands it of keys): 64 hexadecimal digits, and whitespace behind them.
Result<MappingKey> read_mapping_key(const std::string& path);

using RandomBlock = std::array<uint8_t, 16>;

// AES-128 as a function that nobody can tell from a random one without the key.
class KeyedRandom {
  public:
    // Another function for each `purpose`; purpose 0 has the first half of the key as AES's own.
    static Result<KeyedRandom> create(const MappingKey& key, uint8_t purpose);

    RandomBlock encrypt(const RandomBlock& block) const;
    // Of bytes of any length (CBC-MAC with the length before them).
    RandomBlock digest(std::span<const uint8_t> bytes) const;

  private:
    struct Release {
        void operator()(evp_cipher_ctx_st* context) const;
    };
    using Context = std::unique_ptr<evp_cipher_ctx_st, Release>;
    explicit KeyedRandom(Context context) : context_(std::move(context)) {}
    static Result<KeyedRandom> with_key(std::span<const uint8_t, 16> key);

    Context context_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "captures/anonymize/keyed_random.h"

#include "analyzer/base/result.h"

namespace sanscope {

// A place in a text at which one of `radix` characters stands: the `value`th.
struct Symbol {
    uint32_t value = 0;  // < radix
    uint32_t radix = 1;
};

// Rows of symbols to others of the same radices, one to one and without memory of those before: format-preserving encryption
// after the scheme of FF1 (NIST SP 800-38G), whose two halves here have a radix for each place.
class SymbolPermutation {
  public:
    static Result<SymbolPermutation> create(const MappingKey& key);

    // Rows of another `pattern` (whatever tells them apart besides their radices) are permuted in another way.
    void apply(std::span<Symbol> symbols, std::span<const uint8_t> pattern) const;

  private:
    SymbolPermutation(KeyedRandom digest, KeyedRandom stream)
        : digest_(std::move(digest)), stream_(std::move(stream)) {}
    void shift(std::span<Symbol> half, std::span<const Symbol> other, const RandomBlock& tweak,
               uint8_t round) const;

    KeyedRandom digest_;
    KeyedRandom stream_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/symbol_permutation.h"

#include "analyzer/base/byte_order.h"

namespace sanscope {
namespace {

void append32(std::vector<uint8_t>& bytes, uint32_t value) {
    bytes.resize(bytes.size() + 4);
    store_be32(bytes.data() + bytes.size() - 4, value);
}

}  // namespace

Result<SymbolPermutation> SymbolPermutation::create(const MappingKey& key) {
    auto digest = KeyedRandom::create(key, 2);
    if (!digest) return digest.error();
    auto stream = KeyedRandom::create(key, 3);
    if (!stream) return stream.error();
    return SymbolPermutation(std::move(*digest), std::move(*stream));
}

void SymbolPermutation::shift(std::span<Symbol> half, std::span<const Symbol> other, const RandomBlock& tweak,
                              uint8_t round) const {
    std::vector<uint8_t> seen(tweak.begin(), tweak.end());
    seen.push_back(round);
    for (const Symbol& symbol : other) append32(seen, symbol.value);
    const RandomBlock start = digest_.digest(seen);
    for (size_t i = 0; i < half.size(); ++i) {
        RandomBlock block = start;
        store_be32(block.data(), load_be32(block.data()) ^ static_cast<uint32_t>(i));
        const uint64_t random = load_be64(stream_.encrypt(block).data());
        half[i].value = static_cast<uint32_t>((half[i].value + random % half[i].radix) % half[i].radix);
    }
}

void SymbolPermutation::apply(std::span<Symbol> symbols, std::span<const uint8_t> pattern) const {
    constexpr uint8_t rounds = 10;
    std::vector<uint8_t> form(pattern.begin(), pattern.end());
    for (const Symbol& symbol : symbols) append32(form, symbol.radix);
    const RandomBlock tweak = digest_.digest(form);
    const auto left = symbols.first(symbols.size() / 2);
    const auto right = symbols.subspan(symbols.size() / 2);
    for (uint8_t round = 0; round < rounds; ++round) {
        if (round % 2 == 0) {
            shift(right, left, tweak, round);
        } else {
            shift(left, right, tweak, round);
        }
    }
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/spelling.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sanscope {
namespace {

constexpr size_t longest_word = 63;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Insertions, deletions, replacements and swaps of neighbours that make one of the other; case counts for nothing.
size_t distance(std::string_view a, std::string_view b) {
    std::array<std::array<size_t, longest_word + 1>, 3> rows{};
    for (size_t j = 0; j <= b.size(); j++) rows[0][j] = j;
    for (size_t i = 1; i <= a.size(); i++) {
        auto& row = rows[i % 3];
        const auto& above = rows[(i + 2) % 3];
        const auto& two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); j++) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
            const bool swapped =
                i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a.size() % 3][b.size()];
}

}  // namespace

std::vector<NearWord> near_words(std::string_view word, std::span<const std::string_view> candidates) {
    constexpr size_t shortest_beginning = 3;
    std::vector<NearWord> near;
    if (word.size() > longest_word) return near;
    // One letter in three, and one in the shortest words.
    const size_t most = std::max<size_t>(word.size() / 3, 1);
    for (const std::string_view candidate : candidates) {
        if (candidate.size() > longest_word) continue;
        size_t edits = distance(word, candidate);
        if (word.size() >= shortest_beginning && candidate.starts_with(word))
            edits = std::min<size_t>(edits, 1);
        if (edits <= most && edits < word.size()) near.push_back({candidate, edits});
    }
    std::stable_sort(near.begin(), near.end(),
                     [](const NearWord& a, const NearWord& b) { return a.edits < b.edits; });
    return near;
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
    const std::vector<NearWord> near = near_words(word, candidates);
    return near.empty() ? std::string_view() : near.front().word;
}

}  // namespace sanscope

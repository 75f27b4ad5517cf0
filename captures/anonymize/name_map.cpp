// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/name_map.h"

#include <algorithm>
#include <cctype>

namespace sanscope {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view host_digits = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr size_t no_year = std::string_view::npos;

std::span<const uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool begins_with(std::string_view text, std::string_view lower_case) {
    return text.size() >= lower_case.size() &&
           std::equal(lower_case.begin(), lower_case.end(), text.begin(), [](char expected, char c) {
               return std::tolower(static_cast<unsigned char>(c)) == expected;
           });
}

// A character that is replaced by one of its kind, whose bytes it takes.
struct Character {
    Symbol symbol;
    uint32_t first = 0;  // code point, or byte, of the kind's symbol 0
    uint32_t length = 1;
    bool utf8 = false;
};

constexpr uint32_t surrogates_begin = 0xd800;
constexpr uint32_t surrogates = 0x800;

// Nothing fixed about a byte that is no UTF-8: it becomes another such byte.
Character read_character(std::string_view text) {
    const auto byte = static_cast<uint8_t>(text[0]);
    const auto of_kind = [&](uint32_t first, uint32_t radix) {
        return Character{.symbol = {byte - first, radix}, .first = first};
    };
    if (byte >= 'a' && byte <= 'z') return of_kind('a', 26);
    if (byte >= 'A' && byte <= 'Z') return of_kind('A', 26);
    if (byte >= '0' && byte <= '9') return of_kind('0', 10);
    if (byte < 0x80) return of_kind(byte, 1);
    const uint32_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    uint32_t point = byte & (0xffu >> (length + 1));
    bool good = byte >= 0xc2 && byte < 0xf5 && text.size() >= length;
    for (uint32_t i = 1; good && i < length; ++i) {
        const auto next = static_cast<uint8_t>(text[i]);
        good = (next & 0xc0) == 0x80;
        point = point << 6 | (next & 0x3fu);
    }
    constexpr uint32_t first_of_length[] = {0, 0, 0x80, 0x800, 0x10000};
    constexpr uint32_t end_of_length[] = {0, 0, 0x800, 0x10000, 0x110000};
    good = good && point >= first_of_length[length] && point < end_of_length[length] &&
           (point < surrogates_begin || point >= surrogates_begin + surrogates);
    if (!good) return of_kind(0x80, 0x80);
    const uint32_t first = first_of_length[length];
    uint32_t value = point - first;
    uint32_t radix = end_of_length[length] - first;
    if (length == 3) {
        radix -= surrogates;
        if (point >= surrogates_begin) value -= surrogates;
    }
    return {.symbol = {value, radix}, .first = first, .length = length, .utf8 = true};
}

void append(std::string& text, const Character& character, uint32_t value) {
    uint32_t point = character.first + value;
    if (!character.utf8) {
        text.push_back(static_cast<char>(point));
        return;
    }
    if (character.length == 3 && point >= surrogates_begin) point += surrogates;
    constexpr unsigned lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const unsigned shift = 6 * (character.length - 1);
    text.push_back(static_cast<char>(lead[character.length] | point >> shift));
    for (unsigned left = shift; left > 0; left -= 6)
        text.push_back(static_cast<char>(0x80 | (point >> (left - 6) & 0x3f)));
}

// "YYYY-MM" within the years of iSCSI names that are given.
bool is_date(std::string_view text) {
    if (text.size() < 7 || text[4] != '-') return false;
    for (const size_t i : {0u, 1u, 2u, 3u, 5u, 6u}) {
        if (!is_digit(text[i])) return false;
    }
    const int year = (text[0] - '0') * 1000 + (text[1] - '0') * 100 + (text[2] - '0') * 10 + (text[3] - '0');
    const int month = (text[5] - '0') * 10 + (text[6] - '0');
    return year >= 1990 && year < 2030 && month >= 1 && month <= 12;
}

// Where what follows the name begins in a SCSI name string: the length, where nothing follows.
size_t end_of_name(std::string_view text) {
    const size_t comma = text.find(',');
    if (comma == std::string_view::npos || text.size() < comma + 6) return text.size();
    const std::string_view rest = text.substr(comma);
    const bool known = std::string_view("tiLl").find(rest[1]) != std::string_view::npos && rest[2] == ',' &&
                       rest[3] == '0' && (rest[4] == 'x' || rest[4] == 'X');
    return known && std::ranges::all_of(rest.substr(5), is_hex_digit) ? comma : text.size();
}

}  // namespace

Result<NameMap> NameMap::create(const MappingKey& key) {
    auto permutation = SymbolPermutation::create(key);
    if (!permutation) return permutation.error();
    return NameMap(std::move(*permutation));
}

std::string NameMap::map_text(std::string_view text, std::string_view tag, size_t year_at) const {
    std::vector<Symbol> symbols;
    std::vector<Character> characters;
    std::vector<uint8_t> pattern(tag.begin(), tag.end());
    pattern.push_back(0);
    for (size_t at = 0; at < text.size();) {
        if (at == year_at) {
            const uint32_t years =
                static_cast<uint32_t>(text[at + 2] - '0') * 10 + static_cast<uint32_t>(text[at + 3] - '0');
            const uint32_t year = (text[at] == '1' ? years : years + 100) - 90;
            const uint32_t month = static_cast<uint32_t>(text[at + 5] - '0') * 10 +
                                   static_cast<uint32_t>(text[at + 6] - '0') - 1;
            symbols.push_back({year, 40});
            symbols.push_back({month, 12});
            at += 7;
            continue;
        }
        const Character character = read_character(text.substr(at));
        if (character.symbol.radix == 1) {
            pattern.push_back(static_cast<uint8_t>(characters.size() >> 8));
            pattern.push_back(static_cast<uint8_t>(characters.size()));
            pattern.push_back(static_cast<uint8_t>(text[at]));
        } else {
            symbols.push_back(character.symbol);
        }
        characters.push_back(character);
        at += character.length;
    }
    permutation_.apply(symbols, pattern);
    std::string out;
    out.reserve(text.size());
    size_t next = 0;
    if (year_at == 0) {
        const uint32_t year = 1990 + symbols[0].value;
        const uint32_t month = 1 + symbols[1].value;
        for (const uint32_t power : {1000u, 100u, 10u, 1u})
            out.push_back(static_cast<char>('0' + year / power % 10));
        out.push_back('-');
        out.push_back(static_cast<char>('0' + month / 10));
        out.push_back(static_cast<char>('0' + month % 10));
        next = 2;
    }
    for (const Character& character : characters)
        append(out, character, character.symbol.radix == 1 ? 0 : symbols[next++].value);
    return out;
}

std::string NameMap::map_hex(std::string_view digits, std::string_view tag, size_t kept) const {
    std::vector<Symbol> symbols;
    bool upper = false;
    for (const char digit : digits) {
        const size_t value =
            hex_digits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(digit))));
        symbols.push_back({static_cast<uint32_t>(value), 16});
        upper = upper || (digit >= 'A' && digit <= 'F');
    }
    std::vector<uint8_t> pattern(tag.begin(), tag.end());
    for (size_t i = 0; i < kept && i < symbols.size(); ++i)
        pattern.push_back(static_cast<uint8_t>(symbols[i].value));
    permutation_.apply(std::span(symbols).subspan(std::min(kept, symbols.size())), pattern);
    std::string out;
    for (const Symbol& symbol : symbols) {
        const char digit = hex_digits[symbol.value];
        out.push_back(upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(digit))) : digit);
    }
    return out;
}

std::string NameMap::map(std::string_view name) const {
    const size_t end = end_of_name(name);
    const std::string_view rest = name.substr(end);
    name = name.substr(0, end);
    std::string out(name.substr(0, std::min<size_t>(name.size(), 4)));
    const bool is_number = name.size() > 4 && std::ranges::all_of(name.substr(4), is_hex_digit);
    if (begins_with(name, "iqn.")) {
        const std::string_view behind = name.substr(4);
        out += map_text(behind, "iqn", is_date(behind) ? 0 : no_year);
    } else if (is_number && begins_with(name, "naa.")) {
        out += map_hex(name.substr(4), "naa", 1);
    } else if (is_number && begins_with(name, "eui.")) {
        out += map_hex(name.substr(4), "eui", 0);
    } else {
        out = map_text(name, "", no_year);
    }
    out += rest;
    return out;
}

std::string NameMap::map_base64(std::string_view text) const {
    const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    std::vector<Symbol> symbols;
    for (size_t i = 0; i + padding < text.size(); ++i) {
        const auto value = static_cast<uint32_t>(base64_digits.find(text[i]));
        // The last digit's bits that are of no byte stay zeros.
        const unsigned unused = i + padding + 1 == text.size() ? static_cast<unsigned>(2 * padding) : 0;
        symbols.push_back({value >> unused, 64u >> unused});
    }
    const std::string tag = "base64" + std::to_string(padding);
    permutation_.apply(symbols, bytes_of(tag));
    std::string out;
    for (const Symbol& symbol : symbols)
        out.push_back(base64_digits[size_t{symbol.value} * (64 / symbol.radix)]);
    return out.append(padding, '=');
}

std::string NameMap::map_binary_value(std::string_view value) const {
    if (value.size() <= 2 || value[0] != '0') return map(value);
    const std::string_view digits = value.substr(2);
    std::string out(value.substr(0, 2));
    if ((value[1] == 'x' || value[1] == 'X') && std::ranges::all_of(digits, is_hex_digit))
        return out += map_hex(digits, "hex", 0);
    const std::string_view unpadded = digits.substr(0, digits.find('='));
    const bool is_base64 =
        digits.size() - unpadded.size() <= 2 && !unpadded.empty() &&
        std::ranges::all_of(digits.substr(unpadded.size()), [](char c) { return c == '='; }) &&
        unpadded.find_first_not_of(base64_digits) == std::string_view::npos;
    if ((value[1] == 'b' || value[1] == 'B') && is_base64) return out += map_base64(digits);
    return map(value);
}

std::string NameMap::host_for_address(std::string_view text, std::span<const uint8_t> address) const {
    std::vector<Symbol> symbols(text.size(), Symbol{0, 36});
    std::vector<uint8_t> pattern{'h', 'o', 's', 't'};
    pattern.insert(pattern.end(), address.begin(), address.end());
    permutation_.apply(symbols, pattern);
    std::string out;
    for (const Symbol& symbol : symbols) out.push_back(host_digits[symbol.value]);
    // A host name must not look like a number at its end (RFC 3696 §2).
    if (!out.empty()) out.front() = out.back() = 'x';
    return out;
}

void NameMap::map_nibbles(std::span<uint8_t> bytes, std::string_view tag, size_t kept) const {
    std::string digits;
    for (const uint8_t byte : bytes) {
        digits.push_back(hex_digits[byte >> 4]);
        digits.push_back(hex_digits[byte & 15]);
    }
    const std::string mapped = map_hex(digits, tag, kept);
    for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<uint8_t>(
            hex_digits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(mapped[2 * i])))) << 4 |
            hex_digits.find(static_cast<char>(std::tolower(static_cast<unsigned char>(mapped[2 * i + 1])))));
    }
}

void NameMap::map_naa(std::span<uint8_t> bytes) const {
    map_nibbles(bytes, "naa", 1);
}

void NameMap::map_eui(std::span<uint8_t> bytes) const {
    map_nibbles(bytes, "eui", 0);
}

void NameMap::map_bytes(std::span<uint8_t> bytes) const {
    map_nibbles(bytes, "bytes", 0);
}

}  // namespace sanscope

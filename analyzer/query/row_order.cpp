// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/row_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/base/byte_order.h"
#include "analyzer/query/column_meaning.h"
#include "analyzer/query/on_threads.h"
#include "analyzer/query/placed_keys.h"
#include "analyzer/query/sort_text.h"

namespace sanscope {
namespace {

constexpr uint64_t sign_bit = uint64_t{1} << 63;

// How a cell becomes a number that compares as the cell does.
enum class KeyKind : uint8_t {
    number,
    hexadecimal,
    rank,   // of text among the distinct ones
    chunk,  // of text: seven bytes of it
};

// Of text from a byte on: seven bytes, and behind them how many there were, eight for more than that. Equal only where the
// texts go on equally, or both end.
constexpr size_t chunk_bytes = 7;
constexpr uint64_t text_goes_on = chunk_bytes + 1;

uint64_t chunk_of(std::string_view text, size_t chunk) {
    const size_t begin = std::min(text.size(), chunk * chunk_bytes);
    const size_t left = text.size() - begin;
    std::array<uint8_t, 8> bytes{};
    std::memcpy(bytes.data(), text.data() + begin, std::min(left, chunk_bytes));
    bytes[chunk_bytes] = static_cast<uint8_t>(std::min<size_t>(left, text_goes_on));
    return load_be64(bytes.data());
}

// Distinct texts, numbered as they come, as long as they are few.
class Vocabulary {
  public:
    static constexpr uint32_t full = 0xffffffff;
    static constexpr size_t max_texts = size_t{1} << 16;
    static constexpr size_t max_bytes = size_t{4} << 20;

    Vocabulary() : slots_(4 * max_texts, 0) {}

    uint32_t number_of(std::string_view text) {
        if (!texts_.empty() && texts_[last_] == text) return last_;
        const uint64_t hash = hash_of(text);
        for (size_t slot = hash >> (64 - slot_bits);; slot = (slot + 1) & (slots_.size() - 1)) {
            if (slots_[slot] == 0) return add(slot, text);
            const uint32_t number = slots_[slot] - 1;
            if (texts_[number] == text) return last_ = number;
        }
    }
    const std::vector<std::string_view>& texts() const { return texts_; }

  private:
    static constexpr int slot_bits = std::countr_zero(4 * max_texts);

    static uint64_t hash_of(std::string_view text) {
        constexpr uint64_t factor = 0x9e3779b97f4a7c15;
        uint64_t hash = text.size() * factor;
        while (text.size() >= 8) {
            uint64_t word = 0;
            std::memcpy(&word, text.data(), 8);
            hash = std::rotl(hash ^ word, 29) * factor;
            text.remove_prefix(8);
        }
        uint64_t rest = 0;
        std::memcpy(&rest, text.data(), text.size());
        hash = (hash ^ rest) * factor;
        return (hash ^ hash >> 32) * factor;
    }

    uint32_t add(size_t slot, std::string_view text) {
        if (texts_.size() == max_texts || bytes_ + text.size() > max_bytes) return full;
        bytes_ += text.size();
        if (room_ < text.size()) {
            room_ = std::max(text.size(), size_t{65536});
            blocks_.push_back(std::make_unique<char[]>(room_));
            free_ = blocks_.back().get();
        }
        std::memcpy(free_, text.data(), text.size());
        texts_.emplace_back(free_, text.size());
        free_ += text.size();
        room_ -= text.size();
        slots_[slot] = static_cast<uint32_t>(texts_.size());
        return last_ = slots_[slot] - 1;
    }

    std::vector<uint32_t> slots_;  // numbers + 1; 0: free
    std::vector<std::string_view> texts_;
    std::vector<std::unique_ptr<char[]>> blocks_;
    char* free_ = nullptr;
    size_t room_ = 0;
    size_t bytes_ = 0;
    uint32_t last_ = 0;
};

class RowSorter {
  public:
    RowSorter(const Table& table, size_t column, bool descending, const std::vector<uint32_t>& rows,
              const std::atomic<bool>* stop, unsigned threads)
        : table_(table),
          column_(column),
          endpoints_(holds_endpoints(table.columns()[column])),
          descending_(descending),
          rows_(rows),
          stop_(stop),
          threads_(std::clamp(threads, 1u, max_threads)) {}

    // Nothing when stopped; else whether the rows are in order already, and if not, place() knows where they go.
    enum class Result : uint8_t { stopped, in_order, sorted };
    Result sort();
    void place(std::vector<uint32_t>& rows);

  private:
    static constexpr unsigned max_threads = 8;
    static constexpr size_t rows_between_looks = 4096;
    static constexpr size_t least_for_radix = 1024;
    static constexpr size_t least_for_threads = 65536;

    // What a thread found in its part of the rows.
    struct Part {
        uint64_t least = UINT64_MAX;
        uint64_t greatest = 0;
        uint64_t first = 0;
        uint64_t last = 0;
        size_t begin = 0;
        size_t end = 0;
        bool begun = false;    // one has a key
        bool in_order = true;  // those with keys
        bool misfit = false;   // a cell that cannot have such a key
        bool stopped = false;
        std::vector<uint32_t> empty;  // places of rows, ascending
        std::unique_ptr<Vocabulary> vocabulary;

        size_t filled() const { return end - begin - empty.size(); }
        // Calls `visit(place)` for those with keys.
        template <class Visit>
        void each_filled(Visit visit) const {
            auto next_empty = empty.begin();
            for (size_t place = begin; place < end; ++place) {
                if (next_empty != empty.end() && *next_empty == place) {
                    ++next_empty;
                } else {
                    visit(place);
                }
            }
        }
    };
    // Places [begin, end) are to be put in order by this chunk of their text, or by this chunk again, of which the high bits
    // are in order.
    struct Run {
        size_t begin;
        size_t end;
        size_t chunk;
    };

    bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
    unsigned parts_for(size_t size) const { return size < least_for_threads ? 1 : threads_; }

    bool gather(KeyKind kind);
    void gather_part(KeyKind kind, Part& part);
    void gather_numbers(size_t begin, size_t end, Part& part);
    void take_key(size_t place, uint64_t key, Part& part);
    bool key_of(KeyKind kind, const Cell& cell, Part& part, uint64_t& key) const;
    void rank_texts();
    PlacedKeys placed(uint64_t least, uint64_t greatest) const;
    void place_all(const PlacedKeys& placed);
    bool sort_all(uint64_t least, uint64_t greatest);
    bool sort_run(const Run& run);
    void sort_small(const Run& run);
    bool sort_large(const Run& run, uint64_t least, uint64_t greatest);
    std::span<uint64_t> keys_of(const Run& run) { return {&keys_[run.begin], run.end - run.begin}; }
    void push_equal(const Run& run, const PlacedKeys& placed);
    void push_equal(const Run& run, bool same_chunk, size_t begin, size_t end, uint64_t key);

    const Table& table_;
    size_t column_;
    bool endpoints_;
    bool descending_;
    const std::vector<uint32_t>& rows_;
    const std::atomic<bool>* stop_;
    unsigned threads_;
    KeyKind kind_ = KeyKind::number;
    std::vector<Part> parts_;
    // Not filled until threads do that, each its part.
    std::unique_ptr<uint64_t[]> keys_;  // of each place; then placed keys, from the first on
    std::unique_ptr<uint32_t[]>
        places_;  // indices into rows_; only where one look at each row was not enough
    uint64_t place_mask_ = 0;
    size_t filled_ = 0;  // have keys
    std::vector<uint32_t> empty_;
    std::vector<Run> runs_;  // still to be sorted
};

// The cell is not empty. False where there is no such key.
bool RowSorter::key_of(KeyKind kind, const Cell& cell, Part& part, uint64_t& key) const {
    SortText text(endpoints_);
    switch (kind) {
        case KeyKind::number:
            if (cell.kind == Cell::Kind::text) return false;
            key = cell.kind == Cell::Kind::boolean   ? uint64_t{cell.boolean}
                  : cell.kind == Cell::Kind::integer ? static_cast<uint64_t>(cell.integer) ^ sign_bit
                                                     : cell.unsigned_integer;
            return true;
        case KeyKind::hexadecimal:
            return cell.kind == Cell::Kind::text && read_hexadecimal(cell.text, key);
        case KeyKind::rank:
            if (cell.kind != Cell::Kind::text) return false;
            key = part.vocabulary->number_of(cell.text);
            return key != Vocabulary::full;
        case KeyKind::chunk:
            key = cell.kind == Cell::Kind::text ? chunk_of(text.of(cell.text), 0) : 0;
            return true;
    }
    return false;
}

void RowSorter::gather_part(KeyKind kind, Part& part) {
    Cell cell;
    const uint64_t turned = descending_ ? UINT64_MAX : 0;
    for (size_t i = part.begin; i < part.end;) {
        if (stopped()) {
            part.stopped = true;
            return;
        }
        const size_t look = std::min(part.end, i + rows_between_looks);
        if (kind == KeyKind::number) {
            gather_numbers(i, look, part);
            i = look;
        }
        for (; i < look; ++i) {
            table_.cell(rows_[i], column_, cell);
            if (cell.kind == Cell::Kind::empty) {
                part.empty.push_back(static_cast<uint32_t>(i));
                continue;
            }
            uint64_t key = 0;
            if (!key_of(kind, cell, part, key)) {
                part.misfit = true;
                return;
            }
            // Numbers of texts are turned once they are ranks.
            take_key(i, kind == KeyKind::rank ? key : key ^ turned, part);
        }
    }
}

inline void RowSorter::take_key(size_t place, uint64_t key, Part& part) {
    if (!std::exchange(part.begun, true)) part.first = part.last = key;
    part.in_order &= part.last <= key;
    part.least = std::min(part.least, key);
    part.greatest = std::max(part.greatest, key);
    part.last = key;
    keys_[place] = key;
}

// Numbers of rows that lie behind each other are fetched at once.
void RowSorter::gather_numbers(size_t begin, size_t end, Part& part) {
    constexpr size_t most_at_once = 128;
    std::array<uint64_t, most_at_once> values;
    std::array<uint8_t, most_at_once> known;
    const uint64_t sign = table_.columns()[column_].type == ColumnType::integer ? sign_bit : 0;
    const uint64_t turned = descending_ ? UINT64_MAX : 0;
    const NumberSlice slice = {column_, values.data(), known.data()};
    while (begin < end) {
        size_t count = 1;
        while (count < std::min(most_at_once, end - begin) && rows_[begin + count] == rows_[begin] + count)
            ++count;
        table_.numbers(rows_[begin], count, {&slice, 1});
        for (size_t i = 0; i < count; ++i, ++begin) {
            if (known[i] == 0) {
                part.empty.push_back(static_cast<uint32_t>(begin));
            } else {
                take_key(begin, values[i] ^ sign ^ turned, part);
            }
        }
    }
}

// Fills keys_, each part its own stretch of them. False if a cell has no such key, or when stopped.
bool RowSorter::gather(KeyKind kind) {
    const size_t count = parts_for(rows_.size());
    parts_.clear();
    parts_.resize(count);
    for (size_t i = 0; i < count; ++i) {
        parts_[i].begin = rows_.size() * i / count;
        parts_[i].end = rows_.size() * (i + 1) / count;
        if (kind == KeyKind::rank) parts_[i].vocabulary = std::make_unique<Vocabulary>();
    }
    on_threads(count, [&](size_t i) { gather_part(kind, parts_[i]); });
    kind_ = kind;
    return std::none_of(parts_.begin(), parts_.end(),
                        [](const Part& part) { return part.misfit || part.stopped; });
}

// Numbers of texts become their ranks among the texts of all parts.
void RowSorter::rank_texts() {
    SortText sort_text(endpoints_);
    std::vector<std::string> all;
    for (const Part& part : parts_) {
        for (const std::string_view text : part.vocabulary->texts()) all.emplace_back(sort_text.of(text));
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    on_threads(parts_.size(), [&](size_t i) {
        Part& part = parts_[i];
        SortText own_sort_text(endpoints_);
        std::vector<uint64_t> ranks;
        for (const std::string_view text : part.vocabulary->texts()) {
            const auto rank = static_cast<uint64_t>(
                std::lower_bound(all.begin(), all.end(), own_sort_text.of(text)) - all.begin());
            ranks.push_back(descending_ ? all.size() - 1 - rank : rank);
        }
        part.in_order = true;
        part.least = part.filled() == 0 ? UINT64_MAX : 0;
        part.greatest = part.filled() == 0 ? 0 : all.size() - 1;
        bool begun = false;
        part.each_filled([&](size_t place) {
            const uint64_t key = ranks[keys_[place]];
            if (!std::exchange(begun, true)) part.first = part.last = key;
            part.in_order &= part.last <= key;
            keys_[place] = part.last = key;
        });
    });
    for (Part& part : parts_) part.vocabulary.reset();
}

PlacedKeys RowSorter::placed(uint64_t least, uint64_t greatest) const {
    return {least, greatest, static_cast<int>(std::bit_width(rows_.size() - 1))};
}

// Behind the keys their places, without the gaps that empty cells left.
void RowSorter::place_all(const PlacedKeys& placed) {
    place_mask_ = placed.place_mask();
    on_threads(parts_.size(), [&](size_t i) {
        size_t to = parts_[i].begin;
        parts_[i].each_filled([&](size_t place) { keys_[to++] = placed.pack(keys_[place], place); });
    });
    size_t filled = 0;
    for (const Part& part : parts_) {
        if (part.begin != filled)
            std::memmove(&keys_[filled], &keys_[part.begin], part.filled() * sizeof keys_[0]);
        filled += part.filled();
    }
}

RowSorter::Result RowSorter::sort() {
    if (stopped()) return Result::stopped;
    keys_ = std::make_unique_for_overwrite<uint64_t[]>(rows_.size());
    const ColumnInfo& column = table_.columns()[column_];
    bool gathered = false;
    if (column.type == ColumnType::text) {
        gathered = meaning_of(column) == Meaning::hexadecimal && gather(KeyKind::hexadecimal);
        if (!gathered && !stopped() && (gathered = gather(KeyKind::rank))) rank_texts();
        if (!gathered && !stopped()) gathered = gather(KeyKind::chunk);
    } else {
        gathered = gather(KeyKind::number);
    }
    if (!gathered) return Result::stopped;

    uint64_t least = UINT64_MAX;
    uint64_t greatest = 0;
    bool in_order = kind_ != KeyKind::chunk;
    uint64_t last = 0;
    for (const Part& part : parts_) {
        filled_ += part.filled();
        empty_.insert(empty_.end(), part.empty.begin(), part.empty.end());
        if (part.filled() == 0) continue;
        in_order &= part.in_order && last <= part.first;
        last = part.last;
        least = std::min(least, part.least);
        greatest = std::max(greatest, part.greatest);
    }
    // In order are empty ones only behind all others.
    if (in_order && (empty_.empty() || empty_.front() == filled_)) return Result::in_order;
    if (filled_ == 0) return Result::sorted;
    if (!sort_all(least, greatest)) return Result::stopped;
    for (size_t since_look = 0; !runs_.empty();) {
        const Run run = runs_.back();
        runs_.pop_back();
        since_look += run.end - run.begin;
        if (since_look >= rows_between_looks) {
            if (stopped()) return Result::stopped;
            since_look = 0;
        }
        if (!sort_run(run)) return Result::stopped;
    }
    return Result::sorted;
}

bool RowSorter::sort_all(uint64_t least, uint64_t greatest) {
    const Run all{0, filled_, 0};
    const PlacedKeys keys = placed(least, greatest);
    place_all(keys);
    if (!keys.sort(keys_of(all), parts_for(filled_), stop_)) return false;
    push_equal(all, keys);
    if (runs_.empty()) return true;
    places_ = std::make_unique_for_overwrite<uint32_t[]>(filled_);
    for (size_t i = 0; i < filled_; ++i) places_[i] = static_cast<uint32_t>(keys_[i] & place_mask_);
    return true;
}

// Gets the keys of a part of the rows anew.
bool RowSorter::sort_run(const Run& run) {
    const uint64_t turned = descending_ ? UINT64_MAX : 0;
    const bool in_chunks = kind_ == KeyKind::chunk;
    Part part;
    Cell cell;
    SortText text(endpoints_);
    uint64_t least = UINT64_MAX;
    uint64_t greatest = 0;
    for (size_t i = run.begin; i < run.end; ++i) {
        if ((i - run.begin) % rows_between_looks == rows_between_looks - 1 && stopped()) return false;
        table_.cell(rows_[places_[i]], column_, cell);
        uint64_t key = 0;
        if (!in_chunks) {
            key_of(kind_, cell, part, key);
        } else if (cell.kind == Cell::Kind::text) {
            key = chunk_of(text.of(cell.text), run.chunk);
        }
        keys_[i] = key ^= turned;
        least = std::min(least, key);
        greatest = std::max(greatest, key);
    }
    if (run.end - run.begin < least_for_radix) {
        sort_small(run);
        return true;
    }
    return sort_large(run, least, greatest);
}

void RowSorter::sort_small(const Run& run) {
    std::array<std::pair<uint64_t, uint32_t>, least_for_radix> items;
    const size_t size = run.end - run.begin;
    for (size_t i = 0; i < size; ++i) items[i] = {keys_[run.begin + i], places_[run.begin + i]};
    std::sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(size));
    for (size_t i = 0; i < size; ++i) {
        keys_[run.begin + i] = items[i].first;
        places_[run.begin + i] = items[i].second;
    }
    if (kind_ != KeyKind::chunk) return;
    for (size_t i = 0; i < size;) {
        size_t end = i + 1;
        while (end < size && items[end].first == items[i].first) ++end;
        push_equal(run, false, i, end, items[i].first);
        i = end;
    }
}

bool RowSorter::sort_large(const Run& run, uint64_t least, uint64_t greatest) {
    const PlacedKeys placed = this->placed(least, greatest);
    const std::span<uint64_t> keys = keys_of(run);
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = placed.pack(keys[i], places_[run.begin + i]);
    if (!placed.sort(keys, parts_for(keys.size()), stop_)) return false;
    for (size_t i = 0; i < keys.size(); ++i)
        places_[run.begin + i] = static_cast<uint32_t>(keys[i] & place_mask_);
    push_equal(run, placed);
    return true;
}

// What is equal so far and need not be in the end.
void RowSorter::push_equal(const Run& run, const PlacedKeys& placed) {
    const bool same_chunk = !placed.whole();
    if (!same_chunk && kind_ != KeyKind::chunk) return;
    const std::span<const uint64_t> keys = keys_of(run);
    for (size_t i = 0; i < keys.size();) {
        const uint64_t key = placed.key(keys[i]);
        size_t end = i + 1;
        while (end < keys.size() && placed.key(keys[end]) == key) ++end;
        push_equal(run, same_chunk, i, end, key);
        i = end;
    }
}

// Of the run, what is equal from `begin` to `end`.
void RowSorter::push_equal(const Run& run, bool same_chunk, size_t begin, size_t end, uint64_t key) {
    if (end - begin < 2) return;
    const uint64_t turned = descending_ ? UINT64_MAX : 0;
    if (same_chunk || ((key ^ turned) & 0xff) == text_goes_on)
        runs_.push_back({run.begin + begin, run.begin + end, run.chunk + (same_chunk ? 0 : 1)});
}

void RowSorter::place(std::vector<uint32_t>& rows) {
    std::vector<uint32_t> behind;
    behind.reserve(empty_.size());
    for (const uint32_t place : empty_) behind.push_back(rows[place]);
    // Where the keys were, of which each is read before it is written over.
    on_threads(parts_for(filled_), [&](size_t part) {
        const size_t parts = parts_for(filled_);
        for (size_t i = filled_ * part / parts; i < filled_ * (part + 1) / parts; ++i)
            keys_[i] = rows[places_ ? places_[i] : keys_[i] & place_mask_];
    });
    for (size_t i = 0; i < filled_; ++i) rows[i] = static_cast<uint32_t>(keys_[i]);
    std::copy(behind.begin(), behind.end(), rows.begin() + static_cast<std::ptrdiff_t>(filled_));
}

}  // namespace

bool order_rows(const Table& table, size_t column, bool descending, std::vector<uint32_t>& rows,
                const std::atomic<bool>* stop, unsigned threads) {
    RowSorter sorter(table, column, descending, rows, stop, threads);
    const RowSorter::Result result = sorter.sort();
    if (result == RowSorter::Result::sorted) sorter.place(rows);
    return result != RowSorter::Result::stopped;
}

}  // namespace sanscope

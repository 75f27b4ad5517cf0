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
#include <thread>
#include <utility>

#include "analyzer/base/byte_order.h"
#include "analyzer/query/column_meaning.h"
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

// 32-bit numbers in memory that is there for 64-bit ones.
class Words {
  public:
    explicit Words(std::span<uint64_t> memory) : bytes_(reinterpret_cast<std::byte*>(memory.data())) {}
    void set(size_t i, uint32_t value) { std::memcpy(bytes_ + i * sizeof value, &value, sizeof value); }
    void copy_to(uint32_t* values, size_t count) const {
        std::memcpy(values, bytes_, count * sizeof *values);
    }

  private:
    std::byte* bytes_;
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
    static constexpr int digit_bits = 8;
    static constexpr size_t digits = size_t{1} << digit_bits;
    using Histogram = std::array<uint32_t, digits>;

    // What a thread found in its part of the rows.
    struct Part {
        uint64_t least = UINT64_MAX;
        uint64_t greatest = 0;
        uint64_t first = 0;
        uint64_t last = 0;
        size_t begin = 0;
        size_t filled = 0;     // with keys, from `begin` on
        bool in_order = true;  // those with keys
        bool misfit = false;   // a cell that cannot have such a key
        bool stopped = false;
        std::vector<uint32_t> empty;  // places of rows
        std::unique_ptr<Vocabulary> vocabulary;
    };
    // Places [begin, end) are to be put in order by this chunk of their text, or by this chunk again, of which the high bits
    // are in order.
    struct Run {
        size_t begin;
        size_t end;
        size_t chunk;
    };

    bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
    template <class Work>
    void on_threads(size_t parts, const Work& work) const;
    size_t parts_for(size_t size) const { return size < least_for_threads ? 1 : threads_; }

    bool gather(KeyKind kind);
    void gather_part(KeyKind kind, size_t end, Part& part);
    bool key_of(KeyKind kind, const Cell& cell, Part& part, uint64_t& key) const;
    void rank_texts();
    void join_parts();
    bool sort_run(const Run& run);
    void sort_small(const Run& run);
    bool sort_large(const Run& run, uint64_t least, uint64_t greatest);
    bool radix_sort(std::span<uint64_t>& from, std::span<uint64_t>& to, int low_bit, int high_bit) const;
    void push_equal(const Run& run, std::span<const uint64_t> keys, int place_bits, int cut_bits);

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
    std::unique_ptr<uint64_t[]> keys_;
    std::unique_ptr<uint64_t[]> other_;
    std::unique_ptr<uint32_t[]> places_;  // indices into rows_
    size_t filled_ = 0;                   // of these, from the first on
    std::vector<uint32_t> empty_;
    std::vector<Run> runs_;  // still to be sorted
};

template <class Work>
void RowSorter::on_threads(size_t parts, const Work& work) const {
    std::vector<std::thread> others;
    for (size_t part = 1; part < parts; ++part) others.emplace_back([&work, part] { work(part); });
    work(0);
    for (std::thread& other : others) other.join();
}

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

void RowSorter::gather_part(KeyKind kind, size_t end, Part& part) {
    Cell cell;
    const uint64_t turned = descending_ ? UINT64_MAX : 0;
    size_t to = part.begin;
    for (size_t i = part.begin; i < end;) {
        if (stopped()) {
            part.stopped = true;
            return;
        }
        const size_t look = std::min(end, i + rows_between_looks);
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
            if (kind != KeyKind::rank) key ^= turned;
            if (to == part.begin) {
                part.first = part.last = key;
            }
            part.in_order &= part.last <= key;
            part.least = std::min(part.least, key);
            part.greatest = std::max(part.greatest, key);
            part.last = key;
            keys_[to] = key;
            places_[to++] = static_cast<uint32_t>(i);
        }
    }
    part.filled = to - part.begin;
}

// Fills keys_ and places_, each part in its own stretch of them. False if a cell has no such key, or when stopped.
bool RowSorter::gather(KeyKind kind) {
    const size_t count = parts_for(rows_.size());
    parts_.clear();
    parts_.resize(count);
    for (size_t i = 0; i < count; ++i) {
        parts_[i].begin = rows_.size() * i / count;
        if (kind == KeyKind::rank) parts_[i].vocabulary = std::make_unique<Vocabulary>();
    }
    on_threads(count, [&](size_t i) { gather_part(kind, rows_.size() * (i + 1) / count, parts_[i]); });
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
        part.least = part.filled == 0 ? UINT64_MAX : 0;
        part.greatest = part.filled == 0 ? 0 : all.size() - 1;
        uint64_t last = 0;
        for (size_t at = part.begin; at < part.begin + part.filled; ++at) {
            const uint64_t key = ranks[keys_[at]];
            if (at == part.begin) part.first = key;
            part.in_order &= last <= key;
            keys_[at] = last = key;
        }
        part.last = last;
    });
    for (Part& part : parts_) part.vocabulary.reset();
}

// Closes the gaps that empty cells left between the parts.
void RowSorter::join_parts() {
    size_t filled = 0;
    for (const Part& part : parts_) {
        if (part.begin != filled) {
            std::memmove(&keys_[filled], &keys_[part.begin], part.filled * sizeof keys_[0]);
            std::memmove(&places_[filled], &places_[part.begin], part.filled * sizeof places_[0]);
        }
        filled += part.filled;
        empty_.insert(empty_.end(), part.empty.begin(), part.empty.end());
    }
    filled_ = filled;
}

RowSorter::Result RowSorter::sort() {
    if (stopped()) return Result::stopped;
    keys_ = std::make_unique_for_overwrite<uint64_t[]>(rows_.size());
    places_ = std::make_unique_for_overwrite<uint32_t[]>(rows_.size());
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
    size_t next_empty = 0;
    for (const Part& part : parts_) {
        next_empty += part.empty.size();
        if (part.filled == 0) continue;
        in_order &= part.in_order && last <= part.first;
        last = part.last;
        least = std::min(least, part.least);
        greatest = std::max(greatest, part.greatest);
    }
    join_parts();
    // In order are empty ones only behind all others.
    if (in_order && (next_empty == 0 || empty_.front() == filled_)) return Result::in_order;
    if (filled_ > 1) {
        const Run all{0, filled_, 0};
        if (all.end < least_for_radix) {
            sort_small(all);
        } else {
            other_ = std::make_unique_for_overwrite<uint64_t[]>(filled_);
            if (!sort_large(all, least, greatest)) return Result::stopped;
        }
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
    }
    return Result::sorted;
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
    push_equal(run, {&keys_[run.begin], size}, 0, 0);
}

// Places are packed behind as many high bits of the keys as there is room for, so that eight bytes move together.
bool RowSorter::sort_large(const Run& run, uint64_t least, uint64_t greatest) {
    const size_t size = run.end - run.begin;
    const int place_bits = static_cast<int>(std::bit_width(size - 1));
    const int key_bits = static_cast<int>(std::bit_width(greatest - least));
    const int cut_bits = std::max(0, key_bits - (64 - place_bits));
    std::span<uint64_t> from(&keys_[run.begin], size);
    std::span<uint64_t> to(&other_[run.begin], size);
    on_threads(parts_for(size), [&](size_t part) {
        const size_t parts = parts_for(size);
        for (size_t i = size * part / parts; i < size * (part + 1) / parts; ++i) {
            from[i] = (from[i] - least) >> cut_bits << place_bits | i;
        }
    });
    if (!radix_sort(from, to, place_bits, place_bits + key_bits - cut_bits)) return false;
    // `to` is free now: for the places in their new order.
    Words moved(to);
    const uint64_t place_mask = (uint64_t{1} << place_bits) - 1;
    on_threads(parts_for(size), [&](size_t part) {
        const size_t parts = parts_for(size);
        for (size_t i = size * part / parts; i < size * (part + 1) / parts; ++i) {
            moved.set(i, places_[run.begin + (from[i] & place_mask)]);
        }
    });
    moved.copy_to(&places_[run.begin], size);
    if (cut_bits == 0) {
        // The keys whole again, for push_equal().
        if (kind_ != KeyKind::chunk) return true;
        for (uint64_t& key : from) key = (key >> place_bits) + least;
        push_equal(run, from, 0, 0);
    } else {
        push_equal(run, from, place_bits, cut_bits);
    }
    return true;
}

// Least significant digit first, over the bits [low_bit, high_bit); swaps the two until the result is in `from`. What is
// equal stays in order.
bool RowSorter::radix_sort(std::span<uint64_t>& from, std::span<uint64_t>& to, int low_bit,
                           int high_bit) const {
    const size_t size = from.size();
    const size_t parts = parts_for(size);
    std::vector<Histogram> counts(parts);
    for (int bit = low_bit; bit < high_bit; bit += digit_bits) {
        if (stopped()) return false;
        const uint64_t mask = (uint64_t{1} << std::min(digit_bits, high_bit - bit)) - 1;
        const auto digit = [&](uint64_t item) { return item >> bit & mask; };
        on_threads(parts, [&](size_t part) {
            Histogram count{};
            for (size_t i = size * part / parts; i < size * (part + 1) / parts; ++i) ++count[digit(from[i])];
            counts[part] = count;
        });
        uint32_t next = 0;
        bool varies = false;
        for (size_t value = 0; value < digits; ++value) {
            const uint32_t before = next;
            for (Histogram& count : counts) next += std::exchange(count[value], next);
            varies |= next != before && next - before != size;
        }
        if (!varies) continue;
        on_threads(parts, [&](size_t part) {
            Histogram at = counts[part];
            for (size_t i = size * part / parts; i < size * (part + 1) / parts; ++i) {
                const uint64_t item = from[i];
                to[at[digit(item)]++] = item;
            }
        });
        std::swap(from, to);
    }
    return true;
}

// What is equal so far and need not be in the end.
void RowSorter::push_equal(const Run& run, std::span<const uint64_t> keys, int place_bits, int cut_bits) {
    const bool in_chunks = kind_ == KeyKind::chunk;
    if (cut_bits == 0 && !in_chunks) return;
    const uint64_t turned = descending_ ? UINT64_MAX : 0;
    for (size_t i = 0; i < keys.size();) {
        const uint64_t key = keys[i] >> place_bits;
        size_t end = i + 1;
        while (end < keys.size() && keys[end] >> place_bits == key) ++end;
        if (end - i > 1) {
            const bool same_chunk = cut_bits > 0;
            const bool goes_on = same_chunk || ((key ^ turned) & 0xff) == text_goes_on;
            if (goes_on) runs_.push_back({run.begin + i, run.begin + end, run.chunk + (same_chunk ? 0 : 1)});
        }
        i = end;
    }
}

void RowSorter::place(std::vector<uint32_t>& rows) {
    std::vector<uint32_t> behind;
    for (const uint32_t place : empty_) behind.push_back(rows[place]);
    Words moved({keys_.get(), rows.size()});
    on_threads(parts_for(filled_), [&](size_t part) {
        const size_t parts = parts_for(filled_);
        for (size_t i = filled_ * part / parts; i < filled_ * (part + 1) / parts; ++i) {
            moved.set(i, rows[places_[i]]);
        }
    });
    moved.copy_to(rows.data(), filled_);
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

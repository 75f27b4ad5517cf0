// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/request_pattern.h"

#include <fmt/format.h>
#include <iterator>
#include <random>
#include <utility>

namespace sanscope::lab {
namespace {

constexpr uint64_t gigabyte = 1 << 30;
constexpr uint64_t seed_of_all = 1;

uint64_t blocks_of(uint64_t bytes) {
    return (bytes + file_system_block - 1) / file_system_block;
}

// The same of any library, unlike its distributions; how uneven it is matters to nobody.
class Draw {
  public:
    explicit Draw(uint64_t seed) : random_(seed) {}

    uint64_t below(uint64_t end) { return random_() % end; }
    uint64_t from_to(uint64_t least, uint64_t most) { return least + below(most - least + 1); }
    bool one_in(uint64_t many) { return below(many) == 0; }

  private:
    std::mt19937_64 random_;
};

// Files of which each has its place for good, large enough for the largest; behind them, 128 bytes of metadata for each.
class FilePool {
  public:
    FilePool(const PostmarkShape& shape, Draw& draw) : shape_(shape), draw_(draw) {
        for (uint64_t place = 0; place < shape.files; ++place) files_.push_back({place, size()});
        for (uint64_t place = 2 * shape.files; place > shape.files; --place) free_.push_back(place - 1);
    }

    void read_any() {
        if (files_.empty()) return;
        const File& file = any();
        add(false, begin_of(file.place), blocks_of(file.bytes));
    }

    void append_to_any() {
        if (files_.empty()) return;
        File& file = any();
        if (file.bytes >= shape_.most_bytes) return;
        const uint64_t whole = file.bytes / file_system_block;
        // A block that is written in part is read before.
        if (file.bytes % file_system_block != 0) add(false, begin_of(file.place) + whole, 1);
        file.bytes += draw_.from_to(1, shape_.most_bytes - file.bytes);
        add(true, begin_of(file.place) + whole, blocks_of(file.bytes) - whole);
        write_metadata(file.place);
    }

    void create() {
        if (free_.empty()) return;
        const File file{free_.back(), size()};
        free_.pop_back();
        add(true, begin_of(file.place), blocks_of(file.bytes));
        write_metadata(file.place);
        files_.push_back(file);
    }

    void remove_any() {
        if (files_.empty()) return;
        File& file = any();
        write_metadata(file.place);
        free_.push_back(file.place);
        file = files_.back();
        files_.pop_back();
    }

    std::vector<BlockRequest> take() { return std::move(requests_); }

  private:
    struct File {
        uint64_t place;
        uint64_t bytes;
    };

    uint64_t size() { return draw_.from_to(shape_.least_bytes, shape_.most_bytes); }
    File& any() { return files_[draw_.below(files_.size())]; }
    uint64_t begin_of(uint64_t place) const { return place * blocks_of(shape_.most_bytes); }

    void add(bool write, uint64_t block, uint64_t blocks) {
        requests_.push_back({write, block * file_system_block, blocks * file_system_block});
    }

    void write_metadata(uint64_t place) {
        constexpr uint64_t inodes_of_block = file_system_block / 128;
        add(true, begin_of(2 * shape_.files) + place / inodes_of_block, 1);
    }

    const PostmarkShape& shape_;
    Draw& draw_;
    std::vector<File> files_;
    std::vector<uint64_t> free_;  // places
    std::vector<BlockRequest> requests_;
};

}  // namespace

std::vector<BlockRequest> postmark_requests(const PostmarkShape& shape, uint64_t seed) {
    Draw draw(seed);
    FilePool pool(shape, draw);
    for (uint64_t i = 0; i < shape.transactions; ++i) {
        if (draw.one_in(2)) {
            pool.read_any();
        } else {
            pool.append_to_any();
        }
        if (draw.one_in(2)) {
            pool.create();
        } else {
            pool.remove_any();
        }
    }
    return pool.take();
}

std::vector<BlockRequest> rewrite_requests(uint64_t file_bytes, uint64_t piece_bytes) {
    std::vector<BlockRequest> requests;
    for (uint64_t offset = 0; offset + piece_bytes <= file_bytes; offset += piece_bytes) {
        requests.push_back({false, offset, piece_bytes});
        requests.push_back({true, offset, piece_bytes});
    }
    return requests;
}

std::vector<BlockRequest> seek_requests(uint64_t file_bytes, uint64_t seeks, uint64_t seed) {
    Draw draw(seed);
    std::vector<BlockRequest> requests;
    constexpr uint64_t seeks_of_a_write = 10;
    for (uint64_t i = 0; i < seeks; ++i) {
        const uint64_t offset = draw.below(file_bytes / file_system_block) * file_system_block;
        requests.push_back({false, offset, file_system_block});
        if (draw.one_in(seeks_of_a_write)) requests.push_back({true, offset, file_system_block});
    }
    return requests;
}

std::vector<BlockRequest> requests_of(Pattern pattern) {
    // What a file system makes of small sequential calls.
    constexpr uint64_t merged = 128 << 10;
    // More than a run has time for: it is to end by its time. Bonnie++ makes 8000.
    constexpr uint64_t seeks = 100'000;
    switch (pattern) {
        case Pattern::postmark:
            return postmark_requests({}, seed_of_all);
        case Pattern::rewrite:
            return rewrite_requests(gigabyte, merged);
        case Pattern::seeks:
            return seek_requests(gigabyte, seeks, seed_of_all);
        case Pattern::sequential:
            break;
    }
    return {};
}

std::string request_list_text(std::span<const BlockRequest> requests) {
    std::string text = "offset_ns,operation,offset,bytes\n";
    for (const BlockRequest& request : requests) {
        fmt::format_to(std::back_inserter(text), "0,{},{},{}\n", request.write ? "write" : "read",
                       request.offset, request.bytes);
    }
    return text;
}

}  // namespace sanscope::lab

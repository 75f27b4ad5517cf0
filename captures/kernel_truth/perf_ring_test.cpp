// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/perf_ring.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr size_t ring_bytes = 4096;

// A file in memory stands for the kernel, which writes through a mapping of its own.
class PerfRingTest : public testing::Test {
  protected:
    PerfRingTest()
        : page_(static_cast<size_t>(::sysconf(_SC_PAGESIZE))),
          file_(::memfd_create("ring", 0)),
          kernel_(sized(file_.get(), page_ + ring_bytes), page_ + ring_bytes, PROT_READ | PROT_WRITE),
          control_(static_cast<perf_event_mmap_page*>(kernel_.get())),
          ring_(file_.get(), ring_bytes) {}

    static int sized(int file, size_t bytes) {
        EXPECT_EQ(::ftruncate(file, static_cast<off_t>(bytes)), 0);
        return file;
    }
    void put(const void* bytes, size_t count) {
        auto* const data = static_cast<uint8_t*>(kernel_.get()) + page_;
        for (size_t i = 0; i < count; ++i) {
            data[(control_->data_head + i) % ring_bytes] = static_cast<const uint8_t*>(bytes)[i];
        }
        control_->data_head += count;
    }
    // A record whose bytes behind its header are all `content`.
    void write(uint16_t size, uint8_t content) {
        std::vector<uint8_t> record(size, content);
        const perf_event_header header{PERF_RECORD_SAMPLE, 0, size};
        std::memcpy(record.data(), &header, sizeof header);
        put(record.data(), record.size());
    }
    // The content of each record read, 0 for one that is not whole.
    std::vector<int> read() {
        std::vector<int> contents;
        ring_.read([&](std::span<const uint8_t> record) {
            const auto body = record.subspan(sizeof(perf_event_header));
            const bool whole = std::ranges::all_of(body, [&](uint8_t byte) { return byte == body[0]; });
            contents.push_back(whole ? body[0] : 0);
        });
        return contents;
    }

    size_t page_;
    Descriptor file_;
    SharedMapping kernel_;
    perf_event_mmap_page* control_;
    PerfRing ring_;
};

TEST_F(PerfRingTest, reads_each_record_once_and_gives_its_room_back) {
    write(64, 1);
    write(32, 2);
    EXPECT_THAT(read(), ElementsAre(1, 2));
    EXPECT_EQ(control_->data_tail, 96u);
    EXPECT_THAT(read(), IsEmpty());
    write(16, 3);
    EXPECT_THAT(read(), ElementsAre(3));
}

TEST_F(PerfRingTest, joins_a_record_that_passes_the_end) {
    for (uint8_t i = 1; i <= 100; ++i) {
        write(1000, i);
        EXPECT_THAT(read(), ElementsAre(i));
    }
}

TEST_F(PerfRingTest, leaves_what_makes_no_sense) {
    write(64, 1);
    const perf_event_header too_long{PERF_RECORD_SAMPLE, 0, 640};
    put(&too_long, sizeof too_long);
    EXPECT_THAT(read(), ElementsAre(1));
    EXPECT_THAT(read(), IsEmpty());
    const perf_event_header too_short{PERF_RECORD_SAMPLE, 0, 0};
    put(&too_short, sizeof too_short);
    EXPECT_THAT(read(), IsEmpty());
    write(64, 4);
    EXPECT_THAT(read(), ElementsAre(4));
}

}  // namespace
}  // namespace sanscope

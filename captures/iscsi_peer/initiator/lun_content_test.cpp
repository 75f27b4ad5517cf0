// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/lun_content.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "captures/load/verify_pattern.h"

namespace sanscope {
namespace {

constexpr uint64_t gib = uint64_t{1} << 30;

// A LUN of which only the edges are there; places count from its beginning, or back from its end.
class Lun {
  public:
    explicit Lun(uint64_t size = 2000 * gib, uint32_t block_size = 512)
        : size_(size),
          block_size_(block_size),
          beginning_(std::min(size, lun_beginning_bytes)),
          end_(std::min(size, lun_end_bytes)) {}

    Lun& put(size_t at, std::string_view bytes) {
        std::copy(bytes.begin(), bytes.end(), beginning_.begin() + static_cast<ptrdiff_t>(at));
        return *this;
    }
    template <class T>
    Lun& number(size_t at, T value) {
        std::memcpy(&beginning_[at], &value, sizeof value);
        return *this;
    }
    template <class T>
    Lun& number_before_end(size_t back, T value) {
        std::memcpy(&end_[end_.size() - back], &value, sizeof value);
        return *this;
    }
    std::vector<uint8_t>& beginning() { return beginning_; }
    std::vector<uint8_t>& end() { return end_; }

    std::string content() const {
        const auto content =
            lun_content({.size = size_, .block_size = block_size_, .beginning = beginning_, .end = end_});
        EXPECT_TRUE(content) << content.error().message;
        return content ? *content : "";
    }

    uint64_t size() const { return size_; }

  private:
    uint64_t size_;
    uint32_t block_size_;
    std::vector<uint8_t> beginning_;
    std::vector<uint8_t> end_;
};

// The CRC of UEFI's tables: that of Ethernet, bit by bit.
uint32_t crc32(const uint8_t* bytes, size_t length) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < length; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

// The primary header of an empty table (UEFI 2.10 §5.3.2) and the protective MBR before it.
Lun with_gpt(uint64_t size, uint32_t sector, uint32_t block_size) {
    Lun lun(size, block_size);
    lun.number<uint8_t>(446 + 4, 0xee).number<uint32_t>(446 + 8, 1).number<uint32_t>(446 + 12, 0xffffffff);
    lun.number<uint16_t>(510, 0xaa55);
    const size_t header = sector;
    const uint64_t last = size / sector - 1;
    constexpr uint32_t entries = 128;
    constexpr uint32_t entry_bytes = 128;
    const uint32_t entry_sectors = entries * entry_bytes / sector;
    lun.put(header, "EFI PART").number<uint32_t>(header + 8, 0x00010000).number<uint32_t>(header + 12, 92);
    lun.number<uint64_t>(header + 24, 1).number<uint64_t>(header + 32, last);
    lun.number<uint64_t>(header + 40, 2 + entry_sectors)
        .number<uint64_t>(header + 48, last - entry_sectors - 1);
    lun.number<uint64_t>(header + 72, 2).number<uint32_t>(header + 80, entries);
    lun.number<uint32_t>(header + 84, entry_bytes);
    lun.number<uint32_t>(header + 88, crc32(&lun.beginning()[2 * sector], entries * entry_bytes));
    lun.number<uint32_t>(header + 16, crc32(&lun.beginning()[header], 92));
    return lun;
}

// A superblock of ext4 (Linux, fs/ext4/ext4.h) with a journal and extents.
Lun with_ext4(std::string_view label) {
    Lun lun;
    lun.number<uint32_t>(1024, 1000).number<uint32_t>(1024 + 4, 4000).number<uint32_t>(1024 + 24, 2);
    lun.number<uint16_t>(1024 + 0x38, 0xef53).number<uint32_t>(1024 + 0x4c, 1);
    lun.number<uint32_t>(1024 + 0x5c, 0x4).number<uint32_t>(1024 + 0x60, 0x42);
    return lun.put(1024 + 0x78, label);
}

TEST(LunContent, NothingIsNothing) {
    EXPECT_EQ(Lun().content(), "");
    EXPECT_EQ(Lun(512).content(), "");
    EXPECT_EQ(Lun(100'000).content(), "");
    EXPECT_EQ(*lun_content({}), "");
}

TEST(LunContent, DataThatNobodyKnowsIsNothing) {
    for (const uint64_t seed : {1u, 2u, 3u}) {
        Lun pattern;
        VerifyPattern(seed).fill(pattern.beginning(), 0, 1);
        VerifyPattern(seed).fill(pattern.end(), pattern.size() - pattern.end().size(), 1);
        EXPECT_EQ(pattern.content(), "");
    }
    Lun ones;
    std::ranges::fill(ones.beginning(), uint8_t{0xff});
    EXPECT_EQ(ones.content(), "");
}

TEST(LunContent, AGptIsKnownWhateverBlocksItCountsIn) {
    EXPECT_EQ(with_gpt(100 * gib, 512, 512).content(), "a GPT partition table");
    EXPECT_EQ(with_gpt(100 * gib, 4096, 4096).content(), "a GPT partition table");
    EXPECT_EQ(with_gpt(100 * gib, 512, 4096).content(), "a GPT partition table");
}

TEST(LunContent, ABackupOfAGptIsKnownWithoutTheFirst) {
    Lun whole = with_gpt(100 * gib, 512, 512);
    // The backup's header is the last sector, its entries lie before it.
    const uint64_t last = 100 * gib / 512 - 1;
    std::array<uint8_t, 512> header{};
    std::memcpy(header.data(), &whole.beginning()[512], 512);
    const uint64_t entries_at = last - 32;
    const uint64_t first = 1;
    std::memcpy(&header[24], &last, 8);
    std::memcpy(&header[32], &first, 8);
    std::memcpy(&header[72], &entries_at, 8);
    std::memset(&header[16], 0, 4);
    const uint32_t crc = crc32(header.data(), 92);
    std::memcpy(&header[16], &crc, 4);
    Lun lun(100 * gib);
    std::copy(header.begin(), header.end(), lun.end().end() - 512);
    EXPECT_EQ(lun.content(), "a GPT partition table");
}

TEST(LunContent, AnMbrWithAPartition) {
    Lun lun;
    lun.number<uint8_t>(446 + 4, 0x83).number<uint32_t>(446 + 8, 2048).number<uint32_t>(446 + 12, 100'000);
    lun.number<uint16_t>(510, 0xaa55);
    EXPECT_EQ(lun.content(), "an MBR partition table");
}

TEST(LunContent, AFileSystemWithItsLabel) {
    EXPECT_EQ(with_ext4("home").content(), "ext4 file system 'home'");
    EXPECT_EQ(with_ext4("").content(), "ext4 file system");
}

TEST(LunContent, ALabelIsShownWithoutControlCharacters) {
    const std::string content = with_ext4("a\x1b[2J\nb").content();
    EXPECT_THAT(content, testing::StartsWith("ext4 file system 'a"));
    EXPECT_EQ(content.find_first_of("\x1b\n"), std::string::npos);
}

TEST(LunContent, Swap) {
    Lun lun;
    lun.put(4096 - 10, "SWAPSPACE2").number<uint32_t>(1024, 1).number<uint32_t>(1028, 100'000);
    EXPECT_EQ(lun.content(), "swap data");
}

// Version 1.0 of the metadata of Linux's arrays lies at the end: 8 KiB before it, at a multiple of 4 KiB.
TEST(LunContent, AnArraysMemberIsKnownByItsEnd) {
    Lun lun;
    lun.number_before_end<uint32_t>(8192, 0xa92b4efc).number_before_end<uint32_t>(8192 - 4, 1);
    lun.number_before_end<uint64_t>(8192 - 144, (lun.size() >> 9) - 16);
    EXPECT_THAT(lun.content(), testing::StartsWith("a member of an array or a pool (linux_raid_member)"));
}

TEST(LunContent, NtfsIsKnownThoughItsFileTableIsNotThere) {
    Lun lun;
    lun.put(3, "NTFS    ").number<uint16_t>(510, 0xaa55);
    lun.number<uint16_t>(11, 512).number<uint8_t>(13, 8).number<uint64_t>(40, lun.size() / 512 - 1);
    lun.number<uint64_t>(48, 786'432);
    EXPECT_EQ(lun.content(), "ntfs file system");
}

TEST(LunContent, ABootSectorIsSomething) {
    Lun lun;
    lun.put(0, "\xfa\xeb").number<uint16_t>(510, 0xaa55);
    EXPECT_THAT(lun.content(), testing::AnyOf("a boot sector", "an MBR partition table"));
}

TEST(LunContent, ALunThatClaimsToBeTooLargeIsAnError) {
    EXPECT_FALSE(lun_content({.size = ~uint64_t{0}}));
    const auto largest = lun_content({.size = ~uint64_t{0} >> 1});
    EXPECT_EQ(largest ? *largest : "", "");
}

}  // namespace
}  // namespace sanscope

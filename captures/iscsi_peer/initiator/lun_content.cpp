// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/lun_content.h"

#include <algorithm>
#include <bit>
#include <blkid/blkid.h>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <limits>
#include <memory>
#include <string_view>
#include <sys/mman.h>
#include <sys/types.h>
#include <type_traits>
#include <unistd.h>
#include <vector>

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/utf8.h"

namespace sanscope {
namespace {

struct FreeProbe {
    void operator()(blkid_probe probe) const { blkid_free_probe(probe); }
};
using Probe = std::unique_ptr<std::remove_pointer_t<blkid_probe>, FreeProbe>;

Error errno_error(std::string_view what) {
    return Error{fmt::format("cannot tell what is on the LUN: {}: {}", what, std::strerror(errno))};
}

bool write_at(int descriptor, std::span<const uint8_t> bytes, uint64_t at) {
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(written));
        at += static_cast<uint64_t>(written);
    }
    return true;
}

// The LUN as a file of its size, which takes the memory of its edges only. What lies between them is zeros.
Result<FileDescriptor> as_file(const LunEdges& lun) {
    FileDescriptor file(::memfd_create("lun", MFD_CLOEXEC));
    if (file.get() < 0) return errno_error("memfd_create");
    if (::ftruncate(file.get(), static_cast<off_t>(lun.size)) != 0) return errno_error("a file of its size");
    const auto end_length = static_cast<size_t>(std::min<uint64_t>(lun.end.size(), lun.size));
    const auto beginning_length = static_cast<size_t>(std::min<uint64_t>(lun.beginning.size(), lun.size));
    if (!write_at(file.get(), lun.end.last(end_length), lun.size - end_length) ||
        !write_at(file.get(), lun.beginning.first(beginning_length), 0)) {
        return errno_error("a copy of its edges");
    }
    return file;
}

std::string value_of(blkid_probe probe, const char* name) {
    const char* value = nullptr;
    size_t size = 0;
    if (blkid_probe_lookup_value(probe, name, &value, &size) != 0 || value == nullptr) return "";
    return std::string(value, ::strnlen(value, size));
}

std::string shown(std::string_view name) {
    std::string text = cleaned_text(name);
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return text;
}

std::string partition_table(std::string_view type) {
    if (type == "gpt") return "a GPT partition table";
    if (type == "dos") return "an MBR partition table";
    if (type == "PMBR") return "a protective MBR";
    return fmt::format("a partition table ({})", type);
}

std::string superblock(std::string_view type, std::string_view usage, std::string_view label) {
    std::string text;
    if (usage == "raid" || type.ends_with("_member")) {
        text = fmt::format("a member of an array or a pool ({})", type);
    } else if (usage == "filesystem") {
        text = fmt::format("{} file system", type);
    } else if (usage == "crypto") {
        text = fmt::format("encrypted data ({})", type);
    } else {
        text = fmt::format("{} data", type);
    }
    if (!label.empty()) text += fmt::format(" '{}'", shown(label));
    return text;
}

void add_once(std::vector<std::string>& found, std::string text) {
    if (std::ranges::find(found, text) == found.end()) found.push_back(std::move(text));
}

Result<std::monostate> probe_all(int file, uint64_t size, uint32_t sector_size,
                                 std::vector<std::string>& found) {
    const Probe probe(blkid_new_probe());
    if (probe == nullptr ||
        blkid_probe_set_device(probe.get(), file, 0, static_cast<blkid_loff_t>(size)) != 0)
        return errno_error("libblkid");
    blkid_probe_set_sectorsize(probe.get(), sector_size);
    blkid_probe_enable_superblocks(probe.get(), 1);
    // A superblock with a wrong checksum is one all the same: someone may want to repair it.
    blkid_probe_set_superblocks_flags(
        probe.get(), BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_BADCSUM);
    blkid_probe_enable_partitions(probe.get(), 1);
    blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_FORCE_GPT);
    // There are fewer kinds than this.
    constexpr int most_kinds = 1000;
    for (int i = 0; i < most_kinds; ++i) {
        const int answer = blkid_do_probe(probe.get());
        if (answer == 1) return std::monostate{};
        if (answer != 0) return errno_error("libblkid");
        const std::string type = value_of(probe.get(), "TYPE");
        const std::string table = value_of(probe.get(), "PTTYPE");
        if (!type.empty())
            add_once(found, superblock(type, value_of(probe.get(), "USAGE"), value_of(probe.get(), "LABEL")));
        if (!table.empty()) add_once(found, partition_table(table));
    }
    return std::monostate{};
}

bool has_boot_signature(std::span<const uint8_t> beginning) {
    return beginning.size() >= 512 && beginning[510] == 0x55 && beginning[511] == 0xaa;
}

bool is_ntfs_boot_sector(std::span<const uint8_t> beginning) {
    constexpr std::string_view ntfs = "NTFS    ";
    return has_boot_signature(beginning) &&
           std::equal(ntfs.begin(), ntfs.end(), beginning.begin() + 3,
                      [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
}

// What libblkid does not see in a first sector, or sees twice.
void amend_first_sector(std::span<const uint8_t> beginning, std::vector<std::string>& found) {
    const auto has = [&](std::string_view text) { return std::ranges::find(found, text) != found.end(); };
    if (has(partition_table("gpt"))) std::erase(found, partition_table("PMBR"));
    // The file table, which libblkid wants to see, lies gigabytes behind; what it then takes for partitions is code.
    if (is_ntfs_boot_sector(beginning)) {
        std::erase(found, partition_table("dos"));
        if (std::ranges::none_of(found, [](const std::string& one) { return one.starts_with("ntfs"); }))
            found.push_back(superblock("ntfs", "filesystem", ""));
    }
    if (found.empty() && has_boot_signature(beginning)) found.emplace_back("a boot sector");
}

}  // namespace

Result<std::string> lun_content(const LunEdges& lun) {
    if (lun.size == 0) return std::string();
    if (lun.size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        return Error{"cannot tell what is on the LUN: it claims to be larger than anything can be"};
    auto file = as_file(lun);
    if (!file) return file.error();
    std::vector<std::string> found;
    // A table may also have been written where the same LUN showed other blocks.
    std::vector<uint32_t> sector_sizes = {512, 4096};
    if (std::ranges::find(sector_sizes, lun.block_size) == sector_sizes.end() &&
        std::has_single_bit(lun.block_size) && lun.block_size > 512 && lun.block_size <= 65536) {
        sector_sizes.push_back(lun.block_size);
    }
    for (const uint32_t sector_size : sector_sizes) {
        if (auto probed = probe_all(file->get(), lun.size, sector_size, found); !probed)
            return probed.error();
    }
    amend_first_sector(lun.beginning, found);
    std::string all;
    for (const std::string& one : found) all += (all.empty() ? "" : ", ") + one;
    return all;
}

}  // namespace sanscope

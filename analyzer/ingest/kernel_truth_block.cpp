// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/kernel_truth_block.h"

#include <algorithm>
#include <string_view>

#include "analyzer/ingest/file_byte_order.h"
#include "analyzer/ingest/pcapng_blocks.h"

namespace sanscope {
namespace {

constexpr uint32_t example_enterprise = 32473;
constexpr std::string_view project = "sanscope";
constexpr uint16_t kernel_truth_kind = 1;
constexpr uint16_t kernel_truth_version = 1;
constexpr size_t name_at = 4;
constexpr size_t kind_at = name_at + project.size();
constexpr size_t version_at = kind_at + 2;
constexpr size_t length_at = version_at + 2;
constexpr size_t payload_at = length_at + 4;
constexpr size_t around_body = 12;  // type and lengths

constexpr size_t padded(size_t length) {
    return (length + 3) & ~size_t{3};
}

class Writer {
  public:
    // Of so many bytes, all zeros to begin with.
    Writer(size_t length, bool big_endian) : big_endian_(big_endian), bytes_(length) {}

    void number(uint32_t value, size_t size) {
        for (size_t i = 0; i < size; ++i) {
            const size_t byte = big_endian_ ? size - 1 - i : i;
            bytes_[end_++] = static_cast<uint8_t>(value >> 8 * byte);
        }
    }
    template <class Range>
    void append(const Range& range) {
        std::copy(range.begin(), range.end(), bytes_.begin() + static_cast<ptrdiff_t>(end_));
        end_ += range.size();
    }
    void pad_to(size_t length) { end_ = length; }
    std::vector<uint8_t> take() { return std::move(bytes_); }

  private:
    bool big_endian_;
    std::vector<uint8_t> bytes_;
    size_t end_ = 0;
};

}  // namespace

std::vector<uint8_t> make_kernel_truth_block(std::span<const uint8_t> payload, bool big_endian) {
    const size_t length = around_body + payload_at + padded(payload.size());
    const auto length_field = static_cast<uint32_t>(length);
    Writer writer(length, big_endian);
    writer.number(pcapng::custom_block, 4);
    writer.number(length_field, 4);
    writer.number(example_enterprise, 4);
    writer.append(project);
    writer.number(kernel_truth_kind, 2);
    writer.number(kernel_truth_version, 2);
    writer.number(static_cast<uint32_t>(payload.size()), 4);
    writer.append(payload);
    writer.pad_to(length - 4);
    writer.number(length_field, 4);
    return writer.take();
}

std::vector<uint8_t> make_kernel_truth_block(const std::string& payload, bool big_endian) {
    return make_kernel_truth_block({reinterpret_cast<const uint8_t*>(payload.data()), payload.size()},
                                   big_endian);
}

KernelTruthBlock read_kernel_truth_block(std::span<const uint8_t> body) {
    KernelTruthBlock block;
    if (body.size() < kind_at) return block;
    FileByteOrder order;
    if (order.load32(body.data()) != example_enterprise) {
        order.swapped = true;
        if (order.load32(body.data()) != example_enterprise) return block;
    }
    if (!std::ranges::equal(project, body.subspan(name_at, project.size()))) return block;
    if (body.size() < payload_at) {
        block.kind = KernelTruthBlock::Kind::damaged;
        return block;
    }
    const bool known = order.load16(body.data() + kind_at) == kernel_truth_kind &&
                       order.load16(body.data() + version_at) == kernel_truth_version;
    if (!known) return block;
    const uint32_t length = order.load32(body.data() + length_at);
    const bool fits = length <= max_kernel_truth_payload && length <= body.size() - payload_at;
    block.kind = fits ? KernelTruthBlock::Kind::kernel_truth : KernelTruthBlock::Kind::damaged;
    if (fits) block.payload = body.subspan(payload_at, length);
    return block;
}

}  // namespace sanscope

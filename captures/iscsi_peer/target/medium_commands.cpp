// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/medium_commands.h"

#include <algorithm>

#include "captures/iscsi_peer/target/block_limits.h"

#include "analyzer/base/byte_order.h"

namespace sanscope {
namespace {

struct BlockRange {
    uint64_t lba;
    uint32_t blocks;
};

BlockRange range_at(std::span<const uint8_t> descriptors, size_t at) {
    return {load_be64(descriptors.data() + at), load_be32(descriptors.data() + at + 8)};
}

Sense check_ranges(std::span<const uint8_t> descriptors, const ScsiDevice& device) {
    uint64_t all_blocks = 0;
    for (size_t at = 0; at < descriptors.size(); at += unmap_descriptor_length) {
        const BlockRange range = range_at(descriptors, at);
        if (!device.holds(range.lba, range.blocks)) return senses::lba_out_of_range;
        all_blocks += range.blocks;
    }
    return all_blocks > block_limits(device.block_size()).unmap_blocks
               ? senses::invalid_field_in_parameter_list
               : Sense{};
}

Sense unmap(const ScsiPlan& plan, std::span<const uint8_t> list, const ScsiDevice& device,
            MemoryBacking& backing) {
    if (list.size() < unmap_header_length) return senses::parameter_list_length_error;
    const size_t given = load_be16(list.data() + 2);
    if (given > list.size() - unmap_header_length) return senses::parameter_list_length_error;
    // A descriptor that is not whole at the end is ignored.
    const auto descriptors =
        list.subspan(unmap_header_length, given / unmap_descriptor_length * unmap_descriptor_length);
    if (const Sense wrong = check_ranges(descriptors, device); wrong.key != 0) return wrong;
    for (size_t at = 0; at < descriptors.size(); at += unmap_descriptor_length) {
        const BlockRange range = range_at(descriptors, at);
        backing.discard(plan.lun, range.lba * device.block_size(),
                        uint64_t{range.blocks} * device.block_size());
    }
    return {};
}

Sense write_same(const ScsiPlan& plan, std::span<const uint8_t> block, MemoryBacking& backing) {
    const bool zeros = std::ranges::all_of(block, [](uint8_t byte) { return byte == 0; });
    // Where the block is not sent (NDOB), it is zeros as well.
    if (zeros) {
        backing.discard(plan.lun, plan.offset, plan.extent);
        return {};
    }
    for (uint64_t at = 0; at < plan.extent; at += block.size())
        backing.write(plan.lun, plan.offset + at, block);
    return {};
}

Sense compare_and_write(const ScsiPlan& plan, std::span<const uint8_t> data, MemoryBacking& backing) {
    const auto differs =
        backing.compare_and_write(plan.lun, plan.offset, data.first(plan.extent), data.subspan(plan.extent));
    if (!differs) return {};
    Sense sense = senses::miscompare;
    sense.information = static_cast<uint32_t>(*differs);
    return sense;
}

}  // namespace

Sense carry_out(const ScsiPlan& plan, std::span<const uint8_t> data, const ScsiDevice& device,
                MemoryBacking& backing) {
    if (data.size() < plan.length) return senses::parameter_list_length_error;
    switch (plan.what) {
        case ScsiPlan::What::unmap:
            return unmap(plan, data, device, backing);
        case ScsiPlan::What::write_same:
            return write_same(plan, data, backing);
        case ScsiPlan::What::compare_and_write:
            return compare_and_write(plan, data, backing);
        default:
            return {};
    }
}

}  // namespace sanscope

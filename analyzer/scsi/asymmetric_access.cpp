// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/asymmetric_access.h"

#include <algorithm>
#include <cstddef>

#include "analyzer/base/byte_order.h"
#include "analyzer/scsi/sense_keys.h"

namespace sanscope {
namespace {

AccessState state_of(uint8_t code) {
    constexpr uint8_t first_reserved = 0x5;
    constexpr uint8_t last_reserved = 0xd;
    return code >= first_reserved && code <= last_reserved ? AccessState::unknown : AccessState{code};
}

// What follows the header; empty where the header is of no known format, or tells of more than there is.
std::optional<std::span<const uint8_t>> descriptors_of(std::span<const uint8_t> data) {
    constexpr size_t length_field = 4;
    if (data.size() < length_field) return {};
    const uint32_t told = load_be32(data.data());
    if (told > data.size() - length_field) return {};
    const std::span<const uint8_t> rest = data.subspan(length_field, told);
    if (rest.empty()) return rest;
    constexpr size_t rest_of_extended_header = 4;
    const uint8_t format = rest[0] >> 4 & 7;  // those bits of a descriptor are reserved
    if (format == 0) return rest;
    if (format != 1 || rest.size() < rest_of_extended_header) return {};
    return rest.subspan(rest_of_extended_header);
}

// Takes the first descriptor off; empty where it does not end there.
std::optional<TargetPortGroup> take_group(std::span<const uint8_t>& rest) {
    constexpr size_t group_length = 8;
    constexpr size_t port_length = 4;
    if (rest.size() < group_length) return {};
    const size_t ports = rest[7];
    if (ports * port_length > rest.size() - group_length) return {};
    TargetPortGroup group;
    group.number = load_be16(rest.data() + 2);
    group.state = state_of(rest[0] & 0xf);
    group.preferred = (rest[0] & 0x80) != 0;
    for (size_t i = 0; i < ports; ++i)
        group.ports.push_back(load_be16(rest.data() + group_length + i * port_length + 2));
    rest = rest.subspan(group_length + ports * port_length);
    return group;
}

}  // namespace

std::optional<uint8_t> tpgs_of(std::span<const uint8_t> inquiry_data) {
    constexpr size_t end = 6;
    if (inquiry_data.size() < end || inquiry_data[4] == 0)
        return {};  // byte 4: how many more bytes there are
    return inquiry_data[5] >> 4 & 3;
}

std::optional<std::vector<TargetPortGroup>> target_port_groups_of(std::span<const uint8_t> parameter_data) {
    const auto descriptors = descriptors_of(parameter_data);
    if (!descriptors) return {};
    std::span<const uint8_t> rest = *descriptors;
    std::vector<TargetPortGroup> groups;
    std::vector<uint16_t> numbers;
    while (!rest.empty()) {
        std::optional<TargetPortGroup> group = take_group(rest);
        if (!group) return {};
        numbers.push_back(group->number);
        groups.push_back(std::move(*group));
    }
    std::ranges::sort(numbers);
    if (std::ranges::adjacent_find(numbers) != numbers.end()) return {};
    return groups;
}

std::optional<AccessState> access_state_told_by(const SenseData& sense) {
    if (sense.deferred) return {};
    constexpr uint16_t not_ready = 0x04;
    constexpr uint16_t parameters_changed = 0x2a;
    if (sense.sense_key == sense_key::unit_attention && sense.asc == parameters_changed && sense.ascq == 0x06)
        return AccessState::unknown;
    if (sense.sense_key != sense_key::not_ready || sense.asc != not_ready) return {};
    switch (sense.ascq) {
        case 0x0a:
            return AccessState::transitioning;
        case 0x0b:
            return AccessState::standby;
        case 0x0c:
            return AccessState::unavailable;
        default:
            return {};
    }
}

std::string_view access_state_name(AccessState state) {
    switch (state) {
        case AccessState::active_optimized:
            return "active/optimized";
        case AccessState::active_non_optimized:
            return "active/non-optimized";
        case AccessState::standby:
            return "standby";
        case AccessState::unavailable:
            return "unavailable";
        case AccessState::lba_dependent:
            return "logical block dependent";
        case AccessState::offline:
            return "offline";
        case AccessState::transitioning:
            return "transitioning";
        case AccessState::unknown:
            break;
    }
    return "not known";
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/supported_commands.h"

#include <algorithm>
#include <array>

#include "captures/iscsi_peer/target/scsi_device.h"

#include "analyzer/base/byte_order.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

// The bits of each byte of a CDB that the device looks at; of the first the operation code itself, of the second, where
// there is a service action, that.
struct SupportedCommand {
    bool has_service_action;
    uint8_t length;
    std::array<uint8_t, 16> usage;

    uint8_t opcode() const { return usage[0]; }
    uint8_t service_action() const { return usage[1] & 0x1f; }
};

constexpr SupportedCommand commands[] = {
    {false, 6, {scsi_op::test_unit_ready}},
    {false, 6, {scsi_op::request_sense, 0x01, 0, 0, 0xff}},
    {false, 6, {scsi_op::read_6, 0x1f, 0xff, 0xff, 0xff}},
    {false, 6, {scsi_op::write_6, 0x1f, 0xff, 0xff, 0xff}},
    {false, 6, {scsi_op::inquiry, 0x01, 0xff, 0xff, 0xff}},
    {false, 6, {scsi_op::mode_sense_6, 0x08, 0xff, 0xff, 0xff}},
    {false, 10, {scsi_op::read_capacity_10, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0x01}},
    {false, 10, {scsi_op::read_10, 0xf8, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff}},
    {false, 10, {scsi_op::write_10, 0xf8, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff}},
    {false, 10, {scsi_op::verify_10, 0xf6, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff}},
    {false, 10, {scsi_op::synchronize_cache_10, 0, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff}},
    {false, 10, {scsi_op::write_same_10, 0xf8, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff}},
    {false, 10, {scsi_op::unmap, 0x01, 0, 0, 0, 0, 0, 0xff, 0xff}},
    {false, 10, {scsi_op::mode_sense_10, 0x08, 0xff, 0xff, 0, 0, 0, 0xff, 0xff}},
    {false,
     16,
     {scsi_op::read_16, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    {false,
     16,
     {scsi_op::write_16, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    {false,
     16,
     {scsi_op::verify_16, 0xf6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    {false,
     16,
     {scsi_op::synchronize_cache_16, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff}},
    {false,
     16,
     {scsi_op::compare_and_write, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0xff}},
    {false,
     16,
     {scsi_op::write_same_16, 0xf9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    {true,
     16,
     {scsi_op::service_action_in_16, scsi_op::read_capacity_16, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff,
      0xff}},
    {false, 12, {scsi_op::report_luns, 0, 0xff, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}},
    {true,
     12,
     {scsi_op::maintenance_in, scsi_op::report_supported_operation_codes, 0x87, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff}},
    {false, 12, {scsi_op::read_12, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    {false, 12, {scsi_op::write_12, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    {false, 12, {scsi_op::verify_12, 0xf6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
};

// That a command has no timeouts to report, in their descriptor's length (SPC-4 §6.35.4).
constexpr uint8_t timeouts_length = 12;
void append_timeouts(std::vector<uint8_t>& bytes) {
    bytes.push_back(0);
    bytes.push_back(timeouts_length - 2);
    bytes.resize(bytes.size() + timeouts_length - 2);
}

void write_all_commands(bool with_timeouts, std::vector<uint8_t>& bytes) {
    bytes.assign(4, 0);
    for (const SupportedCommand& command : commands) {
        const uint8_t flags =
            static_cast<uint8_t>((with_timeouts ? 2 : 0) | (command.has_service_action ? 1 : 0));
        const uint8_t service_action = command.has_service_action ? command.service_action() : 0;
        bytes.insert(bytes.end(), {command.opcode(), 0, 0, service_action, 0, flags, 0, command.length});
        if (with_timeouts) append_timeouts(bytes);
    }
    store_be32(bytes.data(), static_cast<uint32_t>(bytes.size() - 4));
}

}  // namespace

uint16_t write_supported_commands(const uint8_t* cdb, std::vector<uint8_t>& bytes) {
    const bool with_timeouts = (cdb[2] & 0x80) != 0;
    const unsigned options = cdb[2] & 7;
    if (options == 0) {
        write_all_commands(with_timeouts, bytes);
        return Sense::no_field;
    }
    if (options > 3) return 2;
    const uint8_t opcode = cdb[3];
    const uint16_t service_action = load_be16(cdb + 4);
    const auto same_opcode = [&](const SupportedCommand& c) { return c.opcode() == opcode; };
    const auto* found = std::ranges::find_if(commands, same_opcode);
    const bool known = found != std::end(commands);
    // Operation code alone, of one without service actions; with a service action, of one that has them; either.
    if (known && options == 1 && found->has_service_action) return 2;
    if (known && options == 2 && !found->has_service_action) return 2;
    if (known && found->has_service_action) {
        found = std::ranges::find_if(commands, [&](const SupportedCommand& c) {
            return same_opcode(c) && c.service_action() == service_action;
        });
    } else if (known && options == 3 && service_action != 0) {
        found = std::end(commands);
    }
    constexpr uint8_t not_supported = 1;
    constexpr uint8_t as_the_standard_says = 3;
    if (found == std::end(commands)) {
        bytes.assign({0, not_supported, 0, 0});
        return Sense::no_field;
    }
    bytes.assign(
        {0, static_cast<uint8_t>((with_timeouts ? 0x80 : 0) | as_the_standard_says), 0, found->length});
    bytes.insert(bytes.end(), found->usage.begin(), found->usage.begin() + found->length);
    if (with_timeouts) append_timeouts(bytes);
    return Sense::no_field;
}

}  // namespace sanscope

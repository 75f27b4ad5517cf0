// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/scsi_data_rewriter.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "analyzer/base/byte_order.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

void zero(std::span<uint8_t> bytes) {
    std::ranges::fill(bytes, uint8_t{0});
}

std::span<uint8_t> from(std::span<uint8_t> bytes, size_t at) {
    return bytes.subspan(std::min(at, bytes.size()));
}

// SPC-4 §6.4.2: behind vendor, product and revision what a vendor puts there, mostly a serial number.
void rewrite_standard_inquiry(std::span<uint8_t> data, Anonymizer& anonymizer) {
    constexpr size_t vendor_specific = 36;
    constexpr size_t vendor_specific_end = 56;
    constexpr size_t version_descriptors_end = 74;
    if (data.size() > vendor_specific) {
        anonymizer.map_padded(
            data.subspan(vendor_specific, std::min(data.size(), vendor_specific_end) - vendor_specific));
    }
    zero(from(data, version_descriptors_end));
}

// SPC-4 §7.8.6.11: a name, ended and filled up with zeros.
void rewrite_name_string(std::span<uint8_t> bytes, Anonymizer& anonymizer) {
    const auto length = static_cast<size_t>(std::ranges::find(bytes, 0) - bytes.begin());
    if (length > 0) {
        const std::string name =
            anonymizer.map_name(std::string_view(reinterpret_cast<const char*>(bytes.data()), length));
        std::ranges::copy(name, bytes.begin());
    }
    zero(bytes.subspan(length));
}

void rewrite_designator(uint8_t type, bool is_binary, std::span<uint8_t> bytes, Anonymizer& anonymizer) {
    constexpr size_t t10_vendor = 8;
    switch (type) {
        case 0x0:  // vendor specific
            return is_binary ? anonymizer.map_bytes(bytes) : anonymizer.map_padded(bytes);
        case 0x1:  // T10 vendor ID
            bytes = from(bytes, t10_vendor);
            return is_binary ? anonymizer.map_bytes(bytes) : anonymizer.map_padded(bytes);
        case 0x2:
            return anonymizer.map_eui(bytes);
        case 0x3:
            return anonymizer.map_naa(bytes);
        case 0x4:  // relative target port, target port group, logical unit group
        case 0x5:
        case 0x6:
            return;
        case 0x7:  // MD5
            return anonymizer.map_bytes(bytes);
        case 0x8:
            return rewrite_name_string(bytes, anonymizer);
        case 0xa:  // UUID, behind its type
            return anonymizer.map_bytes(from(bytes, 2));
        default:
            return zero(bytes);
    }
}

// SPC-4 §7.8.6.1: designators one behind the other. One that is cut has no replacement that could be right.
void rewrite_designators(std::span<uint8_t> list, Anonymizer& anonymizer) {
    while (list.size() >= 4) {
        const size_t length = list[3];
        const auto bytes = list.subspan(4, std::min(length, list.size() - 4));
        if (bytes.size() < length) return zero(bytes);
        constexpr uint8_t binary = 1;
        rewrite_designator(list[1] & 0x0f, (list[0] & 0x0f) == binary, bytes, anonymizer);
        list = list.subspan(4 + length);
    }
    zero(list);
}

// SPC-4 §7.8.14.
void rewrite_scsi_ports(std::span<uint8_t> list, Anonymizer& anonymizer) {
    while (list.size() >= 8) {
        const size_t transport_id = load_be16(list.data() + 6);
        list = list.subspan(8);
        const auto initiator = list.first(std::min(transport_id, list.size()));
        zero(initiator);
        list = list.subspan(initiator.size());
        if (list.size() < 4) break;
        const size_t length = load_be16(list.data() + 2);
        list = list.subspan(4);
        const auto designators = list.first(std::min(length, list.size()));
        rewrite_designators(designators, anonymizer);
        list = list.subspan(designators.size());
    }
    zero(list);
}

void rewrite_vital_product_data(uint8_t page, std::span<uint8_t> data, Anonymizer& anonymizer) {
    constexpr size_t header = 4;
    const auto body = from(data, header);
    if (data.size() < header) return;
    const size_t length = load_be16(data.data() + 2);
    const auto page_body = body.first(std::min(body.size(), length));
    zero(from(body, length));
    // The page that the data say they are; where the CDB asks for another, they are of no known form.
    if (data[1] != page) return zero(body);
    switch (page) {
        case 0x00:  // which pages there are
        case 0x86:  // extended INQUIRY data
        case 0x87:  // mode page policy
        case 0xb0:  // block limits, device characteristics, provisioning
        case 0xb1:
        case 0xb2:
            return;
        case 0x80:
            return anonymizer.map_padded(page_body);
        case 0x83:
            return rewrite_designators(page_body, anonymizer);
        case 0x88:
            return rewrite_scsi_ports(page_body, anonymizer);
        default:
            return zero(body);
    }
}

// SPC-4 §7.5: pages of standard form have numbers only.
void rewrite_mode_pages(std::span<uint8_t> pages) {
    while (pages.size() >= 2) {
        constexpr uint8_t subpage_format = 0x40;
        const bool has_subpage = (pages[0] & subpage_format) != 0;
        const uint8_t code = pages[0] & 0x3f;
        const size_t header = has_subpage ? 4 : 2;
        if (pages.size() < header) break;
        const size_t length = header + (has_subpage ? load_be16(pages.data() + 2) : pages[1]);
        const bool is_standard =
            !has_subpage && (code == 0x01 || code == 0x02 || code == 0x08 || code == 0x0a || code == 0x18 ||
                             code == 0x19 || code == 0x1a || code == 0x1c);
        const auto page = pages.first(std::min(length, pages.size()));
        if (!is_standard) zero(page.subspan(header));
        pages = pages.subspan(page.size());
    }
    zero(pages);
}

void rewrite_mode_data(std::span<uint8_t> data, bool is_long) {
    const size_t header = is_long ? 8 : 4;
    if (data.size() < header) return;
    const size_t descriptors = is_long ? load_be16(data.data() + 6) : data[3];
    rewrite_mode_pages(from(data, header + descriptors));
}

// SPC-4 §4.5: what vendors add to sense data may be anything.
void rewrite_sense(std::span<uint8_t> sense) {
    if (sense.empty()) return;
    const uint8_t response_code = sense[0] & 0x7f;
    constexpr size_t fixed_length = 18;
    constexpr size_t descriptor_header = 8;
    if (response_code == 0x70 || response_code == 0x71) return zero(from(sense, fixed_length));
    if (response_code != 0x72 && response_code != 0x73) return zero(sense);
    sense = from(sense, descriptor_header);
    while (sense.size() >= 2) {
        const size_t length = std::min<size_t>(sense.size(), size_t{2} + sense[1]);
        constexpr uint8_t first_of_vendors = 0x80;
        const auto descriptor = sense.first(length);
        if (descriptor[0] >= first_of_vendors) zero(descriptor.subspan(2));
        sense = sense.subspan(length);
    }
    zero(sense);
}

}  // namespace

void rewrite_parameter_data(uint8_t opcode, uint8_t cdb_byte_1, uint8_t cdb_byte_2, std::span<uint8_t> data,
                            Anonymizer& anonymizer) {
    const uint8_t service_action = cdb_byte_1 & 0x1f;
    switch (opcode) {
        case scsi_op::inquiry:
            return (cdb_byte_1 & 1) != 0 ? rewrite_vital_product_data(cdb_byte_2, data, anonymizer)
                                         : rewrite_standard_inquiry(data, anonymizer);
        case scsi_op::mode_sense_6:
            return rewrite_mode_data(data, false);
        case scsi_op::mode_sense_10:
            return rewrite_mode_data(data, true);
        case scsi_op::request_sense:
            return rewrite_sense(data);
        case scsi_op::read_capacity_10:
        case scsi_op::report_luns:
        case scsi_op::unmap:
            return;
        case scsi_op::service_action_in_16:
            if (service_action == scsi_op::read_capacity_16) return;
            break;
        case scsi_op::maintenance_in:
            if (service_action == scsi_op::report_target_port_groups ||
                service_action == scsi_op::report_supported_operation_codes)
                return;
            break;
        case scsi_op::maintenance_out:
            if (service_action == scsi_op::set_target_port_groups) return;
            break;
        default:
            break;
    }
    zero(data);
}

void rewrite_sense_segment(std::span<uint8_t> data) {
    if (data.size() < 2) return;
    const size_t length = load_be16(data.data());
    const auto behind = data.subspan(2);
    rewrite_sense(behind.first(std::min(length, behind.size())));
    zero(from(behind, length));
}

void rewrite_async_segment(std::span<uint8_t> data) {
    rewrite_sense_segment(data);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a CDB of any device type, as sense data, and as what a command read of a logical unit. Cutting bytes off must
// only ever lose information: what a shorter CDB says of a number, the whole one says too, and of a list of target port
// groups that was cut nothing is said.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "analyzer/scsi/asymmetric_access.h"
#include "analyzer/scsi/cdb.h"
#include "analyzer/scsi/device_identification.h"
#include "analyzer/scsi/sense.h"

namespace sanscope {
namespace {

void require(bool claim) {
    if (!claim) std::abort();
}

void fuzz_cdb(std::span<const uint8_t> bytes, DeviceType device) {
    const CdbInfo whole = decode_cdb(bytes, device);
    require(whole.name != nullptr);
    if (!bytes.empty()) require(whole.opcode == bytes[0]);
    const bool has_service_action_in_front = !bytes.empty() && bytes[0] != 0x7f;
    for (size_t size = 2; size < bytes.size() && has_service_action_in_front; size++) {
        // A copy of its own, so that a read past the end is seen.
        const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
        const CdbInfo part = decode_cdb(cut, device);
        require(std::strcmp(part.name, whole.name) == 0);
        require(part.lba == unknown<uint64_t> || part.lba == whole.lba);
        require(part.blocks == unknown<uint64_t> || part.blocks == whole.blocks);
        require(part.bytes == unknown<uint64_t> || part.bytes == whole.bytes);
        require(part.direction == DataDirection::unknown || part.direction == whole.direction);
    }
}

void fuzz_sense(std::span<const uint8_t> bytes) {
    for (size_t size = 0; size <= bytes.size(); size++) {
        const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
        const std::optional<SenseData> sense = parse_sense(cut);
        if (!sense) continue;
        require(sense->sense_key == unknown<uint16_t> || *sense_key_name(sense->sense_key) != '\0');
        require(additional_sense_text(sense->asc, sense->ascq) != nullptr);
        access_state_told_by(*sense);
    }
}

void fuzz_unit_data(std::span<const uint8_t> bytes) {
    const auto groups_of_all = target_port_groups_of(bytes);
    const auto port_of_all = target_port_of(bytes);
    for (size_t size = 0; size <= bytes.size(); size++) {
        const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
        const auto groups = target_port_groups_of(cut);
        require(!groups || (groups_of_all && groups->size() == groups_of_all->size()));
        const auto port = target_port_of(cut);
        require(!port || (port_of_all && port->group == port_of_all->group));
        const auto tpgs = tpgs_of(cut);
        require(!tpgs || tpgs == tpgs_of(bytes));
        unit_name_of(cut);
    }
}

}  // namespace
}  // namespace sanscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0 || size > 512) return 0;
    const std::span<const uint8_t> bytes(data + 1, size - 1);
    sanscope::fuzz_cdb(bytes, static_cast<sanscope::DeviceType>(data[0]));
    sanscope::fuzz_sense(bytes);
    sanscope::fuzz_unit_data(bytes);
    return 0;
}

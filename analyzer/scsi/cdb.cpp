// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/cdb.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "analyzer/base/byte_order.h"

namespace sanscope {
namespace {

// The standard a command is from; with the device type unknown the earlier one wins.
enum Standard : uint8_t { spc, sbc, ssc, smc, mmc, osd, no_standard };

// A big-endian number that ends on a byte boundary: `bits` of it, the most significant in the byte at
// `offset`.
struct Field {
    uint8_t offset = 0;
    uint8_t bits = 0;  // 0: the command has no such field
};

enum class LengthUnit : uint8_t {
    bytes,
    blocks,
    blocks_or_256,    // READ(6) and WRITE(6) of SBC: 0 stands for 256 blocks
    blocks_if_fixed,  // of SSC: blocks where the FIXED bit is set, bytes where not
    bytes_or_512,     // of the security protocol commands: units of 512 bytes where the INC_512 bit is set
};

// Where a CDB says what it is about.
struct Layout {
    Field lba;
    Field length;
    LengthUnit unit = LengthUnit::bytes;
};

constexpr Layout no_fields;
constexpr Layout lba_only(uint8_t offset, uint8_t bits) {
    return {{offset, bits}, {}, LengthUnit::bytes};
}
constexpr Layout bytes_at(uint8_t offset, uint8_t bits) {
    return {{}, {offset, bits}, LengthUnit::bytes};
}
constexpr Layout blocks_6{{1, 21}, {4, 8}, LengthUnit::blocks_or_256};
constexpr Layout blocks_10{{2, 32}, {7, 16}, LengthUnit::blocks};
constexpr Layout blocks_12{{2, 32}, {6, 32}, LengthUnit::blocks};
constexpr Layout blocks_16{{2, 64}, {10, 32}, LengthUnit::blocks};
constexpr Layout blocks_32{{12, 64}, {28, 32}, LengthUnit::blocks};
constexpr Layout stream_16{{2, 64}, {12, 16}, LengthUnit::blocks};
constexpr Layout tape_6{{}, {2, 24}, LengthUnit::blocks_if_fixed};
constexpr Layout tape_16{{4, 64}, {12, 24}, LengthUnit::blocks_if_fixed};
constexpr Layout security{{}, {6, 32}, LengthUnit::bytes_or_512};

// The direction, and the bit that decides whether there is data at all.
struct Transfer {
    enum class If : uint8_t { always, any_set, none_set };
    DataDirection direction;
    If condition = If::always;
    uint8_t byte = 0;
    uint8_t mask = 0;
};
constexpr Transfer none{DataDirection::none};
constexpr Transfer in{DataDirection::in};
constexpr Transfer out{DataDirection::out};
constexpr Transfer both{DataDirection::bidirectional};
constexpr Transfer varies{DataDirection::unknown};
constexpr Transfer out_if(uint8_t byte, uint8_t mask) {
    return {DataDirection::out, Transfer::If::any_set, byte, mask};
}
constexpr Transfer out_unless(uint8_t byte, uint8_t mask) {
    return {DataDirection::out, Transfer::If::none_set, byte, mask};
}

// Besides a service action: the row is for an operation code without them, …
constexpr uint16_t plain = 0xffff;
// … or for all service actions of it that have no row of their own.
constexpr uint16_t others = 0xfffe;

struct Command {
    Standard standard;
    uint8_t opcode;
    uint16_t service_action;
    const char* name;
    Transfer transfer;
    Layout layout;
};

constexpr uint8_t variable_length = 0x7f;

// One row a command, by standard, then operation code and service action.
constexpr Command commands_by_standard[] = {
    // SPC-2 to SPC-6: commands of all device types.
    {spc, 0x00, plain, "TEST UNIT READY", none, no_fields},
    {spc, 0x03, plain, "REQUEST SENSE", in, bytes_at(4, 8)},
    {spc, 0x12, plain, "INQUIRY", in, bytes_at(3, 16)},
    {spc, 0x15, plain, "MODE SELECT(6)", out, bytes_at(4, 8)},
    {spc, 0x16, plain, "RESERVE(6)", out_if(4, 0xff), bytes_at(3, 16)},
    {spc, 0x17, plain, "RELEASE(6)", none, no_fields},
    {spc, 0x18, plain, "COPY", out, bytes_at(2, 24)},
    {spc, 0x1a, plain, "MODE SENSE(6)", in, bytes_at(4, 8)},
    {spc, 0x1c, plain, "RECEIVE DIAGNOSTIC RESULTS", in, bytes_at(3, 16)},
    {spc, 0x1d, plain, "SEND DIAGNOSTIC", out, bytes_at(3, 16)},
    {spc, 0x1e, plain, "PREVENT ALLOW MEDIUM REMOVAL", none, no_fields},
    {spc, 0x39, plain, "COMPARE", out, bytes_at(3, 24)},
    {spc, 0x3a, plain, "COPY AND VERIFY", out, bytes_at(3, 24)},
    {spc, 0x3b, plain, "WRITE BUFFER", out, bytes_at(6, 24)},
    {spc, 0x3c, plain, "READ BUFFER(10)", in, bytes_at(6, 24)},
    {spc, 0x40, plain, "CHANGE DEFINITION", out, bytes_at(8, 8)},
    {spc, 0x4c, plain, "LOG SELECT", out, bytes_at(7, 16)},
    {spc, 0x4d, plain, "LOG SENSE", in, bytes_at(7, 16)},
    {spc, 0x55, plain, "MODE SELECT(10)", out, bytes_at(7, 16)},
    {spc, 0x56, plain, "RESERVE(10)", out_if(8, 0xff), bytes_at(7, 16)},
    {spc, 0x57, plain, "RELEASE(10)", out_if(8, 0xff), bytes_at(7, 16)},
    {spc, 0x5a, plain, "MODE SENSE(10)", in, bytes_at(7, 16)},
    {spc, 0x5e, others, "PERSISTENT RESERVE IN", in, bytes_at(7, 16)},
    {spc, 0x5f, others, "PERSISTENT RESERVE OUT", out, bytes_at(5, 32)},
    {spc, 0x7e, plain, "EXTENDED CDB", varies, no_fields},
    {spc, 0x7f, 0x1800, "RECEIVE CREDENTIAL", in, bytes_at(10, 16)},
    {spc, 0x7f, others, "VARIABLE LENGTH CDB", varies, no_fields},
    {spc, 0x83, 0x00, "EXTENDED COPY(LID1)", out, bytes_at(10, 32)},
    {spc, 0x83, 0x01, "EXTENDED COPY(LID4)", out, bytes_at(10, 32)},
    {spc, 0x83, 0x1c, "COPY OPERATION ABORT", none, no_fields},
    {spc, 0x83, others, "EXTENDED COPY", out, bytes_at(10, 32)},
    {spc, 0x84, 0x00, "RECEIVE COPY STATUS(LID1)", in, bytes_at(10, 32)},
    {spc, 0x84, 0x01, "RECEIVE COPY DATA(LID1)", in, bytes_at(10, 32)},
    {spc, 0x84, 0x03, "RECEIVE COPY OPERATING PARAMETERS", in, bytes_at(10, 32)},
    {spc, 0x84, 0x04, "RECEIVE COPY FAILURE DETAILS(LID1)", in, bytes_at(10, 32)},
    {spc, 0x84, 0x05, "RECEIVE COPY STATUS(LID4)", in, bytes_at(10, 32)},
    {spc, 0x84, 0x06, "RECEIVE COPY DATA(LID4)", in, bytes_at(10, 32)},
    {spc, 0x84, 0x07, "RECEIVE ROD TOKEN INFORMATION", in, bytes_at(10, 32)},
    {spc, 0x84, 0x08, "REPORT ALL ROD TOKENS", in, bytes_at(10, 32)},
    {spc, 0x84, others, "RECEIVE COPY RESULTS", in, bytes_at(10, 32)},
    {spc, 0x86, others, "ACCESS CONTROL IN", in, bytes_at(10, 32)},
    {spc, 0x87, others, "ACCESS CONTROL OUT", out, bytes_at(10, 32)},
    {spc, 0x8c, others, "READ ATTRIBUTE", in, bytes_at(10, 32)},
    {spc, 0x8d, plain, "WRITE ATTRIBUTE", out, bytes_at(10, 32)},
    {spc, 0x9b, plain, "READ BUFFER(16)", in, bytes_at(10, 32)},
    {spc, 0x9d, others, "SERVICE ACTION BIDIRECTIONAL", both, no_fields},
    {spc, 0x9e, others, "SERVICE ACTION IN(16)", in, no_fields},
    {spc, 0x9f, others, "SERVICE ACTION OUT(16)", out, no_fields},
    {spc, 0xa0, plain, "REPORT LUNS", in, bytes_at(6, 32)},
    {spc, 0xa2, plain, "SECURITY PROTOCOL IN", in, security},
    {spc, 0xa3, 0x05, "REPORT IDENTIFYING INFORMATION", in, bytes_at(6, 32)},
    {spc, 0xa3, 0x0a, "REPORT TARGET PORT GROUPS", in, bytes_at(6, 32)},
    {spc, 0xa3, 0x0b, "REPORT ALIASES", in, bytes_at(6, 32)},
    {spc, 0xa3, 0x0c, "REPORT SUPPORTED OPERATION CODES", in, bytes_at(6, 32)},
    {spc, 0xa3, 0x0d, "REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS", in, bytes_at(6, 32)},
    {spc, 0xa3, 0x0e, "REPORT PRIORITY", in, bytes_at(6, 32)},
    {spc, 0xa3, 0x0f, "REPORT TIMESTAMP", in, bytes_at(6, 32)},
    {spc, 0xa3, 0x10, "MANAGEMENT PROTOCOL IN", in, bytes_at(6, 32)},
    {spc, 0xa3, others, "MAINTENANCE IN", in, bytes_at(6, 32)},
    {spc, 0xa4, 0x06, "SET IDENTIFYING INFORMATION", out, bytes_at(6, 32)},
    {spc, 0xa4, 0x0a, "SET TARGET PORT GROUPS", out, bytes_at(6, 32)},
    {spc, 0xa4, 0x0b, "CHANGE ALIASES", out, bytes_at(6, 32)},
    {spc, 0xa4, 0x0c, "REMOVE I_T NEXUS", out, bytes_at(6, 32)},
    {spc, 0xa4, 0x0e, "SET PRIORITY", out, bytes_at(6, 32)},
    {spc, 0xa4, 0x0f, "SET TIMESTAMP", out, bytes_at(6, 32)},
    {spc, 0xa4, 0x10, "MANAGEMENT PROTOCOL OUT", out, bytes_at(6, 32)},
    {spc, 0xa4, others, "MAINTENANCE OUT", out, bytes_at(6, 32)},
    {spc, 0xa9, others, "SERVICE ACTION OUT(12)", out, no_fields},
    {spc, 0xab, 0x01, "READ MEDIA SERIAL NUMBER", in, bytes_at(6, 32)},
    {spc, 0xab, others, "SERVICE ACTION IN(12)", in, no_fields},
    {spc, 0xb5, plain, "SECURITY PROTOCOL OUT", out, security},

    // SBC-2 to SBC-5 with ZBC and SAT; commands of optical memory, long obsolete, from SCSI-2.
    {sbc, 0x01, plain, "REZERO UNIT", none, no_fields},
    {sbc, 0x04, plain, "FORMAT UNIT", out_if(1, 0x10), no_fields},
    {sbc, 0x07, plain, "REASSIGN BLOCKS", out, no_fields},
    {sbc, 0x08, plain, "READ(6)", in, blocks_6},
    {sbc, 0x0a, plain, "WRITE(6)", out, blocks_6},
    {sbc, 0x0b, plain, "SEEK(6)", none, lba_only(1, 21)},
    {sbc, 0x1b, plain, "START STOP UNIT", none, no_fields},
    {sbc, 0x25, plain, "READ CAPACITY(10)", in, no_fields},
    {sbc, 0x28, plain, "READ(10)", in, blocks_10},
    {sbc, 0x29, plain, "READ GENERATION", in, {{2, 32}, {8, 8}, LengthUnit::bytes}},
    {sbc, 0x2a, plain, "WRITE(10)", out, blocks_10},
    {sbc, 0x2b, plain, "SEEK(10)", none, lba_only(2, 32)},
    {sbc, 0x2c, plain, "ERASE(10)", none, blocks_10},
    {sbc, 0x2d, plain, "READ UPDATED BLOCK(10)", in, lba_only(2, 32)},
    {sbc, 0x2e, plain, "WRITE AND VERIFY(10)", out, blocks_10},
    {sbc, 0x2f, plain, "VERIFY(10)", out_if(1, 0x06), blocks_10},
    {sbc, 0x30, plain, "SEARCH DATA HIGH(10)", out, blocks_10},
    {sbc, 0x31, plain, "SEARCH DATA EQUAL(10)", out, blocks_10},
    {sbc, 0x32, plain, "SEARCH DATA LOW(10)", out, blocks_10},
    {sbc, 0x33, plain, "SET LIMITS(10)", none, blocks_10},
    {sbc, 0x34, plain, "PRE-FETCH(10)", none, blocks_10},
    {sbc, 0x35, plain, "SYNCHRONIZE CACHE(10)", none, blocks_10},
    {sbc, 0x36, plain, "LOCK UNLOCK CACHE(10)", none, blocks_10},
    {sbc, 0x37, plain, "READ DEFECT DATA(10)", in, bytes_at(7, 16)},
    {sbc, 0x38, plain, "MEDIUM SCAN", out_if(8, 0xff), {{2, 32}, {8, 8}, LengthUnit::bytes}},
    {sbc, 0x3d, plain, "UPDATE BLOCK", out, lba_only(2, 32)},
    {sbc, 0x3e, plain, "READ LONG(10)", in, {{2, 32}, {7, 16}, LengthUnit::bytes}},
    {sbc, 0x3f, plain, "WRITE LONG(10)", out, {{2, 32}, {7, 16}, LengthUnit::bytes}},
    {sbc, 0x41, plain, "WRITE SAME(10)", out, blocks_10},
    {sbc, 0x42, plain, "UNMAP", out, bytes_at(7, 16)},
    {sbc, 0x48, others, "SANITIZE", out, bytes_at(7, 16)},
    {sbc, 0x50, plain, "XDWRITE(10)", out, blocks_10},
    {sbc, 0x51, plain, "XPWRITE(10)", out, blocks_10},
    {sbc, 0x52, plain, "XDREAD(10)", in, blocks_10},
    {sbc, 0x53, plain, "XDWRITEREAD(10)", both, blocks_10},
    {sbc, 0x7f, 0x0001, "REBUILD(32)", out, lba_only(12, 64)},
    {sbc, 0x7f, 0x0002, "REGENERATE(32)", out, lba_only(12, 64)},
    {sbc, 0x7f, 0x0003, "XDREAD(32)", in, blocks_32},
    {sbc, 0x7f, 0x0004, "XDWRITE(32)", out, blocks_32},
    {sbc, 0x7f, 0x0005, "XDWRITE EXTENDED(32)", out, no_fields},
    {sbc, 0x7f, 0x0006, "XPWRITE(32)", out, blocks_32},
    {sbc, 0x7f, 0x0007, "XDWRITEREAD(32)", both, blocks_32},
    {sbc, 0x7f, 0x0008, "XDWRITE EXTENDED(64)", out, no_fields},
    {sbc, 0x7f, 0x0009, "READ(32)", in, blocks_32},
    {sbc, 0x7f, 0x000a, "VERIFY(32)", out_if(10, 0x06), blocks_32},
    {sbc, 0x7f, 0x000b, "WRITE(32)", out, blocks_32},
    {sbc, 0x7f, 0x000c, "WRITE AND VERIFY(32)", out, blocks_32},
    {sbc, 0x7f, 0x000d, "WRITE SAME(32)", out_unless(10, 0x01), blocks_32},
    {sbc, 0x7f, 0x000e, "ORWRITE(32)", out, blocks_32},
    {sbc, 0x7f, 0x000f, "WRITE ATOMIC(32)", out, blocks_32},
    {sbc, 0x7f, 0x0010, "WRITE STREAM(32)", out, blocks_32},
    {sbc, 0x7f, 0x0011, "WRITE SCATTERED(32)", out, {{}, {28, 32}, LengthUnit::blocks}},
    {sbc, 0x7f, 0x0012, "GET LBA STATUS(32)", in, {{12, 64}, {28, 32}, LengthUnit::bytes}},
    {sbc, 0x7f, 0x1ff0, "ATA PASS-THROUGH(32)", varies, no_fields},
    {sbc, 0x80, plain, "XDWRITE EXTENDED(16)", out, no_fields},
    {sbc, 0x81, plain, "REBUILD(16)", out, blocks_12},
    {sbc, 0x82, plain, "REGENERATE(16)", out, blocks_12},
    {sbc, 0x83, 0x10, "POPULATE TOKEN", out, bytes_at(10, 32)},
    {sbc, 0x83, 0x11, "WRITE USING TOKEN", out, bytes_at(10, 32)},
    {sbc, 0x85, plain, "ATA PASS-THROUGH(16)", varies, no_fields},
    {sbc, 0x88, plain, "READ(16)", in, blocks_16},
    {sbc, 0x89, plain, "COMPARE AND WRITE", out, {{2, 64}, {13, 8}, LengthUnit::blocks}},
    {sbc, 0x8a, plain, "WRITE(16)", out, blocks_16},
    {sbc, 0x8b, plain, "ORWRITE(16)", out, blocks_16},
    {sbc, 0x8e, plain, "WRITE AND VERIFY(16)", out, blocks_16},
    {sbc, 0x8f, plain, "VERIFY(16)", out_if(1, 0x06), blocks_16},
    {sbc, 0x90, plain, "PRE-FETCH(16)", none, blocks_16},
    {sbc, 0x91, plain, "SYNCHRONIZE CACHE(16)", none, blocks_16},
    {sbc, 0x92, plain, "LOCK UNLOCK CACHE(16)", none, blocks_16},
    {sbc, 0x93, plain, "WRITE SAME(16)", out_unless(1, 0x01), blocks_16},
    {sbc, 0x94, 0x01, "CLOSE ZONE", none, lba_only(2, 64)},
    {sbc, 0x94, 0x02, "FINISH ZONE", none, lba_only(2, 64)},
    {sbc, 0x94, 0x03, "OPEN ZONE", none, lba_only(2, 64)},
    {sbc, 0x94, 0x04, "RESET WRITE POINTER", none, lba_only(2, 64)},
    {sbc, 0x94, 0x10, "SEQUENTIALIZE ZONE", none, lba_only(2, 64)},
    {sbc, 0x94, others, "ZBC OUT", varies, lba_only(2, 64)},
    {sbc, 0x95, 0x00, "REPORT ZONES", in, {{2, 64}, {10, 32}, LengthUnit::bytes}},
    {sbc, 0x95, 0x06, "REPORT REALMS", in, {{2, 64}, {10, 32}, LengthUnit::bytes}},
    {sbc, 0x95, 0x07, "REPORT ZONE DOMAINS", in, {{2, 64}, {10, 32}, LengthUnit::bytes}},
    {sbc, 0x95, 0x08, "ZONE ACTIVATE(16)", in, lba_only(2, 64)},
    {sbc, 0x95, 0x09, "ZONE QUERY(16)", in, lba_only(2, 64)},
    {sbc, 0x95, others, "ZBC IN", in, lba_only(2, 64)},
    {sbc, 0x9a, plain, "WRITE STREAM(16)", out, stream_16},
    {sbc, 0x9c, plain, "WRITE ATOMIC(16)", out, stream_16},
    {sbc, 0x9e, 0x10, "READ CAPACITY(16)", in, bytes_at(10, 32)},
    {sbc, 0x9e, 0x11, "READ LONG(16)", in, {{2, 64}, {12, 16}, LengthUnit::bytes}},
    {sbc, 0x9e, 0x12, "GET LBA STATUS(16)", in, {{2, 64}, {10, 32}, LengthUnit::bytes}},
    {sbc, 0x9e, 0x13, "REPORT REFERRALS", in, {{2, 64}, {10, 32}, LengthUnit::bytes}},
    {sbc, 0x9e, 0x14, "STREAM CONTROL", in, bytes_at(10, 32)},
    {sbc, 0x9e, 0x15, "BACKGROUND CONTROL", none, no_fields},
    {sbc, 0x9e, 0x16, "GET STREAM STATUS", in, bytes_at(10, 32)},
    {sbc, 0x9e, 0x17, "GET PHYSICAL ELEMENT STATUS", in, bytes_at(10, 32)},
    {sbc, 0x9e, 0x18, "REMOVE ELEMENT AND TRUNCATE", none, no_fields},
    {sbc, 0x9e, 0x19, "RESTORE ELEMENTS AND REBUILD", none, no_fields},
    {sbc, 0x9e, 0x1a, "REMOVE ELEMENT AND MODIFY ZONES", none, no_fields},
    {sbc, 0x9f, 0x11, "WRITE LONG(16)", out, {{2, 64}, {12, 16}, LengthUnit::bytes}},
    {sbc, 0x9f, 0x12, "WRITE SCATTERED(16)", out, {{}, {10, 32}, LengthUnit::blocks}},
    {sbc, 0xa1, plain, "ATA PASS-THROUGH(12)", varies, no_fields},
    {sbc, 0xa3, 0x1d, "REPORT PROVISIONING INITIALIZATION PATTERN", in, bytes_at(6, 32)},
    {sbc, 0xa8, plain, "READ(12)", in, blocks_12},
    {sbc, 0xaa, plain, "WRITE(12)", out, blocks_12},
    {sbc, 0xac, plain, "ERASE(12)", none, blocks_12},
    {sbc, 0xae, plain, "WRITE AND VERIFY(12)", out, blocks_12},
    {sbc, 0xaf, plain, "VERIFY(12)", out_if(1, 0x06), blocks_12},
    {sbc, 0xb0, plain, "SEARCH DATA HIGH(12)", out, blocks_12},
    {sbc, 0xb1, plain, "SEARCH DATA EQUAL(12)", out, blocks_12},
    {sbc, 0xb2, plain, "SEARCH DATA LOW(12)", out, blocks_12},
    {sbc, 0xb3, plain, "SET LIMITS(12)", none, blocks_12},
    {sbc, 0xb7, plain, "READ DEFECT DATA(12)", in, bytes_at(6, 32)},

    // SSC-3 to SSC-5. The count of SPACE is signed and may be of filemarks: it is no number of blocks.
    {ssc, 0x01, plain, "REWIND", none, no_fields},
    {ssc, 0x04, plain, "FORMAT MEDIUM", out, bytes_at(3, 16)},
    {ssc, 0x05, plain, "READ BLOCK LIMITS", in, no_fields},
    {ssc, 0x08, plain, "READ(6)", in, tape_6},
    {ssc, 0x0a, plain, "WRITE(6)", out, tape_6},
    {ssc, 0x0b, plain, "SET CAPACITY", none, no_fields},
    {ssc, 0x0f, plain, "READ REVERSE(6)", in, tape_6},
    {ssc, 0x10, plain, "WRITE FILEMARKS(6)", none, no_fields},
    {ssc, 0x11, plain, "SPACE(6)", none, no_fields},
    {ssc, 0x13, plain, "VERIFY(6)", out_if(1, 0x02), tape_6},
    {ssc, 0x14, plain, "RECOVER BUFFERED DATA", in, tape_6},
    {ssc, 0x19, plain, "ERASE(6)", none, no_fields},
    {ssc, 0x1b, plain, "LOAD UNLOAD", none, no_fields},
    {ssc, 0x2b, plain, "LOCATE(10)", none, lba_only(3, 32)},
    {ssc, 0x34, others, "READ POSITION", in, bytes_at(7, 16)},
    {ssc, 0x44, plain, "REPORT DENSITY SUPPORT", in, bytes_at(7, 16)},
    {ssc, 0x80, plain, "WRITE FILEMARKS(16)", none, lba_only(4, 64)},
    {ssc, 0x81, plain, "READ REVERSE(16)", in, tape_16},
    {ssc, 0x82, plain, "ALLOW OVERWRITE", none, lba_only(4, 64)},
    {ssc, 0x88, plain, "READ(16)", in, tape_16},
    {ssc, 0x8a, plain, "WRITE(16)", out, tape_16},
    {ssc, 0x8f, plain, "VERIFY(16)", out_if(1, 0x02), tape_16},
    {ssc, 0x91, plain, "SPACE(16)", none, no_fields},
    {ssc, 0x92, plain, "LOCATE(16)", none, lba_only(4, 64)},
    {ssc, 0x93, plain, "ERASE(16)", none, lba_only(4, 64)},
    {ssc, 0xa3, 0x1d, "RECEIVE RECOMMENDED ACCESS ORDER", in, bytes_at(6, 32)},
    {ssc, 0xa3, 0x1e, "READ DYNAMIC RUNTIME ATTRIBUTE", in, bytes_at(6, 32)},
    {ssc, 0xa4, 0x1d, "GENERATE RECOMMENDED ACCESS ORDER", out, bytes_at(6, 32)},
    {ssc, 0xa4, 0x1e, "WRITE DYNAMIC RUNTIME ATTRIBUTE", out, bytes_at(6, 32)},

    // SMC-2 and SMC-3.
    {smc, 0x07, plain, "INITIALIZE ELEMENT STATUS", none, no_fields},
    {smc, 0x16, plain, "RESERVE ELEMENT(6)", out_if(4, 0xff), bytes_at(3, 16)},
    {smc, 0x17, plain, "RELEASE ELEMENT(6)", none, no_fields},
    {smc, 0x1b, plain, "OPEN/CLOSE IMPORT/EXPORT ELEMENT", none, no_fields},
    {smc, 0x2b, plain, "POSITION TO ELEMENT", none, no_fields},
    {smc, 0x37, plain, "INITIALIZE ELEMENT STATUS WITH RANGE", none, no_fields},
    {smc, 0x44, plain, "REPORT VOLUME TYPES SUPPORTED", in, bytes_at(7, 16)},
    {smc, 0x56, plain, "RESERVE ELEMENT(10)", out_if(8, 0xff), bytes_at(7, 16)},
    {smc, 0x57, plain, "RELEASE ELEMENT(10)", out_if(8, 0xff), bytes_at(7, 16)},
    {smc, 0xa5, plain, "MOVE MEDIUM", none, no_fields},
    {smc, 0xa6, plain, "EXCHANGE MEDIUM", none, no_fields},
    {smc, 0xa7, plain, "MOVE MEDIUM ATTACHED", none, no_fields},
    {smc, 0xb4, plain, "READ ELEMENT STATUS ATTACHED", in, bytes_at(7, 24)},
    {smc, 0xb5, plain, "REQUEST VOLUME ELEMENT ADDRESS", in, bytes_at(7, 24)},
    {smc, 0xb6, plain, "SEND VOLUME TAG", out, bytes_at(8, 16)},
    {smc, 0xb8, plain, "READ ELEMENT STATUS", in, bytes_at(7, 24)},

    // MMC-3 to MMC-6. What MMC shares with SBC (READ(10), …) stands there.
    {mmc, 0x23, plain, "READ FORMAT CAPACITIES", in, bytes_at(7, 16)},
    {mmc, 0x42, plain, "READ SUB-CHANNEL", in, bytes_at(7, 16)},
    {mmc, 0x43, plain, "READ TOC/PMA/ATIP", in, bytes_at(7, 16)},
    {mmc, 0x44, plain, "READ HEADER", in, {{2, 32}, {7, 16}, LengthUnit::bytes}},
    {mmc, 0x45, plain, "PLAY AUDIO(10)", none, blocks_10},
    {mmc, 0x46, plain, "GET CONFIGURATION", in, bytes_at(7, 16)},
    {mmc, 0x47, plain, "PLAY AUDIO MSF", none, no_fields},
    {mmc, 0x4a, plain, "GET EVENT STATUS NOTIFICATION", in, bytes_at(7, 16)},
    {mmc, 0x4b, plain, "PAUSE/RESUME", none, no_fields},
    {mmc, 0x4e, plain, "STOP PLAY/SCAN", none, no_fields},
    {mmc, 0x51, plain, "READ DISC INFORMATION", in, bytes_at(7, 16)},
    {mmc, 0x52, plain, "READ TRACK INFORMATION", in, bytes_at(7, 16)},
    {mmc, 0x53, plain, "RESERVE TRACK", none, {{}, {5, 32}, LengthUnit::blocks}},
    {mmc, 0x54, plain, "SEND OPC INFORMATION", out, bytes_at(7, 16)},
    {mmc, 0x58, plain, "REPAIR TRACK", none, no_fields},
    {mmc, 0x5b, plain, "CLOSE TRACK/SESSION", none, no_fields},
    {mmc, 0x5c, plain, "READ BUFFER CAPACITY", in, bytes_at(7, 16)},
    {mmc, 0x5d, plain, "SEND CUE SHEET", out, bytes_at(6, 24)},
    {mmc, 0xa1, plain, "BLANK", none, no_fields},
    {mmc, 0xa3, plain, "SEND KEY", out, bytes_at(8, 16)},
    {mmc, 0xa4, plain, "REPORT KEY", in, bytes_at(8, 16)},
    {mmc, 0xa5, plain, "PLAY AUDIO(12)", none, blocks_12},
    {mmc, 0xa6, plain, "LOAD/UNLOAD MEDIUM", none, no_fields},
    {mmc, 0xa7, plain, "SET READ AHEAD", none, lba_only(2, 32)},
    {mmc, 0xac, plain, "GET PERFORMANCE", in, lba_only(2, 32)},
    {mmc, 0xad, plain, "READ DISC STRUCTURE", in, bytes_at(8, 16)},
    {mmc, 0xb6, plain, "SET STREAMING", out, bytes_at(9, 16)},
    {mmc, 0xb9, plain, "READ CD MSF", in, no_fields},
    {mmc, 0xba, plain, "SCAN", none, no_fields},
    {mmc, 0xbb, plain, "SET CD SPEED", none, no_fields},
    {mmc, 0xbd, plain, "MECHANISM STATUS", in, bytes_at(8, 16)},
    {mmc, 0xbe, plain, "READ CD", in, {{2, 32}, {6, 24}, LengthUnit::blocks}},
    {mmc, 0xbf, plain, "SEND DISC STRUCTURE", out, bytes_at(8, 16)},

    // OSD, then OSD-2, which renumbered what it changed. Attributes may ride along either way with any of
    // them, so
    // that only the operation's own data have a direction.
    {osd, 0x7f, 0x8801, "FORMAT OSD", none, no_fields},
    {osd, 0x7f, 0x8802, "CREATE", none, no_fields},
    {osd, 0x7f, 0x8803, "LIST", in, bytes_at(36, 64)},
    {osd, 0x7f, 0x8805, "READ", in, bytes_at(36, 64)},
    {osd, 0x7f, 0x8806, "WRITE", out, bytes_at(36, 64)},
    {osd, 0x7f, 0x8807, "APPEND", out, bytes_at(36, 64)},
    {osd, 0x7f, 0x8808, "FLUSH", none, no_fields},
    {osd, 0x7f, 0x880a, "REMOVE", none, no_fields},
    {osd, 0x7f, 0x880b, "CREATE PARTITION", none, no_fields},
    {osd, 0x7f, 0x880c, "REMOVE PARTITION", none, no_fields},
    {osd, 0x7f, 0x880e, "GET ATTRIBUTES", in, no_fields},
    {osd, 0x7f, 0x880f, "SET ATTRIBUTES", out, no_fields},
    {osd, 0x7f, 0x8812, "CREATE AND WRITE", out, bytes_at(36, 64)},
    {osd, 0x7f, 0x8815, "CREATE COLLECTION", none, no_fields},
    {osd, 0x7f, 0x8816, "REMOVE COLLECTION", none, no_fields},
    {osd, 0x7f, 0x8817, "LIST COLLECTION", in, bytes_at(36, 64)},
    {osd, 0x7f, 0x8818, "SET KEY", none, no_fields},
    {osd, 0x7f, 0x8819, "SET MASTER KEY", none, no_fields},
    {osd, 0x7f, 0x881a, "FLUSH COLLECTION", none, no_fields},
    {osd, 0x7f, 0x881b, "FLUSH PARTITION", none, no_fields},
    {osd, 0x7f, 0x881c, "FLUSH OSD", none, no_fields},
    {osd, 0x7f, 0x8880, "OBJECT STRUCTURE CHECK", none, no_fields},
    {osd, 0x7f, 0x8881, "FORMAT OSD", none, no_fields},
    {osd, 0x7f, 0x8882, "CREATE", none, no_fields},
    {osd, 0x7f, 0x8883, "LIST", in, bytes_at(32, 64)},
    {osd, 0x7f, 0x8884, "PUNCH", none, bytes_at(32, 64)},
    {osd, 0x7f, 0x8885, "READ", in, bytes_at(32, 64)},
    {osd, 0x7f, 0x8886, "WRITE", out, bytes_at(32, 64)},
    {osd, 0x7f, 0x8887, "APPEND", out, bytes_at(32, 64)},
    {osd, 0x7f, 0x8888, "FLUSH", none, no_fields},
    {osd, 0x7f, 0x8889, "CLEAR", none, bytes_at(32, 64)},
    {osd, 0x7f, 0x888a, "REMOVE", none, no_fields},
    {osd, 0x7f, 0x888b, "CREATE PARTITION", none, no_fields},
    {osd, 0x7f, 0x888c, "REMOVE PARTITION", none, no_fields},
    {osd, 0x7f, 0x888e, "GET ATTRIBUTES", in, no_fields},
    {osd, 0x7f, 0x888f, "SET ATTRIBUTES", out, no_fields},
    {osd, 0x7f, 0x8892, "CREATE AND WRITE", out, bytes_at(32, 64)},
    {osd, 0x7f, 0x8893, "COPY USER OBJECTS", varies, no_fields},
    {osd, 0x7f, 0x8894, "CREATE USER TRACKING COLLECTION", none, no_fields},
    {osd, 0x7f, 0x8895, "CREATE COLLECTION", none, no_fields},
    {osd, 0x7f, 0x8896, "REMOVE COLLECTION", none, no_fields},
    {osd, 0x7f, 0x8897, "LIST COLLECTION", in, bytes_at(32, 64)},
    {osd, 0x7f, 0x8898, "SET KEY", none, no_fields},
    {osd, 0x7f, 0x8899, "SET MASTER KEY", none, no_fields},
    {osd, 0x7f, 0x889a, "FLUSH COLLECTION", none, no_fields},
    {osd, 0x7f, 0x889b, "FLUSH PARTITION", none, no_fields},
    {osd, 0x7f, 0x889c, "FLUSH OSD", none, no_fields},
    {osd, 0x7f, 0x88a0, "QUERY", varies, bytes_at(32, 64)},
    {osd, 0x7f, 0x88a1, "REMOVE MEMBER OBJECTS", none, no_fields},
    {osd, 0x7f, 0x88a2, "GET MEMBER ATTRIBUTES", in, no_fields},
    {osd, 0x7f, 0x88a3, "SET MEMBER ATTRIBUTES", out, no_fields},
    {osd, 0x7f, 0x88a8, "CREATE CLONE", none, no_fields},
    {osd, 0x7f, 0x88a9, "CREATE SNAPSHOT", none, no_fields},
    {osd, 0x7f, 0x88aa, "DETACH CLONE", none, no_fields},
    {osd, 0x7f, 0x88ab, "REFRESH SNAPSHOT OR CLONE", none, no_fields},
    {osd, 0x7f, 0x88ac, "RESTORE PARTITION FROM SNAPSHOT", none, no_fields},
    {osd, 0x7f, 0x88b1, "READ MAP", in, bytes_at(32, 64)},
    {osd, 0x7f, 0x88b2, "READ MAPS AND COMPARE", in, bytes_at(32, 64)},
    {osd, 0x7f, 0x8f7c, "PERFORM SCSI COMMAND", varies, no_fields},
    {osd, 0x7f, 0x8f7d, "PERFORM TASK MANAGEMENT FUNCTION", none, no_fields},
    {osd, 0x7f, 0x8f7e, "PERFORM SCSI COMMAND", varies, no_fields},
    {osd, 0x7f, 0x8f7f, "PERFORM TASK MANAGEMENT FUNCTION", none, no_fields},
};

constexpr size_t command_count = std::size(commands_by_standard);

// The same rows by operation code, in each by service action, then by standard; the general rows, `others`
// and `plain`, stand last and count as one service action.
constexpr auto commands = [] {
    std::array<Command, command_count> sorted{};
    std::ranges::copy(commands_by_standard, sorted.begin());
    std::ranges::sort(sorted, [](const Command& a, const Command& b) {
        if (a.opcode != b.opcode) return a.opcode < b.opcode;
        const uint16_t action_a = std::min(a.service_action, others);
        const uint16_t action_b = std::min(b.service_action, others);
        if (action_a != action_b) return action_a < action_b;
        return a.standard < b.standard;
    });
    return sorted;
}();

static_assert(std::ranges::adjacent_find(commands, [](const Command& a, const Command& b) {
                  return a.opcode == b.opcode && a.service_action == b.service_action &&
                         a.standard == b.standard;
              }) == commands.end());

// commands[first_of[opcode]] to commands[first_of[opcode + 1] - 1] are those of an operation code.
constexpr auto first_of = [] {
    std::array<uint16_t, 257> first{};
    for (const Command& command : commands) first[command.opcode + 1u]++;
    for (size_t opcode = 0; opcode < 256; opcode++)
        first[opcode + 1] = static_cast<uint16_t>(first[opcode + 1] + first[opcode]);
    return first;
}();

constexpr Standard standard_of(DeviceType device) {
    switch (device) {
        case DeviceType::direct_access_block:
        case DeviceType::write_once:
        case DeviceType::optical_memory:
        case DeviceType::simplified_direct_access:
        case DeviceType::host_managed_zoned_block:
            return sbc;
        case DeviceType::sequential_access:
        case DeviceType::automation_drive_interface:
            return ssc;
        case DeviceType::cd_dvd:
            return mmc;
        case DeviceType::media_changer:
            return smc;
        case DeviceType::object_based_storage:
            return osd;
        case DeviceType::unknown:
            break;
    }
    return no_standard;
}

// The service action the CDB would have if its command has any; where it is cut off, no row's own.
uint16_t service_action_at(std::span<const uint8_t> cdb) {
    if (cdb[0] == variable_length) return cdb.size() < 10 ? others : load_be16(cdb.data() + 8);
    return cdb.size() < 2 ? others : cdb[1] & 0x1f;
}

using Rows = std::span<const Command>;

// Of an operation code: those for just this service action, and the general ones.
struct RowsOf {
    Rows exact;
    Rows general;
};

RowsOf rows_of(uint8_t opcode, uint16_t service_action) {
    const Rows rows = Rows(commands).subspan(first_of[opcode], first_of[opcode + 1u] - first_of[opcode]);
    const auto position = [](Rows among, uint32_t action) {
        return static_cast<size_t>(std::ranges::lower_bound(among, action, {}, &Command::service_action) -
                                   among.begin());
    };
    const size_t first_general = position(rows, others);
    const Rows specific = rows.first(first_general);
    const size_t first_exact = position(specific, service_action);
    return {specific.subspan(first_exact, position(specific, service_action + 1u) - first_exact),
            rows.subspan(first_general)};
}

// The row of the device's own standard, else the first; a row for just this service action before a general
// one.
const Command* find(uint8_t opcode, uint16_t service_action, Standard standard) {
    const auto [exact, general] = rows_of(opcode, service_action);
    for (const Rows candidates : {exact, general}) {
        for (const Command& command : candidates) {
            if (command.standard == standard) return &command;
        }
    }
    if (!exact.empty()) return &exact.front();
    return general.empty() ? nullptr : &general.front();
}

uint64_t read_field(std::span<const uint8_t> cdb, Field field) {
    const size_t end = field.offset + (field.bits + 7u) / 8;
    if (field.bits == 0 || end > cdb.size()) return unknown<uint64_t>;
    uint64_t value = 0;
    for (size_t i = field.offset; i < end; i++) value = value << 8 | cdb[i];
    return field.bits == 64 ? value : value & ((uint64_t{1} << field.bits) - 1);
}

DataDirection direction_of(std::span<const uint8_t> cdb, const Transfer& transfer) {
    if (transfer.condition == Transfer::If::always) return transfer.direction;
    if (transfer.byte >= cdb.size()) return DataDirection::unknown;
    const bool set = (cdb[transfer.byte] & transfer.mask) != 0;
    return set == (transfer.condition == Transfer::If::any_set) ? transfer.direction : DataDirection::none;
}

void read_length(std::span<const uint8_t> cdb, const Layout& layout, CdbInfo& info) {
    const uint64_t length = read_field(cdb, layout.length);
    if (length == unknown<uint64_t>) return;
    switch (layout.unit) {
        case LengthUnit::bytes:
            info.bytes = length;
            break;
        case LengthUnit::blocks:
            info.blocks = length;
            break;
        case LengthUnit::blocks_or_256:
            info.blocks = length == 0 ? 256 : length;
            break;
        case LengthUnit::blocks_if_fixed:
            ((cdb[1] & 0x01) != 0 ? info.blocks : info.bytes) = length;
            break;
        case LengthUnit::bytes_or_512:
            info.bytes = (cdb[4] & 0x80) != 0 ? length * 512 : length;
            break;
    }
}

CdbInfo read_as(std::span<const uint8_t> cdb, const Command& command) {
    CdbInfo info;
    info.opcode = cdb[0];
    const uint16_t service_action = service_action_at(cdb);
    info.name = command.name;
    if (command.service_action != plain && service_action != others) info.service_action = service_action;
    info.direction = direction_of(cdb, command.transfer);
    info.lba = read_field(cdb, command.layout.lba);
    read_length(cdb, command.layout, info);
    return info;
}

// Of SBC's operation codes those that MMC has, too, with the same name and fields.
constexpr std::array<uint8_t, 11> of_mmc_too = {0x04, 0x1b, 0x25, 0x28, 0x2a, 0x2b,
                                                0x2e, 0x2f, 0x35, 0xa8, 0xaa};

constexpr CommandSets bit_of(Standard standard) {
    return static_cast<CommandSets>(1u << (standard - sbc));
}

// spc: of all.
CommandSets sets_of(const Command& command) {
    if (command.standard == spc) return all_command_sets;
    const bool shared =
        command.standard == sbc && std::ranges::find(of_mmc_too, command.opcode) != of_mmc_too.end();
    return static_cast<CommandSets>(bit_of(command.standard) | (shared ? bit_of(mmc) : 0));
}

// READ(16) and the like with an address of their own, which no tape drive is known to be driven by: st of Linux and LTFS read where
// the tape stands.
bool is_of_explicit_tape(const Command& command) {
    return command.standard == ssc &&
           (command.opcode == 0x88 || command.opcode == 0x8a || command.opcode == 0x8f);
}

// What a CDB may mean to a device of unknown type.
struct Candidates {
    std::array<const Command*, no_standard> rows{};
    size_t count = 0;
};

// `direction`: none excludes what has data only where something is left that has none, for no bytes may have been asked for.
Candidates candidates_for(std::span<const uint8_t> cdb, CommandSets sets, DataDirection direction) {
    const auto [exact, general] = rows_of(cdb[0], service_action_at(cdb));
    for (const DataDirection wanted : {direction, DataDirection::unknown}) {
        for (const Rows rows : {exact, general}) {
            Candidates candidates;
            for (const Command& command : rows) {
                if ((is_of_explicit_tape(command) && (sets & bit_of(sbc)) != 0) ||
                    (sets_of(command) & sets) == 0)
                    continue;
                const DataDirection own = direction_of(cdb, command.transfer);
                const bool agrees =
                    own == wanted || own == DataDirection::unknown || wanted == DataDirection::unknown;
                if (!agrees) continue;
                candidates.rows[candidates.count++] = &command;
                // The commands of all devices stand first.
                if (command.standard == spc) return candidates;
            }
            if (candidates.count > 0) return candidates;
        }
    }
    return {};
}

constexpr uint16_t name_key(uint8_t opcode, unsigned standards) {
    return static_cast<uint16_t>(unsigned{opcode} << 8 | standards);
}

std::string joined(std::span<const Command* const> rows) {
    std::string names;
    for (const Command* command : rows) names += (names.empty() ? "" : " or ") + std::string(command->name);
    return names;
}

// The names of operation codes that several standards have without a service action, by name_key().
std::map<uint16_t, std::string> join_names() {
    std::map<uint16_t, std::string> names;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const Rows rows = rows_of(static_cast<uint8_t>(opcode), plain).general;
        for (unsigned standards = 0; standards <= all_command_sets; standards++) {
            std::array<const Command*, no_standard> of{};
            size_t count = 0;
            for (const Command& command : rows) {
                if (command.standard != spc && (standards & bit_of(command.standard)) != 0)
                    of[count++] = &command;
            }
            if (count > 1)
                names[name_key(static_cast<uint8_t>(opcode), standards)] = joined({of.data(), count});
        }
    }
    return names;
}

// Static storage.
const char* name_of(const Candidates& candidates) {
    static const std::map<uint16_t, std::string> names = join_names();
    const Command& first = *candidates.rows[0];
    unsigned standards = 0;
    bool all_alike = true;
    for (size_t i = 0; i < candidates.count; i++) {
        const Command& command = *candidates.rows[i];
        standards |= bit_of(command.standard);
        all_alike = all_alike && std::string_view(command.name) == first.name;
    }
    if (all_alike) return first.name;
    const auto found = names.find(name_key(first.opcode, standards));
    return found == names.end() ? "" : found->second.c_str();
}

CdbInfo read_as_any(std::span<const uint8_t> cdb, const Candidates& candidates) {
    CdbInfo info = read_as(cdb, *candidates.rows[0]);
    if (candidates.count == 1) return info;
    const auto agree = [](auto& field, const auto& other, auto otherwise) {
        if (field != other) field = otherwise;
    };
    for (size_t i = 1; i < candidates.count; i++) {
        const CdbInfo other = read_as(cdb, *candidates.rows[i]);
        agree(info.lba, other.lba, unknown<uint64_t>);
        agree(info.blocks, other.blocks, unknown<uint64_t>);
        agree(info.bytes, other.bytes, unknown<uint64_t>);
        agree(info.service_action, other.service_action, unknown<uint16_t>);
        agree(info.direction, other.direction, DataDirection::unknown);
    }
    info.name = name_of(candidates);
    return info;
}

}  // namespace

CommandSets command_sets_with(std::span<const uint8_t> cdb, DataDirection direction) {
    if (cdb.empty()) return all_command_sets;
    const Candidates candidates = candidates_for(cdb, all_command_sets, direction);
    CommandSets sets = 0;
    for (size_t i = 0; i < candidates.count; i++)
        sets = static_cast<CommandSets>(sets | sets_of(*candidates.rows[i]));
    return sets == 0 ? all_command_sets : sets;
}

CdbInfo decode_cdb(std::span<const uint8_t> cdb, DeviceType device, CommandSets sets,
                   DataDirection direction) {
    CdbInfo info;
    if (cdb.empty()) return info;
    info.opcode = cdb[0];
    if (device == DeviceType::unknown) {
        const Candidates candidates = candidates_for(cdb, sets, direction);
        if (candidates.count > 0) return read_as_any(cdb, candidates);
    }
    const Command* command = find(cdb[0], service_action_at(cdb), standard_of(device));
    return command == nullptr ? info : read_as(cdb, *command);
}

}  // namespace sanscope

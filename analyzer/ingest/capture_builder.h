// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sanscope::test {

using Bytes = std::vector<uint8_t>;

// Writes integers in one byte order. For tests and fuzzers, which make their captures themselves.
class ByteWriter {
  public:
    explicit ByteWriter(bool big_endian) : big_endian_(big_endian) {}

    ByteWriter& u8(uint8_t value) { return put(value, 1); }
    ByteWriter& u16(uint16_t value) { return put(value, 2); }
    ByteWriter& u32(uint32_t value) { return put(value, 4); }
    ByteWriter& u64(uint64_t value) { return put(value, 8); }
    ByteWriter& bytes(std::span<const uint8_t> value) {
        bytes_.insert(bytes_.end(), value.begin(), value.end());
        return *this;
    }
    // Zeros up to a multiple of four.
    ByteWriter& pad() {
        bytes_.resize((bytes_.size() + 3) & ~size_t{3});
        return *this;
    }

    bool big_endian() const { return big_endian_; }
    Bytes& result() { return bytes_; }

  private:
    ByteWriter& put(uint64_t value, unsigned width) {
        for (unsigned i = 0; i < width; ++i) {
            const unsigned shift = 8 * (big_endian_ ? width - 1 - i : i);
            bytes_.push_back(static_cast<uint8_t>(value >> shift));
        }
        return *this;
    }

    bool big_endian_;
    Bytes bytes_;
};

// `length` bytes that tell where they are from, so that a wrong byte shows.
inline Bytes frame(size_t length, uint8_t seed = 1) {
    Bytes bytes(length);
    for (size_t i = 0; i < length; ++i) bytes[i] = static_cast<uint8_t>(seed + 7 * i);
    return bytes;
}

// A pcap file.
class PcapBuilder {
  public:
    struct Header {
        bool big_endian = false;
        uint32_t magic = 0xa1b2c3d4;
        uint16_t major = 2;
        uint16_t minor = 4;
        uint32_t snap_length = 65535;
        uint32_t network = 1;
    };

    PcapBuilder() : PcapBuilder(Header{}) {}
    explicit PcapBuilder(const Header& header) : header_(header), writer_(header.big_endian) {
        writer_.u32(header.magic).u16(header.major).u16(header.minor).u32(0).u32(0);
        writer_.u32(header.snap_length).u32(header.network);
        if ((header.magic & 0xffffff00) == 0x1c000100) writer_.u32(0);
    }

    // A record with just these fields; `first` and `second` are the lengths in the order of the file.
    PcapBuilder& record(uint32_t seconds, uint32_t fraction, uint32_t first, uint32_t second,
                        const Bytes& data) {
        writer_.u32(seconds).u32(fraction).u32(first).u32(second);
        if (header_.magic == 0xa1b2cd34) writer_.u32(7).u16(0x0800).u8(4).u8(0);
        writer_.bytes(data);
        return *this;
    }
    PcapBuilder& packet(uint32_t seconds, uint32_t fraction, const Bytes& data) {
        const auto length = static_cast<uint32_t>(data.size());
        return record(seconds, fraction, length, length, data);
    }

    const Bytes& bytes() { return writer_.result(); }

  private:
    Header header_;
    ByteWriter writer_;
};

// A pcapng file; each section may have another byte order.
class PcapngBuilder {
  public:
    struct Interface {
        uint16_t link_type = 1;
        uint32_t snap_length = 0;
        std::string_view name = {};
        std::optional<uint8_t> tsresol = {};
        std::optional<int64_t> tsoffset = {};
    };

    PcapngBuilder& section(bool big_endian = false, uint16_t major = 1) {
        return section_of_length(~uint64_t{0}, big_endian, major);
    }
    PcapngBuilder& section_of_length(uint64_t length, bool big_endian, uint16_t major = 1,
                                     std::initializer_list<std::pair<uint16_t, std::string_view>> list = {}) {
        big_endian_ = big_endian;
        ByteWriter body(big_endian);
        body.u32(0x1a2b3c4d).u16(major).u16(0).u64(length);
        if (list.size() > 0) body.bytes(options(list));
        return block(0x0a0d0d0a, body.result());
    }
    PcapngBuilder& interface() { return interface(Interface{}); }
    PcapngBuilder& interface(const Interface& described) {
        ByteWriter body(big_endian_);
        body.u16(described.link_type).u16(0).u32(described.snap_length);
        if (!described.name.empty()) {
            const Bytes name(described.name.begin(), described.name.end());
            body.u16(2).u16(static_cast<uint16_t>(name.size())).bytes(name).pad();
        }
        if (described.tsresol) body.u16(9).u16(1).u8(*described.tsresol).pad();
        if (described.tsoffset) body.u16(14).u16(8).u64(static_cast<uint64_t>(*described.tsoffset));
        body.u16(0).u16(0);
        return block(1, body.result());
    }
    PcapngBuilder& enhanced_packet(uint32_t interface, uint64_t ticks, const Bytes& data,
                                   uint32_t original = 0) {
        ByteWriter body(big_endian_);
        const auto captured = static_cast<uint32_t>(data.size());
        body.u32(interface).u32(static_cast<uint32_t>(ticks >> 32)).u32(static_cast<uint32_t>(ticks));
        body.u32(captured).u32(original == 0 ? captured : original).bytes(data).pad();
        return block(6, body.result());
    }
    // One with options, as of options() or one after the other of option().
    PcapngBuilder& enhanced_packet_with(uint32_t interface, uint64_t ticks, const Bytes& data,
                                        const Bytes& options) {
        ByteWriter body(big_endian_);
        const auto captured = static_cast<uint32_t>(data.size());
        body.u32(interface).u32(static_cast<uint32_t>(ticks >> 32)).u32(static_cast<uint32_t>(ticks));
        body.u32(captured).u32(captured).bytes(data).pad().bytes(options);
        return block(6, body.result());
    }
    // In the byte order of the section.
    Bytes option(uint16_t code, std::string_view value = {}) const {
        ByteWriter writer(big_endian_);
        writer.u16(code).u16(static_cast<uint16_t>(value.size()));
        writer.bytes(Bytes(value.begin(), value.end())).pad();
        return writer.result();
    }
    Bytes options(std::initializer_list<std::pair<uint16_t, std::string_view>> list) const {
        Bytes bytes;
        for (const auto& [code, value] : list) {
            const Bytes one = option(code, value);
            bytes.insert(bytes.end(), one.begin(), one.end());
        }
        const Bytes end = option(0);
        bytes.insert(bytes.end(), end.begin(), end.end());
        return bytes;
    }
    PcapngBuilder& obsolete_packet(uint16_t interface, uint64_t ticks, const Bytes& data) {
        ByteWriter body(big_endian_);
        const auto captured = static_cast<uint32_t>(data.size());
        body.u16(interface).u16(0xffff);
        body.u32(static_cast<uint32_t>(ticks >> 32)).u32(static_cast<uint32_t>(ticks));
        body.u32(captured).u32(captured).bytes(data).pad();
        return block(2, body.result());
    }
    PcapngBuilder& simple_packet(uint32_t original, const Bytes& data) {
        ByteWriter body(big_endian_);
        body.u32(original).bytes(data).pad();
        return block(3, body.result());
    }
    PcapngBuilder& statistics(uint32_t interface, uint64_t ifdrop, uint64_t osdrop) {
        ByteWriter body(big_endian_);
        body.u32(interface).u64(0).u16(5).u16(8).u64(ifdrop).u16(7).u16(8).u64(osdrop).u16(0).u16(0);
        return block(5, body.result());
    }
    PcapngBuilder& block(uint32_t type, const Bytes& body) {
        const auto length = static_cast<uint32_t>(body.size() + 12);
        return raw_block(type, length, body, length);
    }
    PcapngBuilder& raw_block(uint32_t type, uint32_t length, const Bytes& body, uint32_t trailing_length) {
        ByteWriter writer(big_endian_);
        writer.u32(type).u32(length).bytes(body).u32(trailing_length);
        bytes_.insert(bytes_.end(), writer.result().begin(), writer.result().end());
        return *this;
    }

    const Bytes& bytes() const { return bytes_; }
    bool big_endian() const { return big_endian_; }

  private:
    bool big_endian_ = false;
    Bytes bytes_;
};

}  // namespace sanscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/packets_table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/tables/column.h"
#include "analyzer/tables/packet_analysis.h"
#include "analyzer/tables/relative_sequence.h"
#include "analyzer/tables/short_text.h"

namespace sanscope {
namespace {

using namespace column;

// What the cells of a row are made of. Of its segment each takes the columns it needs: the others need not be unpacked.
struct PacketRow {
    PacketNumber number;
    const PacketIndex& index;
    const ResultStore& store;
    const PduIndex* pdus;

    size_t place() const { return static_cast<size_t>(number - 1); }
    // Of TCP only, as has().
    template <auto member>
    auto segment() const {
        return store.segments().get<member>(place());
    }
    bool is_tcp() const {
        return place() < store.segments().size() && segment<&SegmentRow::connection>() != 0;
    }
    bool has(TcpFlag flag) const { return (segment<&SegmentRow::flags>() & flag) != 0; }
    // nullptr where it is no TCP.
    const ConnectionRow* connection() const {
        if (!is_tcp()) return nullptr;
        const ConnectionNumber connection = segment<&SegmentRow::connection>();
        return connection <= store.connections().size() ? &store.connection(connection) : nullptr;
    }
    const OtherPacket* other() const { return is_tcp() ? nullptr : index.other(number); }
};

constexpr std::array<std::string_view, 8> flag_names = {"FIN", "SYN", "RST", "PSH",
                                                        "ACK", "URG", "ECE", "CWR"};

constexpr std::array<std::string_view, loss_kinds> loss_words = {
    "fast retransmit",   "retransmission after a timeout",
    "tail loss probe",   "sent again in vain",
    "out of order",      "captured twice",
    "keep-alive",        "zero window probe",
    "bytes not captured"};

// A PDU by its name, a SCSI Command also by that of its command.
class PduNames {
  public:
    PduNames(const ResultStore& store, ShortText& text) : store_(store), text_(text) {}
    ~PduNames() { flush(); }
    PduNames(const PduNames&) = delete;
    PduNames& operator=(const PduNames&) = delete;

    void add(uint32_t pdu) {
        const PduRow& row = store_.pdus()[pdu];
        const char* const name = opcode_name(row.opcode);
        const bool request = Opcode{row.opcode} == Opcode::scsi_command && row.command != 0 &&
                             row.command <= store_.commands().size();
        const char* const command = request ? store_.command(row.command).name : "";
        if (count_ > 0 && name == name_ && command == command_) {
            ++count_;
            return;
        }
        flush();
        name_ = name;
        command_ = command;
        count_ = 1;
    }

  private:
    // Those alike in a row are reported once, with their number.
    void flush() {
        if (count_ == 0) return;
        text_.next().add(name_ == nullptr ? std::string_view("unknown PDU") : std::string_view(name_));
        if (*command_ != 0) text_.add(" ").add(std::string_view(command_));
        if (count_ > 1) text_.add(" ×").add(count_);
    }

    const ResultStore& store_;
    ShortText& text_;
    const char* name_ = nullptr;
    const char* command_ = "";
    uint64_t count_ = 0;
};

void add_loss(const PacketRow& row, ShortText& text) {
    if (row.pdus == nullptr) return;
    row.pdus->losses_of(row.number, [&](size_t loss) {
        if (text.empty()) text.add(loss_words[static_cast<size_t>(row.store.losses()[loss].kind)]);
    });
}

void add_payload(const PacketRow& row, ShortText& text) {
    bool completes = false;
    if (row.pdus != nullptr) {
        PduNames names(row.store, text);
        row.pdus->completed_by(row.number, [&](uint32_t pdu) {
            names.add(pdu);
            completes = true;
        });
    }
    if (completes || row.segment<&SegmentRow::payload_length>() == 0) return;
    text.next().add(row.segment<&SegmentRow::payload_length>()).add(" bytes");
    if (row.pdus == nullptr) return;
    bool carries = false;
    row.pdus->carried_by(row.number, [&](uint32_t pdu) {
        if (carries) return;
        carries = true;
        const char* const name = opcode_name(row.store.pdus().get<&PduRow::opcode>(pdu));
        if (name != nullptr) text.add(" of ").add(std::string_view(name));
    });
}

// What a packet without a TCP segment is about, in Wireshark's words where those are short.
void add_other(const OtherPacket& other, ShortText& text) {
    using Protocol = OtherPacket::Protocol;
    if (other.fragment) text.add("IP fragment");
    if (other.protocol == Protocol::arp && other.type == 1) {
        text.add("who has ").add(format(other.destination)).add("? tell ").add(format(other.source));
    } else if (other.protocol == Protocol::arp && other.type == 2) {
        text.add(format(other.source)).add(" is at ").add(format(other.source_mac));
    } else if (const std::string_view name = icmp_type_name(other); !name.empty()) {
        text.next().add(name);
    } else if (other.protocol == Protocol::tcp && !other.fragment) {
        text.add("no whole header");
    } else if (other.protocol == Protocol::other_ipv4 || other.protocol == Protocol::other_ipv6) {
        text.next().add("protocol ").add(other.number);
    } else if (other.protocol == Protocol::other_ethernet) {
        text.add(fmt::format("EtherType 0x{:04x}", other.number));
    }
}

void info(const PacketRow& row, const CellContext&, Cell& cell) {
    if (!row.is_tcp()) {
        const OtherPacket* const other = row.other();
        cell.set_empty();
        if (other == nullptr) return;
        {
            ShortText text(cell);
            add_other(*other, text);
        }
        if (cell.text.empty()) cell.set_empty();
        return;
    }
    ShortText text(cell);
    add_loss(row, text);
    if (row.has(tcp_syn)) {
        text.next().add(row.has(tcp_ack) ? "accepts the connection" : "opens the connection");
    }
    add_payload(row, text);
    if (row.has(tcp_fin)) text.next().add("sends no more");
    if (row.has(tcp_rst)) text.next().add("resets the connection");
    if (text.empty() && row.has(tcp_ack)) text.add("ACK ").add(row.segment<&SegmentRow::ack>());
}

// By the flags of a segment, those that are set by their names.
using FlagTexts = std::array<std::string, size_t{1} << flag_names.size()>;

FlagTexts make_flag_texts() {
    FlagTexts texts;
    for (size_t flags = 0; flags < texts.size(); ++flags) {
        for (size_t i = 0; i < flag_names.size(); ++i) {
            if ((flags >> i & 1) == 0) continue;
            if (!texts[flags].empty()) texts[flags] += ", ";
            texts[flags] += flag_names[i];
        }
    }
    return texts;
}

std::string_view flag_text(uint8_t flags) {
    static const FlagTexts texts = make_flag_texts();
    return texts[flags];
}

void flags(const PacketRow& row, const CellContext&, Cell& cell) {
    if (!row.is_tcp()) return cell.set_empty();
    cell.set(flag_text(row.segment<&SegmentRow::flags>()));
}

// An address where there is no port.
template <bool source>
void other_end(const OtherPacket& other, Cell& cell) {
    using Addresses = OtherPacket::Addresses;
    if (other.addresses == Addresses::none) return cell.set_empty();
    const IpAddress& address = source ? other.source : other.destination;
    const uint16_t port = source ? other.source_port : other.destination_port;
    if (other.addresses == Addresses::ip && port != 0) return set_endpoint(cell, {address, port});
    ShortText text(cell);
    if (other.addresses == Addresses::mac) {
        text.add(format(source ? other.source_mac : other.destination_mac));
    } else {
        text.add(format(address));
    }
}

template <bool source>
void end(const PacketRow& row, const CellContext&, Cell& cell) {
    if (const OtherPacket* const other = row.other(); other != nullptr)
        return other_end<source>(*other, cell);
    const ConnectionRow* const connection = row.connection();
    if (connection == nullptr) return cell.set_empty();
    set_endpoint(cell, connection->endpoint(source ? row.segment<&SegmentRow::sender>()
                                                   : other_side(row.segment<&SegmentRow::sender>())));
}

template <auto member>
void of_segment(const PacketRow& row, const CellContext&, Cell& cell) {
    if (!row.is_tcp()) return cell.set_empty();
    cell.set(uint64_t{row.segment<member>()});
}

template <auto member>
void of_place(const PacketRow& row, const CellContext&, Cell& cell) {
    cell.set(uint64_t{row.index.place<member>(row.number)});
}

// A pcapng's blocks that are no packets have no time; behind a packet they are read as of its time.
std::optional<int64_t> capture_time(const PacketIndex& index, PacketNumber packet) {
    const int64_t time_ns = index.time_ns(packet);
    if (time_ns == 0 && index.conversation(packet) == Conversations::no_packet) return std::nullopt;
    return time_ns;
}

void time_of_capture(const PacketRow& row, const CellContext&, Cell& cell) {
    const std::optional<int64_t> time_ns = capture_time(row.index, row.number);
    time_ns ? cell.set(*time_ns) : cell.set_empty();
}

void time_since_packet_before(const PacketRow& row, const CellContext&, Cell& cell) {
    const std::optional<int64_t> time_ns = capture_time(row.index, row.number);
    const std::optional<int64_t> before_ns =
        row.number > 1 ? capture_time(row.index, row.number - 1) : std::nullopt;
    int64_t delta_ns = 0;
    if (!time_ns || !before_ns || __builtin_sub_overflow(*time_ns, *before_ns, &delta_ns))
        return cell.set_empty();
    cell.set(delta_ns);
}

void relative_to(Side side, uint32_t sequence, const PacketRow& row, Cell& cell) {
    const std::optional<uint32_t> relative =
        relative_sequence(row.store, row.segment<&SegmentRow::connection>(), side, sequence);
    relative ? cell.set(uint64_t{*relative}) : cell.set_empty();
}

void relative_seq(const PacketRow& row, const CellContext&, Cell& cell) {
    if (!row.is_tcp()) return cell.set_empty();
    relative_to(row.segment<&SegmentRow::sender>(), row.segment<&SegmentRow::seq>(), row, cell);
}

void relative_ack(const PacketRow& row, const CellContext&, Cell& cell) {
    if (!row.is_tcp() || !row.has(tcp_ack)) return cell.set_empty();
    relative_to(other_side(row.segment<&SegmentRow::sender>()), row.segment<&SegmentRow::ack>(), row, cell);
}

void analysis(const PacketRow& row, const CellContext&, Cell& cell) {
    if (row.connection() == nullptr) return cell.set_empty();
    ShortText text(cell);
    add_analysis(row.number, row.store, row.pdus, text);
}

constexpr Column<PacketRow> packet_columns[] = {
    {"packet", unsigned_column, "Number of the packet, counted from 1",
     [](const PacketRow& row, const CellContext&, Cell& cell) { cell.set(uint64_t{row.number}); }},
    {"time_ns", integer_column, "Time of capture, nanoseconds since the epoch", time_of_capture},
    {"source", text_column,
     "Address and port of the sender, IP:PORT or [IPv6]:PORT; without a port the address alone", end<true>},
    {"destination", text_column,
     "Address and port of the receiver, IP:PORT or [IPv6]:PORT; without a port the address alone",
     end<false>},
    {"protocol", text_column,
     "What it brings: iSCSI, TCP, ARP, ICMP, ICMPv6, IGMP, UDP, SCTP, GRE, ESP, OSPF, VRRP, IPv4, IPv6, "
     "LLDP, STP, LLC or Ethernet; also \"MAC control\"",
     [](const PacketRow& row, const CellContext&, Cell& cell) {
         if (!row.is_tcp()) {
             const OtherPacket* const other = row.other();
             const std::string_view name =
                 other == nullptr ? std::string_view() : protocol_name(other->protocol);
             return name.empty() ? cell.set_empty() : cell.set(name);
         }
         const ConnectionRow* const connection = row.connection();
         const bool iscsi =
             connection != nullptr && connection->iscsi && row.segment<&SegmentRow::payload_length>() > 0;
         cell.set(std::string_view(iscsi ? "iSCSI" : "TCP"));
     }},
    {"length", unsigned_column, "Length on the wire, bytes", of_place<&PacketPlace::wire_length>},
    {"captured_length", unsigned_column, "How much of it was captured, bytes",
     of_place<&PacketPlace::captured_length>},
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     of_segment<&SegmentRow::connection>},
    {"seq", unsigned_column, "TCP sequence number, as in the header", of_segment<&SegmentRow::seq>},
    {"ack", unsigned_column, "TCP acknowledgement number, as in the header; empty without the flag ACK",
     [](const PacketRow& row, const CellContext&, Cell& cell) {
         if (!row.is_tcp() || !row.has(tcp_ack)) return cell.set_empty();
         cell.set(uint64_t{row.segment<&SegmentRow::ack>()});
     }},
    {"payload", unsigned_column, "TCP payload on the wire, bytes", of_segment<&SegmentRow::payload_length>},
    {"window", unsigned_column, "TCP window, as in the header, unscaled", of_segment<&SegmentRow::window>},
    {"flags", text_column, "TCP flags by their names, as in SYN, ACK", flags},
    {"interface", unsigned_column, "Number of the interface in the capture, counted from 0",
     [](const PacketRow& row, const CellContext&, Cell& cell) {
         cell.set(uint64_t{row.index.interface(row.number)});
     }},
    {"pdu", unsigned_column, "Row of the first iSCSI PDU that it completes in `pdus`",
     [](const PacketRow& row, const CellContext&, Cell& cell) {
         cell.set_empty();
         if (row.pdus == nullptr) return;
         row.pdus->completed_by(row.number, [&](uint32_t pdu) {
             if (cell.kind == Cell::Kind::empty) cell.set(uint64_t{pdu} + 1);
         });
     }},
    {"info", text_column, "In short what it does: PDUs it completes, bytes it brings and whether again",
     info},
    {"analysis", text_column,
     "What stands out, in the terms of Wireshark's TCP analysis: retransmissions, duplicate ACKs, zero "
     "windows, "
     "keep-alives, RST and more, and a SCSI status other than GOOD",
     analysis},
    {"relative_seq", unsigned_column,
     "TCP sequence number counted from the SYN's as 0, or from the first byte seen as 1; then empty for "
     "what is before that",
     relative_seq},
    {"relative_ack", unsigned_column,
     "TCP acknowledgement number counted as `relative_seq` of the other side; empty without the flag ACK",
     relative_ack},
    {"delta_ns", integer_column, "Time since the packet before it in the capture, nanoseconds",
     time_since_packet_before},
};
constexpr auto infos = column_infos(packet_columns);

// Packets behind each other, from that of index `first` on, of which a column is read at once.
struct PacketRange {
    const PacketIndex& index;
    const ResultStore& store;
    size_t first;
    size_t count;
};
using ReadRange = void (*)(const PacketRange& range, const NumberSlice& slice);

// Of those there are segments for.
size_t segments_of(const PacketRange& range) {
    const size_t all = range.store.segments().size();
    return range.first < all ? std::min(range.count, all - range.first) : 0;
}

template <auto member>
void read_segments(const PacketRange& range, const NumberSlice& slice) {
    const StoredRows<SegmentRow>& segments = range.store.segments();
    const size_t there = segments_of(range);
    segments.for_each_value<&SegmentRow::connection>(
        range.first, there,
        [&](size_t i, ConnectionNumber connection) { slice.known[i] = connection != 0 ? 1 : 0; });
    segments.for_each_value<member>(range.first, there, [&](size_t i, auto value) {
        slice.values[i] = slice.known[i] != 0 ? uint64_t{value} : 0;
    });
    std::fill(slice.known + there, slice.known + range.count, uint8_t{0});
    std::fill(slice.values + there, slice.values + range.count, uint64_t{0});
}

template <auto member>
void read_places(const PacketRange& range, const NumberSlice& slice) {
    range.index.for_each_of<member>(range.first + 1, range.count,
                                    [&](size_t i, auto value) { slice.values[i] = value; });
    std::fill_n(slice.known, range.count, uint8_t{1});
}

void read_flags(const PacketRange& range, std::span<Cell> cells) {
    const StoredRows<SegmentRow>& segments = range.store.segments();
    const size_t there = segments_of(range);
    segments.for_each_value<&SegmentRow::flags>(
        range.first, there, [&](size_t i, uint8_t flags) { cells[i].set(flag_text(flags)); });
    segments.for_each_value<&SegmentRow::connection>(range.first, there,
                                                     [&](size_t i, ConnectionNumber connection) {
                                                         if (connection == 0) cells[i].set_empty();
                                                     });
    for (Cell& cell : cells.subspan(there)) cell.set_empty();
}

// nullptr: of the cells one by one.
constexpr ReadRange range_reader(std::string_view column) {
    if (column == "length") return read_places<&PacketPlace::wire_length>;
    if (column == "captured_length") return read_places<&PacketPlace::captured_length>;
    if (column == "interface") return read_places<&PacketPlace::interface>;
    if (column == "connection") return read_segments<&SegmentRow::connection>;
    if (column == "seq") return read_segments<&SegmentRow::seq>;
    if (column == "payload") return read_segments<&SegmentRow::payload_length>;
    if (column == "window") return read_segments<&SegmentRow::window>;
    return nullptr;
}
constexpr size_t column_of(std::string_view name) {
    size_t column = 0;
    while (packet_columns[column].name != name) ++column;
    return column;
}
constexpr size_t flags_column = column_of("flags");

constexpr auto range_readers = [] {
    std::array<ReadRange, std::size(packet_columns)> readers{};
    for (size_t i = 0; i < readers.size(); ++i) readers[i] = range_reader(packet_columns[i].name);
    return readers;
}();

class PacketsTable final : public Table {
  public:
    PacketsTable(const PacketIndex& index, const ResultStore& store, const PduIndex* pdus)
        : index_(index), store_(store), pdus_(pdus) {}

    std::string_view name() const override { return packets_table_name; }
    std::span<const ColumnInfo> columns() const override { return infos; }
    size_t rows() const override { return index_.packets(); }
    void cell(size_t row, size_t column, Cell& cell) const override {
        packet_columns[column].get({row + 1, index_, store_, pdus_}, {row + 1, nullptr}, cell);
    }
    void cells(size_t column, size_t first, std::span<Cell> cells) const override {
        if (column == flags_column) return read_flags({index_, store_, first, cells.size()}, cells);
        Table::cells(column, first, cells);
    }
    void numbers(size_t first, size_t count, std::span<const NumberSlice> slices) const override {
        for (const NumberSlice& slice : slices) {
            if (const ReadRange read = range_readers[slice.column]; read != nullptr) {
                read({index_, store_, first, count}, slice);
            } else {
                Table::numbers(first, count, {&slice, 1});
            }
        }
    }

  private:
    const PacketIndex& index_;
    const ResultStore& store_;
    const PduIndex* pdus_;
};

}  // namespace

std::span<const ColumnInfo> packets_table_columns() {
    return infos;
}

std::unique_ptr<Table> make_packets_table(const PacketIndex& index, const ResultStore& store,
                                          const PduIndex* pdus) {
    return std::make_unique<PacketsTable>(index, store, pdus);
}

}  // namespace sanscope

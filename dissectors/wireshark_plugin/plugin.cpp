// SPDX-License-Identifier: GPL-3.0-or-later

// What Wireshark finds in sanscope.so, and how its calls become those of the rest.

#include <cstdio>
#include <epan/prefs.h>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <wiretap/pcap-encap.h>

#include "dissectors/wireshark_plugin/fields.h"
#include "dissectors/wireshark_plugin/packet_feed.h"
#include "dissectors/wireshark_plugin/packet_findings.h"
#include "dissectors/wireshark_plugin/srt_statistic.h"
#include "dissectors/wireshark_plugin/tree_writer.h"
#include "dissectors/wireshark_version.h"

#include "analyzer/net/decode_frame.h"

namespace sanscope::wireshark {
namespace {

int protocol = -1;
unsigned slow_milliseconds = 20;

struct State {
    PacketFeed feed;
    PacketRows rows;  // of the packet being dissected
    PacketFindings findings;
    std::span<const PacketFindings::OfPacket> found;  // of that packet
    int64_t last_ns = 0;
    uint32_t connection = 0;
    bool broken = false;  // out of memory, say: nothing more is shown
};
State* state = nullptr;

// C++ exceptions end here; Wireshark's code is no place for them.
template <class Work>
void guarded(Work work) noexcept {
    try {
        if (state == nullptr) state = new State;
        if (!state->broken) work(*state);
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "sanscope: %s: no more is told of this capture\n", fault.what());
        if (state != nullptr) state->broken = true;
    }
}

void begin_dissection() {
    if (state != nullptr) state->broken = false;
    guarded([](State& s) {
        s.feed.begin();
        s.findings.clear();
        s.found = {};
        s.last_ns = 0;
    });
}

void end_of_sequence() {
    guarded([](State& s) { s.feed.end(); });
}

// The other way round than Wireshark lets others ask. What the engine does not decode has no number here.
std::optional<LinkType> link_type_of(int encapsulation) {
    constexpr LinkType decoded[] = {LinkType::ethernet, LinkType::linux_sll, LinkType::linux_sll2,
                                    LinkType::raw,      LinkType::null,      LinkType::loop,
                                    LinkType::ipv4,     LinkType::ipv6,      LinkType::ppp,
                                    LinkType::fddi,     LinkType::nflog,     LinkType::cisco_hdlc};
    for (const LinkType type : decoded) {
        if (wtap_pcap_encap_to_wtap_encap(static_cast<int>(type)) == encapsulation) return type;
    }
    return std::nullopt;
}

// The nearest moment that can be expressed: a file may claim any.
int64_t nanoseconds(const nstime_t& time) {
    int64_t result = 0;
    if (__builtin_mul_overflow(int64_t{time.secs}, int64_t{1'000'000'000}, &result) ||
        __builtin_add_overflow(result, int64_t{time.nsecs}, &result)) {
        return time.secs < 0 ? no_time + 1 : std::numeric_limits<int64_t>::max();
    }
    return result;
}

std::optional<RawPacket> raw_packet(State& s, tvbuff_t* bytes, const packet_info& packet) {
    if (packet.rec->rec_type != REC_TYPE_PACKET) return std::nullopt;
    const std::optional<LinkType> link_type = link_type_of(packet.rec->rec_header.packet_header.pkt_encap);
    if (!link_type) return std::nullopt;
    if (packet.fd->has_ts) s.last_ns = nanoseconds(packet.abs_ts);
    RawPacket raw;
    raw.captured_length = tvb_captured_length(bytes);
    raw.data =
        raw.captured_length == 0 ? nullptr : tvb_get_ptr(bytes, 0, static_cast<int>(raw.captured_length));
    raw.wire_length = std::max(packet.fd->pkt_len, raw.captured_length);
    raw.time_ns = s.last_ns;
    raw.link_type = *link_type;
    return raw;
}

uint32_t connection_of(const State& s, const RawPacket& raw, PacketNumber number) {
    if (!s.feed.is_final()) return 0;
    DecodedPacket decoded;
    decode_frame(raw.link_type, raw.data, raw.captured_length, raw.wire_length, decoded);
    if (decoded.kind != DecodedPacket::Kind::tcp) return 0;
    return s.feed.rows().connection_between({decoded.source, decoded.source_port},
                                            {decoded.destination, decoded.destination_port}, number);
}

void take_in(State& s, tvbuff_t* bytes, const packet_info& packet) {
    s.rows.clear();
    s.connection = 0;
    s.found = {};
    const std::optional<RawPacket> raw = raw_packet(s, bytes, packet);
    if (!raw) return;
    if (packet.fd->visited) {
        s.feed.look_again();
    } else {
        s.feed.add(packet.num, *raw);
    }
    s.feed.rows().find(packet.num, s.rows);
    s.connection = connection_of(s, *raw, packet.num);
    // What is found in a part of a capture may be taken back by the rest.
    if (!s.feed.is_final()) return;
    if (!s.findings.are_found()) s.findings.find(s.feed.engine());
    s.found = s.findings.of(packet.num);
}

// From here on Wireshark may longjmp() past us: what needs a destructor is gone by then, or stays in `state`.
void write_tree(tvbuff_t* bytes, packet_info* packet, proto_tree* tree) {
    const TreeContext context{
        state->feed, state->rows, state->found, state->connection, int64_t{slow_milliseconds} * 1'000'000,
        protocol,    bytes,       packet};
    write_tree(context, tree);
    tap_answers(state->feed, state->rows, packet);
}

int dissect(tvbuff_t* bytes, packet_info* packet, proto_tree* tree, void*) {
    guarded([&](State& s) { take_in(s, bytes, *packet); });
    if (state != nullptr && !state->broken) write_tree(bytes, packet, tree);
    return static_cast<int>(tvb_captured_length(bytes));
}

void register_protocol() {
    protocol = proto_register_protocol("SCSI commands and TCP senders by sanscope", "sanscope", "sanscope");
    register_fields(protocol);
    register_srt_statistic();
    module_t* preferences = prefs_register_protocol(protocol, nullptr);
    prefs_register_uint_preference(
        preferences, "slow_command", "Slow command (ms)",
        "A SCSI command that takes more milliseconds from request to status is marked slow", 10,
        &slow_milliseconds);
    register_postdissector(create_dissector_handle(dissect, protocol));
    register_init_routine(begin_dissection);
    register_cleanup_routine(begin_dissection);
    register_postseq_cleanup_routine(end_of_sequence);
}

}  // namespace
}  // namespace sanscope::wireshark

extern "C" {

WS_DLL_PUBLIC_DEF extern const char plugin_version[] = SANSCOPE_VERSION;
WS_DLL_PUBLIC_DEF extern const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF extern const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

WS_DLL_PUBLIC_DEF void plugin_register() {
    static proto_plugin plugin;
    plugin.register_protoinfo = sanscope::wireshark::register_protocol;
    plugin.register_handoff = nullptr;
    proto_register_plugin(&plugin);
}

#ifdef SANSCOPE_WIRESHARK_PLUGIN_KIND
WS_DLL_PUBLIC_DEF uint32_t plugin_describe() {
    return SANSCOPE_WIRESHARK_PLUGIN_KIND;
}
#endif

}  // extern "C"

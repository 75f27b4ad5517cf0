// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/recording_blocks.h"

#include <fmt/format.h>
#include <string_view>
#include <sys/utsname.h>

#include "analyzer/ingest/kept_data_mark.h"

namespace sanscope {
namespace {

using namespace pcapng;

constexpr std::string_view application = "sanscope " SANSCOPE_VERSION;

utsname machine() {
    utsname names{};
    ::uname(&names);
    return names;
}

// A moment as the statistics have it: the upper half comes first.
void append_moment(std::string& out, uint16_t code, int64_t time_ns) {
    const auto ticks = static_cast<uint64_t>(time_ns);
    append_option(out, code, ticks << 32 | ticks >> 32);
}

}  // namespace

std::string section_header(bool headers_only) {
    const utsname names = machine();
    std::string body;
    append_section_start(body);
    if (headers_only) {
        append_option(body, opt_comment,
                      fmt::format("Recorded by {}, headers only: {}", application, kept_data_sentences));
    }
    append_option(body, shb_hardware, std::string_view(names.machine));
    append_option(body, shb_os, fmt::format("{} {}", names.sysname, names.release));
    append_option(body, shb_userappl, application);
    if (headers_only) {
        std::string mark;
        append_integer(mark, kept_data_number);
        append_option(body, kept_data_option, mark.append(kept_data_text));
    }
    append_end_of_options(body);
    std::string block;
    append_block(block, section_header_block, body);
    return block;
}

std::string interface_description(const InterfaceDescription& interface) {
    constexpr size_t longest = 65000;
    const utsname names = machine();
    std::string body;
    append_integer(body, interface.link_type);
    append_integer(body, uint16_t{0});
    append_integer(body, interface.snap_length);
    append_option(body, if_name, interface.name);
    append_option(body, if_tsresol, std::string_view(&nanoseconds, 1));
    // The first byte says that the filter stands as text.
    if (!interface.filter.empty())
        append_option(body, if_filter, std::string(1, '\0') + interface.filter.substr(0, longest));
    append_option(body, if_os, fmt::format("{} {}", names.sysname, names.release));
    append_end_of_options(body);
    std::string block;
    append_block(block, interface_description_block, body);
    return block;
}

std::string interface_statistics(uint32_t interface, const InterfaceStatistics& statistics) {
    const auto now = static_cast<uint64_t>(statistics.now_ns);
    std::string body;
    append_integer(body, interface);
    append_integer(body, static_cast<uint32_t>(now >> 32));
    append_integer(body, static_cast<uint32_t>(now));
    append_moment(body, isb_starttime, statistics.began_ns);
    append_moment(body, isb_endtime, statistics.now_ns);
    append_option(body, isb_ifrecv, statistics.received);
    append_option(body, isb_ifdrop, statistics.dropped_by_interface);
    append_option(body, isb_filteraccept, statistics.received);
    append_option(body, isb_osdrop, statistics.dropped_by_kernel);
    append_end_of_options(body);
    std::string block;
    append_block(block, interface_statistics_block, body);
    return block;
}

size_t interface_statistics_length() {
    static const size_t length = interface_statistics(0, {}).size();
    return length;
}

BlockCut cut_blocks(std::span<const uint8_t> blocks, uint64_t most_bytes, uint64_t most_packets) {
    BlockCut cut;
    while (blocks.size() - cut.bytes >= block_frame) {
        uint32_t type;
        uint32_t length;
        std::memcpy(&type, blocks.data() + cut.bytes, sizeof type);
        std::memcpy(&length, blocks.data() + cut.bytes + 4, sizeof length);
        const uint64_t packet = type == enhanced_packet_block ? 1 : 0;
        if (length < block_frame || length > blocks.size() - cut.bytes || length > most_bytes - cut.bytes ||
            packet > most_packets - cut.packets)
            break;
        cut.bytes += length;
        cut.packets += packet;
    }
    return cut;
}

}  // namespace sanscope

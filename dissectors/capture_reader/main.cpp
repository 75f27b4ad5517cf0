// SPDX-License-Identifier: GPL-3.0-or-later

// Helper process of sanscope that reads captures in formats that only Wireshark's reader knows: the file is open as descriptor 3;
// a line "format: NAME" goes to standard error, then the packets as a pcapng to standard output. Ends with 0 when the file was read
// to its end; 2 when its format is not known, or has no packets of networks; 3 when it is damaged, after the packets before that and
// a line that says so.

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>
#include <wiretap/pcap-encap.h>

#include "dissectors/capture_reader/pcapng_stream.h"
#include "dissectors/dissectd/confinement.h"
#include "dissectors/wireshark_version.h"

#include "analyzer/base/version_text.h"

namespace sanscope {
namespace {

constexpr int read_to_the_end = 0;
constexpr int nobody_reads = 1;
constexpr int not_known = 2;
constexpr int damaged = 3;
constexpr const char* input = "/proc/self/fd/3";

// Of packets that no pcapng can name a link type for: not assigned, and counted as not decoded by who reads it.
constexpr uint16_t no_link_type = 65534;

void limit(__rlimit_resource resource, rlim_t most) {
    rlimit limits{};
    ::getrlimit(resource, &limits);
    limits.rlim_cur = std::min(most, limits.rlim_max);
    ::setrlimit(resource, &limits);
}

// The other way round than libwiretap lets others ask.
uint16_t link_type_of(int encapsulation) {
    switch (encapsulation) {
        // Of those that several link types mean, and those that no link type means though one fits.
        case WTAP_ENCAP_RAW_IP:
        case WTAP_ENCAP_NETTL_RAW_IP:
            return 101;
        case WTAP_ENCAP_NETTL_ETHERNET:
            return 1;
        case WTAP_ENCAP_NETTL_TOKEN_RING:
            return 6;
        case WTAP_ENCAP_FDDI:
        case WTAP_ENCAP_FDDI_BITSWAPPED:
        case WTAP_ENCAP_NETTL_FDDI:
            return 10;
        case WTAP_ENCAP_IEEE_802_11_WITH_RADIO:
            return 105;
        case WTAP_ENCAP_FRELAY_WITH_PHDR:
            return 107;
        default:
            break;
    }
    constexpr uint16_t beyond_all = 512;
    for (uint16_t link_type = 0; link_type < beyond_all; ++link_type) {
        if (wtap_pcap_encap_to_wtap_encap(link_type) == encapsulation) return link_type;
    }
    return no_link_type;
}

void say_nothing(const char*, va_list) {}

// A packet as a capture file would have it: its link type, and what stands before its bytes there.
struct Form {
    uint16_t link_type = no_link_type;
    std::array<uint8_t, 1> before{};
    size_t before_length = 0;
};

Form form_of(const wtap_packet_header& header) {
    Form form;
    switch (header.pkt_encap) {
        case WTAP_ENCAP_ERF: {
            // What lies before the frame in its record was put aside.
            constexpr uint8_t type_mask = 0x7f;
            const int type = header.pseudo_header.erf.phdr.type & type_mask;
            const bool is_ethernet = type == 2 || type == 11 || type == 16 || type == 20;
            if (is_ethernet) form.link_type = link_type_of(WTAP_ENCAP_ETHERNET);
            return form;
        }
        case WTAP_ENCAP_PPP_WITH_PHDR:
            form.before[0] = header.pseudo_header.p2p.sent ? 1 : 0;
            form.before_length = 1;
            break;
        default:
            break;
    }
    form.link_type = link_type_of(header.pkt_encap);
    return form;
}

uint64_t nanoseconds(const wtap_rec& record) {
    constexpr uint64_t per_second = 1'000'000'000;
    if ((record.presence_flags & WTAP_HAS_TS) == 0 || record.ts.secs < 0) return 0;
    uint64_t result = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(record.ts.secs), per_second, &result)) return 0;
    return result + static_cast<uint64_t>(std::clamp(record.ts.nsecs, 0, 999'999'999));
}

std::string words_of(int error, char* details) {
    std::string words =
        error == WTAP_ERR_SHORT_READ ? "the file is cut off inside a packet" : wtap_strerror(error);
    if (details != nullptr) words += std::string(" (") + details + ")";
    std::ranges::replace(words, '\n', ' ');
    g_free(details);
    return words;
}

// What holds no packets of a network, though Wireshark opens it: pictures, logs, texts.
bool holds_packets(int encapsulation) {
    return encapsulation == WTAP_ENCAP_PER_PACKET || encapsulation == WTAP_ENCAP_ERF ||
           link_type_of(encapsulation) != no_link_type;
}

int read_file(wtap* file) {
    PcapngStream out(STDOUT_FILENO);
    wireshark::Record record;
    int error = 0;
    char* details = nullptr;
    bool has_next = record.read(file, error, details);
    // Many formats have no sign of their own, and any file may begin like them: the first packet must make sense.
    if (!has_next && error != 0) return not_known;
    std::fprintf(stderr, "format: %s\n", wtap_file_type_subtype_description(wtap_file_type_subtype(file)));
    std::fflush(stderr);
    for (; has_next; has_next = record.read(file, error, details)) {
        const wtap_rec& read = record.get();
        if (read.rec_type != REC_TYPE_PACKET) continue;
        const wtap_packet_header& header = read.rec_header.packet_header;
        const Form form = form_of(header);
        const uint32_t captured = header.caplen;
        const uint32_t wire = std::max(header.len, captured) + static_cast<uint32_t>(form.before_length);
        out.put_packet(out.interface_of(form.link_type), nanoseconds(read),
                       std::span(form.before).first(form.before_length), {record.bytes(), captured}, wire);
        if (!out.still_read()) return nobody_reads;
    }
    if (!out.flush()) return nobody_reads;
    if (error == 0) return read_to_the_end;
    std::fprintf(stderr, "%s\n", words_of(error, details).c_str());
    return damaged;
}

int run(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "--version") {
        std::puts(version_text("sanscope-capture-reader", {}).c_str());
        return 0;
    }
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit(RLIMIT_CORE, 0);
#ifndef SANSCOPE_ADDRESS_SANITIZER  // which itself reserves terabytes
    limit(RLIMIT_AS, rlim_t{2} << 30);
#endif
    wireshark::begin_log("sanscope-capture-reader", say_nothing);
    wtap_init(FALSE);
    std::vector<std::string> readable = files_of_the_system();
    readable.emplace_back(input);
    confine(readable);

    int error = 0;
    char* details = nullptr;
    wtap* const file = wtap_open_offline(input, WTAP_TYPE_AUTO, &error, &details, FALSE);
    if (file == nullptr) {
        if (error == WTAP_ERR_FILE_UNKNOWN_FORMAT) return not_known;
        // Some formats fail where another file only begins like them.
        if (error == WTAP_ERR_BAD_FILE || error == WTAP_ERR_SHORT_READ || error == WTAP_ERR_UNSUPPORTED)
            return not_known;
        std::fprintf(stderr, "%s\n", words_of(error, details).c_str());
        return damaged;
    }
    if (!holds_packets(wtap_file_encap(file))) return not_known;
    const int status = read_file(file);
    // Tidying up what the process holds would only take time.
    std::fflush(nullptr);
    std::_Exit(status);
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    try {
        return sanscope::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return sanscope::damaged;
    }
}

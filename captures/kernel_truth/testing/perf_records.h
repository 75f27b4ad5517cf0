// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "captures/kernel_truth/perf_decoder.h"

namespace sanscope::testing_records {

// The formats of the tracepoints as Linux 6.18 has them, with the fields that matter.
inline const std::string probe_format =
    "ID: 2273\n"
    "field:__u8 saddr[28]; offset:8; size:28; signed:0;\n"
    "field:__u8 daddr[28]; offset:36; size:28; signed:0;\n"
    "field:__u16 sport; offset:64; size:2; signed:0;\n"
    "field:__u16 dport; offset:66; size:2; signed:0;\n"
    "field:__u32 snd_nxt; offset:80; size:4; signed:0;\n"
    "field:__u32 snd_una; offset:84; size:4; signed:0;\n"
    "field:__u32 snd_cwnd; offset:88; size:4; signed:0;\n"
    "field:__u32 ssthresh; offset:92; size:4; signed:0;\n"
    "field:__u32 snd_wnd; offset:96; size:4; signed:0;\n"
    "field:__u32 srtt; offset:100; size:4; signed:0;\n"
    "field:__u32 rcv_wnd; offset:104; size:4; signed:0;\n"
    "field:__u64 sock_cookie; offset:112; size:8; signed:0;\n"
    "field:const void * skaddr; offset:128; size:8; signed:0;\n";
constexpr size_t probe_bytes = 136;

inline const std::string state_set_format =
    "ID: 2271\n"
    "field:const void * skaddr; offset:8; size:8; signed:0;\n"
    "field:__u16 sport; offset:16; size:2; signed:0;\n"
    "field:__u16 dport; offset:18; size:2; signed:0;\n"
    "field:__u16 family; offset:20; size:2; signed:0;\n"
    "field:__u8 saddr[4]; offset:22; size:4; signed:0;\n"
    "field:__u8 daddr[4]; offset:26; size:4; signed:0;\n"
    "field:__u8 saddr_v6[16]; offset:30; size:16; signed:0;\n"
    "field:__u8 daddr_v6[16]; offset:46; size:16; signed:0;\n"
    "field:__u8 cong_state; offset:62; size:1; signed:0;\n";
constexpr size_t state_set_bytes = 64;

inline const std::string destroy_format =
    "ID: 2264\n"
    "field:const void * skaddr; offset:8; size:8; signed:0;\n";
constexpr size_t destroy_bytes = 16;

// Of formats that are right.
inline PerfDecoder decoder() {
    auto made = PerfDecoder::create(*TracepointFormat::parse(probe_format));
    made->add_cong_state_set(*TracepointFormat::parse(state_set_format));
    made->add_destroy_sock(*TracepointFormat::parse(destroy_format));
    return *made;
}

template <class Number>
void put(std::vector<uint8_t>& bytes, size_t at, Number value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A tracepoint's record as perf events sample it.
inline std::vector<uint8_t> sample(uint64_t time_ns, const std::vector<uint8_t>& raw) {
    std::vector<uint8_t> record(8 + 8 + 4 + raw.size());
    put<uint32_t>(record, 0, 9);  // PERF_RECORD_SAMPLE
    put<uint16_t>(record, 6, static_cast<uint16_t>(record.size()));
    put<uint64_t>(record, 8, time_ns);
    put<uint32_t>(record, 16, static_cast<uint32_t>(raw.size()));
    std::memcpy(record.data() + 20, raw.data(), raw.size());
    return record;
}

inline std::vector<uint8_t> probe_raw() {
    std::vector<uint8_t> raw(probe_bytes);
    put<uint16_t>(raw, 0, 2273);
    put<uint16_t>(raw, 8, 2);  // AF_INET
    std::memcpy(raw.data() + 12, "\xc0\x00\x02\x01", 4);
    put<uint16_t>(raw, 36, 2);
    std::memcpy(raw.data() + 40, "\xc0\x00\x02\x02", 4);
    put<uint16_t>(raw, 64, 40'000);
    put<uint16_t>(raw, 66, 3260);
    put<uint32_t>(raw, 80, 2000);
    put<uint32_t>(raw, 84, 1000);
    put<uint32_t>(raw, 88, 10);
    put<uint32_t>(raw, 92, 0x7fffffff);
    put<uint32_t>(raw, 96, 65'535);
    put<uint32_t>(raw, 100, 250);
    put<uint32_t>(raw, 104, 64'000);
    put<uint64_t>(raw, 112, 77);
    put<uint64_t>(raw, 128, 0xffff888012345678);
    return raw;
}

inline std::vector<uint8_t> state_set_raw(uint8_t state) {
    std::vector<uint8_t> raw(state_set_bytes);
    put<uint16_t>(raw, 0, 2271);
    put<uint64_t>(raw, 8, 0xffff888012345678);
    put<uint16_t>(raw, 16, 40'000);
    put<uint16_t>(raw, 18, 3260);
    put<uint16_t>(raw, 20, 2);
    std::memcpy(raw.data() + 22, "\xc0\x00\x02\x01", 4);
    std::memcpy(raw.data() + 26, "\xc0\x00\x02\x02", 4);
    raw[62] = state;
    return raw;
}

inline std::vector<uint8_t> destroy_raw() {
    std::vector<uint8_t> raw(destroy_bytes);
    put<uint16_t>(raw, 0, 2264);
    put<uint64_t>(raw, 8, 0xffff888012345678);
    return raw;
}

}  // namespace sanscope::testing_records

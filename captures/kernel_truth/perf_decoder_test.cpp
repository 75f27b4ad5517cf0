// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/perf_decoder.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "captures/kernel_truth/testing/perf_records.h"

namespace sanscope {
namespace {

using namespace testing_records;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

v1::KernelTruth decoded(const std::vector<std::vector<uint8_t>>& records) {
    TruthAssembler assembler(v1::KernelTruth::METHOD_PERF_EVENTS);
    for (const auto& record : records) decoder().decode(record, assembler);
    v1::KernelTruth truth;
    assembler.take(std::numeric_limits<uint64_t>::max(), 1000, ClockOffsets::fixed(0, 0), truth);
    return truth;
}

TEST(PerfDecoder, reads_a_window) {
    const v1::KernelTruth truth = decoded({sample(123, probe_raw())});
    ASSERT_THAT(truth.sockets(), SizeIs(1));
    EXPECT_EQ(truth.sockets(0).local_address(), std::string("\xc0\x00\x02\x01", 4));
    EXPECT_EQ(truth.sockets(0).remote_address(), std::string("\xc0\x00\x02\x02", 4));
    EXPECT_EQ(truth.sockets(0).local_port(), 40'000u);
    EXPECT_EQ(truth.sockets(0).remote_port(), 3260u);
    EXPECT_EQ(truth.sockets(0).congestion_control(), "");
    EXPECT_EQ(truth.sockets(0).mss(), 0u);
    ASSERT_THAT(truth.windows(), SizeIs(1));
    const v1::KernelWindow& window = truth.windows(0);
    EXPECT_EQ(window.time_ns(), 123);
    EXPECT_EQ(window.snd_una(), 1000u);
    EXPECT_EQ(window.snd_nxt(), 2000u);
    EXPECT_EQ(window.cwnd(), 10u);
    EXPECT_FALSE(window.has_ssthresh());
    EXPECT_EQ(window.snd_wnd(), 65'535u);
    EXPECT_EQ(window.srtt_us(), 250u);
    EXPECT_EQ(window.rcv_wnd(), 64'000u);
    EXPECT_FALSE(window.has_ca_state());
}

TEST(PerfDecoder, reads_ipv6) {
    std::vector<uint8_t> raw = probe_raw();
    for (const size_t at : {size_t{8}, size_t{36}}) {
        put<uint16_t>(raw, at, 10);  // AF_INET6
        std::memcpy(raw.data() + at + 8, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16);
    }
    std::vector<uint8_t> state = state_set_raw(3);
    put<uint16_t>(state, 20, 10);
    for (const size_t at : {size_t{30}, size_t{46}}) {
        std::memcpy(state.data() + at, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16);
    }
    const v1::KernelTruth truth = decoded({sample(1, raw), sample(2, state)});
    ASSERT_THAT(truth.sockets(), SizeIs(1));
    EXPECT_EQ(truth.sockets(0).local_address(),
              std::string("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16));
}

TEST(PerfDecoder, joins_transitions_to_the_socket_and_parts_them_at_its_end) {
    const v1::KernelTruth truth = decoded({sample(1, probe_raw()), sample(2, state_set_raw(3)),
                                           sample(3, destroy_raw()), sample(4, state_set_raw(0))});
    EXPECT_THAT(truth.sockets(), SizeIs(2));
    ASSERT_THAT(truth.transitions(), SizeIs(2));
    EXPECT_EQ(truth.transitions(0).socket(), 1u);
    EXPECT_EQ(truth.transitions(0).state(), 3u);
    EXPECT_EQ(truth.transitions(1).socket(), 2u);
}

TEST(PerfDecoder, tells_samples_from_other_records) {
    TruthAssembler assembler(v1::KernelTruth::METHOD_PERF_EVENTS);
    std::vector<uint8_t> record = sample(1, probe_raw());
    EXPECT_TRUE(decoder().decode(record, assembler));
    EXPECT_EQ(assembler.pending(), 1u);
    put<uint32_t>(record, 0, 2);  // PERF_RECORD_LOST
    EXPECT_FALSE(decoder().decode(record, assembler));
    EXPECT_EQ(assembler.pending(), 1u);
}

// Cut anywhere, a record shows nothing rather than something else.
TEST(PerfDecoder, tells_nothing_of_a_record_that_is_cut) {
    for (const auto& raw : {probe_raw(), state_set_raw(3)}) {
        const std::vector<uint8_t> whole = sample(1, raw);
        for (size_t length = 0; length < whole.size(); ++length) {
            const v1::KernelTruth truth = decoded(
                {std::vector<uint8_t>(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length))});
            EXPECT_THAT(truth.sockets(), IsEmpty()) << length;
        }
    }
    const std::vector<uint8_t> short_raw(16);
    EXPECT_THAT(decoded({sample(1, short_raw)}).sockets(), IsEmpty());
}

TEST(PerfDecoder, tells_nothing_of_addresses_it_does_not_know) {
    std::vector<uint8_t> raw = probe_raw();
    put<uint16_t>(raw, 36, 1);
    EXPECT_THAT(decoded({sample(1, raw)}).sockets(), IsEmpty());
}

TEST(PerfDecoder, says_which_field_a_kernel_lacks) {
    std::string format = probe_format;
    format.replace(format.find("snd_cwnd"), 8, "snd_cake");
    const auto made = PerfDecoder::create(*TracepointFormat::parse(format));
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("snd_cwnd"));
}

// An older tcp_probe shows a cookie and no pointer: windows can be known, transitions cannot be joined to them.
TEST(PerfDecoder, takes_the_cookie_where_there_is_no_pointer) {
    std::string format = probe_format;
    format.replace(format.find("skaddr"), 6, "nobody");
    auto made = PerfDecoder::create(*TracepointFormat::parse(format));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_TRUE(made->add_cong_state_set(*TracepointFormat::parse(state_set_format)));
    TruthAssembler assembler(v1::KernelTruth::METHOD_PERF_EVENTS);
    made->decode(sample(1, probe_raw()), assembler);
    EXPECT_EQ(assembler.pending(), 1u);
}

}  // namespace
}  // namespace sanscope

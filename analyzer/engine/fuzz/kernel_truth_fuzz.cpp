// SPDX-License-Identifier: GPL-3.0-or-later
// Anything as what a kernel reported, among the packets of some connections: the body of a custom block as it stands, any bytes
// wrapped into one, or a message that is well formed, whatever it says.
//
// Whatever comes: each row is of a connection that is there and at a packet that was there, and the scores count no more
// than the rows.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fuzzer/FuzzedDataProvider.h>
#include <span>
#include <string>
#include <vector>

#include "sanscope/v1/kernel_truth.pb.h"

#include "analyzer/engine/kernel_truth_joiner.h"
#include "analyzer/ingest/kernel_truth_block.h"

namespace {

using namespace sanscope;

void require(bool claim, int line = __builtin_LINE()) {
    if (claim) return;
    std::fprintf(stderr, "The claim in line %d does not hold.\n", line);
    std::abort();
}

constexpr uint32_t connections = 3;

// Connection n is between 10.0.0.n:50000 and 10.0.1.1:3260; the third uses the ports of the first again.
void connect(ResultStore& store) {
    for (uint8_t i = 1; i <= connections; ++i) {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        const uint8_t initiator[4] = {10, 0, 0, static_cast<uint8_t>(i == 3 ? 1 : i)};
        const uint8_t target[4] = {10, 0, 1, 1};
        row.initiator = {IpAddress::from_v4(initiator), 50000};
        row.target = {IpAddress::from_v4(target), 3260};
        row.start_ns = i == 3 ? 1000 : 0;
    }
}

// Mostly of the connections there are, now and then of anything.
std::vector<uint8_t> any_message(FuzzedDataProvider& choices, int64_t now_ns) {
    v1::KernelTruth truth;
    const auto time_ns = [&] {
        return choices.ConsumeBool()
                   ? choices.ConsumeIntegral<int64_t>()
                   : now_ns + choices.ConsumeIntegralInRange<int64_t>(-50'000'000, 50'000'000);
    };
    const auto socket = [&] { return choices.ConsumeIntegralInRange<uint32_t>(1, 5); };
    truth.set_method(static_cast<v1::KernelTruth::Method>(choices.ConsumeIntegralInRange<int>(0, 4)));
    for (int i = choices.ConsumeIntegralInRange<int>(0, 3); i > 0; --i) {
        v1::KernelSocket& one = *truth.add_sockets();
        one.set_socket(socket());
        one.set_local_address(std::string{10, 0, 1, 1});
        one.set_remote_address(choices.ConsumeBool()
                                   ? std::string{10, 0, 0, choices.ConsumeIntegralInRange<char>(1, 3)}
                                   : choices.ConsumeRandomLengthString(17));
        one.set_local_port(3260);
        one.set_remote_port(choices.ConsumeIntegralInRange<uint32_t>(50'000, 50'001));
        one.set_mss(choices.ConsumeIntegral<uint32_t>());
        one.set_congestion_control(choices.ConsumeRandomLengthString(20));
    }
    for (int i = choices.ConsumeIntegralInRange<int>(0, 8); i > 0; --i) {
        v1::KernelWindow& one = *truth.add_windows();
        one.set_socket(socket());
        one.set_time_ns(time_ns());
        one.set_cwnd(choices.ConsumeIntegral<uint32_t>());
        if (choices.ConsumeBool()) one.set_snd_una(choices.ConsumeIntegral<uint32_t>());
        if (choices.ConsumeBool()) one.set_snd_nxt(choices.ConsumeIntegral<uint32_t>());
        if (choices.ConsumeBool()) one.set_ssthresh(choices.ConsumeIntegral<uint32_t>());
        one.set_srtt_us(choices.ConsumeIntegral<uint32_t>());
        if (choices.ConsumeBool()) one.set_ca_state(choices.ConsumeIntegralInRange<uint32_t>(0, 5));
    }
    for (int i = choices.ConsumeIntegralInRange<int>(0, 8); i > 0; --i) {
        v1::KernelTransition& one = *truth.add_transitions();
        one.set_socket(socket());
        one.set_time_ns(time_ns());
        one.set_state(choices.ConsumeIntegralInRange<uint32_t>(0, 5));
    }
    return make_kernel_truth_block(truth.SerializeAsString());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
    FuzzedDataProvider choices(input, size);
    ResultStore store(choices.ConsumeBool() ? ResultStore::Keep::everything() : ResultStore::Keep::nothing());
    Issues issues;
    connect(store);
    KernelTruthJoiner joiner(store, issues);
    store.begin_kernel_truth();
    PacketNumber packets = 0;
    int64_t time_ns = 0;
    std::vector<SenderSummary*> senders;
    for (uint32_t i = 1; i <= connections; ++i) senders.push_back(&store.add_sender(i, Side::b));
    while (choices.remaining_bytes() > 0) {
        ++packets;
        const auto kind = choices.ConsumeIntegralInRange<int>(0, 5);
        if (kind >= 4) {
            const std::vector<uint8_t> block = any_message(choices, time_ns);
            joiner.take_block(std::span(block).subspan(8, block.size() - 12), 0, packets);
            continue;
        }
        if (kind <= 1) {
            const std::vector<uint8_t> bytes = choices.ConsumeBytes<uint8_t>(
                choices.ConsumeIntegralInRange<size_t>(0, std::min<size_t>(choices.remaining_bytes(), 2000)));
            const std::vector<uint8_t> block = make_kernel_truth_block(bytes, choices.ConsumeBool());
            const auto body = kind == 0 ? std::span(bytes) : std::span(block).subspan(8, block.size() - 12);
            joiner.take_block(body, choices.ConsumeIntegralInRange<uint16_t>(0, 2), packets);
            continue;
        }
        time_ns += choices.ConsumeIntegralInRange<int64_t>(0, 30'000'000);
        const auto connection = choices.ConsumeIntegralInRange<uint32_t>(1, connections);
        if (kind == 3) {
            WindowRow row;
            row.time_ns = time_ns;
            row.connection = connection;
            row.cwnd = choices.ConsumeIntegral<uint32_t>();
            row.ca_state = static_cast<CaState>(choices.ConsumeIntegralInRange<unsigned>(0, ca_states - 1));
            store.add_window(*senders[connection - 1], row);
            continue;
        }
        const Side side = choices.ConsumeBool() ? Side::a : Side::b;
        if (joiner.on_packet(connection, side, time_ns, packets, choices.ConsumeIntegral<uint32_t>()))
            joiner.join();
    }
    joiner.finish();
    store.finish();
    for (const KernelWindowRow& row : store.kernel_windows()) {
        require(row.connection >= 1 && row.connection <= connections && row.packet <= packets);
        require(row.time_ns != no_time);
    }
    for (const KernelCaTransitionRow& row : store.kernel_ca_transitions()) {
        require(row.connection >= 1 && row.connection <= connections && row.packet <= packets);
        require(!row.from_known || row.from != row.to);
    }
    uint64_t judged = 0;
    for (const KernelScore& score : store.kernel_scores()->all()) {
        judged += score.moments() + score.moments_without_estimate();
        require(score.within_tenth() <= score.moments());
        require(score.agreed_ns() >= 0 && score.agreed_ns() <= score.compared_ns());
        require(score.matched_transitions() <= score.kernel_transitions());
    }
    if (store.keeps_kernel_rows()) require(judged <= store.kernel_windows().size());
    return 0;
}

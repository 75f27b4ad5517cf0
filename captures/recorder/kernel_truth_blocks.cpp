// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/kernel_truth_blocks.h"

#include <charconv>
#include <optional>
#include <sstream>

#include "analyzer/ingest/kernel_truth_block.h"

namespace sanscope {
namespace {

void append(const v1::KernelTruth& truth, std::string& blocks) {
    const std::vector<uint8_t> block = make_kernel_truth_block(truth.SerializeAsString());
    blocks.append(block.begin(), block.end());
}

std::optional<uint16_t> port_of(const std::string& digits) {
    uint16_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number == 0) return std::nullopt;
    return number;
}

}  // namespace

std::string kernel_truth_blocks(const v1::KernelTruth& truth) {
    // By far less than a block may hold, so that sockets and events always fit.
    constexpr int events_at_once = 4096;
    std::string blocks;
    if (is_empty(truth)) return blocks;
    v1::KernelTruth part;
    part.set_method(truth.method());
    part.set_events_lost(truth.events_lost());
    int count = 0;
    const auto flush = [&] {
        append(part, blocks);
        part.clear_events_lost();
        part.clear_sockets();
        part.clear_windows();
        part.clear_transitions();
        count = 0;
    };
    const auto counted = [&] {
        if (++count == events_at_once) flush();
    };
    for (const auto& socket : truth.sockets()) {
        *part.add_sockets() = socket;
        counted();
    }
    // Merged by time, so that a reader that takes block after block sees both kinds in order.
    int next = 0;
    for (const auto& window : truth.windows()) {
        for (; next < truth.transitions_size() && truth.transitions(next).time_ns() <= window.time_ns();
             ++next) {
            *part.add_transitions() = truth.transitions(next);
            counted();
        }
        *part.add_windows() = window;
        counted();
    }
    for (; next < truth.transitions_size(); ++next) {
        *part.add_transitions() = truth.transitions(next);
        counted();
    }
    if (count > 0 || part.events_lost() > 0) flush();
    return blocks;
}

std::vector<uint16_t> ports_of_filter(const std::string& filter) {
    constexpr size_t most_ports = 16;
    std::istringstream words(filter);
    std::vector<uint16_t> ports;
    std::string word;
    do {
        words >> word;
        if (word == "tcp") words >> word;
        if (word != "port" || !(words >> word)) return {};
        const std::optional<uint16_t> port = port_of(word);
        if (!port || ports.size() == most_ports) return {};
        ports.push_back(*port);
    } while (words >> word && word == "or");
    return words ? std::vector<uint16_t>{} : ports;
}

KernelTruthBlocks::~KernelTruthBlocks() {
    stop();
}

Result<std::monostate> KernelTruthBlocks::open() {
    KernelTruthOptions options;
    options.ports = ports_;
    auto source = KernelTruthSource::open(options);
    if (!source) return Error{"without what the kernel tells: " + source.error().message};
    source_ = std::move(*source);
    return std::monostate{};
}

void KernelTruthBlocks::start(BlockSink& sink) {
    thread_ = std::thread([this, &sink] { run(sink); });
}

void KernelTruthBlocks::stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
}

void KernelTruthBlocks::run(BlockSink& sink) {
    constexpr std::chrono::milliseconds at_most{100};
    v1::KernelTruth truth;
    while (!stop_) {
        if (source_->poll(at_most, truth) || !hand_over(truth, sink)) return;
    }
    do {
        if (source_->finish(truth) || !hand_over(truth, sink)) return;
    } while (!is_empty(truth));
}

bool KernelTruthBlocks::hand_over(const v1::KernelTruth& truth, BlockSink& sink) {
    {
        const std::lock_guard lock(mutex_);
        for (const auto& socket : truth.sockets()) sockets_[socket.socket()] = socket;
    }
    std::string blocks = kernel_truth_blocks(truth);
    return blocks.empty() || sink.take(std::move(blocks));
}

void KernelTruthBlocks::file_begins(std::string& blocks) {
    constexpr int sockets_at_once = 4096;
    v1::KernelTruth truth;
    truth.set_method(source_->method());
    const std::lock_guard lock(mutex_);
    for (const auto& [number, socket] : sockets_) {
        *truth.add_sockets() = socket;
        if (truth.sockets_size() < sockets_at_once) continue;
        append(truth, blocks);
        truth.clear_sockets();
    }
    append(truth, blocks);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/merged_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "analyzer/base/open_file_limit.h"

namespace sanscope {

MergedSource::MergedSource(std::vector<std::unique_ptr<PacketSource>> sources, std::vector<Damage> damage)
    : damage_(std::move(damage)) {
    for (auto& source : sources) {
        for (const ReadByWireshark& file : source->read_by_wireshark()) read_by_wireshark_.push_back(file);
        inputs_.push_back({.source = std::move(source),
                           .batch = nullptr,
                           .next = 0,
                           .interface_numbers = {},
                           .damage_reported = false,
                           .begun = false});
    }
}

bool MergedSource::claim(PacketBatch& batch) {
    batch.packets.clear();
    batch.borrowed.clear();
    batch.first_packet = next_packet_;
    const auto goes_after = [this](size_t a, size_t b) { return goes_before(b, a); };
    if (!started_) {
        started_ = true;
        for (size_t i = 0; i < inputs_.size(); ++i) {
            if (advance(inputs_[i])) waiting_.push_back(i);
        }
        std::make_heap(waiting_.begin(), waiting_.end(), goes_after);
    }
    if (waiting_.empty()) return false;

    batch.after_gap =
        next_packet_ > 1 && std::ranges::none_of(waiting_, [this](size_t i) { return inputs_[i].begun; });
    // Whatever is in hand now may be pointed into.
    for (const size_t i : waiting_) batch.borrowed.push_back(inputs_[i].batch);
    for (bool batch_used_up = false; !batch_used_up;) {
        std::pop_heap(waiting_.begin(), waiting_.end(), goes_after);
        const size_t oldest = waiting_.back();
        waiting_.pop_back();
        Input& input = inputs_[oldest];
        input.begun = true;
        const std::vector<RawPacket>& packets = input.batch->packets;
        // Until another input's packet is older, or the batch in hand is used up.
        do {
            RawPacket packet = packets[input.next++];
            // A record that is no packet may come before any interface.
            if (packet.interface < input.interface_numbers.size()) {
                packet.interface = input.interface_numbers[packet.interface];
            }
            batch.packets.push_back(packet);
        } while (input.next < packets.size() && (waiting_.empty() || goes_before(oldest, waiting_.front())));
        batch_used_up = input.next == packets.size();
        if (!batch_used_up || advance(input)) {
            waiting_.push_back(oldest);
            std::push_heap(waiting_.begin(), waiting_.end(), goes_after);
        }
    }
    next_packet_ += batch.packets.size();
    return true;
}

bool MergedSource::goes_before(size_t a, size_t b) const {
    const int64_t time_a = inputs_[a].batch->packets[inputs_[a].next].time_ns;
    const int64_t time_b = inputs_[b].batch->packets[inputs_[b].next].time_ns;
    return time_a != time_b ? time_a < time_b : a < b;
}

bool MergedSource::advance(Input& input) {
    input.batch = idle_batch();
    input.next = 0;
    while (input.source->claim(*input.batch)) {
        input.source->load(*input.batch);
        input.source->parse(*input.batch);
        take_over_interfaces(input);
        take_over_damage(input);
        if (!input.batch->packets.empty()) return true;
    }
    input.batch = nullptr;
    return false;
}

void MergedSource::take_over_interfaces(Input& input) {
    constexpr size_t last_number = std::numeric_limits<uint16_t>::max();
    const std::vector<Interface>& theirs = input.source->interfaces();
    for (size_t i = 0; i < theirs.size(); ++i) {
        if (i == input.interface_numbers.size()) {
            input.interface_numbers.push_back(
                static_cast<uint16_t>(std::min(interfaces_.size(), last_number)));
            if (interfaces_.size() <= last_number) interfaces_.push_back(theirs[i]);
        }
        interfaces_[input.interface_numbers[i]].dropped = theirs[i].dropped;
        interfaces_[input.interface_numbers[i]].tells_dropped = theirs[i].tells_dropped;
    }
}

void MergedSource::take_over_damage(Input& input) {
    if (input.damage_reported || input.source->damage().empty()) return;
    input.damage_reported = true;
    const std::vector<Damage>& theirs = input.source->damage();
    damage_.insert(damage_.end(), theirs.begin(), theirs.end());
}

void MergedSource::keep_names() {
    keeps_names_ = true;
    for (const Input& input : inputs_) input.source->keep_names();
}

const ResolvedNames* MergedSource::names() const {
    if (!keeps_names_) return nullptr;
    uint64_t count = 0;
    for (const Input& input : inputs_) {
        if (const ResolvedNames* const theirs = input.source->names())
            count += theirs->all().size() + theirs->left_out();
    }
    if (count != names_counted_) {
        names_counted_ = count;
        names_ = {};
        for (const Input& input : inputs_) {
            if (const ResolvedNames* const theirs = input.source->names()) names_.add_all(*theirs);
        }
    }
    return &names_;
}

std::shared_ptr<PacketBatch> MergedSource::idle_batch() {
    const auto idle = std::find_if(batches_.begin(), batches_.end(),
                                   [](const auto& batch) { return batch.use_count() == 1; });
    if (idle != batches_.end()) return *idle;
    batches_.push_back(std::make_shared<PacketBatch>());
    return batches_.back();
}

uint64_t MergedSource::bytes_read() const {
    uint64_t sum = 0;
    for (const Input& input : inputs_) sum += input.source->bytes_read();
    return sum;
}

uint64_t MergedSource::bytes_total() const {
    uint64_t sum = 0;
    for (const Input& input : inputs_) {
        const uint64_t total = input.source->bytes_total();
        // What is unknown of one is unknown of all.
        if (total == 0) return 0;
        sum += total;
    }
    return sum;
}

Result<std::unique_ptr<PacketSource>> open_captures(const std::vector<std::string>& paths) {
    std::vector<std::unique_ptr<PacketSource>> sources;
    std::vector<Damage> damage;
    bool standard_input_taken = false;
    // All are open at once: which one has the next packet is known only when each has told when its own was.
    if (const uint64_t may_be = allow_open_files(paths.size()); may_be < paths.size()) {
        return Error{fmt::format(
            "{} captures are read at once, and only {} more files may be open here: raise the limit "
            "(ulimit -Hn, now too low), or analyse fewer at a time",
            paths.size(), may_be)};
    }
    for (const std::string& path : paths) {
        if (path == "-" && std::exchange(standard_input_taken, true)) {
            return Error{"-: standard input can be read only once"};
        }
        Result<std::unique_ptr<PacketSource>> source = open_capture(path);
        if (source) {
            sources.push_back(std::move(*source));
        } else {
            damage.push_back({path, 0, source.error().message});
        }
    }
    if (sources.empty()) {
        if (damage.empty()) return Error{"no capture file was named"};
        return Error{fmt::format("{}: {}", damage.front().file, damage.front().message)};
    }
    if (sources.size() == 1 && damage.empty()) return std::move(sources.front());
    return std::unique_ptr<PacketSource>(
        std::make_unique<MergedSource>(std::move(sources), std::move(damage)));
}

}  // namespace sanscope

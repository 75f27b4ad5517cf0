// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// Several captures as one, their packets in order of time; at equal times the source given first goes first.
// The order within a source is kept even where its times run backwards: always the source whose next packet
// is the oldest goes on.
//
// A merged batch points into the sources' own batches, so that merging copies no packet bytes. It ends where
// a source's batch does: at most one batch of each source is held for it.
class MergedSource final : public PacketSource {
  public:
    // `damage` is what befell files that could not be opened.
    MergedSource(std::vector<std::unique_ptr<PacketSource>> sources, std::vector<Damage> damage);

    // All the work is done here, since what comes next is known only once every source's next packet is.
    bool claim(PacketBatch& batch) override;
    void load(PacketBatch&) override {}
    void parse(PacketBatch&) override {}

    const std::vector<Damage>& damage() const override { return damage_; }
    uint64_t bytes_read() const override;
    uint64_t bytes_total() const override;
    const std::vector<Interface>& interfaces() const override { return interfaces_; }
    std::span<const ReadByWireshark> read_by_wireshark() const override { return read_by_wireshark_; }
    void keep_names() override;
    // Of an address that several sources name, the name of the source given first.
    const ResolvedNames* names() const override;

  private:
    struct Input {
        std::unique_ptr<PacketSource> source;
        std::shared_ptr<PacketBatch> batch;       // in hand
        size_t next = 0;                          // packet of it
        std::vector<uint16_t> interface_numbers;  // of the source's interfaces, here
        bool damage_reported = false;
        bool begun = false;  // a packet of it was given
    };

    bool goes_before(size_t a, size_t b) const;
    // Gets the input's next packet into its batch; false where it has no more.
    bool advance(Input& input);
    void take_over_interfaces(Input& input);
    void take_over_damage(Input& input);
    std::shared_ptr<PacketBatch> idle_batch();

    std::vector<Input> inputs_;
    std::vector<size_t> waiting_;  // a heap of those inputs that have a next packet, the oldest on top
    bool started_ = false;
    uint64_t next_packet_ = 1;
    std::vector<Damage> damage_;
    std::vector<Interface> interfaces_;
    std::vector<ReadByWireshark> read_by_wireshark_;
    bool keeps_names_ = false;
    mutable ResolvedNames names_;         // of the sources, as of when they were last asked for
    mutable uint64_t names_counted_ = 0;  // of all sources then
    std::vector<std::shared_ptr<PacketBatch>>
        batches_;  // all there are; those that nobody else holds are idle
};

}  // namespace sanscope

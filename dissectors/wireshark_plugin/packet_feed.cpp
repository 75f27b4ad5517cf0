// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/wireshark_plugin/packet_feed.h"

#include <span>

namespace sanscope::wireshark {

PacketFeed::PacketFeed() {
    begin();
}

void PacketFeed::begin() {
    if (last_.number != 0) end_before_ = is_final() ? last_ : Place{};
    last_ = {};
    rows_.reset();
    engine_ = std::make_unique<Engine>(ResultStore::Keep{});
    rows_ = std::make_unique<RowsByPacket>(engine_->store());
}

void PacketFeed::add(PacketNumber number, const RawPacket& packet) {
    const Place place{number, packet.time_ns, packet.wire_length};
    if (number < last_.number || place == last_ || is_final()) return;
    last_ = place;
    batch_.packets.assign(1, packet);
    batch_.first_packet = number;
    decode_batch(batch_, decoded_);
    engine_->process(batch_, decoded_);
    rows_->update();
}

void PacketFeed::end() {
    if (is_final()) return;
    engine_->finish();
    rows_->finish();
}

void PacketFeed::look_again() {
    if (!is_final() && last_.number != 0 && last_ == end_before_) end();
}

}  // namespace sanscope::wireshark

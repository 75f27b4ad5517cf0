// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/selected_things.h"

#include <algorithm>

#include "gui/document/story.h"

namespace sanscope {
namespace {

class Finder {
  public:
    Finder(const CaptureData::Reading& reading, const StopFlag& stop)
        : reading_(reading), store_(reading.store()), timeline_(reading.timeline()), stop_(stop) {}

    SelectedThings find(const Selection& selection) {
        things_.selection = selection;
        if (selection.number == 0) return things_;
        const uint64_t number = selection.number;
        switch (selection.kind) {
            case Selection::Kind::none:
                break;
            case Selection::Kind::packet:
                if (number <= reading_.index().packets()) packet(number);
                break;
            case Selection::Kind::pdu:
                if (number <= store_.pdus().size()) pdu(number);
                break;
            case Selection::Kind::command:
                if (number <= store_.commands().size()) command(number);
                break;
            case Selection::Kind::connection:
                if (number <= store_.connections().size()) connection(static_cast<uint32_t>(number));
                break;
            case Selection::Kind::session:
                if (number <= store_.sessions().size()) session(static_cast<uint32_t>(number));
                break;
            case Selection::Kind::loss:
                if (number <= store_.losses().size()) loss(number);
                break;
        }
        things_.story = things_.range;
        if (selection.kind == Selection::Kind::packet || selection.kind == Selection::Kind::loss) {
            things_.story = story_of_packet(reading_, things_);
        }
        std::ranges::sort(things_.packets);
        things_.packets.erase(std::unique(things_.packets.begin(), things_.packets.end()),
                              things_.packets.end());
        return things_;
    }

  private:
    void extend(int64_t time_ns) {
        if (time_ns == no_time) return;
        TimeRange& range = things_.range;
        if (range.empty()) {
            range = {time_ns, time_ns + 1};
        } else {
            range = {std::min(range.begin_ns, time_ns), std::max(range.end_ns, time_ns + 1)};
        }
    }
    void extend_to_packet(PacketNumber packet) {
        if (packet != 0 && packet <= reading_.index().packets()) extend(timeline_.time_of(packet));
    }
    void set_connection(uint32_t connection) {
        if (connection == 0 || connection > store_.connections().size()) return;
        things_.connection = connection;
        if (things_.session == 0) things_.session = store_.connections()[connection - 1].session;
    }

    void add_packets_of(uint32_t pdu) {
        carrying_.clear();
        reading_.pdu_index().packets_of_pdu(pdu, carrying_);
        for (const PacketNumber packet : carrying_) things_.packets.push_back(static_cast<uint32_t>(packet));
    }

    void pdu(uint64_t number) {
        const PduRow& row = store_.pdus()[number - 1];
        things_.pdu = number;
        things_.pdus = {number};
        things_.command = row.command;
        things_.packet = row.last_packet != 0 ? row.last_packet : row.first_packet;
        set_connection(row.connection);
        add_packets_of(static_cast<uint32_t>(number - 1));
        extend_to_packet(row.first_packet);
        extend(row.time_ns);
    }

    void command(uint64_t number) {
        const CommandRow& row = store_.commands()[number - 1];
        things_.command = number;
        things_.session = row.session;
        set_connection(row.connection);
        things_.packet = row.request_packet != 0 ? row.request_packet : row.response_packet;
        for (const int64_t time : {row.request_ns, row.first_data_ns, row.last_data_ns, row.response_ns})
            extend(time);
        extend_to_packet(row.aborted_packet);
        // Those that complete it need not carry bytes of it: they may have filled a hole before them.
        for (const PacketNumber packet :
             {row.request_packet, row.first_data_packet, row.last_data_packet, row.response_packet}) {
            if (packet != 0) things_.packets.push_back(static_cast<uint32_t>(packet));
        }
        std::vector<uint32_t> pdus;
        reading_.pdu_index().pdus_of_command(number, pdus);
        for (const uint32_t pdu : pdus) {
            if (stop_) return;
            things_.pdus.push_back(uint64_t{pdu} + 1);
            add_packets_of(pdu);
        }
    }

    void packet(PacketNumber number) {
        things_.packet = number;
        things_.packets = {static_cast<uint32_t>(number)};
        extend_to_packet(number);
        if (number > store_.segments().size()) return;
        set_connection(store_.segments().get<&SegmentRow::connection>(number - 1));
        // What it completes shows more of it than what it is the middle of.
        const auto take = [&](uint32_t pdu) {
            if (things_.pdu == 0) things_.pdu = uint64_t{pdu} + 1;
            if (things_.command == 0) things_.command = store_.pdus().get<&PduRow::command>(pdu);
        };
        reading_.pdu_index().completed_by(number, take);
        reading_.pdu_index().carried_by(number, take);
    }

    void loss(uint64_t number) {
        const LossRow& row = store_.losses()[number - 1];
        packet(row.packet);
        set_connection(row.connection);
        if (row.original_packet != 0) things_.packets.push_back(static_cast<uint32_t>(row.original_packet));
        extend_to_packet(row.original_packet);
        extend(row.time_ns);
    }

    void connection(uint32_t number) {
        const ConnectionRow& row = store_.connections()[number - 1];
        set_connection(number);
        things_.packet = row.first_packet;
        extend_to_packet(row.first_packet);
        extend_to_packet(row.last_packet);
    }

    void session(uint32_t number) {
        things_.session = number;
        uint32_t connection = 0;
        for (const ConnectionRow& row : store_.connections()) {
            ++connection;
            if (row.session != number) continue;
            if (things_.connection == 0) things_.connection = connection;
            if (things_.packet == 0) things_.packet = row.first_packet;
            extend_to_packet(row.first_packet);
            extend_to_packet(row.last_packet);
        }
    }

    const CaptureData::Reading& reading_;
    const ResultStore& store_;
    const Timeline& timeline_;
    const StopFlag& stop_;
    SelectedThings things_;
    std::vector<PacketNumber> carrying_;
};

}  // namespace

SelectedThings find_selected_things(const CaptureData::Reading& reading, const Selection& selection,
                                    const StopFlag& stop) {
    return Finder(reading, stop).find(selection);
}

}  // namespace sanscope

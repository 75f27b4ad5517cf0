// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/linked_rows.h"

#include <algorithm>
#include <vector>

#include "analyzer/query/on_threads.h"

namespace sanscope {
namespace {

class Linker {
  public:
    Linker(const PduIndex& index, const RowSet& rows, const std::atomic<bool>* stop, unsigned threads)
        : index_(index), store_(index.store()), rows_(rows), stop_(stop), threads_(std::max(threads, 1u)) {
        linked_.packets = RowSet(store_.segments().size());
        linked_.commands = RowSet(store_.commands().size());
        linked_.pdus = RowSet(store_.pdus().size());
        linked_.connections = RowSet(store_.connections().size());
        linked_.sessions = RowSet(store_.sessions().size());
        linked_.losses = RowSet(store_.losses().size());
    }

    LinkedRows link(Selected table);

  private:
    static constexpr size_t rows_between_looks = 16384;

    bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
    // Numbers count from 1; what is not among the rows is not set.
    static void set_number(RowSet& set, uint64_t number) {
        if (number != 0 && number <= set.size()) set.set(number - 1);
    }
    template <class Visit>
    void for_each_selected(Visit visit) const;
    template <class Work>
    void on_parts_of_packets(const Work& work) const;
    template <auto member, class Rows, class Visit>
    static void for_each_value(const Rows& rows, const RowSet& set, Visit visit);
    template <class Rows>
    void take_events(const Rows& events);
    void take_commands();
    void take_connections();
    void take_losses();
    void connections_of_sessions();
    void pdus_of_packets();
    void packets_of_pdus();
    void commands_of_pdus();
    void connections_of_pdus();
    void connections_of_packets();
    void losses_of_packets();
    void sessions_of_connections();

    const PduIndex& index_;
    const ResultStore& store_;
    const RowSet& rows_;
    const std::atomic<bool>* stop_;
    unsigned threads_;
    LinkedRows linked_;
};

// Until stopped.
template <class Visit>
void Linker::for_each_selected(Visit visit) const {
    size_t since_look = 0;
    for (size_t row = rows_.next(0); row != RowSet::none; row = rows_.next(row + 1)) {
        visit(row);
        if (++since_look % rows_between_looks == 0 && stopped()) return;
    }
}

// Calls `work(part, first, last)` for all packets in parts of whole words of a set, on threads.
template <class Work>
void Linker::on_parts_of_packets(const Work& work) const {
    const size_t packets = store_.segments().size();
    const size_t each = (packets / threads_ + 64) / 64 * 64;
    on_threads(threads_, [&](size_t part) {
        work(part, PacketNumber{part * each + 1}, std::min((part + 1) * each, packets));
    });
}

// Calls `visit` with one column of each row of the set.
template <auto member, class Rows, class Visit>
void Linker::for_each_value(const Rows& rows, const RowSet& set, Visit visit) {
    for (size_t row = set.next(0); row != RowSet::none;) {
        const size_t first = row / packed_run * packed_run;
        if (first >= rows.size()) return;
        const size_t count = std::min(packed_run, rows.size() - first);
        rows.template for_each_value<member>(first, count, [&](size_t i, auto value) {
            if (set.test(first + i)) visit(value);
        });
        row = set.next(first + count);
    }
}

LinkedRows Linker::link(Selected table) {
    switch (table) {
        case Selected::packets:
            linked_.packets = rows_;
            break;
        case Selected::windows:
            take_events(store_.windows());
            break;
        case Selected::ca_transitions:
            take_events(store_.ca_transitions());
            break;
        case Selected::kernel_windows:
            take_events(store_.kernel_windows());
            break;
        case Selected::kernel_ca_transitions:
            take_events(store_.kernel_ca_transitions());
            break;
        case Selected::commands:
            linked_.commands = rows_;
            take_commands();
            break;
        case Selected::pdus:
            linked_.pdus = rows_;
            break;
        case Selected::sessions:
            linked_.sessions = rows_;
            connections_of_sessions();
            take_connections();
            return std::move(linked_);
        case Selected::connections:
            linked_.connections = rows_;
            take_connections();
            sessions_of_connections();
            return std::move(linked_);
        case Selected::losses:
            linked_.losses = rows_;
            take_losses();
            break;
    }
    const bool by_packets = table == Selected::packets || table == Selected::windows ||
                            table == Selected::ca_transitions || table == Selected::kernel_windows ||
                            table == Selected::kernel_ca_transitions;
    const bool by_pdus = table == Selected::commands || table == Selected::pdus;
    if (by_packets) pdus_of_packets();
    if (by_pdus) packets_of_pdus();
    if (table != Selected::commands) commands_of_pdus();
    if (by_packets) connections_of_packets();
    if (by_pdus) connections_of_pdus();
    if (table != Selected::losses) losses_of_packets();
    sessions_of_connections();
    return std::move(linked_);
}

template <class Rows>
void Linker::take_events(const Rows& events) {
    for_each_selected([&](size_t row) {
        const auto& event = events[row];
        set_number(linked_.packets, event.packet);
        set_number(linked_.connections, event.connection);
    });
}

void Linker::take_commands() {
    std::vector<uint32_t> pdus;
    for_each_selected([&](size_t row) {
        set_number(linked_.connections, store_.commands()[row].connection);
        pdus.clear();
        index_.pdus_of_command(row + 1, pdus);
        for (const uint32_t pdu : pdus) linked_.pdus.set(pdu);
    });
}

void Linker::take_losses() {
    std::vector<uint32_t> pdus;
    for_each_selected([&](size_t row) {
        const LossRow& loss = store_.losses()[row];
        set_number(linked_.packets, loss.packet);
        set_number(linked_.packets, loss.original_packet);
        set_number(linked_.connections, loss.connection);
        pdus.clear();
        index_.pdus_of_bytes(loss.connection, loss.sender, loss.seq, loss.length, loss.packet, pdus);
        for (const uint32_t pdu : pdus) linked_.pdus.set(pdu);
    });
}

void Linker::connections_of_sessions() {
    size_t i = 0;
    for (const ConnectionRow& row : store_.connections()) {
        if (row.session != 0 && rows_.test(row.session - 1)) linked_.connections.set(i);
        ++i;
    }
}

// All that is of the connections: and of the sessions, where those were selected.
void Linker::take_connections() {
    PacketNumber first = store_.segments().size() + 1;
    PacketNumber last = 0;
    linked_.connections.for_each([&](size_t row) {
        if (stopped()) return;
        const ConnectionRow& connection = store_.connections()[row];
        first = std::min(first, connection.first_packet);
        // Until it is described, its end is not known.
        last =
            std::max(last, connection.last_packet == 0 ? store_.segments().size() : connection.last_packet);
        const auto number = static_cast<uint32_t>(row + 1);
        for (const Role sender : {Role::initiator, Role::target}) {
            for (const uint32_t pdu : index_.stream(number, sender)) linked_.pdus.set(pdu);
        }
    });
    last = std::min<PacketNumber>(last, store_.segments().size());
    for (PacketNumber packet = std::max<PacketNumber>(first, 1); packet <= last; ++packet) {
        if (packet % rows_between_looks == 0 && stopped()) return;
        const uint32_t connection = store_.segments().get<&SegmentRow::connection>(packet - 1);
        if (connection != 0 && linked_.connections.test(connection - 1)) linked_.packets.set(packet - 1);
    }
    size_t i = 0;
    for (const CommandRow& row : store_.commands()) {
        const bool of_connection = row.connection != 0 && linked_.connections.test(row.connection - 1);
        const bool of_session = row.session != 0 && linked_.sessions.test(row.session - 1);
        if (of_connection || of_session) linked_.commands.set(i);
        if (++i % rows_between_looks == 0 && stopped()) return;
    }
    i = 0;
    for (const LossRow& row : store_.losses()) {
        if (row.connection != 0 && linked_.connections.test(row.connection - 1)) linked_.losses.set(i);
        ++i;
    }
}

// Few are looked up one by one, many in one pass over the packets; and the other way round below.
constexpr size_t few = 4096;

void Linker::pdus_of_packets() {
    if (linked_.packets.count() <= few) {
        linked_.packets.for_each([&](size_t packet) {
            index_.carried_by(packet + 1, [&](uint32_t pdu) { linked_.pdus.set(pdu); });
        });
        return;
    }
    std::vector<RowSet> found(threads_ - 1, RowSet(linked_.pdus.size()));
    on_parts_of_packets([&](size_t part, PacketNumber first, PacketNumber last) {
        RowSet& pdus = part == 0 ? linked_.pdus : found[part - 1];
        const auto next = [&](PacketNumber packet) {
            const size_t row = linked_.packets.next(packet - 1);
            return row == RowSet::none ? UINT64_MAX : PacketNumber{row + 1};
        };
        index_.for_each_carried(
            first, last, stop_, [&](PacketNumber, uint32_t pdu) { pdus.set(pdu); }, next);
    });
    for (const RowSet& pdus : found) linked_.pdus |= pdus;
}

void Linker::packets_of_pdus() {
    if (linked_.pdus.count() <= few) {
        std::vector<PacketNumber> packets;
        linked_.pdus.for_each([&](size_t pdu) {
            if (stopped()) return;
            packets.clear();
            index_.packets_of_pdu(static_cast<uint32_t>(pdu), packets);
            for (const PacketNumber packet : packets) set_number(linked_.packets, packet);
        });
        return;
    }
    on_parts_of_packets([&](size_t, PacketNumber first, PacketNumber last) {
        index_.for_each_carried(first, last, stop_, [&](PacketNumber packet, uint32_t pdu) {
            if (linked_.pdus.test(pdu)) linked_.packets.set(packet - 1);
        });
    });
}

void Linker::commands_of_pdus() {
    for_each_value<&PduRow::command>(store_.pdus(), linked_.pdus,
                                     [&](CommandNumber number) { set_number(linked_.commands, number); });
}

void Linker::connections_of_pdus() {
    for_each_value<&PduRow::connection>(store_.pdus(), linked_.pdus, [&](ConnectionNumber number) {
        set_number(linked_.connections, number);
    });
}

void Linker::connections_of_packets() {
    for_each_value<&SegmentRow::connection>(store_.segments(), linked_.packets, [&](ConnectionNumber number) {
        set_number(linked_.connections, number);
    });
}

void Linker::losses_of_packets() {
    size_t i = 0;
    for (const LossRow& row : store_.losses()) {
        const bool named = (row.packet != 0 && linked_.packets.test(row.packet - 1)) ||
                           (row.original_packet != 0 && linked_.packets.test(row.original_packet - 1));
        if (named) linked_.losses.set(i);
        ++i;
    }
}

void Linker::sessions_of_connections() {
    linked_.connections.for_each(
        [&](size_t row) { set_number(linked_.sessions, store_.connections()[row].session); });
}

}  // namespace

LinkedRows link_rows(const PduIndex& index, Selected table, const RowSet& rows, const std::atomic<bool>* stop,
                     unsigned threads) {
    return Linker(index, rows, stop, threads).link(table);
}

}  // namespace sanscope

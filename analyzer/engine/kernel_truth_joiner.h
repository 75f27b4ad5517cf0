// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyzer/flow/flow_table.h"
#include "analyzer/store/result_store.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope::v1 {
class KernelSocket;
class KernelTruth;
}  // namespace sanscope::v1

namespace sanscope {

// Joins what a kernel reported of its sockets with the connections of the capture: rows for the store, or a count of those that
// have no connection here.
//
// A block reports what was before it, and its packets may come a little behind it: its events wait until a packet is
// `patience_ns` younger than all of them, or the next block comes. Then a socket is that connection which has its ends and
// was the last to begin by then, and stays it; what was before its first packet is passed over. An event's packet is the
// last one before it from the other side that acknowledges no more than the kernel knew at the next event, if it is no
// more than `longest_reaction_ns` older.
//
// Memory is bounded: one block's events; `max_sockets` sockets; the last `packets_kept` packets, where rows are kept; a few
// bytes for each connection.
class KernelTruthJoiner {
  public:
    static constexpr int64_t patience_ns = 20'000'000;
    static constexpr int64_t longest_reaction_ns = 10'000'000;
    static constexpr size_t max_sockets = 262'144;
    static constexpr size_t packets_kept = 65536;

    KernelTruthJoiner(ResultStore& store, Issues& issues);

    // For every packet of a connection, in order. Whether what waits should now be joined.
    bool on_packet(uint32_t connection, Side side, int64_t time_ns, PacketNumber packet, uint32_t ack) {
        if (!heard_.empty()) [[unlikely]]
            note(connection, side, time_ns, packet, ack);
        return time_ns >= due_ns_;
    }
    // A block's body, of the file (or interface) of that number, whose sockets are numbered among themselves.
    void take_block(std::span<const uint8_t> body, uint16_t file, PacketNumber packet);

    // Whether the connections' rows should be brought up to date before join().
    bool wants_connections_described() const { return wants_mss_; }
    void join();
    // All that was there to be joined is; counts the sockets without connection.
    void finish();

  private:
    struct Socket {
        Endpoint local;
        Endpoint remote;
        std::string congestion_control;
        uint32_t mss = 0;
        uint32_t connection = 0;  // once found
        Side local_side = Side::b;
        bool told = false;  // of anything but itself
        bool sampled = false;
        PacketNumber packet = 0;  // of the block that reported it
        uint64_t walk_from = 0;   // while joining: where in heard_ the search for older packets goes on
        bool walking = false;
        bool next_una_known = false;  // while joining: of the window behind
        uint32_t next_una = 0;
    };
    struct Event {
        int64_t time_ns = 0;
        Socket* socket = nullptr;
        PacketNumber packet = 0;
        int64_t srtt_ns = no_time;
        uint32_t snd_una = 0;
        uint32_t snd_nxt = 0;
        uint32_t cwnd = 0;                      // segments
        uint32_t ssthresh = unknown<uint32_t>;  // likewise
        uint32_t snd_wnd = unknown<uint32_t>;
        uint8_t ca_state = unknown_state;
        bool sequences_known = false;
        bool is_transition = false;
    };
    struct Heard {
        int64_t time_ns = 0;
        PacketNumber packet = 0;
        uint64_t before = 0;  // the place of the one before from the same side
        uint32_t ack = 0;     // as in its header
    };
    static constexpr uint8_t unknown_state = 0xff;

    void note(uint32_t connection, Side side, int64_t time_ns, PacketNumber packet, uint32_t ack);
    bool take_socket(const v1::KernelSocket& told, uint16_t file, PacketNumber packet);
    bool take_events(const v1::KernelTruth& truth, uint16_t file);
    Socket* find_socket(uint16_t file, uint32_t number);
    void forget(const Socket& socket);
    void find_connection(Socket& socket, int64_t time_ns);
    void update_connections();
    bool begins_later(uint32_t connection, int64_t time_ns) const;
    void find_packets();
    void write(const Event& event);
    static size_t place_of(uint32_t connection, Side side) { return size_t{connection} * 2 + index_of(side); }

    ResultStore& store_;
    Issues& issues_;
    std::unordered_map<uint64_t, Socket> sockets_;  // by file and number; what is in it stays where it is
    std::vector<Event> waiting_;
    int64_t due_ns_;
    bool wants_mss_ = false;

    // The newest connection of each pair of ends, and of each the one before it.
    FlowTable newest_;
    std::vector<uint32_t> before_;
    uint32_t connections_known_ = 0;

    std::vector<uint8_t> states_;  // by place_of(): the state entered last

    std::vector<Heard> heard_;  // a ring; empty where no rows are kept
    uint64_t heard_count_ = 0;
    std::vector<uint64_t> last_heard_;  // by place_of(): count at that time, from 1
};

}  // namespace sanscope

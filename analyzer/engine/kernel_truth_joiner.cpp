// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/kernel_truth_joiner.h"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "sanscope/v1/kernel_truth.pb.h"

#include "analyzer/base/reachable_time.h"
#include "analyzer/base/serial32.h"
#include "analyzer/ingest/kernel_truth_block.h"

namespace sanscope {
namespace {

constexpr int64_t never = std::numeric_limits<int64_t>::max();
// A connection's first packet may be stamped a little behind the socket's first event.
constexpr int64_t clock_slack_ns = 1'000'000;
// Of a socket's name of its congestion control (TCP_CA_NAME_MAX).
constexpr size_t longest_name = 16;

bool read_address(const std::string& bytes, IpAddress& address) {
    const auto* wire = reinterpret_cast<const uint8_t*>(bytes.data());
    if (bytes.size() == 4) {
        address = IpAddress::from_v4(wire);
    } else if (bytes.size() == 16) {
        address = IpAddress::from_v6(wire);
    } else {
        return false;
    }
    return true;
}

// What another host's kernel was called there: letters, digits and underscores.
std::string clean_name(const std::string& told) {
    std::string name = told.substr(0, longest_name);
    for (char& c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '_' || c == '-';
        if (!plain) c = '?';
    }
    return name;
}

FlowKey key_of(const Endpoint& one, const Endpoint& other) {
    DecodedPacket packet;
    packet.source = one.address;
    packet.source_port = one.port;
    packet.destination = other.address;
    packet.destination_port = other.port;
    bool source_is_low = false;
    return FlowKey::of(packet, source_is_low);
}

// Bytes in so many segments; unknown where that is more than can be.
uint32_t bytes_of(uint32_t segments, uint32_t mss) {
    const uint64_t bytes = uint64_t{segments} * mss;
    return bytes < unknown<uint32_t> ? static_cast<uint32_t>(bytes) : unknown<uint32_t>;
}

}  // namespace

KernelTruthJoiner::KernelTruthJoiner(ResultStore& store, Issues& issues)
    : store_(store), issues_(issues), due_ns_(never), newest_(std::random_device{}()) {
    if (store.keeps_kernel_rows()) heard_.resize(packets_kept);
}

void KernelTruthJoiner::note(uint32_t connection, Side side, int64_t time_ns, PacketNumber packet,
                             uint32_t ack) {
    const size_t place = place_of(connection, side);
    if (place >= last_heard_.size()) last_heard_.resize(std::max(place + 1, last_heard_.size() * 2));
    // Field by field: a copy of what was just written in parts would wait for these.
    Heard& heard = heard_[heard_count_ % packets_kept];
    heard.time_ns = time_ns;
    heard.packet = packet;
    heard.before = last_heard_[place];
    heard.ack = ack;
    last_heard_[place] = ++heard_count_;
}

void KernelTruthJoiner::take_block(std::span<const uint8_t> body, uint16_t file, PacketNumber packet) {
    const KernelTruthBlock block = read_kernel_truth_block(body);
    if (block.kind == KernelTruthBlock::Kind::other) return;
    v1::KernelTruth truth;
    const bool parsed = block.kind == KernelTruthBlock::Kind::kernel_truth &&
                        truth.ParseFromArray(block.payload.data(), static_cast<int>(block.payload.size()));
    if (!parsed) {
        issues_.add(Issue::kernel_truth_damaged, packet);
        return;
    }
    join();
    store_.begin_kernel_truth();
    if (truth.events_lost() > 0) issues_.add(Issue::kernel_events_lost, packet, truth.events_lost());
    bool makes_sense = true;
    for (const v1::KernelSocket& socket : truth.sockets())
        makes_sense = take_socket(socket, file, packet) && makes_sense;
    makes_sense = take_events(truth, file) && makes_sense;
    if (!makes_sense) issues_.add(Issue::kernel_truth_damaged, packet);
}

bool KernelTruthJoiner::take_socket(const v1::KernelSocket& told, uint16_t file, PacketNumber packet) {
    Socket socket;
    const bool has_addresses = read_address(told.local_address(), socket.local.address) &&
                               read_address(told.remote_address(), socket.remote.address);
    constexpr uint32_t last_port = 0xffff;
    if (!has_addresses || told.local_port() > last_port || told.remote_port() > last_port) return false;
    socket.local.port = static_cast<uint16_t>(told.local_port());
    socket.remote.port = static_cast<uint16_t>(told.remote_port());
    const uint64_t key = uint64_t{file} << 32 | told.socket();
    auto found = sockets_.find(key);
    if (found == sockets_.end()) {
        if (sockets_.size() == max_sockets) {
            issues_.add(Issue::kernel_sockets_over_limit, packet);
            return true;
        }
        found = sockets_.emplace(key, std::move(socket)).first;
        found->second.packet = packet;
    } else if (found->second.local != socket.local || found->second.remote != socket.remote) {
        forget(found->second);
        found->second = std::move(socket);
        found->second.packet = packet;
    }
    found->second.congestion_control = clean_name(told.congestion_control());
    // Nothing real is larger; nor would the window of any be reported in 32 bits.
    constexpr uint32_t largest_mss = 1 << 20;
    found->second.mss = told.mss() <= largest_mss ? told.mss() : 0;
    return true;
}

bool KernelTruthJoiner::take_events(const v1::KernelTruth& truth, uint16_t file) {
    const bool sampled = truth.method() == v1::KernelTruth::METHOD_INET_DIAG;
    bool makes_sense = true;
    const auto begin = [&](uint32_t number, int64_t time_ns) {
        Event event;
        event.socket = find_socket(file, number);
        event.time_ns = within_reach(time_ns);
        makes_sense = makes_sense && (event.socket != nullptr || sockets_.size() == max_sockets);
        if (event.socket != nullptr) {
            event.socket->told = true;
            event.socket->sampled = sampled;
            wants_mss_ = wants_mss_ || event.socket->mss == 0;
        }
        return event;
    };
    waiting_.reserve(static_cast<size_t>(truth.windows_size()) +
                     static_cast<size_t>(truth.transitions_size()));
    for (const v1::KernelWindow& window : truth.windows()) {
        Event event = begin(window.socket(), window.time_ns());
        if (event.socket == nullptr) continue;
        event.sequences_known = window.has_snd_una() && window.has_snd_nxt();
        event.snd_una = window.snd_una();
        event.snd_nxt = window.snd_nxt();
        event.cwnd = window.cwnd();
        if (window.has_ssthresh()) event.ssthresh = window.ssthresh();
        if (window.has_snd_wnd()) event.snd_wnd = window.snd_wnd();
        if (window.srtt_us() != 0) event.srtt_ns = int64_t{window.srtt_us()} * 1000;
        if (window.has_ca_state() && window.ca_state() < ca_states)
            event.ca_state = static_cast<uint8_t>(window.ca_state());
        waiting_.push_back(event);
    }
    for (const v1::KernelTransition& transition : truth.transitions()) {
        Event event = begin(transition.socket(), transition.time_ns());
        if (event.socket == nullptr) continue;
        makes_sense = makes_sense && transition.state() < ca_states;
        if (transition.state() >= ca_states) continue;
        event.ca_state = static_cast<uint8_t>(transition.state());
        event.is_transition = true;
        waiting_.push_back(event);
    }
    // A window is reported before the ACK is processed, and what that brings about behind it.
    std::ranges::stable_sort(waiting_, {}, &Event::time_ns);
    if (!waiting_.empty()) due_ns_ = waiting_.back().time_ns + patience_ns;
    return makes_sense;
}

KernelTruthJoiner::Socket* KernelTruthJoiner::find_socket(uint16_t file, uint32_t number) {
    const auto found = sockets_.find(uint64_t{file} << 32 | number);
    return found == sockets_.end() ? nullptr : &found->second;
}

void KernelTruthJoiner::join() {
    due_ns_ = never;
    wants_mss_ = false;
    if (waiting_.empty()) return;
    update_connections();
    for (const Event& event : waiting_) {
        if (event.socket->connection == 0) find_connection(*event.socket, event.time_ns);
    }
    if (!heard_.empty()) find_packets();
    for (const Event& event : waiting_) {
        const uint32_t connection = event.socket->connection;
        if (connection != 0 && !begins_later(connection, event.time_ns)) write(event);
    }
    waiting_.clear();
}

void KernelTruthJoiner::update_connections() {
    const auto& connections = store_.connections();
    before_.resize(connections.size() + 1, 0);
    while (connections_known_ < connections.size()) {
        const ConnectionRow& row = connections[connections_known_];
        uint32_t& newest = newest_.find_or_add(key_of(row.initiator, row.target));
        ++connections_known_;
        before_[connections_known_] = newest == FlowTable::none ? 0 : newest;
        newest = connections_known_;
    }
}

bool KernelTruthJoiner::begins_later(uint32_t connection, int64_t time_ns) const {
    return store_.connection(connection).start_ns > time_ns + clock_slack_ns;
}

void KernelTruthJoiner::find_connection(Socket& socket, int64_t time_ns) {
    const FlowKey key = key_of(socket.local, socket.remote);
    if (!newest_.contains(key)) return;
    uint32_t number = newest_.find_or_add(key);
    while (number != 0 && begins_later(number, time_ns)) number = before_[number];
    if (number == 0) return;
    socket.connection = number;
    socket.local_side = store_.connection(number).endpoint(Side::a) == socket.local ? Side::a : Side::b;
}

// From the newest event back, so that each sender's packets are walked over once.
void KernelTruthJoiner::find_packets() {
    for (size_t i = waiting_.size(); i-- > 0;) {
        Event& event = waiting_[i];
        Socket& socket = *event.socket;
        if (socket.connection == 0) continue;
        if (!socket.walking) {
            const size_t place = place_of(socket.connection, other_side(socket.local_side));
            socket.walk_from = place < last_heard_.size() ? last_heard_[place] : 0;
            socket.walking = true;
            socket.next_una_known = false;
        }
        const auto is_kept = [&](uint64_t at) { return at != 0 && at + packets_kept > heard_count_; };
        while (is_kept(socket.walk_from)) {
            const Heard& heard = heard_[(socket.walk_from - 1) % packets_kept];
            const bool taken_in_later =
                socket.next_una_known && Serial32(socket.next_una).before(Serial32(heard.ack));
            if (heard.time_ns <= event.time_ns && !taken_in_later) {
                if (event.time_ns - heard.time_ns <= longest_reaction_ns) event.packet = heard.packet;
                break;
            }
            socket.walk_from = heard.before;
        }
        if (!event.sequences_known) continue;
        socket.next_una_known = true;
        socket.next_una = event.snd_una;
    }
    for (const Event& event : waiting_) event.socket->walking = false;
}

void KernelTruthJoiner::write(const Event& event) {
    const Socket& socket = *event.socket;
    const size_t place = place_of(socket.connection, socket.local_side);
    if (place >= states_.size()) states_.resize(std::max(place + 1, states_.size() * 2), unknown_state);
    uint8_t& state = states_[place];
    KernelScore& score = store_.kernel_score(socket.connection, socket.local_side);
    if (!socket.congestion_control.empty()) {
        score.set_congestion_control(socket.congestion_control);
        store_.connection(socket.connection).kernel_congestion_control[index_of(socket.local_side)] =
            socket.congestion_control;
    }
    if (socket.sampled) score.set_sampled();
    if (event.is_transition) {
        const uint8_t before = std::exchange(state, event.ca_state);
        if (before == event.ca_state) return;
        store_.add_kernel_ca_transition(
            score, {.packet = event.packet,
                    .time_ns = event.time_ns,
                    .connection = socket.connection,
                    .from = before == unknown_state ? CaState::open : static_cast<CaState>(before),
                    .to = static_cast<CaState>(event.ca_state),
                    .from_known = before != unknown_state,
                    .sender = socket.local_side});
        return;
    }
    if (event.ca_state != unknown_state) state = event.ca_state;
    const uint32_t mss = socket.mss != 0 ? socket.mss : store_.connection(socket.connection).mss;
    const bool mss_known = mss != unknown<uint32_t>;
    const bool reduced = event.ssthresh != unknown<uint32_t>;
    store_.add_kernel_window(
        score, {.packet = event.packet,
                .time_ns = event.time_ns,
                .srtt_ns = event.srtt_ns,
                .connection = socket.connection,
                .snd_una = event.snd_una,
                .snd_nxt = event.snd_nxt,
                .cwnd = mss_known ? bytes_of(event.cwnd, mss) : unknown<uint32_t>,
                .ssthresh = mss_known && reduced ? bytes_of(event.ssthresh, mss) : unknown<uint32_t>,
                .advertised_window = event.snd_wnd,
                .ca_state = state == unknown_state ? CaState::open : static_cast<CaState>(state),
                .sequences_known = event.sequences_known,
                .ca_state_known = state != unknown_state,
                .sender = socket.local_side});
}

void KernelTruthJoiner::forget(const Socket& socket) {
    if (socket.told && socket.connection == 0) issues_.add(Issue::kernel_sockets_elsewhere, socket.packet);
}

void KernelTruthJoiner::finish() {
    join();
    for (const auto& [key, socket] : sockets_) forget(socket);
    sockets_.clear();
}

}  // namespace sanscope

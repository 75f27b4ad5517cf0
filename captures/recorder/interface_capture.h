// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "captures/recorder/header_keeper.h"
#include "captures/recorder/packet_buffers.h"
#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

using pcap_t = struct pcap;
struct pcap_pkthdr;

namespace sanscope {

// What went wrong with an interface, as it is reported.
struct CaptureTrouble {
    v1::RecordingTrouble::Kind kind = v1::RecordingTrouble::OTHER;
    std::string message;
};

// Of libpcap, as "1.10.3 (with TPACKET_V3)".
std::string capture_library_version();

// One interface of this host: a thread that takes its packets from the kernel's ring (libpcap, TPACKET_V3) and puts
// each as a pcapng block into a buffer for the writer, all of it or what `--keep headers` keeps. An interface that goes down is
// waited for; the kernel lets the socket go on.
class InterfaceCapture : private BlockOutput {
  public:
    using Clock = std::chrono::steady_clock;
    using EventSink = std::function<void(CaptureTrouble)>;
    using State = v1::InterfaceCounts::State;

    // Needs the right to capture. `warnings`: what was asked for and is not offered.
    static std::variant<std::unique_ptr<InterfaceCapture>, CaptureTrouble> open(
        const std::string& name, const v1::RecordingRequest& request, std::vector<CaptureTrouble>& warnings);
    ~InterfaceCapture() override;

    // Needs no rights. Nothing for everything; an Error is libpcap's.
    Result<std::monostate> set_filter(const std::string& filter);

    // Begins. `number` is the interface's in the file; `report` is called on the capturing thread. `keeps_headers`: its packets
    // alone are the recording, and pass a HeaderKeeper on that thread, straight from the ring.
    void start(uint32_t number, PacketBuffers& buffers, bool keeps_headers, EventSink report);
    // What was there until now is still handed over; then the thread ends.
    void request_stop();
    // As well, but nothing is handed over any more: those packets are counted as discarded.
    void discard_and_stop();
    bool ended() const { return ended_; }
    void join();

    const std::string& name() const { return name_; }
    uint16_t link_type() const { return link_type_; }
    uint32_t snap_length() const { return snap_length_; }
    bool nanoseconds() const { return nanoseconds_; }

    // From here on any thread may ask.
    uint64_t received() const { return received_; }
    uint64_t dropped_by_kernel() const { return dropped_by_kernel_; }
    uint64_t dropped_by_interface() const { return dropped_by_interface_; }
    uint64_t discarded() const { return discarded_; }
    State state() const { return state_; }
    // Everything from before this time was handed over; meaningful only with the host's time stamps.
    int64_t complete_until_ns() const { return complete_until_ns_; }
    // Packets from before that were handed over, but for some milliseconds: HeaderKeeper::waiting_since().
    Clock::time_point waiting_since() const { return waiting_since_; }
    // Once it has ended: HeaderKeeper::out_of_step().
    uint64_t out_of_step() const { return keeper_ ? keeper_->out_of_step() : 0; }

  private:
    InterfaceCapture(std::string name, pcap_t* handle);
    static void take(unsigned char* self, const pcap_pkthdr* header, const unsigned char* bytes);
    void run();
    void idle(Clock::time_point now);
    bool find_buffer();
    bool next_buffer(size_t length) override;
    void hand_over() override;
    void look_after_keeper(Clock::time_point now);
    void watch_statistics();
    bool is_removed_soon() const;
    bool watch_link(const char* error);
    void fail(State state, v1::RecordingTrouble::Kind kind, std::string message);

    std::string name_;
    pcap_t* handle_;
    FileDescriptor wake_;
    FileDescriptor link_socket_;
    int index_ = 0;  // of the interface; 0: all of them
    uint16_t link_type_ = 1;
    uint32_t snap_length_ = 0;
    bool nanoseconds_ = true;
    bool host_time_ = true;

    uint32_t number_ = 0;
    PacketBuffers* buffers_ = nullptr;
    EventSink report_;
    std::thread thread_;
    std::optional<HeaderKeeper> keeper_;
    Clock::time_point now_;  // some milliseconds old at most
    Clock::time_point buffer_began_;
    uint64_t taken_ = 0;
    int64_t last_taken_ns_ = 0;
    uint32_t last_dropped_ = 0;
    uint32_t last_dropped_by_interface_ = 0;

    std::atomic<bool> stop_ = false;
    std::atomic<bool> discard_ = false;
    std::atomic<bool> ended_ = false;
    std::atomic<uint64_t> received_ = 0;
    std::atomic<uint64_t> dropped_by_kernel_ = 0;
    std::atomic<uint64_t> dropped_by_interface_ = 0;
    std::atomic<uint64_t> discarded_ = 0;
    std::atomic<State> state_ = v1::InterfaceCounts::UP;
    std::atomic<int64_t> complete_until_ns_ = INT64_MIN;
    std::atomic<Clock::time_point> waiting_since_ = Clock::time_point::max();
};

// The interfaces that packets can be taken from, in libpcap's order.
v1::InterfaceList list_interfaces();
// Whether libpcap takes a filter for packets of that interface; needs no rights.
v1::CaptureFilterCheck check_capture_filter(const v1::CheckCaptureFilter& asked);

}  // namespace sanscope

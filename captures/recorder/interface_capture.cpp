// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/interface_capture.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "captures/recorder/recording_blocks.h"
#include "captures/recorder/short_slices.h"

namespace sanscope {
namespace {

using std::chrono::milliseconds;
using Trouble = v1::RecordingTrouble;

constexpr uint32_t default_buffer_mib = 32;
constexpr uint32_t most_buffer_mib = 2047;  // libpcap counts bytes in an int
constexpr uint32_t longest_snap = 262144;
// After so long, the kernel hands over a part of its ring that is not full.
constexpr int retire_ms = 20;
// What is live is to be seen: a buffer goes to the writer by then, full or not.
constexpr milliseconds latest_hand_over{100};
constexpr milliseconds between_statistics{200};
// Of the ring's packets at a time, so that statistics are reported under load as well.
constexpr int packets_at_once = 20'000;

int64_t host_time_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// libpcap's number of a link type is not always the one that files have.
uint16_t link_type_of(int data_link) {
    constexpr uint16_t raw_in_files = 101;
    return data_link == DLT_RAW ? raw_in_files : static_cast<uint16_t>(data_link);
}

int time_stamps_of(v1::RecordingRequest::TimeStampType type) {
    switch (type) {
        case v1::RecordingRequest::ADAPTER:
            return PCAP_TSTAMP_ADAPTER;
        case v1::RecordingRequest::ADAPTER_UNSYNCED:
            return PCAP_TSTAMP_ADAPTER_UNSYNCED;
        default:
            return PCAP_TSTAMP_HOST;
    }
}

std::string own_path() {
    std::array<char, 4096> room;
    const ssize_t length = ::readlink("/proc/self/exe", room.data(), room.size());
    return length <= 0 ? "sanscope-recorder" : std::string(room.data(), static_cast<size_t>(length));
}

CaptureTrouble no_rights(const std::string& name) {
    if (::geteuid() == 0) {
        return {Trouble::NO_RIGHTS,
                fmt::format("{}: root may not capture here: this container was not given CAP_NET_RAW", name)};
    }
    // NOLINTNEXTLINE(readability-redundant-string-init): what a package was built with, or nothing
    constexpr std::string_view by_package = SANSCOPE_GRANT_COMMAND;
    return {Trouble::NO_RIGHTS,
            fmt::format("{}: sanscope-recorder has no right to capture. Grant it once, with\n    {}", name,
                        by_package.empty()
                            ? "sudo setcap cap_net_raw,cap_net_admin,cap_bpf,cap_perfmon+ep " + own_path()
                            : std::string(by_package))};
}

std::string names_of_interfaces() {
    std::vector<std::string> names;
    const v1::InterfaceList list = list_interfaces();
    for (const auto& interface : list.interfaces()) names.push_back(interface.name());
    return fmt::format("{}", fmt::join(names, ", "));
}

CaptureTrouble no_such_interface(const std::string& name) {
    return {Trouble::NO_SUCH_INTERFACE,
            fmt::format("there is no interface {}; there are: {}", name, names_of_interfaces())};
}

CaptureTrouble activation_trouble(const std::string& name, int status, const char* message) {
    switch (status) {
        case PCAP_ERROR_PERM_DENIED:
        case PCAP_ERROR_PROMISC_PERM_DENIED:
            return no_rights(name);
        case PCAP_ERROR_NO_SUCH_DEVICE:
            return no_such_interface(name);
        case PCAP_ERROR_IFACE_NOT_UP:
            return {Trouble::INTERFACE_DOWN,
                    fmt::format("{}: the interface is down: ip link set {} up", name, name)};
        default:
            return {Trouble::OTHER,
                    fmt::format("{}: {}", name, *message == '\0' ? pcap_statustostr(status) : message)};
    }
}

enum class Link : uint8_t { up, down, removed };

Link link_state(int socket, int index) {
    ifreq request{};
    request.ifr_ifindex = index;
    if (::ioctl(socket, SIOCGIFNAME, &request) != 0) return errno == ENODEV ? Link::removed : Link::up;
    if (::ioctl(socket, SIOCGIFFLAGS, &request) != 0) return errno == ENODEV ? Link::removed : Link::up;
    return (request.ifr_flags & IFF_UP) != 0 ? Link::up : Link::down;
}

// The kernel offers a packet of a loopback interface twice, on its way out and in, and libpcap leaves the first out. Not to be
// offered that spares half of the ring, and what is dropped of it is not counted. Linux before 4.20 cannot do so.
void see_loopback_once(pcap_t* handle, const std::string& name) {
    const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    if (name.size() >= sizeof request.ifr_name) return;
    std::copy(name.begin(), name.end(), request.ifr_name);
    if (::ioctl(socket.get(), SIOCGIFFLAGS, &request) != 0 || (request.ifr_flags & IFF_LOOPBACK) == 0) return;
    const int yes = 1;
    ::setsockopt(pcap_fileno(handle), SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes);
}

struct ClosePcap {
    void operator()(pcap_t* handle) const { pcap_close(handle); }
};

}  // namespace

std::variant<std::unique_ptr<InterfaceCapture>, CaptureTrouble> InterfaceCapture::open(
    const std::string& name, const v1::RecordingRequest& request, std::vector<CaptureTrouble>& warnings) {
    // libpcap knows other things by name, buses and logs, that nobody is to reach with the rights of this process.
    if (name != "any" && ::if_nametoindex(name.c_str()) == 0) return no_such_interface(name);
    std::array<char, PCAP_ERRBUF_SIZE> fault{};
    std::unique_ptr<pcap_t, ClosePcap> handle(pcap_create(name.c_str(), fault.data()));
    if (!handle) return CaptureTrouble{Trouble::OTHER, fmt::format("{}: {}", name, fault.data())};

    const uint32_t snap_length =
        request.snap_length() == 0 ? longest_snap : std::min(request.snap_length(), longest_snap);
    const uint32_t mib =
        request.buffer_mib() == 0 ? default_buffer_mib : std::min(request.buffer_mib(), most_buffer_mib);
    pcap_set_snaplen(handle.get(), static_cast<int>(snap_length));
    pcap_set_promisc(handle.get(), request.promiscuous() && name != "any" ? 1 : 0);
    pcap_set_timeout(handle.get(), retire_ms);
    pcap_set_buffer_size(handle.get(), static_cast<int>(mib << 20));
    pcap_set_tstamp_precision(handle.get(), PCAP_TSTAMP_PRECISION_NANO);
    if (request.immediate()) pcap_set_immediate_mode(handle.get(), 1);
    bool host_time = true;
    if (request.time_stamp_type() != v1::RecordingRequest::HOST) {
        host_time = pcap_set_tstamp_type(handle.get(), time_stamps_of(request.time_stamp_type())) != 0;
        if (host_time) {
            warnings.push_back({Trouble::NOT_OFFERED,
                                fmt::format("{}: offers no such time stamps; the kernel's are taken", name)});
        }
    }
    const int status = pcap_activate(handle.get());
    if (status < 0) return activation_trouble(name, status, pcap_geterr(handle.get()));
    if (status == PCAP_WARNING_TSTAMP_TYPE_NOTSUP) {
        host_time = true;
        warnings.push_back({Trouble::NOT_OFFERED,
                            fmt::format("{}: offers no such time stamps; the kernel's are taken", name)});
    } else if (status > 0) {
        const char* const message = pcap_geterr(handle.get());
        warnings.push_back(
            {Trouble::NOT_OFFERED,
             fmt::format("{}: {}", name, *message == '\0' ? pcap_statustostr(status) : message)});
    }
    // Of all interfaces together, this kind of header carries which one a packet was on; where there is none, the other
    // will do.
    if (name == "any") pcap_set_datalink(handle.get(), DLT_LINUX_SLL2);
    if (pcap_setnonblock(handle.get(), 1, fault.data()) != 0)
        return CaptureTrouble{Trouble::OTHER, fmt::format("{}: {}", name, fault.data())};

    see_loopback_once(handle.get(), name);

    std::unique_ptr<InterfaceCapture> capture(new InterfaceCapture(name, handle.release()));
    capture->snap_length_ = snap_length;
    capture->host_time_ = host_time;
    return capture;
}

InterfaceCapture::InterfaceCapture(std::string name, pcap_t* handle)
    : name_(std::move(name)),
      handle_(handle),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      link_socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)),
      index_(static_cast<int>(::if_nametoindex(name_.c_str()))),
      link_type_(link_type_of(pcap_datalink(handle))),
      nanoseconds_(pcap_get_tstamp_precision(handle) == PCAP_TSTAMP_PRECISION_NANO) {}

InterfaceCapture::~InterfaceCapture() {
    discard_and_stop();
    join();
    pcap_close(handle_);
}

Result<std::monostate> InterfaceCapture::set_filter(const std::string& filter) {
    bpf_program program{};
    if (pcap_compile(handle_, &program, filter.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0)
        return Error{pcap_geterr(handle_)};
    const bool set = pcap_setfilter(handle_, &program) == 0;
    pcap_freecode(&program);
    if (!set) return Error{pcap_geterr(handle_)};
    return std::monostate{};
}

void InterfaceCapture::start(uint32_t number, PacketBuffers& buffers, bool keeps_headers, EventSink report) {
    number_ = number;
    buffers_ = &buffers;
    if (keeps_headers) {
        std::vector<uint16_t> link_types(number + size_t{1}, link_type_);
        keeper_.emplace(std::move(link_types), static_cast<BlockOutput&>(*this));
    }
    report_ = std::move(report);
    // What came before the filter was set is none of this recording's.
    pcap_stat counts{};
    if (pcap_stats(handle_, &counts) == 0) {
        last_dropped_ = counts.ps_drop;
        last_dropped_by_interface_ = counts.ps_ifdrop;
    }
    thread_ = std::thread([this] { run(); });
}

void InterfaceCapture::request_stop() {
    stop_ = true;
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void InterfaceCapture::discard_and_stop() {
    discard_ = true;
    request_stop();
}

void InterfaceCapture::join() {
    if (thread_.joinable()) thread_.join();
}

void InterfaceCapture::take(unsigned char* self, const pcap_pkthdr* header, const unsigned char* bytes) {
    auto& capture = *reinterpret_cast<InterfaceCapture*>(self);
    ++capture.taken_;
    const uint32_t captured = std::min(header->caplen, longest_snap);
    // libpcap puts nanoseconds where the name says microseconds, as it was asked to.
    const int64_t fraction = capture.nanoseconds_ ? header->ts.tv_usec : header->ts.tv_usec * 1000;
    const int64_t time_ns = int64_t{header->ts.tv_sec} * 1'000'000'000 + fraction;
    capture.last_taken_ns_ = time_ns;
    if (capture.keeper_) {
        return capture.keeper_->take({.interface = capture.number_,
                                      .time_ns = time_ns,
                                      .bytes = {bytes, captured},
                                      .wire_length = header->len},
                                     capture.now_);
    }
    const size_t length = packet_block_length(captured);
    uint8_t* const at = capture.room(length);
    if (at == nullptr) {
        ++capture.discarded_;
        return;
    }
    put_packet_block(at, capture.number_, static_cast<uint64_t>(time_ns), bytes, captured, header->len);
    capture.add_packet(length, time_ns);
}

bool InterfaceCapture::next_buffer(size_t length) {
    hand_over();
    return find_buffer() && length <= buffer_->capacity;
}

// Waits for one as long as the writer takes: meanwhile the kernel's ring fills, and drops are counted there.
bool InterfaceCapture::find_buffer() {
    while (!discard_) {
        buffer_ = buffers_->take(milliseconds(100));
        if (buffer_ != nullptr) {
            buffer_->source = number_;
            buffer_began_ = Clock::now();
            return true;
        }
        watch_statistics();
    }
    return false;
}

void InterfaceCapture::hand_over() {
    if (buffer_ == nullptr) return;
    if (discard_ || buffer_->packets == 0) {
        discarded_ += buffer_->packets;
        buffers_->give_back(buffer_);
    } else {
        buffers_->hand_over(buffer_);
    }
    buffer_ = nullptr;
}

void InterfaceCapture::look_after_keeper(Clock::time_point now) {
    now_ = now;
    if (!keeper_) return;
    keeper_->tick(now);
    waiting_since_ = keeper_->waiting_since();
}

void InterfaceCapture::run() {
    ask_for_short_slices();
    now_ = Clock::now();
    Clock::time_point next_statistics = Clock::now();
    Clock::time_point stop_at = Clock::time_point::max();
    int64_t stop_ns = 0;
    while (!discard_) {
        const int64_t before_ns = host_time_ns();
        const int taken =
            pcap_dispatch(handle_, packets_at_once, take, reinterpret_cast<unsigned char*>(this));
        const Clock::time_point now = Clock::now();
        look_after_keeper(now);
        if (taken < 0 && !watch_link(pcap_geterr(handle_))) break;
        if (buffer_ != nullptr && now - buffer_began_ >= latest_hand_over) hand_over();
        if (now >= next_statistics) {
            watch_statistics();
            if (!watch_link(nullptr)) break;
            next_statistics = now + between_statistics;
        }
        // What was there when the stop came may still be in a part of the ring that is not full, or behind much else in
        // it.
        if (stop_ && stop_at == Clock::time_point::max()) {
            stop_at = now + milliseconds(3 * retire_ms);
            stop_ns = before_ns;
        }
        if (now >= stop_at && (taken <= 0 || !host_time_ || last_taken_ns_ > stop_ns)) break;
        if (taken > 0) continue;
        if (buffer_ == nullptr && host_time_)
            complete_until_ns_ = before_ns - int64_t{3} * retire_ms * 1'000'000;
        idle(now);
    }
    watch_statistics();
    if (keeper_) {
        keeper_->finish();
        discarded_ += keeper_->refused();
    }
    hand_over();
    waiting_since_ = Clock::time_point::max();
    ended_ = true;
}

// Until packets come, the buffer is to be handed over, or it is time for something else.
void InterfaceCapture::idle(Clock::time_point now) {
    const auto since = std::chrono::duration_cast<milliseconds>(now - buffer_began_);
    const milliseconds patience =
        buffer_ == nullptr ? latest_hand_over
                           : std::clamp(latest_hand_over - since, milliseconds(1), latest_hand_over);
    const bool up = state_ == v1::InterfaceCounts::UP;
    std::array<pollfd, 2> watched{
        {// A socket whose interface is down reports nothing but that, again and again.
         {up ? pcap_get_selectable_fd(handle_) : -1, POLLIN, 0},
         {stop_ ? -1 : wake_.get(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), stop_ ? retire_ms / 4 : static_cast<int>(patience.count()));
    if ((watched[0].revents & POLLERR) != 0 && (watched[0].revents & POLLIN) == 0) {
        int error = 0;
        socklen_t length = sizeof error;
        ::getsockopt(watched[0].fd, SOL_SOCKET, SO_ERROR, &error, &length);
    }
}

void InterfaceCapture::watch_statistics() {
    pcap_stat counts{};
    if (pcap_stats(handle_, &counts) != 0) return;
    // libpcap's counts have 32 bits and go round.
    dropped_by_kernel_ += counts.ps_drop - std::exchange(last_dropped_, counts.ps_drop);
    const uint32_t by_interface = counts.ps_ifdrop - last_dropped_by_interface_;
    // A driver that was loaded anew counts from 0.
    if (by_interface < UINT32_MAX / 2) dropped_by_interface_ += by_interface;
    last_dropped_by_interface_ = counts.ps_ifdrop;
    // The kernel's own count has what libpcap leaves out as well: packets on the loopback interface, a second time.
    received_ = taken_ + dropped_by_kernel_;
}

// Linux closes an interface before it removes it. Meanwhile nothing comes from it.
bool InterfaceCapture::is_removed_soon() const {
    constexpr milliseconds between(10);
    constexpr int times = 10;
    for (int i = 0; i < times; ++i) {
        std::this_thread::sleep_for(between);
        if (link_state(link_socket_.get(), index_) == Link::removed) return true;
    }
    return false;
}

// False when nothing will come any more. `error`: libpcap's, or none.
bool InterfaceCapture::watch_link(const char* error) {
    Link link = index_ == 0 ? Link::up : link_state(link_socket_.get(), index_);
    if (link == Link::down && state_ == v1::InterfaceCounts::UP && is_removed_soon()) link = Link::removed;
    if (link == Link::removed) {
        fail(v1::InterfaceCounts::REMOVED, Trouble::INTERFACE_REMOVED,
             fmt::format("{}: the interface was removed", name_));
        return false;
    }
    if (link == Link::down) {
        if (state_ == v1::InterfaceCounts::UP) {
            fail(v1::InterfaceCounts::DOWN, Trouble::INTERFACE_DOWN,
                 fmt::format("{}: the interface went down; waiting for it", name_));
        }
        return true;
    }
    if (state_ == v1::InterfaceCounts::DOWN) {
        fail(v1::InterfaceCounts::UP, Trouble::INTERFACE_UP,
             fmt::format("{}: the interface is up again", name_));
        return true;
    }
    if (error == nullptr) return true;
    // The interface may have come back between libpcap's look and ours.
    if (std::strstr(error, "went down") != nullptr) return true;
    fail(v1::InterfaceCounts::FAILED, Trouble::OTHER, fmt::format("{}: {}", name_, error));
    return false;
}

void InterfaceCapture::fail(State state, Trouble::Kind kind, std::string message) {
    state_ = state;
    report_({kind, std::move(message)});
}

std::string capture_library_version() {
    constexpr std::string_view before = "libpcap version ";
    std::string_view text = pcap_lib_version();
    if (text.starts_with(before)) text.remove_prefix(before.size());
    return std::string(text);
}

v1::InterfaceList list_interfaces() {
    v1::InterfaceList list;
    std::array<char, PCAP_ERRBUF_SIZE> fault{};
    pcap_if_t* found = nullptr;
    if (pcap_findalldevs(&found, fault.data()) != 0) {
        list.set_error(fault.data());
        return list;
    }
    for (const pcap_if_t* interface = found; interface != nullptr; interface = interface->next) {
        // Buses, logs and the like are no networks.
        const std::string_view name = interface->name;
        if (name != "any" && ::if_nametoindex(interface->name) == 0) continue;
        v1::InterfaceList::Interface& listed = *list.add_interfaces();
        listed.set_name(interface->name);
        if (interface->description != nullptr) listed.set_description(interface->description);
        listed.set_up((interface->flags & PCAP_IF_UP) != 0);
        listed.set_loopback((interface->flags & PCAP_IF_LOOPBACK) != 0);
        for (const pcap_addr_t* address = interface->addresses; address != nullptr; address = address->next) {
            if (address->addr == nullptr) continue;
            std::array<char, INET6_ADDRSTRLEN> text{};
            const int family = address->addr->sa_family;
            const void* bytes = nullptr;
            if (family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(address->addr)->sin_addr;
            if (family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(address->addr)->sin6_addr;
            if (bytes != nullptr && ::inet_ntop(family, bytes, text.data(), text.size()) != nullptr)
                listed.add_addresses(text.data());
        }
    }
    pcap_freealldevs(found);
    return list;
}

v1::CaptureFilterCheck check_capture_filter(const v1::CheckCaptureFilter& asked) {
    // The kernel's numbers (ARPHRD_*) of interfaces without a header of their own: tunnels and the like.
    constexpr int no_header = 0xfffe;
    constexpr int no_link = 0xffff;
    int data_link = DLT_EN10MB;
    if (asked.interface() == "any") data_link = DLT_LINUX_SLL2;
    int type = 0;
    const bool plain = asked.interface().find('/') == std::string::npos;
    if (plain && std::ifstream("/sys/class/net/" + asked.interface() + "/type") >> type &&
        (type == no_header || type == no_link))
        data_link = DLT_RAW;
    v1::CaptureFilterCheck check;
    const std::unique_ptr<pcap_t, ClosePcap> handle(
        pcap_open_dead(data_link, static_cast<int>(longest_snap)));
    bpf_program program{};
    if (!handle ||
        pcap_compile(handle.get(), &program, asked.filter().c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0) {
        check.set_message(handle ? pcap_geterr(handle.get()) : "out of memory");
        return check;
    }
    pcap_freecode(&program);
    check.set_valid(true);
    return check;
}

}  // namespace sanscope

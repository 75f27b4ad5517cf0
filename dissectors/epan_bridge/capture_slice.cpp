// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/epan_bridge/capture_slice.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/export/byte_sink.h"
#include "analyzer/export/pcapng_writer.h"

namespace sanscope {
namespace {

constexpr int64_t ns_per_second = 1'000'000'000;

class BytesSink final : public ByteSink {
  public:
    explicit BytesSink(std::vector<uint8_t>& bytes) : bytes_(bytes) {}
    bool write(std::span<const char> bytes) override {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        return true;
    }
    const Error* error() const override { return nullptr; }

  private:
    std::vector<uint8_t>& bytes_;
};

}  // namespace

CaptureSlice::CaptureSlice() : file_(::memfd_create("sanscope-packets", MFD_CLOEXEC)) {
    path_ = fmt::format("/proc/self/fd/{}", file_);
}

CaptureSlice::~CaptureSlice() {
    if (file_ >= 0) ::close(file_);
}

void CaptureSlice::open(const v1::OpenCapture& capture) {
    pcap_ = capture.format() == v1::OpenCapture::PCAP;
    interfaces_.clear();
    add(capture.interfaces());
}

void CaptureSlice::add(const google::protobuf::RepeatedPtrField<v1::CaptureInterface>& interfaces) {
    for (const v1::CaptureInterface& interface : interfaces) {
        CaptureInterface& added = interfaces_.emplace_back();
        added.name = interface.name();
        added.link_type = static_cast<LinkType>(interface.link_type());
        added.snap_length = interface.snap_length();
    }
}

Result<std::string> CaptureSlice::write(const Packets& packets, int first) {
    bytes_.clear();
    if (pcap_) {
        write_pcap(packets, first);
    } else {
        write_pcapng(packets, first);
    }
    size_t written = 0;
    while (written < bytes_.size()) {
        const ssize_t now =
            ::pwrite(file_, bytes_.data() + written, bytes_.size() - written, static_cast<off_t>(written));
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) return Error{fmt::format("no memory for the packets: {}", std::strerror(errno))};
        written += static_cast<size_t>(now);
    }
    if (::ftruncate(file_, static_cast<off_t>(bytes_.size())) != 0)
        return Error{fmt::format("no memory for the packets: {}", std::strerror(errno))};
    return path_;
}

void CaptureSlice::write_pcap(const Packets& packets, int first) {
    const CaptureInterface none;
    const CaptureInterface& interface = interfaces_.empty() ? none : interfaces_.front();
    const auto put32 = [this](uint32_t value) {
        for (unsigned shift = 0; shift < 32; shift += 8)
            bytes_.push_back(static_cast<uint8_t>(value >> shift));
    };
    put32(0xa1b23c4d);             // nanoseconds
    put32(2 | uint32_t{4} << 16);  // version 2.4
    put32(0);
    put32(0);
    put32(interface.snap_length);
    put32(static_cast<uint32_t>(interface.link_type));
    for (int i = first; i < packets.size(); ++i) {
        const v1::CapturedPacket& packet = packets[i];
        const int64_t time_ns = std::max<int64_t>(packet.time_ns(), 0);
        const auto length = static_cast<uint32_t>(packet.data().size());
        put32(static_cast<uint32_t>(time_ns / ns_per_second));
        put32(static_cast<uint32_t>(time_ns % ns_per_second));
        put32(length);
        put32(std::max(packet.wire_length(), length));
        bytes_.insert(bytes_.end(), packet.data().begin(), packet.data().end());
    }
}

void CaptureSlice::write_pcapng(const Packets& packets, int first) {
    BytesSink sink(bytes_);
    PcapngWriter writer(sink);
    writer.add_interfaces(interfaces_);
    for (int i = first; i < packets.size(); ++i) {
        const v1::CapturedPacket& packet = packets[i];
        RawPacket raw;
        raw.data = reinterpret_cast<const uint8_t*>(packet.data().data());
        raw.captured_length = static_cast<uint32_t>(packet.data().size());
        raw.wire_length = std::max(packet.wire_length(), raw.captured_length);
        raw.time_ns = packet.time_ns();
        raw.interface = static_cast<uint16_t>(std::min<size_t>(packet.interface(), 0xffff));
        raw.link_type =
            raw.interface < interfaces_.size() ? interfaces_[raw.interface].link_type : LinkType::ethernet;
        writer.write(raw);
    }
    writer.finish();
}

}  // namespace sanscope

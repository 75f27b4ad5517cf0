// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "captures/kernel_truth/file_handles.h"
#include "captures/kernel_truth/open_readers.h"
#include "captures/kernel_truth/perf_decoder.h"
#include "captures/kernel_truth/perf_ring.h"
#include "captures/kernel_truth/wakeups.h"

namespace sanscope {
namespace {

constexpr std::array tracefs_folders{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

// Memory that an unprivileged process may lock is short: where so much is refused, half of it is asked for, down to
// this.
constexpr size_t least_ring_bytes = 64u << 10;
constexpr size_t most_ring_bytes = 1u << 30;

// The error's number where it fails.
Result<std::string> read_file(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return Error{fmt::format("{}: {}", path, std::strerror(errno))};
    std::string text;
    std::array<char, 4096> buffer;
    while (true) {
        const ssize_t bytes = ::read(file.get(), buffer.data(), buffer.size());
        if (bytes < 0) return Error{fmt::format("{}: {}", path, std::strerror(errno))};
        if (bytes == 0) return text;
        text.append(buffer.data(), static_cast<size_t>(bytes));
    }
}

Result<TracepointFormat> read_format(const char* tracepoint) {
    Error first{"there is no tracefs"};
    for (const char* folder : tracefs_folders) {
        auto text = read_file(fmt::format("{}/events/tcp/{}/format", folder, tracepoint));
        if (text) return TracepointFormat::parse(*text);
        if (folder == tracefs_folders.front()) first = text.error();
    }
    return first;
}

std::string what_is_missing(const char* what, int error) {
    if (error == EPERM || error == EACCES) {
        return fmt::format("{}: it needs root, or the capability cap_perfmon", what);
    }
    return fmt::format("{}: {}", what, std::strerror(error));
}

std::string filter_for(const std::vector<uint16_t>& ports) {
    std::string filter;
    for (const uint16_t port : ports) {
        filter += fmt::format("{}sport=={}||dport=={}", filter.empty() ? "" : "||", port, port);
    }
    return filter;
}

class PerfReader final : public EventReader {
  public:
    explicit PerfReader(const PerfDecoder& decoder) : decoder_(decoder) {}
    ~PerfReader() override { stop(); }

    std::optional<Error> open(const KernelTruthOptions& options);

    v1::KernelTruth::Method method() const override { return v1::KernelTruth::METHOD_PERF_EVENTS; }
    bool reports_transitions() const override { return reports_transitions_; }
    void wait(std::chrono::milliseconds timeout) override { wakeups_.wait(timeout); }
    std::optional<Error> read(TruthAssembler& assembler) override;
    void stop() override;

    // Events of the tracepoint with this number are recorded too.
    void add(uint16_t id) { ids_.push_back(id); }
    void set_reports_transitions() { reports_transitions_ = true; }

  private:
    // One processor's tracepoints and the ring into which all of them write.
    struct Processor {
        std::vector<Descriptor> events;
        std::optional<PerfRing> ring;
        uint64_t sampled = 0;  // records that were in the ring
        uint64_t counted = 0;  // events, as of the last read()
        uint64_t lost = 0;     // of those, what was reported
    };

    std::optional<Error> open_processor(int number, const KernelTruthOptions& options);
    void read_processor(Processor& processor, TruthAssembler& assembler) const;

    PerfDecoder decoder_;
    std::vector<uint16_t> ids_;
    std::vector<Processor> processors_;
    Wakeups wakeups_;
    bool reports_transitions_ = false;
    bool stopped_ = false;
};

int open_event(uint16_t id, int processor, size_t wakeup_bytes) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_TRACEPOINT;
    attributes.config = id;
    attributes.sample_period = 1;
    attributes.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
    attributes.disabled = 1;
    attributes.watermark = 1;
    attributes.wakeup_watermark = static_cast<uint32_t>(wakeup_bytes);
    // Of tracepoints, the kernel stamps with no clock that is stepped.
    attributes.use_clockid = 1;
    attributes.clockid = CLOCK_MONOTONIC;
    return static_cast<int>(
        ::syscall(SYS_perf_event_open, &attributes, -1, processor, -1, PERF_FLAG_FD_CLOEXEC));
}

std::optional<Error> PerfReader::open_processor(int number, const KernelTruthOptions& options) {
    size_t ring_bytes = std::bit_ceil(std::clamp(options.ring_bytes, least_ring_bytes, most_ring_bytes));
    const std::string filter = filter_for(options.ports);
    Processor processor;
    for (const uint16_t id : ids_) {
        Descriptor event(open_event(id, number, ring_bytes / 4));
        if (!event) {
            // A processor that is not running has no events.
            if (errno == ENODEV && processor.events.empty()) return std::nullopt;
            return Error{what_is_missing("perf_event_open", errno)};
        }
        if (!filter.empty() && ::ioctl(event.get(), PERF_EVENT_IOC_SET_FILTER, filter.c_str()) != 0) {
            return Error{what_is_missing("filter of perf events", errno)};
        }
        if (processor.events.empty()) {
            PerfRing ring(event.get(), ring_bytes);
            while (!ring && ring_bytes > least_ring_bytes) {
                ring_bytes /= 2;
                ring = PerfRing(event.get(), ring_bytes);
            }
            if (!ring) return Error{what_is_missing("memory of perf events", errno)};
            processor.ring = std::move(ring);
            if (!wakeups_.add(event.get())) return Error{what_is_missing("epoll", errno)};
        } else if (::ioctl(event.get(), PERF_EVENT_IOC_SET_OUTPUT, processor.events.front().get()) != 0) {
            return Error{what_is_missing("ring of perf events", errno)};
        }
        processor.events.push_back(std::move(event));
    }
    processors_.push_back(std::move(processor));
    return std::nullopt;
}

std::optional<Error> PerfReader::open(const KernelTruthOptions& options) {
    const long processors = ::sysconf(_SC_NPROCESSORS_CONF);
    for (int number = 0; number < processors; ++number) {
        if (auto failed = open_processor(number, options)) return failed;
    }
    for (const Processor& processor : processors_) {
        for (const Descriptor& event : processor.events) {
            if (::ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0) != 0)
                return Error{what_is_missing("perf events", errno)};
        }
    }
    return std::nullopt;
}

// The kernel counts every event, also those of which it leaves no record, because the ring is full or for other
// reasons. One that was counted when the ring was read last has its record in it by now.
void PerfReader::read_processor(Processor& processor, TruthAssembler& assembler) const {
    uint64_t counted = 0;
    for (const Descriptor& event : processor.events) {
        uint64_t count = 0;
        if (::read(event.get(), &count, sizeof count) == sizeof count) counted += count;
    }
    processor.ring->read([&](std::span<const uint8_t> record) {
        if (decoder_.decode(record, assembler)) ++processor.sampled;
    });
    const uint64_t due = stopped_ ? counted : processor.counted;
    processor.counted = counted;
    if (due > processor.sampled + processor.lost) {
        const uint64_t lost = due - processor.sampled - processor.lost;
        assembler.add_lost(lost);
        processor.lost += lost;
    }
}

std::optional<Error> PerfReader::read(TruthAssembler& assembler) {
    for (Processor& processor : processors_) read_processor(processor, assembler);
    return std::nullopt;
}

void PerfReader::stop() {
    for (const Processor& processor : processors_) {
        for (const Descriptor& event : processor.events) ::ioctl(event.get(), PERF_EVENT_IOC_DISABLE, 0);
    }
    stopped_ = true;
}

}  // namespace

Result<std::unique_ptr<EventReader>> open_perf_reader(const KernelTruthOptions& options) {
    if (options.network_namespace != 0) return Error{"they do not tell one network namespace from another"};
    const auto probe = read_format("tcp_probe");
    if (!probe) return probe.error();
    auto decoder = PerfDecoder::create(*probe);
    if (!decoder) return decoder.error();
    const auto state_set = read_format("tcp_cong_state_set");
    const bool reports_transitions = state_set && !decoder->add_cong_state_set(*state_set);
    const auto destroy = read_format("tcp_destroy_sock");
    const bool reports_ends = destroy && !decoder->add_destroy_sock(*destroy);

    auto reader = std::make_unique<PerfReader>(*decoder);
    reader->add(probe->id());
    if (reports_transitions) {
        reader->add(state_set->id());
        reader->set_reports_transitions();
    }
    if (reports_ends) reader->add(destroy->id());
    if (auto failed = reader->open(options)) return *failed;
    return std::unique_ptr<EventReader>(std::move(reader));
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "captures/kernel_truth/file_handles.h"
#include "captures/kernel_truth/kernel_truth_bpf.h"
#include "captures/kernel_truth/kernel_truth_bpf_object.h"
#include "captures/kernel_truth/open_readers.h"
#include "captures/kernel_truth/wakeups.h"

#include "analyzer/base/destroy.h"

namespace sanscope {
namespace {

using BpfObject = std::unique_ptr<bpf_object, Destroy<bpf_object__close>>;
using BpfLink = std::unique_ptr<bpf_link, Destroy<bpf_link__destroy>>;
using BpfRing = std::unique_ptr<ring_buffer, Destroy<ring_buffer__free>>;
using KernelTypes = std::unique_ptr<btf, Destroy<btf__free>>;

constexpr size_t least_ring_bytes = 64u << 10;
constexpr size_t most_ring_bytes = 1u << 30;

// In a ring an event stands behind a header of 8 bytes.
constexpr size_t record_bytes = sizeof(kernel_event) + 8;

struct Tracepoint {
    const char* name;
    bool required;
};
constexpr std::array tracepoints{Tracepoint{"tcp_probe", true}, Tracepoint{"tcp_cong_state_set", false},
                                 Tracepoint{"tcp_destroy_sock", false}};
constexpr const char* transitions_tracepoint = "tcp_cong_state_set";

// How the programs may be loaded; the first that the kernel accepts is taken.
struct Variant {
    const char* prefix;  // of the program's section
    const char* program_prefix;
    bool makes_cookies;
};
constexpr std::array variants{Variant{"tp_btf", "typed_", true}, Variant{"tp_btf", "typed_", false},
                              Variant{"raw_tp", "raw_", false}};

// The library shows what went wrong on standard error, and in much detail where the kernel refuses a program: nothing
// that a user of ours could do anything with. The error's number is kept.
int keep_quiet(libbpf_print_level /*level*/, const char* /*format*/, va_list /*arguments*/) {
    return 0;
}

// The tracepoints that the running kernel has; without its types all are taken to be there.
std::vector<const char*> present_tracepoints() {
    std::vector<const char*> present;
    const KernelTypes types(btf__load_vmlinux_btf());
    for (const Tracepoint& tracepoint : tracepoints) {
        const std::string type = fmt::format("btf_trace_{}", tracepoint.name);
        if (tracepoint.required || !types ||
            btf__find_by_name_kind(types.get(), type.c_str(), BTF_KIND_TYPEDEF) > 0) {
            present.push_back(tracepoint.name);
        }
    }
    return present;
}

std::string what_is_missing(int error) {
    switch (error) {
        case EPERM:
        case EACCES:
            return "it needs root, or the capabilities cap_bpf and cap_perfmon";
        case ESRCH:
        case ENOENT:
            return "the kernel tells nothing of its own types (CONFIG_DEBUG_INFO_BTF)";
        default:
            return fmt::format("the kernel refuses the program: {}", std::strerror(error));
    }
}

kernel_truth_settings settings_for(const KernelTruthOptions& options, size_t ring_bytes, bool makes_cookies) {
    kernel_truth_settings settings{};
    settings.wakeup_bytes = ring_bytes / 4;
    settings.network_namespace = options.network_namespace;
    settings.port_count = static_cast<uint32_t>(options.ports.size());
    std::ranges::transform(options.ports, settings.ports_be, [](uint16_t port) { return htons(port); });
    settings.makes_cookies = makes_cookies ? 1 : 0;
    return settings;
}

class BpfReader final : public EventReader {
  public:
    ~BpfReader() override { stop(); }

    // 0, or the number of the error.
    int open(const KernelTruthOptions& options, const Variant& variant);

    v1::KernelTruth::Method method() const override { return v1::KernelTruth::METHOD_BPF; }
    bool reports_transitions() const override { return reports_transitions_; }
    void wait(std::chrono::milliseconds timeout) override { wakeups_.wait(timeout); }
    std::optional<Error> read(TruthAssembler& assembler) override;
    void stop() override { links_.clear(); }

  private:
    static int take(void* self, void* data, size_t size);
    int load(const KernelTruthOptions& options, const Variant& variant);
    int attach(const Variant& variant);
    int map_memory();
    uint64_t lost() const;

    BpfObject object_;
    std::vector<BpfLink> links_;
    BpfRing ring_;
    Wakeups wakeups_;
    SharedMapping lost_;
    uint64_t lost_reported_ = 0;
    size_t ring_bytes_ = 0;
    bool reports_transitions_ = false;
    TruthAssembler* assembler_ = nullptr;  // of the read() that runs
    size_t taken_ = 0;                     // by it
};

int BpfReader::load(const KernelTruthOptions& options, const Variant& variant) {
    object_.reset(
        bpf_object__open_mem(kernel_truth_bpf_object.data(), kernel_truth_bpf_object.size(), nullptr));
    if (!object_) return errno;

    const std::vector<const char*> present = present_tracepoints();
    bpf_program* program = nullptr;
    bpf_object__for_each_program(program, object_.get()) {
        const std::string section = bpf_program__section_name(program);
        const bool wanted = std::ranges::any_of(
            present, [&](const char* name) { return section == fmt::format("{}/{}", variant.prefix, name); });
        bpf_program__set_autoload(program, wanted);
    }
    reports_transitions_ = std::ranges::any_of(
        present, [](const char* name) { return std::strcmp(name, transitions_tracepoint) == 0; });

    ring_bytes_ = std::bit_ceil(std::clamp(options.ring_bytes, least_ring_bytes, most_ring_bytes));
    const kernel_truth_settings settings = settings_for(options, ring_bytes_, variant.makes_cookies);
    bpf_map* const events = bpf_object__find_map_by_name(object_.get(), "events");
    bpf_map* const constants = bpf_object__find_map_by_name(object_.get(), ".rodata");
    if (events == nullptr || constants == nullptr) return EINVAL;
    if (const int error = bpf_map__set_max_entries(events, static_cast<uint32_t>(ring_bytes_)); error != 0) {
        return -error;
    }
    if (const int error = bpf_map__set_initial_value(constants, &settings, sizeof settings); error != 0)
        return -error;
    return -bpf_object__load(object_.get());
}

int BpfReader::attach(const Variant& variant) {
    for (const Tracepoint& tracepoint : tracepoints) {
        const std::string name = fmt::format("{}{}", variant.program_prefix, tracepoint.name);
        bpf_program* const program = bpf_object__find_program_by_name(object_.get(), name.c_str());
        if (program == nullptr) return EINVAL;
        if (!bpf_program__autoload(program)) continue;
        BpfLink link(bpf_program__attach(program));
        if (!link) return errno;
        links_.push_back(std::move(link));
    }
    return 0;
}

// Whatever is read later is read from memory: asking by system call may need rights that were dropped.
int BpfReader::map_memory() {
    const int events = bpf_object__find_map_fd_by_name(object_.get(), "events");
    const int lost = bpf_object__find_map_fd_by_name(object_.get(), "lost");
    if (events < 0 || lost < 0) return EINVAL;
    ring_.reset(ring_buffer__new(events, &BpfReader::take, this, nullptr));
    if (!ring_) return errno;
    if (!wakeups_.add(events)) return errno;
    lost_ = SharedMapping(lost, static_cast<size_t>(::sysconf(_SC_PAGESIZE)), PROT_READ);
    return lost_ ? 0 : errno;
}

int BpfReader::open(const KernelTruthOptions& options, const Variant& variant) {
    if (const int error = load(options, variant); error != 0) return error;
    if (const int error = map_memory(); error != 0) return error;
    return attach(variant);
}

// Called with each event of the ring. An answer below 0 ends the reading behind this event: where events come faster
// than they are read there is no other end.
int BpfReader::take(void* self, void* data, size_t size) {
    auto& reader = *static_cast<BpfReader*>(self);
    if (size == sizeof(kernel_event)) reader.assembler_->add(*static_cast<const kernel_event*>(data));
    return ++reader.taken_ * record_bytes < reader.ring_bytes_ ? 0 : -ECANCELED;
}

// Since the start. An event that comes while this processor is in the same program already, in a task that was
// interrupted, is passed over by the kernel, which counts those of every port. Kernels that do not tell the count
// (before 5.19, without rights) leave it at 0.
uint64_t BpfReader::lost() const {
    uint64_t lost = __atomic_load_n(static_cast<uint64_t*>(lost_.get()), __ATOMIC_RELAXED);
    bpf_program* program = nullptr;
    bpf_object__for_each_program(program, object_.get()) {
        const int descriptor = bpf_program__fd(program);
        bpf_prog_info info{};
        uint32_t length = sizeof info;
        if (descriptor < 0 || bpf_obj_get_info_by_fd(descriptor, &info, &length) != 0) continue;
        lost += info.recursion_misses;
    }
    return lost;
}

std::optional<Error> BpfReader::read(TruthAssembler& assembler) {
    assembler_ = &assembler;
    taken_ = 0;
    const int taken = ring_buffer__consume(ring_.get());
    assembler_ = nullptr;
    const uint64_t lost_so_far = std::max(lost(), lost_reported_);
    assembler.add_lost(lost_so_far - std::exchange(lost_reported_, lost_so_far));
    if (taken < 0 && taken != -ECANCELED) {
        return Error{
            fmt::format("the kernel's record of its connections cannot be read: {}", std::strerror(-taken))};
    }
    return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<EventReader>> open_bpf_reader(const KernelTruthOptions& options) {
    libbpf_set_print(keep_quiet);
    int first_error = 0;
    for (const Variant& variant : variants) {
        auto reader = std::make_unique<BpfReader>();
        const int error = reader->open(options, variant);
        if (error == 0) return std::unique_ptr<EventReader>(std::move(reader));
        if (first_error == 0) first_error = error;
    }
    return Error{what_is_missing(first_error)};
}

std::string bpf_library_version() {
    std::string_view text = ::libbpf_version_string();
    if (text.starts_with('v')) text.remove_prefix(1);
    return std::string(text);
}

}  // namespace sanscope

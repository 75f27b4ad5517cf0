// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/fair_tcp/fair_tcp.h"

#include <algorithm>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <system_error>
#include <time.h>
#include <unistd.h>
#include <utility>

#include "captures/fair_tcp/fair_tcp_bpf_object.h"
#include "captures/fair_tcp/named_object.h"

#include "analyzer/base/congestion_control_name.h"
#include "analyzer/base/destroy.h"
#include "analyzer/base/file_descriptor.h"

namespace sanscope {
namespace {

using BpfObject = std::unique_ptr<bpf_object, Destroy<bpf_object__close>>;
using BpfLink = std::unique_ptr<bpf_link, Destroy<bpf_link__destroy>>;
using KernelTypes = std::unique_ptr<btf, Destroy<btf__free>>;

constexpr const char* bpf_file_system = "/sys/fs/bpf";
constexpr const char* pins_folder = "/sys/fs/bpf/sanscope-fair-tcp";
constexpr long bpf_file_system_magic = 0xcafe4a11;
constexpr const char* operations_map = "fair";  // the variable in fair_tcp.bpf.c
constexpr std::array pinned_maps{operations_map, "ensembles", "counters"};

bool shows_messages = false;

int print_message(libbpf_print_level level, const char* format, va_list arguments) {
    if (!shows_messages || level == LIBBPF_DEBUG) return 0;
    return std::vfprintf(stderr, format, arguments);
}

std::filesystem::path pins_of(std::string_view name) {
    return std::filesystem::path(pins_folder) / name;
}

Error not_allowed() {
    return {"this needs root, or the capabilities cap_bpf, cap_perfmon and cap_net_admin"};
}

Error because(std::string_view what, int error) {
    if (error == EPERM || error == EACCES) return not_allowed();
    return {fmt::format("{}: {}", what, std::strerror(error))};
}

// Of the network namespace of this process; a BPF program's control is in that of every one.
bool is_available(const std::string& name) {
    std::ifstream file("/proc/sys/net/ipv4/tcp_available_congestion_control");
    for (std::string one; file >> one;) {
        if (one == name) return true;
    }
    return false;
}

Result<std::monostate> check_kernel() {
    const KernelTypes types(btf__load_vmlinux_btf());
    if (!types) {
        return Error{
            "the kernel tells nothing of its own types: it is built without CONFIG_DEBUG_INFO_BTF, or too "
            "old"};
    }
    if (btf__find_by_name_kind(types.get(), "bpf_struct_ops_tcp_congestion_ops", BTF_KIND_STRUCT) < 0) {
        return Error{
            "the kernel takes no congestion control as a BPF program (struct_ops: Linux 5.6 or later, with "
            "CONFIG_BPF_JIT)"};
    }
    struct statfs found {};
    if (::statfs(bpf_file_system, &found) != 0 || static_cast<long>(found.f_type) != bpf_file_system_magic) {
        return Error{fmt::format("no BPF file system is mounted, in which it would stay: mount -t bpf bpf {}",
                                 bpf_file_system)};
    }
    return std::monostate{};
}

// Held while what is pinned changes: of two that start at once, one would take away the other's pins. Whoever waits does so
// briefly.
Result<FileDescriptor> only_one() {
    FileDescriptor folder(::open(bpf_file_system, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0) return because(bpf_file_system, errno);
    while (::flock(folder.get(), LOCK_EX) != 0) {
        if (errno != EINTR) return because(bpf_file_system, errno);
    }
    return folder;
}

enum class Owner : uint8_t { we, anybody };

// In a BPF file system that is mounted without a mode everybody may make folders: in another's what is pinned could be taken
// away or replaced, and behind a link lies what is not ours.
Result<std::monostate> check_folder(const std::string& folder, Owner wanted) {
    struct stat found {};
    if (::lstat(folder.c_str(), &found) != 0) {
        if (errno == ENOENT) return std::monostate{};
        return because(folder, errno);
    }
    if (!S_ISDIR(found.st_mode)) return Error{fmt::format("{} is no folder: remove it first", folder)};
    if (wanted == Owner::anybody) return std::monostate{};
    constexpr mode_t others_may_write = S_IWGRP | S_IWOTH;
    if (found.st_uid != 0 && found.st_uid != ::geteuid())
        return Error{fmt::format("{} was made by user {}: remove it first", folder, found.st_uid)};
    if ((found.st_mode & others_may_write) != 0)
        return Error{fmt::format("others may write to {}: remove it first", folder)};
    return std::monostate{};
}

Result<std::monostate> check_folders(std::string_view name, Owner wanted) {
    if (auto checked = check_folder(pins_folder, wanted); !checked) return checked;
    return check_folder(pins_of(name).string(), wanted);
}

void remove_pins(std::string_view name) {
    std::error_code ignored;
    const auto folder = pins_of(name);
    for (const char* map : pinned_maps) std::filesystem::remove(folder / map, ignored);
    std::filesystem::remove(folder, ignored);
    std::filesystem::remove(pins_folder, ignored);  // stays where it is not empty
}

Result<std::monostate> pin(bpf_object* object, std::string_view name) {
    for (const std::string& folder : {std::string(pins_folder), pins_of(name).string()}) {
        if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return because(folder, errno);
    }
    for (const char* map : pinned_maps) {
        bpf_map* const found = bpf_object__find_map_by_name(object, map);
        if (found == nullptr) return Error{fmt::format("the program has no map {}", map)};
        const std::string path = (pins_of(name) / map).string();
        if (const int error = bpf_map__pin(found, path.c_str()); error != 0) return because(path, -error);
    }
    return std::monostate{};
}

FileDescriptor open_pinned(std::string_view name, const char* map) {
    return FileDescriptor(bpf_obj_get((pins_of(name) / map).c_str()));
}

struct PinnedOperations {
    FileDescriptor map;
    uint32_t id = 0;
    bool registered = false;
};

// What is registered, by the kernel's own word (struct bpf_struct_ops_common_value: a count of references, then the state).
PinnedOperations open_operations(std::string_view name) {
    constexpr uint32_t in_use = 1;  // BPF_STRUCT_OPS_STATE_INUSE
    PinnedOperations found{.map = open_pinned(name, operations_map)};
    bpf_map_info info{};
    uint32_t length = sizeof info;
    if (found.map.get() < 0 || bpf_obj_get_info_by_fd(found.map.get(), &info, &length) != 0) return found;
    found.id = info.id;
    constexpr uint32_t only = 0;
    std::vector<uint32_t> value(info.value_size / sizeof(uint32_t) + 2);
    found.registered = bpf_map_lookup_elem(found.map.get(), &only, value.data()) == 0 && value[1] == in_use;
    return found;
}

void read_counters(int map, FairTcpStatus& status) {
    for (uint32_t key = 0; key < status.counters.size(); ++key)
        bpf_map_lookup_elem(map, &key, &status.counters.at(key));
}

// The map changes meanwhile: what was removed before it was read is left out, and however often the walk begins anew it ends.
bool is_listed(const FairTcpStatus& status, const fair_tcp_key& key) {
    return std::ranges::any_of(status.ensembles, [&](const FairTcpEnsemble& listed) {
        return std::memcmp(&listed.key, &key, sizeof key) == 0;
    });
}

// CLOCK_MONOTONIC, which bpf_ktime_get_ns() tells.
uint64_t now_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// As its next event would find it: while all rest there is none, and those that have been idle for long are counted still.
void bring_up_to_date(ensemble& state, uint64_t now) {
    ensemble_repair(&state);
    ensemble_pass_time(&state, now);
}

// The kernel begins anew where the key before has been removed meanwhile.
void read_ensembles(int map, FairTcpStatus& status) {
    FairTcpEnsemble one;
    const fair_tcp_key* before = nullptr;
    fair_tcp_key last{};
    for (int steps = 0; steps < 2 * FAIR_TCP_MOST_ENSEMBLES; ++steps) {
        if (bpf_map_get_next_key(map, before, &one.key) != 0) return;
        if (!is_listed(status, one.key) &&
            bpf_map_lookup_elem_flags(map, &one.key, &one.value, BPF_F_LOCK) == 0) {
            bring_up_to_date(one.value.state, now_ns());
            status.ensembles.push_back(one);
        }
        last = one.key;
        before = &last;
    }
}

Result<FairTcpStatus> read_status(const std::string& name) {
    const PinnedOperations operations = open_operations(name);
    if (operations.map.get() < 0) return because(pins_of(name).string(), errno);
    FairTcpStatus status;
    status.name = name;
    status.map_id = operations.id;
    status.registered = operations.registered;
    const FileDescriptor ensembles = open_pinned(name, "ensembles");
    const FileDescriptor counters = open_pinned(name, "counters");
    if (ensembles.get() < 0 || counters.get() < 0) return because(pins_of(name).string(), errno);
    read_counters(counters.get(), status);
    read_ensembles(ensembles.get(), status);
    return status;
}

Result<std::monostate> load(bpf_object* object) {
    const int error = -bpf_object__load(object);
    if (error == 0) return std::monostate{};
    if (error == EPERM) return not_allowed();
    return Error{
        fmt::format("the kernel refuses the program: {} (--verbose shows why)", std::strerror(error))};
}

// Registered is what this process has no link to any more: it stays.
Result<std::monostate> register_for_good(const bpf_object* object, const std::string& name) {
    const bpf_map* const operations = bpf_object__find_map_by_name(object, operations_map);
    BpfLink link(bpf_map__attach_struct_ops(operations));
    if (!link) {
        const int error = errno;
        if (error == EEXIST)
            return Error{fmt::format("there is a congestion control called {} already", name)};
        return because("the kernel does not take it", error);
    }
    bpf_link__disconnect(link.get());
    return std::monostate{};
}

}  // namespace

void show_libbpf_messages(bool show) {
    shows_messages = show;
}

bool is_fair_tcp_started(const std::string& name) {
    return open_operations(name).registered;
}

Result<std::monostate> start_fair_tcp(const std::string& name) {
    libbpf_set_print(print_message);
    if (auto possible = check_kernel(); !possible) return possible.error();
    const auto alone = only_one();
    if (!alone) return alone.error();
    if (const auto checked = check_folders(name, Owner::we); !checked) return checked.error();
    if (is_fair_tcp_started(name))
        return Error{fmt::format("{} is started already: sanscope fair-tcp status", name)};
    if (is_available(name)) {
        return Error{
            fmt::format("there is a congestion control called {} already, which nothing pinned in {} tells "
                        "to be sanscope's: "
                        "choose another --name (bpftool struct_ops lists those that are BPF programs)",
                        name, pins_folder)};
    }
    const auto bytes = named_object(fair_tcp_bpf_object, name);
    if (!bytes) return bytes.error();
    const BpfObject object(bpf_object__open_mem(bytes->data(), bytes->size(), nullptr));
    if (!object) return because("the program cannot be read", errno);
    if (auto loaded = load(object.get()); !loaded) return loaded.error();
    remove_pins(name);  // of a start that was killed
    auto pinned = pin(object.get(), name);
    if (pinned) pinned = register_for_good(object.get(), name);
    if (!pinned) remove_pins(name);
    return pinned;
}

Result<std::vector<FairTcpStatus>> fair_tcp_status() {
    libbpf_set_print(print_message);
    std::vector<FairTcpStatus> all;
    std::error_code error;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator at(pins_folder, error), end; !error && at != end;
         at.increment(error)) {
        std::string name = at->path().filename().string();
        if (is_congestion_control_name(name)) names.push_back(std::move(name));
    }
    if (error && error != std::errc::no_such_file_or_directory) return because(pins_folder, error.value());
    std::ranges::sort(names);
    for (const std::string& name : names) {
        // Not whole: of a start that was killed, or of a stop at this moment.
        if (open_operations(name).map.get() < 0 && errno == ENOENT) continue;
        auto status = read_status(name);
        if (!status) return status.error();
        all.push_back(std::move(*status));
    }
    return all;
}

Result<FairTcpStatus> stop_fair_tcp(const std::string& name) {
    libbpf_set_print(print_message);
    const auto alone = only_one();
    if (!alone) return alone.error();
    // Whoever started it, root may stop it.
    if (const auto checked = check_folders(name, Owner::anybody); !checked) return checked.error();
    const PinnedOperations operations = open_operations(name);
    if (operations.map.get() < 0) {
        const int error = errno;
        if (error != ENOENT) return because(pins_of(name).string(), error);
        return Error{fmt::format("{} is not started", name)};
    }
    // What cannot be read does not keep it from being stopped.
    auto status = read_status(name);
    constexpr uint32_t only = 0;
    // ENOENT and EINPROGRESS: it is not registered any more.
    if (bpf_map_delete_elem(operations.map.get(), &only) != 0 && errno != ENOENT && errno != EINPROGRESS)
        return because("the kernel does not let it go", errno);
    remove_pins(name);
    if (!status) {
        return Error{
            fmt::format("{} is stopped; what it had cannot be read: {}", name, status.error().message)};
    }
    status->registered = false;
    return status;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/dissectd/system_call_filter.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace sanscope {
namespace {

#if defined(__x86_64__)
constexpr uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t architecture = 0;
#endif

// Numbers that all architectures share, for headers that are older (asm-generic/unistd.h).
constexpr uint32_t io_uring_setup = 425;
constexpr uint32_t io_uring_enter = 426;
constexpr uint32_t io_uring_register = 427;
constexpr uint32_t fchmodat2 = 452;
constexpr uint32_t setxattrat = 463;
constexpr uint32_t removexattrat = 466;
constexpr uint32_t open_tree_attr = 467;
constexpr uint32_t file_setattr = 469;

// In groups: the network; programs and processes; files by name; the system as a whole; ways around the filter.
const std::vector<uint32_t>& refused() {
    static const std::vector<uint32_t> calls = {
        SYS_socket,
        SYS_socketpair,
        SYS_connect,
        SYS_bind,
        SYS_listen,
        SYS_accept,
        SYS_accept4,
        SYS_sendto,
        SYS_sendmsg,
        SYS_sendmmsg,
        SYS_recvfrom,
        SYS_recvmsg,
        SYS_recvmmsg,

        SYS_execve,
        SYS_execveat,
        SYS_ptrace,
        SYS_process_vm_readv,
        SYS_process_vm_writev,
        SYS_kill,
        SYS_tkill,
        SYS_rt_sigqueueinfo,
        SYS_rt_tgsigqueueinfo,
        SYS_pidfd_open,
        SYS_pidfd_send_signal,
        SYS_pidfd_getfd,
        SYS_process_madvise,
        SYS_kcmp,
        SYS_setpriority,
        SYS_sched_setscheduler,
        SYS_sched_setparam,
        SYS_sched_setattr,
        SYS_migrate_pages,
        SYS_move_pages,
        SYS_shmget,
        SYS_shmat,
        SYS_semget,
        SYS_msgget,
        SYS_mq_open,

        SYS_truncate,
        SYS_fchmod,
        SYS_fchmodat,
        fchmodat2,
        SYS_fchown,
        SYS_fchownat,
        SYS_utimensat,
        SYS_linkat,
        SYS_symlinkat,
        SYS_mknodat,
        SYS_mkdirat,
        SYS_unlinkat,
        SYS_renameat,
        SYS_renameat2,
        SYS_setxattr,
        SYS_lsetxattr,
        SYS_fsetxattr,
        SYS_removexattr,
        SYS_lremovexattr,
        SYS_fremovexattr,
        setxattrat,
        removexattrat,
        file_setattr,
        SYS_open_by_handle_at,
        SYS_name_to_handle_at,
        SYS_inotify_init1,
        SYS_fanotify_init,

        SYS_mount,
        SYS_umount2,
        SYS_open_tree,
        open_tree_attr,
        SYS_move_mount,
        SYS_fsopen,
        SYS_fsconfig,
        SYS_fsmount,
        SYS_fspick,
        SYS_mount_setattr,
        SYS_pivot_root,
        SYS_chroot,
        SYS_setns,
        SYS_unshare,
        SYS_bpf,
        SYS_perf_event_open,
        SYS_userfaultfd,
        SYS_keyctl,
        SYS_add_key,
        SYS_request_key,
        SYS_init_module,
        SYS_finit_module,
        SYS_delete_module,
        SYS_kexec_load,
        SYS_kexec_file_load,
        SYS_reboot,
        SYS_swapon,
        SYS_swapoff,
        SYS_acct,
        SYS_quotactl,
        SYS_settimeofday,
        SYS_clock_settime,
        SYS_adjtimex,
        SYS_clock_adjtime,
        SYS_sethostname,
        SYS_setdomainname,
        SYS_syslog,
        SYS_vhangup,
        SYS_personality,
        SYS_setuid,
        SYS_setgid,
        SYS_setreuid,
        SYS_setregid,
        SYS_setresuid,
        SYS_setresgid,
        SYS_setgroups,
        SYS_capset,

        io_uring_setup,
        io_uring_enter,
        io_uring_register,
#if defined(__x86_64__)
        // What later architectures have only as …at().
        SYS_fork,
        SYS_vfork,
        SYS_chmod,
        SYS_chown,
        SYS_lchown,
        SYS_utime,
        SYS_utimes,
        SYS_futimesat,
        SYS_link,
        SYS_symlink,
        SYS_mknod,
        SYS_mkdir,
        SYS_rmdir,
        SYS_unlink,
        SYS_rename,
        SYS_inotify_init,
        SYS_creat,
        SYS_iopl,
        SYS_ioperm,
        SYS_modify_ldt,
        SYS_uselib,
#endif
    };
    return calls;
}

// Files are opened for reading only.
constexpr uint32_t for_writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

constexpr uint32_t at_number = offsetof(seccomp_data, nr);
constexpr uint32_t at_architecture = offsetof(seccomp_data, arch);
// The low half of an argument; both architectures are little-endian.
constexpr uint32_t at_argument(size_t which) {
    return static_cast<uint32_t>(offsetof(seccomp_data, args) + which * sizeof(uint64_t));
}

constexpr uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;

class Program {
  public:
    void load(uint32_t offset) { code_.push_back({BPF_LD | BPF_W | BPF_ABS, 0, 0, offset}); }
    void give(uint32_t outcome) { code_.push_back({BPF_RET | BPF_K, 0, 0, outcome}); }
    // Goes on with the next instruction if what was loaded is the value, else behind it.
    void if_equal(uint32_t value) { code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value}); }
    void unless_equal(uint32_t value) { code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, 1, 0, value}); }
    void if_any_bit(uint32_t bits) { code_.push_back({BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits}); }
    void unless_any_bit(uint32_t bits) { code_.push_back({BPF_JMP | BPF_JSET | BPF_K, 1, 0, bits}); }
    // Refuses a call, by what `condition`, one instruction, says of an argument; for any other the number stays loaded.
    template <class Condition>
    void refuse_call(uint32_t call, size_t argument, Condition condition) {
        constexpr uint8_t behind = 4;
        code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, behind, call});
        load(at_argument(argument));
        condition();
        give(refuse);
        give(SECCOMP_RET_ALLOW);
    }
    std::vector<sock_filter>& code() { return code_; }

  private:
    std::vector<sock_filter> code_;
};

Program filter() {
    Program program;
    program.load(at_architecture);
    program.unless_equal(architecture);
    program.give(refuse);
    program.load(at_number);
#if defined(__x86_64__)
    constexpr uint32_t x32 = 0x40000000;
    program.if_any_bit(x32);
    program.give(refuse);
#endif
    for (const uint32_t call : refused()) {
        program.if_equal(call);
        program.give(refuse);
    }
    // Their arguments are in memory, where a filter cannot look; glibc then takes clone() and openat().
    for (const uint32_t call : {uint32_t{SYS_clone3}, uint32_t{SYS_openat2}}) {
        program.if_equal(call);
        program.give(SECCOMP_RET_ERRNO | ENOSYS);
    }
    // Threads, but no processes.
    program.refuse_call(SYS_clone, 0, [&] { program.unless_any_bit(CLONE_THREAD); });
    program.refuse_call(SYS_openat, 2, [&] { program.if_any_bit(for_writing); });
#if defined(__x86_64__)
    program.refuse_call(SYS_open, 1, [&] { program.if_any_bit(for_writing); });
#endif
    // abort() ends its own process.
    program.refuse_call(SYS_tgkill, 0, [&] { program.unless_equal(static_cast<uint32_t>(::getpid())); });
    program.refuse_call(SYS_prlimit64, 0, [&] { program.unless_equal(0); });
    // A terminal that was inherited would take what is put into it for typed.
    program.refuse_call(SYS_ioctl, 1, [&] { program.if_equal(TIOCSTI); });
    program.give(SECCOMP_RET_ALLOW);
    return program;
}

}  // namespace

bool refuse_system_calls() {
    if (architecture == 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    Program program = filter();
    const sock_fprog given{static_cast<unsigned short>(program.code().size()), program.code().data()};
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &given) == 0;
}

}  // namespace sanscope

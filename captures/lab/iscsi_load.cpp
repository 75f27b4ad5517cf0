// SPDX-License-Identifier: GPL-3.0-or-later
//
// Load on a real target by a real initiator (libiscsi), for recording captures: reads and writes of mixed
// sizes at a given queue depth over one or more sessions, and the odd ones: a read beyond the end, an unknown
// operation code, a NOP, a task management request. With --log, a CSV of each command as the application saw
// it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <random>
#include <string>
#include <sys/socket.h>
#include <vector>

extern "C" {
#include <iscsi/iscsi.h>
#include <iscsi/scsi-lowlevel.h>
}

namespace sanscope::lab {
namespace {

struct Options {
    std::string url;
    std::string initiator = "iqn.2026-01.org.example:initiator";
    std::vector<uint32_t> bytes{65536};
    double write_share = 0;
    unsigned depth = 1;
    unsigned sessions = 1;
    uint64_t commands = 100;
    unsigned think_us = 0;
    bool random_lba = false;
    bool header_digest = false;
    bool no_immediate_data = false;
    bool initial_r2t = false;
    bool read_beyond_end = false;
    bool unknown_opcode = false;
    bool nop = false;
    bool lun_reset = false;
    bool abort_task = false;
    uint64_t seed = 1;
    std::string log_path;
};

int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

[[noreturn]] void fail(iscsi_context* context, const char* what) {
    fmt::print(stderr, "iscsi_load: {}: {}\n", what, iscsi_get_error(context));
    std::exit(1);
}

struct Session;

struct Command {
    Session* session;
    int64_t submit_ns;
    uint64_t lba;
    uint32_t bytes;
    bool write;
};

class Load;

struct Session {
    Load* load = nullptr;
    iscsi_context* context = nullptr;
    int number = 0;
    int lun = 0;
    unsigned port = 0;
    uint64_t next_lba = 0;
    unsigned in_flight = 0;
    std::mt19937_64 random;
};

class Load {
  public:
    explicit Load(const Options& options) : options_(options), sessions_(options.sessions) {
        uint32_t largest = 0;
        for (const uint32_t bytes : options.bytes) largest = std::max(largest, bytes);
        // Each block carries the offset it was written from: compresses well, and shows where it belongs.
        written_.resize(largest);
        for (size_t at = 0; at + 8 <= written_.size(); at += 512) {
            for (size_t i = 0; i < 8; ++i) written_[at + i] = static_cast<uint8_t>(at >> (8 * (7 - i)));
        }
        if (!options.log_path.empty() && (log_ = std::fopen(options.log_path.c_str(), "w")) == nullptr) {
            std::perror(options.log_path.c_str());
            std::exit(1);
        }
        if (log_ != nullptr)
            fmt::print(log_, "submit_ns,done_ns,session,port,itt,operation,lba,bytes,status\n");
    }

    int run() {
        for (Session& session : sessions_) connect(session);
        if (options_.nop) nop(sessions_.front());
        const uint64_t half = options_.commands / 2;
        submit_until_ = options_.read_beyond_end || options_.unknown_opcode ? half : options_.commands;
        drive();
        if (options_.read_beyond_end) read_beyond_end(sessions_.front());
        if (options_.unknown_opcode) unknown_opcode(sessions_.front());
        submit_until_ = options_.commands;
        drive();
        if (options_.abort_task) abort_task(sessions_.front());
        if (options_.lun_reset) iscsi_task_mgmt_lun_reset_sync(sessions_.front().context, 1);
        for (Session& session : sessions_) {
            iscsi_logout_sync(session.context);
            iscsi_disconnect(session.context);
            iscsi_destroy_context(session.context);
        }
        if (log_ != nullptr) std::fclose(log_);
        fmt::print("{{\"commands\": {}, \"errors\": {}}}\n", done_, errors_);
        return 0;
    }

  private:
    void connect(Session& session) {
        session.load = this;
        session.number = static_cast<int>(&session - sessions_.data());
        session.random.seed(options_.seed + static_cast<uint64_t>(session.number));
        const std::string initiator = options_.sessions == 1
                                          ? options_.initiator
                                          : fmt::format("{}-{}", options_.initiator, session.number + 1);
        session.context = iscsi_create_context(initiator.c_str());
        iscsi_url* url = iscsi_parse_full_url(session.context, options_.url.c_str());
        if (url == nullptr) fail(session.context, options_.url.c_str());
        iscsi_set_targetname(session.context, url->target);
        iscsi_set_session_type(session.context, ISCSI_SESSION_NORMAL);
        iscsi_set_header_digest(
            session.context, options_.header_digest ? ISCSI_HEADER_DIGEST_CRC32C : ISCSI_HEADER_DIGEST_NONE);
        iscsi_set_immediate_data(
            session.context, options_.no_immediate_data ? ISCSI_IMMEDIATE_DATA_NO : ISCSI_IMMEDIATE_DATA_YES);
        iscsi_set_initial_r2t(session.context,
                              options_.initial_r2t ? ISCSI_INITIAL_R2T_YES : ISCSI_INITIAL_R2T_NO);
        iscsi_set_noautoreconnect(session.context, 1);
        if (iscsi_full_connect_sync(session.context, url->portal, url->lun) != 0)
            fail(session.context, "connect");
        session.lun = url->lun;
        iscsi_destroy_url(url);

        sockaddr_storage address{};
        socklen_t size = sizeof address;
        getsockname(iscsi_get_fd(session.context), reinterpret_cast<sockaddr*>(&address), &size);
        session.port = address.ss_family == AF_INET6
                           ? ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port)
                           : ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
        if (blocks_ == 0) read_capacity(session);
        session.next_lba = blocks_ / options_.sessions * static_cast<uint64_t>(session.number);
    }

    void read_capacity(const Session& session) {
        scsi_task* task = iscsi_readcapacity16_sync(session.context, session.lun);
        const auto* capacity =
            task != nullptr ? static_cast<const scsi_readcapacity16*>(scsi_datain_unmarshall(task)) : nullptr;
        if (capacity == nullptr) fail(session.context, "READ CAPACITY(16)");
        blocks_ = capacity->returned_lba + 1;
        block_bytes_ = capacity->block_length;
        scsi_free_scsi_task(task);
    }

    // Keeps every session at the queue depth until `submit_until_` commands were submitted and all are
    // answered.
    void drive() {
        for (Session& session : sessions_) {
            for (unsigned i = 0; i < options_.depth; ++i) submit(session);
        }
        while (service()) {
        }
    }

    bool service() {
        std::vector<pollfd> descriptors;
        unsigned in_flight = 0;
        for (const Session& session : sessions_) {
            in_flight += session.in_flight;
            descriptors.push_back(
                {iscsi_get_fd(session.context), static_cast<short>(iscsi_which_events(session.context)), 0});
        }
        if (in_flight == 0) return false;
        poll(descriptors.data(), descriptors.size(), 200);
        for (size_t i = 0; i < sessions_.size(); ++i) {
            if (iscsi_service(sessions_[i].context, descriptors[i].revents) != 0) {
                fail(sessions_[i].context, "connection lost");
            }
        }
        return true;
    }

    void submit(Session& session) {
        if (submitted_ >= submit_until_) return;
        ++submitted_;
        const uint32_t bytes = options_.bytes[session.random() % options_.bytes.size()];
        const uint64_t blocks = bytes / block_bytes_;
        const bool write = static_cast<double>(session.random() % 1000) < options_.write_share * 1000;
        uint64_t lba = session.next_lba;
        if (options_.random_lba) {
            lba = session.random() % (blocks_ - blocks);
        } else if (lba + blocks > blocks_) {
            lba = 0;
        }
        session.next_lba = lba + blocks;
        auto* command = new Command{&session, now_ns(), lba, bytes, write};
        const auto block_size = static_cast<int>(block_bytes_);
        scsi_task* task = write
                              ? iscsi_write16_task(session.context, session.lun, lba, written_.data(), bytes,
                                                   block_size, 0, 0, 0, 0, 0, &Load::completed, command)
                              : iscsi_read16_task(session.context, session.lun, lba, bytes, block_size, 0, 0,
                                                  0, 0, 0, &Load::completed, command);
        if (task == nullptr) fail(session.context, "submit");
        ++session.in_flight;
    }

    static void completed(iscsi_context*, int status, void* data, void* private_data) {
        const std::unique_ptr<Command> command(static_cast<Command*>(private_data));
        auto* task = static_cast<scsi_task*>(data);
        Session& session = *command->session;
        Load& load = *session.load;
        --session.in_flight;
        ++load.done_;
        load.errors_ += status != SCSI_STATUS_GOOD;
        if (load.log_ != nullptr) {
            fmt::print(load.log_, "{},{},{},{},{},{},{},{},{}\n", command->submit_ns, now_ns(),
                       session.number, session.port, task != nullptr ? task->itt : 0,
                       command->write ? "write" : "read", command->lba, command->bytes, status);
        }
        if (task != nullptr) scsi_free_scsi_task(task);
        if (load.options_.think_us != 0) {
            const timespec pause{0, static_cast<long>(load.options_.think_us) * 1000};
            nanosleep(&pause, nullptr);
        }
        load.submit(session);
    }

    void read_beyond_end(const Session& session) {
        scsi_task* task = iscsi_read16_sync(session.context, session.lun, blocks_ - 1, 4096,
                                            static_cast<int>(block_bytes_), 0, 0, 0, 0, 0);
        if (task != nullptr) scsi_free_scsi_task(task);
    }

    void unknown_opcode(const Session& session) {
        std::array<unsigned char, 6> cdb{0xff};
        scsi_task* task = scsi_create_task(cdb.size(), cdb.data(), SCSI_XFER_NONE, 0);
        scsi_task* answered = iscsi_scsi_command_sync(session.context, session.lun, task, nullptr);
        if (answered != nullptr) scsi_free_scsi_task(answered);
    }

    void nop(const Session& session) {
        std::array<unsigned char, 12> data{'a', 'r', 'e', ' ', 'y', 'o', 'u', ' ', 'o', 'k', '?', 0};
        bool answered = false;
        const auto callback = [](iscsi_context*, int, void*, void* flag) {
            *static_cast<bool*>(flag) = true;
        };
        iscsi_nop_out_async(session.context, callback, data.data(), data.size(), &answered);
        while (!answered) {
            pollfd descriptor{iscsi_get_fd(session.context),
                              static_cast<short>(iscsi_which_events(session.context)), 0};
            poll(&descriptor, 1, 1000);
            if (iscsi_service(session.context, descriptor.revents) != 0) fail(session.context, "NOP");
        }
    }

    // Asks for the largest read and takes it back at once.
    void abort_task(Session& session) {
        const auto callback = [](iscsi_context*, int, void*, void*) {};
        scsi_task* task =
            iscsi_read16_task(session.context, session.lun, 0, static_cast<uint32_t>(written_.size()),
                              static_cast<int>(block_bytes_), 0, 0, 0, 0, 0, callback, nullptr);
        if (task != nullptr) iscsi_task_mgmt_abort_task_sync(session.context, task);
    }

    const Options& options_;
    std::vector<Session> sessions_;
    std::vector<uint8_t> written_;
    std::FILE* log_ = nullptr;
    uint64_t blocks_ = 0;
    uint32_t block_bytes_ = 512;
    uint64_t submit_until_ = 0;
    uint64_t submitted_ = 0;
    uint64_t done_ = 0;
    uint64_t errors_ = 0;
};

int run(int argc, char** argv) {
    Options options;
    CLI::App app{"Reads and writes on an iSCSI target through libiscsi, for recording captures."};
    app.add_option("URL", options.url, "iscsi://HOST[:PORT]/TARGET/LUN")->required();
    app.add_option("--initiator", options.initiator,
                   "initiator name; several sessions get a number appended");
    app.add_option("--bytes", options.bytes, "transfer sizes to choose from")->delimiter(',');
    app.add_option("--write-share", options.write_share, "share of writes, 0 to 1")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--depth", options.depth, "commands under way at once in each session");
    app.add_option("--sessions", options.sessions, "sessions, one connection each")->check(CLI::Range(1, 64));
    app.add_option("--commands", options.commands, "reads and writes in all");
    app.add_option("--think-us", options.think_us, "pause after each command")->check(CLI::Range(0, 999'999));
    app.add_flag("--random", options.random_lba, "random block addresses instead of consecutive ones");
    app.add_flag("--header-digest", options.header_digest, "ask for HeaderDigest=CRC32C");
    app.add_flag("--no-immediate-data", options.no_immediate_data, "ask for ImmediateData=No");
    app.add_flag("--initial-r2t", options.initial_r2t, "ask for InitialR2T=Yes");
    app.add_flag("--read-beyond-end", options.read_beyond_end, "half-way, read past the last block");
    app.add_flag("--unknown-opcode", options.unknown_opcode, "half-way, send operation code 0xff");
    app.add_flag("--nop", options.nop, "send a NOP-Out before the load");
    app.add_flag("--abort-task", options.abort_task, "at the end, read and abort that read at once");
    app.add_flag("--lun-reset", options.lun_reset, "at the end, reset the logical unit");
    app.add_option("--seed", options.seed, "of the random choices");
    app.add_option("--log", options.log_path, "CSV of every command");
    CLI11_PARSE(app, argc, argv);
    return Load(options).run();
}

}  // namespace
}  // namespace sanscope::lab

int main(int argc, char** argv) {
    try {
        return sanscope::lab::run(argc, argv);
    } catch (const std::exception& error) {
        std::fputs(error.what(), stderr);
        return 1;
    }
}

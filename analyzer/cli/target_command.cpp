// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/target_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "captures/iscsi_peer/login/secret.h"
#include "captures/iscsi_peer/target/target_server.h"
#include "captures/load/json_object.h"
#include "captures/load/load_json.h"

#include "analyzer/base/print_text.h"
#include "analyzer/export/block_writer.h"
#include "analyzer/export/file_sink.h"
#include "analyzer/report/human_units.h"
#include "analyzer/vocabulary/iscsi_port.h"

namespace sanscope {
namespace {

// "ADDRESS", "ADDRESS:PORT", "[IPV6]:PORT".
Result<std::pair<std::string, uint16_t>> parse_listen(std::string_view text) {
    std::string_view host = text;
    std::string_view port;
    if (text.starts_with('[')) {
        const size_t bracket = std::min(text.find(']'), text.size());
        host = text.substr(1, bracket - 1);
        port = text.substr(std::min(bracket + 1, text.size()));
        if (!port.empty() && !port.starts_with(':')) return Error{fmt::format("'{}' is no address", text)};
    } else if (const size_t colon = text.find(':');
               colon == text.rfind(':') && colon != std::string_view::npos) {
        host = text.substr(0, colon);
        port = text.substr(colon);
    }
    uint16_t number = iscsi_port;
    if (!port.empty()) {
        port.remove_prefix(1);
        const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
        if (error != std::errc() || end != port.data() + port.size())
            return Error{fmt::format("'{}' is no port", port)};
    }
    return std::pair(std::string(host), number);
}

// "200us", "1.5ms", "2s".
Result<std::chrono::nanoseconds> parse_latency(std::string_view text) {
    constexpr std::pair<std::string_view, double> units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    constexpr double longest = 60e9;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
    const auto* const found = std::ranges::find(units, unit, [](const auto& one) { return one.first; });
    if (error == std::errc() && found != std::end(units) && number >= 0 && number * found->second <= longest)
        return std::chrono::nanoseconds(static_cast<int64_t>(number * found->second));
    return Error{fmt::format("'{}' is no time: want 200us, 1.5ms or 2s, 60s at most", text)};
}

const std::map<std::string, std::string> digest_choices = {
    {"none", "None"}, {"crc32c", "CRC32C"}, {"either", "CRC32C,None"}};

// In one line on standard output.
void print_account_object(const TargetAccount& account, const std::vector<std::string>& tcp_differences) {
    FileSink sink(STDOUT_FILENO);
    BlockWriter out(sink);
    JsonObject object(out);
    object.number("commands", account.commands);
    object.number("bytes_read", account.bytes_read);
    object.number("bytes_written", account.bytes_written);
    object.number("sessions", account.sessions);
    object.number("connections", account.connections);
    object.begin("tcp_differences");
    append_json_array(tcp_differences, out);
    object.end();
    out.append('\n');
    if (!out.finish() && sink.error() != nullptr) print_text(stderr, "sanscope: {}\n", sink.error()->message);
}

}  // namespace

void TargetCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand("target",
                                  "Be an iSCSI target whose disks are memory, for tests and demonstrations");
    command_->add_option("--listen", listen_, "ADDRESS[:PORT]; port 0: one that is free")
        ->capture_default_str();
    command_->add_option("--name", settings_.name, "The target's iSCSI name")->capture_default_str();
    command_->add_option("--luns", settings_.luns, "How many logical units")
        ->check(CLI::Range(1u, most_luns))
        ->capture_default_str();
    command_->add_option("--size", settings_.size, "Of each: bytes, or with K, M, G, T")
        ->transform(CLI::AsSizeValue(false))
        ->default_str("1G");
    command_->add_option("--block-size", settings_.block_size, "Bytes")
        ->check(CLI::IsMember({512, 4096}))
        ->capture_default_str();
    command_
        ->add_option(
            "--backing", backing_,
            "ram: what is written is read again; null: reads give zeros, what is written is thrown away")
        ->check(CLI::IsMember({"ram", "null"}))
        ->capture_default_str();
    command_->add_option("--serial", settings_.serial, "Serial number of LUN 0; those of others end in -LUN")
        ->check([](const std::string& serial) {
            const bool fits = !serial.empty() && serial.size() <= 32 &&
                              std::ranges::all_of(serial, [](char c) { return c > ' ' && c < 0x7f; });
            return fits ? std::string() : "want 1 to 32 printable characters of ASCII";
        })
        ->capture_default_str();
    CLI::Option* const threads =
        command_->add_option("--threads", threads_, "That serve connections; 0: one a processor")
            ->check(CLI::Range(0, 256));
    command_
        ->add_option("--idle-timeout", idle_seconds_,
                     "Seconds after which a connection on which nothing moves is closed; 0: never")
        ->check(CLI::Range(0, 86400))
        ->capture_default_str();
    command_->add_option("--latency", latency_, "Time that each command takes besides: 200us");
    command_->add_option("--latency-of", latency_of_, "… each of these")
        ->check(CLI::IsMember({"all", "reads", "writes"}))
        ->capture_default_str();
    command_->add_option("--latency-lun", settings_.latency_lun, "… to this logical unit alone");
    command_->add_option(
        "--exclusive-latency", exclusive_latency_,
        "Time that each UNMAP, WRITE SAME and COMPARE AND WRITE takes, while its logical unit "
        "serves nothing else: 200ms");
    command_
        ->add_option(
            "--fault", faults_,
            fmt::format(
                "KIND[:EVERY]: go wrong on purpose, at each READ or WRITE of a connection, or every so "
                "many: {}",
                fault_kinds()))
        ->allow_extra_args(false);
    command_->add_flag("--json", json_,
                       "Say as a line of JSON where it listens, and in the end what was done");

    const CLI::Range segment(512, 16'777'215);
    const auto size = [&](const char* option, uint32_t& value) {
        command_->add_option(option, value, "Bytes")
            ->transform(CLI::AsSizeValue(false))
            ->check(segment)
            ->capture_default_str()
            ->group("Login");
    };
    size("--max-recv-data-segment-length", settings_.max_recv_data_segment_length);
    size("--max-burst-length", settings_.max_burst_length);
    size("--first-burst-length", settings_.first_burst_length);
    const auto choice = [&](const char* option, std::string& value, std::vector<std::string> of) {
        command_->add_option(option, value)
            ->check(CLI::IsMember(std::move(of)))
            ->capture_default_str()
            ->group("Login");
    };
    choice("--initial-r2t", initial_r2t_, {"yes", "no"});
    choice("--immediate-data", immediate_data_, {"yes", "no"});
    choice("--header-digest", header_digest_, {"none", "crc32c", "either"});
    choice("--data-digest", data_digest_, {"none", "crc32c", "either"});
    command_->add_option("--max-outstanding-r2t", settings_.max_outstanding_r2t, "For one command")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str()
        ->group("Login");
    command_->add_option("--max-connections", settings_.max_connections, "Of one session")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str()
        ->group("Login");

    command_
        ->add_option("--command-window", settings_.command_window,
                     "Commands that an initiator may have under way in a session (MaxCmdSN)")
        ->check(CLI::Range(1u, most_command_window))
        ->capture_default_str();

    command_
        ->add_option("--task-set", settings_.task_set,
                     "SCSI commands of a logical unit that may be under way, of all sessions; READs and "
                     "WRITEs beyond are answered TASK SET FULL. One thread serves all; 0: any number")
        ->excludes(threads)
        ->check(CLI::Range(0u, most_command_window))
        ->capture_default_str();

    tcp_.add_to(*command_);

    constexpr const char* chap = "Authentication by CHAP";
    CLI::Option* const user = command_->add_option("--chap-user", chap_user_, "Who may log in")->group(chap);
    CLI::Option* const secret =
        command_->add_option("--secret-file", secret_file_, "The first line is the secret")->group(chap);
    user->needs(secret);
    secret->needs(user);
    CLI::Option* const mutual =
        command_->add_option("--mutual-user", mutual_user_, "Who this target is to initiators that ask")
            ->group(chap);
    CLI::Option* const mutual_secret =
        command_->add_option("--mutual-secret-file", mutual_secret_file_, "With which secret")->group(chap);
    mutual->needs(user, mutual_secret);
    mutual_secret->needs(mutual);
    command_
        ->add_option("--chap-algorithms", chap_algorithms_,
                     "That may be used: md5, sha1, sha256, sha3-256; all by default")
        ->group(chap)
        ->needs(user);
    command_->footer(
        "What is written is lost when it ends. Ctrl-C ends it.\n\n"
        "Exit status: 0 it listened until it was ended; 1 it could not; 2 usage.\n\n"
        "Examples:\n"
        "  sanscope target --backing null\n"
        "  sanscope target --listen 0.0.0.0 --size 16G --max-recv-data-segment-length 8M\n"
        "  sanscope target --listen 127.0.0.1:0 --fault busy:100 --latency 200us\n");
}

bool TargetCommand::chosen() const {
    return command_->parsed();
}

Result<TargetSettings> TargetCommand::settings() const {
    TargetSettings settings = settings_;
    if (settings.size < settings.block_size || settings.size % settings.block_size != 0)
        return Error{fmt::format("--size: {} is not a multiple of the block size", settings.size)};
    constexpr size_t longest_name = 223;  // RFC 7143 §4.2.7.1
    if (settings.name.empty() || settings.name.size() > longest_name)
        return Error{fmt::format("--name: want 1 to {} bytes", longest_name)};
    settings.backing = backing_ == "null" ? Backing::null : Backing::ram;
    settings.tcp = tcp_.settings();
    settings.idle_time = std::chrono::seconds(idle_seconds_);
    settings.initial_r2t = initial_r2t_ == "yes";
    settings.immediate_data = immediate_data_ == "yes";
    settings.header_digest = digest_choices.at(header_digest_);
    settings.data_digest = digest_choices.at(data_digest_);
    if (!latency_.empty()) {
        const auto latency = parse_latency(latency_);
        if (!latency) return Error{"--latency: " + latency.error().message};
        settings.latency = *latency;
    }
    if (!exclusive_latency_.empty()) {
        const auto latency = parse_latency(exclusive_latency_);
        if (!latency) return Error{"--exclusive-latency: " + latency.error().message};
        settings.exclusive_latency = *latency;
    }
    if (latency_of_ == "reads") settings.latency_of = TargetSettings::LatencyOf::reads;
    if (latency_of_ == "writes") settings.latency_of = TargetSettings::LatencyOf::writes;
    for (const std::string& text : faults_) {
        const auto fault = parse_fault(text);
        if (!fault) return Error{"--fault: " + fault.error().message};
        settings.faults.push_back(*fault);
    }
    if (!chap_user_.empty()) {
        auto secret = read_secret_file(secret_file_);
        if (!secret) return Error{fmt::format("{}: {}", secret_file_, secret.error().message)};
        settings.credentials = ChapCredentials{.initiator = {chap_user_, std::move(*secret)}, .target = {}};
    }
    if (!chap_algorithms_.empty()) {
        auto algorithms = parse_chap_algorithms(chap_algorithms_);
        if (!algorithms) return Error{"--chap-algorithms: " + algorithms.error().message};
        settings.credentials->algorithms = std::move(*algorithms);
    }
    if (!mutual_user_.empty()) {
        auto secret = read_secret_file(mutual_secret_file_);
        if (!secret) return Error{fmt::format("{}: {}", mutual_secret_file_, secret.error().message)};
        settings.credentials->target = ChapAccount{mutual_user_, std::move(*secret)};
    }
    return settings;
}

ExitStatus TargetCommand::run() const {
    const auto made = settings();
    const auto where = parse_listen(listen_);
    if (!made || !where) {
        print_text(stderr, "sanscope: {}\n",
                   made ? "--listen: " + where.error().message : made.error().message);
        return exit_usage;
    }
    // The threads that follow inherit this; the signals are waited for below.
    sigset_t ends;
    ::sigemptyset(&ends);
    ::sigaddset(&ends, SIGINT);
    ::sigaddset(&ends, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);

    // A descriptor is all that an initiator which says nothing is to cost.
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &files);
    }
    const unsigned wanted =
        settings_.task_set > 0 ? 1 : threads_;  // each thread counts the commands of its own sessions
    const unsigned threads = wanted > 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
    const auto server = TargetServer::start(*made, where->first, where->second, threads);
    if (!server) {
        print_text(stderr, "sanscope: {}\n", server.error().message);
        return exit_nothing_analysed;
    }
    print_text(stderr,
               "A memory target, for tests and demonstrations: what is written to it is lost{}\n"
               "iscsi://{}/{}/0{}; {} each; Ctrl-C ends it\n",
               made->backing == Backing::null ? " at once" : " when it ends", (*server)->address(),
               made->name, made->luns > 1 ? fmt::format(" … {}", made->luns - 1) : "",
               human_binary_bytes(made->size));
    if (json_) {
        print_text(stdout, "{{\"listening\":\"{}\",\"target\":\"{}\"}}\n", (*server)->address(), made->name);
        std::fflush(stdout);
    }
    int signal = 0;
    ::sigwait(&ends, &signal);
    const TargetAccount account = (*server)->stop();
    if (json_) {
        print_account_object(account, (*server)->tcp_differences());
    } else {
        print_text(stderr, "{} answered, {} read, {} written; {}, {}\n",
                   counted_exactly(account.commands, "command"), counted_exactly(account.bytes_read, "byte"),
                   account.bytes_written, counted_exactly(account.sessions, "session"),
                   counted_exactly(account.connections, "connection"));
        for (const std::string& one : (*server)->tcp_differences()) print_text(stderr, "TCP {}\n", one);
    }
    return exit_all_analysed;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/generate_options.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <fmt/core.h>
#include <map>
#include <unistd.h>

#include "captures/iscsi_peer/login/login_exchange.h"

namespace sanscope {
namespace {

// Seconds unless a unit says otherwise.
CLI::AsNumberWithUnit as_duration() {
    return CLI::AsNumberWithUnit(
        std::map<std::string, double>{{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}});
}

}  // namespace

void GenerateOptions::add_to(CLI::App& command) {
    command.add_option("URL", urls, "iscsi://[USER@]HOST[:PORT]/NAME/LUN; several are striped like RAID-0")
        ->required();
    command.add_flag("--discover", discover,
                     "Only list what is there: the targets of iscsi://HOST, the LUNs of iscsi://HOST/NAME");
    add_sizes(command);
    add_at_once(command);
    add_workload(command);
    add_end(command);
    add_login(command);
    tcp.add_to(command);
    add_writes(command);
    add_output(command);
    command.footer(
        "Sizes may end in K, M or G (powers of 1024), durations in us, ms, s, min or h. Ctrl-C ends the load "
        "and logs "
        "out; a\nsecond one does not wait for answers.\n\n"
        "Exit status: 0 every command was answered well; 1 no load could be put on; 2 usage; 3 commands "
        "failed, or a "
        "session\nwas lost.\n\n"
        "Examples:\n"
        "  sanscope generate --discover iscsi://192.0.2.7\n"
        "  sanscope generate --pdu-size 1M --request-size 1M "
        "iscsi://192.0.2.7/iqn.2026-11.org.example:disk/1\n"
        "  sanscope generate --request-size 4K -q 32 --pattern random --duration 1min "
        "iscsi://[2001:db8::7]/…/1\n");
}

void GenerateOptions::add_sizes(CLI::App& command) {
    const CLI::AsSizeValue as_size(false);
    command
        .add_option("--pdu-size", pdu_size,
                    "MaxRecvDataSegmentLength: data that the target may put in one PDU")
        ->transform(as_size)
        ->capture_default_str()
        ->group("Sizes");
    command.add_option("--request-size", request_size, "Data of a command")
        ->transform(as_size)
        ->capture_default_str()
        ->group("Sizes");
    command.add_option("--stripe", stripe, "Data on one target before the next one; 0: as --request-size")
        ->transform(as_size)
        ->group("Sizes");
}

void GenerateOptions::add_at_once(CLI::App& command) {
    command.add_option("-q,--queue-depth", queue_depth, "Commands at once on each connection")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str()
        ->group("Concurrency");
    command.add_option("--connections", connections, "Of each session, where the target allows several")
        ->check(CLI::Range(1, 64))
        ->capture_default_str()
        ->group("Concurrency");
    command.add_option("--sessions", sessions, "With each target")
        ->check(CLI::Range(1u, most_sessions))
        ->capture_default_str()
        ->group("Concurrency");
    command.add_option("--threads", threads, "0: one a processor, as far as there are sessions")
        ->group("Concurrency");
}

void GenerateOptions::add_workload(CLI::App& command) {
    command.add_option("--pattern", pattern, "Which blocks")
        ->check(CLI::IsMember({"sequential", "random", "zipf", "trace"}))
        ->capture_default_str()
        ->group("Workload");
    command
        .add_option("--trace", trace_files,
                    "With --pattern trace: captures, whose commands are sent at their own times; or lists of "
                    "requests, a line each: offset_ns,operation,offset,bytes")
        ->allow_extra_args(false)
        ->group("Workload");
    command.add_option("--speed", speed, "… so many times as fast")
        ->check(CLI::PositiveNumber)
        ->group("Workload");
    command.add_option("--zipf-theta", zipf_theta, "How uneven: 0.99 is a cache's workload")
        ->capture_default_str()
        ->group("Workload");
    command.add_option("--read-percent", read_percent, "Below 100 needs --allow-writes")
        ->check(CLI::Range(0, 100))
        ->capture_default_str()
        ->group("Workload");
    command.add_option("--seed", seed, "The same seed, the same commands")->group("Workload");
    command.add_option("--rate", rate, "Commands a second, sent at their own times however slow the answers")
        ->check(CLI::NonNegativeNumber)
        ->group("Workload");
    command.add_option("--think-time", think_time, "Between an answer and the next command")
        ->transform(as_duration())
        ->group("Workload");
    command.add_option("--burst", burst, "Commands of a burst")->group("Workload");
    command.add_option("--burst-pause", burst_pause, "Between bursts")
        ->transform(as_duration())
        ->group("Workload");
}

void GenerateOptions::add_end(CLI::App& command) {
    const CLI::AsSizeValue as_size(false);
    command.add_option("--duration", duration, "Ends after so long; without any end, after 10 s")
        ->transform(as_duration())
        ->group("Stop conditions");
    command.add_option("--bytes", bytes, "Ends after so much data")
        ->transform(as_size)
        ->group("Stop conditions");
    command.add_option("--commands", commands, "Ends after so many commands")->group("Stop conditions");
    command.add_option("--timeout", timeout, "How long an answer may take before the command is aborted")
        ->transform(as_duration())
        ->check(CLI::PositiveNumber)
        ->group("Stop conditions");
    command.add_option("--reconnect", reconnections, "Attempts when a connection was lost")
        ->capture_default_str()
        ->group("Stop conditions");
}

void GenerateOptions::add_login(CLI::App& command) {
    const CLI::AsSizeValue as_size(false);
    command.add_option("--initiator-name", initiator_name, "By default iqn.2026-11.org.sanscope:HOST")
        ->group("Login");
    command
        .add_option(
            "--secret-file", secret_file,
            "Its first line is USER's CHAP secret; -: that of standard input; without it you are asked")
        ->group("Login");
    command.add_option("--mutual-user", mutual_user, "The target is to prove itself too, as this")
        ->group("Login");
    command
        .add_option("--mutual-secret-file", mutual_secret_file,
                    "By this secret; -: the next line of standard input")
        ->group("Login");
    command
        .add_option("--chap-algorithms", chap_algorithms,
                    "That may be used, the best first: sha3-256,sha1,md5,sha256 by default")
        ->group("Login");
    command.add_option("--max-burst", max_burst, "MaxBurstLength")->transform(as_size)->group("Login");
    command.add_option("--first-burst", first_burst, "FirstBurstLength")->transform(as_size)->group("Login");
    command.add_flag("--initial-r2t", initial_r2t, "InitialR2T=Yes")->group("Login");
    command.add_flag("--no-immediate-data", no_immediate_data, "ImmediateData=No")->group("Login");
    command.add_option("--max-outstanding-r2t", max_outstanding_r2t, "MaxOutstandingR2T")
        ->check(CLI::Range(1, 65535))
        ->group("Login");
    const CLI::Validator one_of_digests =
        CLI::IsMember({"None", "CRC32C", "CRC32C,None", "None,CRC32C"}, CLI::ignore_case)
            .description("None | CRC32C | CRC32C,None | None,CRC32C");
    command
        .add_option("--header-digest", header_digest,
                    "HeaderDigest: None, CRC32C, or both in order of preference")
        ->transform(one_of_digests)
        ->group("Login");
    command.add_option("--data-digest", data_digest, "DataDigest, likewise")
        ->transform(one_of_digests)
        ->group("Login");
}

void GenerateOptions::add_writes(CLI::App& command) {
    command
        .add_option("--allow-writes", allow_writes,
                    "Writes to the LUN of this serial number; its data are lost")
        ->allow_extra_args(false)
        ->group("Writes");
    command.add_flag("--verify", verify, "Write a pattern, read it back at once, and look at every byte")
        ->group("Writes");
    command.add_flag("--really", really, "… even if a partition table or a file system is on it")
        ->group("Writes");
}

void GenerateOptions::add_output(CLI::App& command) {
    CLI::Option* const as_json =
        command
            .add_flag("--json", json, "The outcome as one JSON object; what --discover lists as one a line")
            ->group("Output");
    command
        .add_flag("--events", events,
                  "For programs: the beginning, each second, each message and the outcome as JSON objects, "
                  "one a line")
        ->excludes(as_json)
        ->group("Output");
    command.add_option("--csv", csv, "A row each second, into this file")->group("Output");
    command.add_option("--log", log, "A row each command, into this file")->group("Output");
    command
        .add_option("--capture", capture,
                    "Record the load's packets into this file, and report on them in the end")
        ->group("Output");
    command
        .add_option("--capture-interface", capture_interface,
                    "… from this interface; by default the one to the first target")
        ->group("Output");
    command
        .add_option("--keep", keep,
                    "… headers: all of them, login text, sense and SCSI parameter data, but no blocks' data; "
                    "all: whole packets. By default headers, unless there is a --snapshot-length")
        ->check(CLI::IsMember({"headers", "all"}))
        ->group("Output");
    command
        .add_option("--snapshot-length", snap_length,
                    "… so many first bytes of each packet; 0, which is the default: all")
        ->group("Output");
    command
        .add_option("--buffer-size", buffer_mib,
                    "… with so many MiB of the kernel's memory in between; 0: 32")
        ->check(CLI::Range(0, 2047))
        ->group("Output");
    command
        .add_flag("--kernel-truth", kernel_truth,
                  "… and what this host's kernel reports of its TCP connections")
        ->group("Output");
    command.add_flag("--quiet", quiet, "No lines while it runs")->group("Output");
}

Result<std::monostate> GenerateOptions::check() const {
    constexpr uint64_t least_pdu = 512;
    constexpr uint64_t most_request = uint64_t{1} << 31;
    // 16 MiB, as people say, are one byte more than a PDU holds.
    if (pdu_size < least_pdu || pdu_size > max_data_segment_length + 1)
        return Error{fmt::format("--pdu-size {}: from 512 to 16777215 bytes", pdu_size)};
    if (request_size == 0 || request_size > most_request)
        return Error{fmt::format("--request-size {}: from a block to 2 GiB", request_size)};
    for (const uint64_t size : {max_burst, first_burst}) {
        if (size < least_pdu || size > max_data_segment_length + 1)
            return Error{fmt::format("a burst of {} bytes: from 512 to 16777215", size)};
    }
    if ((pattern == "trace") != !trace_files.empty())
        return Error{"--pattern trace and --trace FILE belong together"};
    if (pattern == "trace" && (urls.size() > 1 || verify || read_percent < 100))
        return Error{"a trace is for one target, and says itself what is read and written"};
    if (verify && read_percent < 100)
        return Error{"--verify reads what it writes: --read-percent has no meaning for it"};
    if ((kernel_truth || !capture_interface.empty() || !keep.empty()) && capture.empty())
        return Error{"where to? --capture FILE"};
    if (capture == "-") return Error{"--capture: a file; sanscope capture -w - writes to standard output"};
    if (events && discover)
        return Error{"--discover lists with --json; there is no load whose events could be reported"};
    if ((events || json) && csv == "-") return Error{"--csv: a file; standard output is the JSON objects'"};
    if ((secret_file == "-" || mutual_secret_file == "-") && ::isatty(STDIN_FILENO) == 1) {
        return Error{
            "--secret-file -: this is a terminal, which shows what is typed; without the option you are "
            "asked"};
    }
    if (!chap_algorithms.empty()) {
        if (const auto named = parse_chap_algorithms(chap_algorithms); !named)
            return Error{"--chap-algorithms: " + named.error().message};
    }
    if (writes() && allow_writes.empty() && ::isatty(STDIN_FILENO) != 1) {
        return Error{
            fmt::format("{}: writes destroy what is on the LUN; --allow-writes SERIAL names the one that may "
                        "be written to",
                        verify ? "--verify" : "--read-percent")};
    }
    return std::monostate{};
}

}  // namespace sanscope

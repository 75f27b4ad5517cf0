// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/capture_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <unistd.h>

#include "captures/recorder/recording.h"
#include "captures/recorder/rights.h"

#include "analyzer/base/print_text.h"
#include "analyzer/cli/capture_limits.h"
#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/cli/live_metrics.h"
#include "analyzer/cli/live_report.h"
#include "analyzer/cli/terminal_screen.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

using Trouble = v1::RecordingTrouble;
using Ended = v1::RecordingEnded;
using std::chrono::milliseconds;

constexpr milliseconds refresh{1000};

uint64_t dropped(const v1::RecordingTotals& totals) {
    uint64_t count = totals.lost_at_the_end();
    for (const auto& interface : totals.interfaces())
        count += interface.dropped_by_kernel() + interface.dropped_by_interface();
    return count;
}

// Where no -w says it: in this folder, by what and when. `host`: the other one, if any.
std::string default_path(std::string host, const std::string& interface) {
    std::ranges::replace_if(
        host, [](char c) { return c == '/' || c == ':'; }, '_');
    if (!host.empty()) host += '_';
    std::tm local{};
    const std::time_t now = std::time(nullptr);
    ::localtime_r(&now, &local);
    return fmt::format("{}{}_{:%Y%m%d-%H%M%S}.pcapng", host, interface, local);
}

// What is seen of a recording on the terminal, and what it came to.
class Watcher {
  public:
    Watcher(const v1::RecordingRequest& request, bool quiet)
        : request_(request), quiet_(quiet), line_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

    void take(const v1::RecordingEvent& event) {
        if (event.has_started()) {
            begun_ = true;
            if (!quiet_) {
                clear();
                print_text(stderr, "Recording from {}; Ctrl-C ends it\n",
                           fmt::join(request_.interfaces(), ", "));
            }
        } else if (event.has_file_begun() && !quiet_ && !request_.to_descriptor_3()) {
            clear();
            print_text(stderr, "File: {}\n", event.file_begun().path());
        } else if (event.has_trouble()) {
            const bool note = event.trouble().kind() == Trouble::NOTE;
            if (note && quiet_) return;
            clear();
            print_text(stderr, "{}{}\n", note ? "" : "sanscope: ", event.trouble().message());
            if (event.trouble().kind() == Trouble::WRONG_FILTER) wrong_filter_ = true;
        } else if (event.has_progress()) {
            totals_ = event.progress().totals();
            show();
        } else if (event.has_ended()) {
            clear();
            ended_ = event.ended();
            if (begun_) summarise();
        }
    }

    ExitStatus status() const {
        if (wrong_filter_) return exit_usage;
        if (!begun_ || ended_.why() == Ended::NOT_BEGUN) return exit_nothing_analysed;
        const bool cut_short = ended_.why() == Ended::OUTPUT_FAILED || ended_.why() == Ended::RECORDER_DIED ||
                               ended_.why() == Ended::INTERFACES_GONE;
        return cut_short || dropped(ended_.totals()) > 0 ? exit_input_damaged : exit_all_analysed;
    }

    // The line is drawn elsewhere.
    void leave_line() { line_ = false; }
    std::string line() const {
        const uint64_t lost = dropped(totals_);
        return fmt::format("{}, {}, {} dropped", counted(totals_.packets(), "packet"),
                           human_bytes(static_cast<double>(totals_.bytes())),
                           lost == 0 ? "none" : human_count(lost));
    }

  private:
    void show() {
        if (!line_) return;
        fmt::print(stderr, "\r\x1b[K{}", line());
        drawn_ = true;
    }

    void clear() {
        if (drawn_) fmt::print(stderr, "\r\x1b[K");
        drawn_ = false;
    }

    void summarise() const {
        if (quiet_) return;
        const v1::RecordingTotals& totals = ended_.totals();
        print_text(stderr, "{} recorded, {} in {}\n", counted_exactly(totals.packets(), "packet"),
                   counted_exactly(totals.bytes(), "byte"), counted_exactly(totals.files(), "file"));
        for (int i = 0; i < totals.interfaces_size() && i < request_.interfaces_size(); ++i) {
            const auto& counts = totals.interfaces(i);
            print_text(stderr, "{}: {} received, {} dropped by the kernel, {} by the interface\n",
                       request_.interfaces(i), counts.received(), counts.dropped_by_kernel(),
                       counts.dropped_by_interface());
        }
        if (totals.lost_at_the_end() > 0)
            print_text(stderr, "{} more were taken in and found no room\n", totals.lost_at_the_end());
    }

    const v1::RecordingRequest& request_;
    bool quiet_;
    bool line_;
    bool drawn_ = false;
    bool begun_ = false;
    bool wrong_filter_ = false;
    v1::RecordingTotals totals_;  // by now
    v1::RecordingEnded ended_;
};

}  // namespace

void CaptureCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand("capture", "Record packets from interfaces into a pcapng file");
    command_
        ->add_option("-i,--interface", interfaces_, "Take packets from it; several may be named; any is all")
        ->allow_extra_args(false);
    command_->add_option("-f,--filter", filter_,
                         "Only those that match, in libpcap's language: 'tcp port 3260'");
    command_->add_option("-w,--write", output_, "The file; - is standard output");
    command_->add_option("-s,--snapshot-length", snap_length_,
                         "Bytes taken of each packet; 0: all, which is the default but with --ssh");
    command_
        ->add_option(
            "--keep", keep_,
            "headers: all of them, login text, sense and SCSI parameter data, but never users' data; "
            "all: whole packets. "
            "By default headers, where the filter is for port 3260 alone and there is no -s")
        ->check(CLI::IsMember({"headers", "all"}));
    command_
        ->add_option("-B,--buffer-size", buffer_mib_, "The kernel's buffer for each interface, MiB; 0: 32")
        ->check(CLI::Range(0, 2047));
    command_->add_flag("-p,--no-promiscuous-mode", not_promiscuous_,
                       "Only what is for this host, or for all");
    command_->add_flag("--kernel-truth", kernel_truth_,
                       "Also what this host's kernel reports of its TCP connections");
    command_->add_option("-c,--packets", packets_, "Stop after so many packets")->check(CLI::PositiveNumber);
    command_
        ->add_option("-a,--autostop", stop_after_,
                     "Stop after duration:SECONDS, filesize:KB, packets:N or files:N")
        ->allow_extra_args(false);
    command_
        ->add_option("-b,--ring-buffer", rotate_,
                     "Begin another file after duration:SECONDS, filesize:KB or packets:N; keep files:N")
        ->allow_extra_args(false);
    command_->add_option("--time-stamp-type", time_stamps_, "Whose clock stamps the packets")
        ->check(CLI::IsMember({"host", "adapter", "adapter_unsynced"}))
        ->capture_default_str();
    command_->add_flag("--immediate", immediate_, "Take each packet as it comes: costs more time a packet");
    CLI::Option* const ssh = command_->add_option(
        "--ssh", host_, "Record what this host sees, through ssh: HOST or USER@HOST. The file is here");
    command_
        ->add_option("--ssh-command", ssh_command_,
                     "In place of ssh: a command and options, as 'ssh -p 2222 -i key'")
        ->needs(ssh);
    command_->add_option("--remote-recorder", remote_recorder_, "Where sanscope-recorder is on that host")
        ->needs(ssh);
    command_->add_flag("--with-ssh-traffic", with_ssh_, "Also the packets of that ssh connection itself")
        ->needs(ssh);
    command_->add_flag("-D,--list-interfaces", list_, "Print the interfaces, and do nothing else");
    command_->add_flag("--check-filter", check_filter_, "Only say whether the filter is one");
    command_->add_flag("--report", report_,
                       "Analyse what is recorded at once: a screen that is refreshed each second, and the "
                       "report in the end");
    CLI::Option* const metrics =
        command_
            ->add_option("--metrics", metrics_,
                         "Analyse what is recorded at once, and offer its figures to Prometheus at "
                         "http://ADDRESS:PORT/metrics: 127.0.0.1:9260")
            ->type_name("ADDRESS:PORT");
    command_
        ->add_flag("--metrics-anywhere", metrics_anywhere_,
                   "That address may be one that other hosts reach: whoever does may read the figures")
        ->needs(metrics);
    command_->add_flag("-q,--quiet", quiet_, "Print nothing but what goes wrong");
    command_->footer(
        "Only sanscope-recorder, which this starts, needs the right to capture: docs/capture.md. Files of a "
        "rotation are\ncalled OUT_00001_YYYYMMDDhhmmss.pcapng.\n\n"
        "Exit status: 0 all was recorded; 1 nothing could be; 2 usage; 3 recorded, but packets were dropped "
        "or "
        "it ended\nbefore its time: the disk was full, the interface was removed.\n\n"
        "Examples:\n"
        "  sanscope capture -i eth0 -f 'tcp port 3260' -w san.pcapng\n"
        "  sanscope capture -i eth0 -f 'tcp port 3260' --keep all -w whole.pcapng\n"
        "  sanscope capture -i eth0 -i eth1 -s 128 -b filesize:1000000 -b files:20 -w ring.pcapng\n"
        "  sanscope capture -i eth0 -f 'tcp port 3260' --report\n"
        "  sanscope capture -i eth0 -f 'tcp port 3260' -b filesize:1000000 -b files:20 -w ring.pcapng "
        "--metrics "
        "127.0.0.1:9260\n"
        "  sanscope capture -i eth0 -w - | sanscope report -\n"
        "  sanscope capture --ssh root@target -i eth0 -f 'tcp port 3260' -w target.pcapng\n");
}

bool CaptureCommand::chosen() const {
    return command_->parsed();
}

Result<v1::RecordingRequest> CaptureCommand::request() const {
    if (interfaces_.empty()) return Error{"say which interface with -i; -D lists them"};
    v1::RecordingRequest request;
    for (const std::string& interface : interfaces_) request.add_interfaces(interface);
    request.set_filter(filter_);
    set_kept(keep_, snap_length_, !host_.empty(), request);
    request.set_with_ssh(with_ssh_);
    request.set_buffer_mib(buffer_mib_);
    request.set_promiscuous(!not_promiscuous_);
    request.set_immediate(immediate_);
    request.set_kernel_truth(kernel_truth_);
    request.set_to_descriptor_3(output_ == "-");
    request.set_path(output_.empty() ? default_path(host_, interfaces_.front()) : output_);
    if (time_stamps_ == "adapter") request.set_time_stamp_type(v1::RecordingRequest::ADAPTER);
    if (time_stamps_ == "adapter_unsynced")
        request.set_time_stamp_type(v1::RecordingRequest::ADAPTER_UNSYNCED);
    if (output_ == "-" && !rotate_.empty()) return Error{"-b: standard output is only one file"};
    if (const auto set = set_limits(stop_after_, rotate_, request); !set) return set.error();
    if (packets_ > 0) request.mutable_stop_after()->set_packets(packets_);
    return request;
}

std::optional<v1::RemoteHost> CaptureCommand::remote() const {
    if (host_.empty()) return std::nullopt;
    v1::RemoteHost remote;
    remote.set_host(host_);
    remote.set_ssh_command(ssh_command_);
    remote.set_recorder(remote_recorder_);
    return remote;
}

ExitStatus CaptureCommand::list() const {
    const auto list = list_capture_interfaces({.program = {}, .remote = remote()});
    if (!list) {
        print_text(stderr, "sanscope: {}\n", list.error().message);
        return exit_nothing_analysed;
    }
    for (const auto& interface : list->interfaces()) {
        std::vector<std::string> facts;
        if (!interface.description().empty()) facts.push_back(interface.description());
        if (!interface.up()) facts.emplace_back("down");
        facts.insert(facts.end(), interface.addresses().begin(), interface.addresses().end());
        print_text(stdout, "{:<16}{}\n", interface.name(), fmt::join(facts, ", "));
    }
    return exit_all_analysed;
}

ExitStatus CaptureCommand::check_filter() const {
    const auto check = check_capture_filter(filter_, interfaces_.empty() ? "" : interfaces_.front(),
                                            {.program = {}, .remote = remote()});
    if (!check) {
        print_text(stderr, "sanscope: {}\n", check.error().message);
        return exit_nothing_analysed;
    }
    if (check->valid()) return exit_all_analysed;
    print_text(stderr, "sanscope: filter '{}': {}\n", filter_, check->message());
    return exit_usage;
}

// Where nobody said it.
void CaptureCommand::say_what_is_kept(const v1::RecordingRequest& request) const {
    if (!keep_.empty() || snap_length_ || quiet_) return;
    if (request.keep() == v1::RecordingRequest::HEADERS) {
        print_text(stderr, "Headers are kept, and no users' data; --keep all keeps whole packets\n");
    } else if (request.snap_length() != 0) {
        print_text(stderr, "{} bytes are taken of each packet; -s 0 takes all\n", request.snap_length());
    }
}

ExitStatus CaptureCommand::run() const {
    if (list_) return list();
    if (check_filter_) return check_filter();
    const auto made = request();
    if (!made) {
        print_text(stderr, "sanscope: {}\n", made.error().message);
        return exit_usage;
    }
    if (output_ == "-" && ::isatty(STDOUT_FILENO) == 1) {
        print_text(stderr, "sanscope: -w -: a capture is nothing to read on a terminal\n");
        return exit_usage;
    }
    if (output_ == "-" && report_) {
        print_text(stderr, "sanscope: --report: standard output is taken by -w -\n");
        return exit_usage;
    }
    if (output_ == "-" && !metrics_.empty()) {
        print_text(stderr, "sanscope: --metrics: of -w - there is no file that could be analysed here\n");
        return exit_usage;
    }
    say_what_is_kept(*made);
    return report_ || !metrics_.empty() ? record_and_analyse(*made) : record(*made);
}

Result<std::optional<ListenAddress>> CaptureCommand::metrics_address() const {
    if (metrics_.empty()) return std::optional<ListenAddress>();
    const auto address = parse_listen_address(metrics_);
    if (!address) return Error{"--metrics: " + address.error().message};
    if (!address->is_loopback && !metrics_anywhere_) {
        return Error{fmt::format(
            "--metrics {}: other hosts reach that address, and could read there which initiators use "
            "which targets, and how much; with --metrics-anywhere they may",
            address->text())};
    }
    return std::optional(*address);
}

ExitStatus CaptureCommand::record_and_analyse(const v1::RecordingRequest& request) const {
    using Clock = std::chrono::steady_clock;
    const auto address = metrics_address();
    if (!address) {
        print_text(stderr, "sanscope: {}\n", address.error().message);
        return exit_usage;
    }
    const auto failed = [](const Error& error) {
        print_text(stderr, "sanscope: {}\n", error.message);
        return exit_nothing_analysed;
    };
    // Before anything is recorded; the server itself begins when the rights are gone.
    if (*address) {
        if (const auto can = MetricsServer::check(**address); !can)
            return failed({"--metrics: " + can.error().message});
    }
    const InterruptHandler handler;
    auto recording = Recording::start(request, {.program = {}, .remote = remote()});
    if (!recording) return failed(recording.error());
    std::unique_ptr<LiveMetrics> metrics;
    if (*address) {
        // Whoever answers others holds no rights, under sudo neither.
        if (const auto gave = Rights().give_up(); !gave) return failed(gave.error());
        auto started = LiveMetrics::start(**address, request);
        if (!started) return failed({"--metrics: " + started.error().message});
        metrics = std::move(*started);
        if (!quiet_) print_text(stderr, "Metrics: http://{}/metrics\n", metrics->address().text());
    }
    // Errors are printed once the screen is given back.
    std::vector<v1::RecordingEvent> to_report;
    Watcher watcher(request, quiet_);
    LiveReport report(metrics != nullptr);
    bool begun = false;
    {
        std::optional<TerminalScreen> screen;
        const auto begin = Clock::now();
        auto drawn = begin - refresh;
        while ((*recording)->poll(milliseconds(100), [&](const v1::RecordingEvent& event) {
            begun = begun || event.has_started();
            report.take(event);
            if (metrics) metrics->take(event);
            if (report_ && begun && ::isatty(STDOUT_FILENO) == 1 && !screen && !quiet_) {
                screen.emplace(STDOUT_FILENO);
                watcher.leave_line();
            }
            if (screen && !event.has_progress()) {
                to_report.push_back(event);
            } else {
                watcher.take(event);
            }
        })) {
            if (InterruptHandler::interrupted) (*recording)->stop();
            if (metrics && begun) metrics->publish(report);
            if (!screen || Clock::now() - drawn < refresh) continue;
            drawn = Clock::now();
            const TerminalScreen::Size size = screen->size();
            std::vector<std::string> lines{
                fmt::format("{}   {}   {}   Ctrl-C ends it", fmt::join(request.interfaces(), ", "),
                            human_duration(std::chrono::nanoseconds(drawn - begin).count()), watcher.line())};
            for (std::string& line : lines) line.resize(std::min(line.size(), size.columns));
            lines.emplace_back();
            const size_t room = size.lines > lines.size() ? size.lines - lines.size() : 0;
            for (std::string& line : report.screen({size.columns, room})) lines.push_back(std::move(line));
            screen->draw(lines);
        }
    }
    for (const v1::RecordingEvent& event : to_report) watcher.take(event);
    if (report_ && begun) print_text(stdout, "{}", report.finish());
    return watcher.status();
}

ExitStatus CaptureCommand::record(const v1::RecordingRequest& request) const {
    const InterruptHandler handler;
    auto recording = Recording::start(
        request,
        {.program = {}, .output_descriptor = output_ == "-" ? STDOUT_FILENO : -1, .remote = remote()});
    if (!recording) {
        print_text(stderr, "sanscope: {}\n", recording.error().message);
        return exit_nothing_analysed;
    }
    Watcher watcher(request, quiet_);
    while ((*recording)->poll(milliseconds(200), [&](const v1::RecordingEvent& event) {
        watcher.take(event);
    })) {
        if (InterruptHandler::interrupted) (*recording)->stop();
    }
    return watcher.status();
}

}  // namespace sanscope

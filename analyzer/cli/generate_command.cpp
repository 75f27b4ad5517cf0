// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/generate_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <iostream>
#include <map>
#include <memory>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "captures/generator/discovery.h"
#include "captures/generator/load_report.h"
#include "captures/generator/lun_content.h"
#include "captures/generator/secret.h"
#include "captures/generator/write_permission.h"

#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/cli/load_recording.h"
#include "analyzer/export/file_sink.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

using std::chrono::milliseconds;

constexpr double ns_per_second = 1e9;
constexpr double default_duration = 10;
constexpr milliseconds between_looks{50};
constexpr unsigned most_sessions = 1000;

int64_t to_ns(double seconds) {
    return std::llround(seconds * ns_per_second);
}

// Seconds unless a unit says otherwise.
CLI::AsNumberWithUnit as_duration() {
    return CLI::AsNumberWithUnit(
        std::map<std::string, double>{{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}});
}

// The random format of RFC 7143 §11.12.5: sessions of another run are others. The qualifier, the last 16 bits, is left 0.
uint64_t random_isid() {
    constexpr uint64_t random_format = 0x800000000000;
    uint32_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random) random = static_cast<uint32_t>(::getpid());
    return random_format | uint64_t{random & 0xffffff} << 16;
}

std::string own_name() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) return "iqn.2026-11.org.sanscope:generator";
    std::string name;
    for (const char c : std::string_view(host.data())) {
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        const bool plain =
            (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9') || lower == '-' || lower == '.';
        name += plain ? lower : '-';
    }
    return "iqn.2026-11.org.sanscope:" + (name.empty() ? "generator" : name);
}

void tell(std::string_view what) {
    fmt::print(stderr, "sanscope: {}\n", what);
}

// The interface through which the kernel sends to the target.
std::string interface_towards(const SocketAddress& address) {
    const FileDescriptor socket(::socket(address.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &length) != 0) {
        return "any";
    }
    const std::string wanted = host_text({.storage = own, .length = length});
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return "any";
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owned(list, ::freeifaddrs);
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != own.ss_family) continue;
        SocketAddress its;
        its.length = own.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
        std::memcpy(&its.storage, one->ifa_addr, its.length);
        if (host_text(its) == wanted) return one->ifa_name;
    }
    // An address of this host's own is reached through the loopback interface.
    return "any";
}

}  // namespace

void GenerateCommand::add_to(CLI::App& app) {
    const CLI::AsSizeValue as_size(false);
    command_ = app.add_subcommand("generate", "Put a load of reads on iSCSI targets");
    command_->add_option("URL", urls_, "iscsi://[USER@]HOST[:PORT]/NAME/LUN; several are striped like RAID-0")
        ->required();
    command_->add_flag("--discover", discover_,
                       "Only list what is there: the targets of iscsi://HOST, the LUNs of iscsi://HOST/NAME");

    command_
        ->add_option("--pdu-size", pdu_size_,
                     "MaxRecvDataSegmentLength: data that the target may put in one PDU")
        ->transform(as_size)
        ->capture_default_str()
        ->group("Sizes");
    command_->add_option("--request-size", request_size_, "Data of a command")
        ->transform(as_size)
        ->capture_default_str()
        ->group("Sizes");
    command_->add_option("--stripe", stripe_, "Data on one target before the next one; 0: as --request-size")
        ->transform(as_size)
        ->group("Sizes");

    command_->add_option("-q,--queue-depth", queue_depth_, "Commands at once on each connection")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str()
        ->group("At once");
    command_->add_option("--connections", connections_, "Of each session, where the target allows several")
        ->check(CLI::Range(1, 64))
        ->capture_default_str()
        ->group("At once");
    command_->add_option("--sessions", sessions_, "With each target")
        ->check(CLI::Range(1u, most_sessions))
        ->capture_default_str()
        ->group("At once");
    command_->add_option("--threads", threads_, "0: one a processor, as far as there are sessions")
        ->group("At once");

    command_->add_option("--pattern", pattern_, "Which blocks")
        ->check(CLI::IsMember({"sequential", "random", "zipf", "trace"}))
        ->capture_default_str()
        ->group("Which commands, and when");
    command_
        ->add_option("--trace", trace_files_,
                     "With --pattern trace: captures, whose commands are sent at their own times")
        ->allow_extra_args(false)
        ->group("Which commands, and when");
    command_->add_option("--speed", speed_, "… so many times as fast")
        ->check(CLI::PositiveNumber)
        ->group("Which commands, and when");
    command_->add_option("--zipf-theta", zipf_theta_, "How uneven: 0.99 is a cache's workload")
        ->capture_default_str()
        ->group("Which commands, and when");
    command_->add_option("--read-percent", read_percent_, "Below 100 needs --allow-writes")
        ->check(CLI::Range(0, 100))
        ->capture_default_str()
        ->group("Which commands, and when");
    command_->add_option("--seed", seed_, "The same seed, the same commands")
        ->group("Which commands, and when");
    command_
        ->add_option("--rate", rate_, "Commands a second, sent at their own times however slow the answers")
        ->check(CLI::NonNegativeNumber)
        ->group("Which commands, and when");
    command_->add_option("--think-time", think_time_, "Between an answer and the next command")
        ->transform(as_duration())
        ->group("Which commands, and when");
    command_->add_option("--burst", burst_, "Commands of a burst")->group("Which commands, and when");
    command_->add_option("--burst-pause", burst_pause_, "Between bursts")
        ->transform(as_duration())
        ->group("Which commands, and when");

    command_->add_option("--duration", duration_, "Ends after so long; without any end, after 10 s")
        ->transform(as_duration())
        ->group("Its end");
    command_->add_option("--bytes", bytes_, "Ends after so much data")->transform(as_size)->group("Its end");
    command_->add_option("--commands", commands_, "Ends after so many commands")->group("Its end");
    command_->add_option("--timeout", timeout_, "How long an answer may take before the command is aborted")
        ->transform(as_duration())
        ->check(CLI::PositiveNumber)
        ->group("Its end");
    command_->add_option("--reconnect", reconnections_, "Attempts when a connection was lost")
        ->capture_default_str()
        ->group("Its end");

    command_->add_option("--initiator-name", initiator_name_, "By default iqn.2026-11.org.sanscope:HOST")
        ->group("Login");
    command_
        ->add_option("--secret-file", secret_file_,
                     "Its first line is USER's CHAP secret; without it you are asked")
        ->group("Login");
    command_->add_option("--mutual-user", mutual_user_, "The target is to prove itself too, as this")
        ->group("Login");
    command_->add_option("--mutual-secret-file", mutual_secret_file_, "By this secret")->group("Login");
    command_->add_option("--max-burst", max_burst_, "MaxBurstLength")->transform(as_size)->group("Login");
    command_->add_option("--first-burst", first_burst_, "FirstBurstLength")
        ->transform(as_size)
        ->group("Login");
    command_->add_flag("--initial-r2t", initial_r2t_, "InitialR2T=Yes")->group("Login");
    command_->add_flag("--no-immediate-data", no_immediate_data_, "ImmediateData=No")->group("Login");
    command_->add_option("--max-outstanding-r2t", max_outstanding_r2t_, "MaxOutstandingR2T")
        ->check(CLI::Range(1, 65535))
        ->group("Login");
    command_
        ->add_option("--header-digest", header_digest_,
                     "HeaderDigest: None, CRC32C, or both in order of preference")
        ->check(CLI::IsMember({"None", "CRC32C", "CRC32C,None", "None,CRC32C"}))
        ->group("Login");
    command_->add_option("--data-digest", data_digest_, "DataDigest, likewise")
        ->check(CLI::IsMember({"None", "CRC32C", "CRC32C,None", "None,CRC32C"}))
        ->group("Login");

    command_
        ->add_option("--tcp-congestion", tcp_.congestion_control,
                     "TCP's congestion control: cubic, reno, bbr …")
        ->group("TCP");
    command_->add_option("--receive-buffer", receive_buffer_, "Of each socket: bounds the receive window")
        ->transform(as_size)
        ->group("TCP");
    command_->add_option("--send-buffer", send_buffer_, "Of each socket")->transform(as_size)->group("TCP");
    command_->add_option("--mss", tcp_.maximum_segment_size, "Data of a TCP segment at most")->group("TCP");

    command_
        ->add_option("--allow-writes", allow_writes_,
                     "Writes to the LUN of this serial number; its data are lost")
        ->allow_extra_args(false)
        ->group("Writes");
    command_->add_flag("--verify", verify_, "Write a pattern, read it back at once, and look at every byte")
        ->group("Writes");
    command_->add_flag("--really", really_, "… even if a partition table or a file system is on it")
        ->group("Writes");

    command_->add_flag("--json", json_, "The outcome as one JSON object")->group("Output");
    command_->add_option("--csv", csv_, "A row each second, into this file")->group("Output");
    command_->add_option("--log", log_, "A row each command, into this file")->group("Output");
    command_
        ->add_option("--capture", capture_,
                     "Record the load's packets into this file, and report on them in the end")
        ->group("Output");
    command_
        ->add_option("--capture-interface", capture_interface_,
                     "… from this interface; by default the one to the first target")
        ->group("Output");
    command_->add_option("--snapshot-length", snap_length_, "… so many bytes of each packet; 0: all")
        ->capture_default_str()
        ->group("Output");
    command_
        ->add_flag("--kernel-truth", kernel_truth_,
                   "… and what this host's kernel tells of its TCP connections")
        ->group("Output");
    command_->add_flag("--quiet", quiet_, "No lines while it runs")->group("Output");
    command_->footer(
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

bool GenerateCommand::chosen() const {
    return command_->parsed();
}

Result<std::monostate> GenerateCommand::check() const {
    constexpr uint64_t least_pdu = 512;
    constexpr uint64_t most_request = uint64_t{1} << 31;
    // 16 MiB, as people say, are one byte more than a PDU holds.
    if (pdu_size_ < least_pdu || pdu_size_ > max_data_segment_length + 1)
        return Error{fmt::format("--pdu-size {}: from 512 to 16777215 bytes", pdu_size_)};
    if (request_size_ == 0 || request_size_ > most_request)
        return Error{fmt::format("--request-size {}: from a block to 2 GiB", request_size_)};
    for (const uint64_t size : {max_burst_, first_burst_}) {
        if (size < least_pdu || size > max_data_segment_length + 1)
            return Error{fmt::format("a burst of {} bytes: from 512 to 16777215", size)};
    }
    if ((pattern_ == "trace") != !trace_files_.empty())
        return Error{"--pattern trace and --trace FILE belong together"};
    if (pattern_ == "trace" && (urls_.size() > 1 || verify_ || read_percent_ < 100))
        return Error{"a trace is for one target, and says itself what is read and written"};
    if (verify_ && read_percent_ < 100)
        return Error{"--verify reads what it writes: --read-percent has no meaning for it"};
    if ((kernel_truth_ || !capture_interface_.empty()) && capture_.empty())
        return Error{"where to? --capture FILE"};
    if (capture_ == "-") return Error{"--capture: a file; sanscope capture -w - writes to standard output"};
    if (writes() && allow_writes_.empty() && ::isatty(STDIN_FILENO) != 1) {
        return Error{
            "--read-percent: writes destroy what is on the LUN; --allow-writes SERIAL names the one that may "
            "be written to"};
    }
    for (const uint64_t size : {receive_buffer_, send_buffer_}) {
        if (size > INT32_MAX) return Error{"a socket's buffer has 2 GiB at most"};
    }
    return std::monostate{};
}

LoginOffer GenerateCommand::offer() const {
    const auto within = [](uint64_t size) {
        return static_cast<uint32_t>(std::min<uint64_t>(size, max_data_segment_length));
    };
    LoginOffer offer;
    offer.initiator_name = initiator_name_.empty() ? own_name() : initiator_name_;
    offer.isid = random_isid();
    offer.header_digest = header_digest_;
    offer.data_digest = data_digest_;
    offer.max_recv_data_segment_length = within(pdu_size_);
    offer.max_burst_length = within(max_burst_);
    offer.first_burst_length = std::min(within(first_burst_), within(max_burst_));
    offer.initial_r2t = initial_r2t_;
    offer.immediate_data = !no_immediate_data_;
    offer.max_outstanding_r2t = max_outstanding_r2t_;
    offer.max_connections = connections_;
    return offer;
}

TcpSettings GenerateCommand::tcp() const {
    TcpSettings tcp = tcp_;
    tcp.receive_buffer = static_cast<int>(receive_buffer_);
    tcp.send_buffer = static_cast<int>(send_buffer_);
    return tcp;
}

milliseconds GenerateCommand::patience() const {
    return milliseconds(std::max<int64_t>(std::llround(timeout_ * 1000), 1));
}

Result<ChapCredentials> GenerateCommand::credentials(const std::string& user) const {
    ChapCredentials credentials{.initiator = {.name = user, .secret = {}}, .target = std::nullopt};
    const auto from_file = [](const std::string& path) -> Result<Secret> {
        auto secret = read_secret_file(path);
        if (!secret) return Error{fmt::format("{}: {}", path, secret.error().message)};
        return secret;
    };
    auto secret =
        secret_file_.empty() ? ask_secret(fmt::format("CHAP secret of {}: ", user)) : from_file(secret_file_);
    if (!secret) return secret.error();
    if (const auto weak = weakness_of(*secret)) tell(*weak);
    credentials.initiator.secret = std::move(*secret);
    if (!mutual_user_.empty() || !mutual_secret_file_.empty()) {
        auto theirs = mutual_secret_file_.empty()
                          ? ask_secret(fmt::format("CHAP secret of the target, {}: ", mutual_user_))
                          : from_file(mutual_secret_file_);
        if (!theirs) return theirs.error();
        credentials.target = ChapAccount{.name = mutual_user_, .secret = std::move(*theirs)};
    }
    return credentials;
}

ExitStatus GenerateCommand::list(const TargetUrl& url, const LoginOffer& offer) const {
    const auto addresses = resolve(url.portal.host, url.portal.port);
    if (!addresses) {
        tell(addresses.error().message);
        return exit_nothing_analysed;
    }
    if (url.target_name.empty()) {
        const auto targets = discover(*addresses, tcp(), offer, patience());
        if (!targets) {
            tell(fmt::format("{}: {}", target_portal_text(url.portal), targets.error().message));
            return exit_nothing_analysed;
        }
        for (const DiscoveredTarget& target : *targets) {
            if (target.portals.empty())
                fmt::print("iscsi://{}/{}\n", target_portal_text(url.portal), target.name);
            for (TargetPortal portal : target.portals) {
                portal.group.reset();
                fmt::print("iscsi://{}/{}\n", target_portal_text(portal), target.name);
            }
        }
        if (targets->empty()) tell("the portal has no targets for this initiator");
        return exit_all_analysed;
    }
    auto client = TargetClient::log_in(*addresses, tcp(), offer, {.patience = patience()});
    if (!client) {
        tell(fmt::format("{}: {}", url.target_name, client.error().message));
        return exit_nothing_analysed;
    }
    const auto luns = list_luns(*client);
    if (!luns) {
        tell(fmt::format("{}: REPORT LUNS: {}", url.target_name, luns.error().message));
        return exit_nothing_analysed;
    }
    for (const uint64_t field : *luns) {
        const auto facts = probe_lun(*client, field);
        fmt::print("iscsi://{}/{}/{}", target_portal_text(url.portal), url.target_name, lun_number(field));
        if (facts) {
            fmt::print("  {}, {} blocks of {} bytes, {} {}, serial number {}\n",
                       human_binary_bytes(facts->capacity.bytes()), facts->capacity.blocks,
                       facts->capacity.block_length, facts->inquiry.vendor, facts->inquiry.product,
                       facts->serial_number.empty() ? "not told" : facts->serial_number);
        } else {
            fmt::print("  {}\n", facts.error().message);
        }
    }
    client->log_out();
    return exit_all_analysed;
}

Result<std::monostate> GenerateCommand::permit_writes(TargetClient& client, const LoadTarget& target,
                                                      const LunFacts& facts) const {
    auto ends = read_ends(client, target.lun_field, facts.capacity, lun_beginning_bytes, lun_end_bytes);
    if (!ends) return Error{fmt::format("what is on it cannot be read: {}", ends.error().message)};
    auto content = lun_content({.size = facts.capacity.bytes(),
                                .block_size = facts.capacity.block_length,
                                .beginning = ends->first,
                                .end = ends->last});
    if (!content) return content.error();
    AskUser ask;
    if (::isatty(STDIN_FILENO) == 1) {
        ask = [](const std::string& question) -> std::optional<std::string> {
            fmt::print(stderr, "{} ", question);
            std::string answer;
            if (!std::getline(std::cin, answer)) return std::nullopt;
            return answer;
        };
    }
    return write_permission({.allowed_serials = allow_writes_, .really = really_},
                            {.name = target.name, .serial = facts.serial_number, .content = *content}, ask);
}

Result<LoadTarget> GenerateCommand::prepare(const TargetUrl& url, LoginOffer offer) const {
    LoadTarget target;
    target.name = fmt::format("{}/{}", url.target_name, url.lun.value_or(0));
    target.lun_field = lun_field_of(url.lun.value_or(0));
    target.offer = std::move(offer);
    auto addresses = resolve(url.portal.host, url.portal.port);
    if (!addresses) return addresses.error();
    target.addresses = std::move(*addresses);
    const auto of_target = [&](const Error& error) {
        return Error{fmt::format("{}: {}", target.name, error.message)};
    };
    auto client = TargetClient::log_in(target.addresses, tcp(), target.offer,
                                       {.patience = patience(), .stop = &InterruptHandler::interrupted});
    if (!client) return of_target(client.error());
    const auto facts = probe_lun(*client, target.lun_field);
    if (!facts) return of_target(facts.error());
    target.capacity = facts->capacity;
    if (writes() || (!trace_files_.empty() && !allow_writes_.empty())) {
        if (auto permitted = permit_writes(*client, target, *facts); !permitted) return permitted.error();
    }
    client->log_out();
    if (!quiet_) {
        fmt::print(stderr, "{}: {} {}, {}, serial number {}\n", target.name, facts->inquiry.vendor,
                   facts->inquiry.product, human_binary_bytes(target.capacity.bytes()),
                   facts->serial_number.empty() ? "not told" : facts->serial_number);
    }
    return target;
}

ExitStatus GenerateCommand::run() const {
    if (auto checked = check(); !checked) {
        tell(checked.error().message);
        return exit_usage;
    }
    std::vector<TargetUrl> urls;
    for (const std::string& text : urls_) {
        auto url = read_target_url(text);
        if (!url) {
            tell(url.error().message);
            return exit_usage;
        }
        if (!discover_ && (url->target_name.empty() || !url->lun)) {
            tell(fmt::format("{}: which LUN? iscsi://HOST/NAME/LUN; --discover lists what is there", text));
            return exit_usage;
        }
        urls.push_back(std::move(*url));
    }
    const InterruptHandler handler(InterruptHandler::Endures::two);
    LoadPlan plan;
    ExitStatus listed = exit_all_analysed;
    for (size_t i = 0; i < urls.size(); ++i) {
        LoginOffer its_offer = offer();
        its_offer.target_name = urls[i].target_name;
        its_offer.isid += i * most_sessions;
        if (!urls[i].user.empty()) {
            auto chap = credentials(urls[i].user);
            if (!chap) {
                tell(chap.error().message);
                return exit_nothing_analysed;
            }
            its_offer.chap = std::move(*chap);
        }
        if (discover_) {
            listed = std::max(listed, list(urls[i], its_offer));
            continue;
        }
        auto target = prepare(urls[i], std::move(its_offer));
        if (!target) {
            tell(target.error().message);
            return exit_nothing_analysed;
        }
        plan.targets.push_back(std::move(*target));
    }
    if (discover_) return listed;

    using Pattern = WorkloadOptions::Pattern;
    plan.workload = {.pattern = pattern_ == "random" ? Pattern::random
                                : pattern_ == "zipf" ? Pattern::zipf
                                                     : Pattern::sequential,
                     .request_bytes = request_size_,
                     .read_percent = read_percent_,
                     .zipf_theta = zipf_theta_,
                     .stripe_bytes = stripe_,
                     .seed = seed_};
    plan.pacing = {.rate = rate_,
                   .think_time_ns = to_ns(think_time_),
                   .burst = burst_,
                   .burst_pause_ns = to_ns(burst_pause_)};
    plan.tcp = tcp();
    plan.sessions = sessions_;
    plan.connections = connections_;
    plan.queue_depth = queue_depth_;
    plan.threads = threads_ == 0 ? std::max(std::thread::hardware_concurrency(), 1u) : threads_;
    const bool has_end = duration_ || bytes_ > 0 || commands_ > 0;
    plan.duration_ns = to_ns(duration_.value_or(has_end ? 0 : default_duration));
    plan.most_bytes = bytes_;
    plan.most_commands = commands_;
    plan.patience_ns = to_ns(timeout_);
    plan.reconnections = reconnections_;
    plan.verify = verify_;
    if (!trace_files_.empty()) {
        if (auto taken = take_trace(plan); !taken) {
            tell(taken.error().message);
            return exit_nothing_analysed;
        }
        if (!has_end) plan.duration_ns = 0;
    }
    return put_load(std::move(plan), urls);
}

Result<std::monostate> GenerateCommand::take_trace(LoadPlan& plan) const {
    const Capacity& capacity = plan.targets.front().capacity;
    auto trace = load_trace(
        trace_files_,
        {.speed = speed_, .lun = {.blocks = capacity.blocks, .block_size = capacity.block_length}});
    if (!trace) return trace.error();
    if (const std::string told = trace->told(); !told.empty()) tell(told);
    if (allow_writes_.empty()) {
        const size_t writes =
            std::erase_if(trace->commands, [](const TraceCommand& command) { return command.write; });
        if (writes > 0) {
            tell(fmt::format("{} writes of the trace are left out; --allow-writes SERIAL lets them be sent",
                             writes));
        }
    }
    if (trace->commands.empty()) return Error{"the trace has nothing that may be sent"};
    plan.trace = std::make_shared<const std::vector<TraceCommand>>(std::move(trace->commands));
    return std::monostate{};
}

v1::RecordingRequest GenerateCommand::recording_request(const std::vector<TargetUrl>& urls,
                                                        const LoadPlan& plan) const {
    v1::RecordingRequest request;
    request.add_interfaces(capture_interface_.empty()
                               ? interface_towards(plan.targets.front().addresses.front())
                               : capture_interface_);
    std::vector<std::string> parts;
    for (size_t i = 0; i < urls.size(); ++i) {
        for (const SocketAddress& address : plan.targets[i].addresses) {
            parts.push_back(
                fmt::format("(host {} and tcp port {})", host_text(address), urls[i].portal.port));
        }
    }
    request.set_filter(fmt::format("{}", fmt::join(parts, " or ")));
    request.set_snap_length(snap_length_);
    request.set_kernel_truth(kernel_truth_);
    request.set_path(capture_);
    return request;
}

ExitStatus GenerateCommand::put_load(LoadPlan plan, const std::vector<TargetUrl>& urls) const {
    using Clock = std::chrono::steady_clock;
    std::unique_ptr<CommandLog> log;
    if (!log_.empty()) {
        auto created = CommandLog::create(log_);
        if (!created) {
            tell(created.error().message);
            return exit_nothing_analysed;
        }
        log = std::move(*created);
        plan.log = log.get();
    }
    std::unique_ptr<LoadRecording> recording;
    if (!capture_.empty()) {
        auto begun = LoadRecording::begin(recording_request(urls, plan));
        if (!begun) {
            tell(begun.error().message);
            return exit_nothing_analysed;
        }
        recording = std::move(*begun);
    }
    std::unique_ptr<FileSink> csv;
    const auto write_csv = [&](std::string_view text) {
        return !csv || csv->write(std::span(text.data(), text.size()));
    };
    if (!csv_.empty()) {
        auto sink = FileSink::create(csv_);
        if (!sink) {
            tell(sink.error().message);
            return exit_nothing_analysed;
        }
        csv = std::make_unique<FileSink>(std::move(*sink));
        write_csv(load_csv_header());
    }
    auto load = Load::create(std::move(plan));
    if (!load) {
        tell(load.error().message);
        return exit_usage;
    }
    (*load)->start();
    bool files_whole = true;
    LoadAccount before;
    auto next = Clock::now() + std::chrono::seconds(1);
    const auto tell_messages = [&] {
        for (const std::string& message : (*load)->messages()) tell(message);
    };
    while ((*load)->running()) {
        std::this_thread::sleep_for(between_looks);
        if (InterruptHandler::interrupted) (*load)->request_stop();
        if (InterruptHandler::interrupted_twice) (*load)->hurry();
        if (recording) recording->follow();
        tell_messages();
        if (Clock::now() < next - between_looks) continue;
        // A thread's part is handed out when it was asked for before.
        LoadAccount now = (*load)->account();
        if (Clock::now() < next || !(*load)->running()) continue;
        next += std::chrono::seconds(1);
        if (now.seconds() == 0) continue;
        const LoadAccount second = now.since(before);
        if (!quiet_) fmt::print(stderr, "{}\n", running_line(second, now.seconds(), now.in_flight()));
        if (!write_csv(load_csv_row(second, now.seconds(), now.in_flight()))) {
            tell(fmt::format("{}: {}", csv_, csv->error()->message));
            (*load)->request_stop();
            files_whole = false;
            csv.reset();
        }
        before = std::move(now);
    }
    (*load)->join();
    tell_messages();
    if (csv && !csv->close()) {
        tell(fmt::format("{}: {}", csv_, csv->error()->message));
        files_whole = false;
    }
    if (log) {
        if (auto closed = log->close(); !closed) {
            tell(fmt::format("{}: {}", log_, closed.error().message));
            files_whole = false;
        }
    }
    ExitStatus status = summarise(**load);
    if (!files_whole) status = std::max(status, exit_input_damaged);
    if (!recording) return status;
    const std::string report = recording->end();
    // Standard output is the JSON object's.
    fmt::print(json_ ? stderr : stdout, "\n{}", report);
    return recording->whole() ? status : std::max(status, exit_input_damaged);
}

ExitStatus GenerateCommand::summarise(Load& load) const {
    LoadSummary summary{.account = load.account(),
                        .negotiated = load.outcome().value_or(LoginOutcome{}),
                        .targets = urls_,
                        .sessions = sessions_,
                        .connections = sessions_ * connections_,
                        .queue_depth = sessions_ * connections_ * queue_depth_,
                        .request_bytes = request_size_,
                        .at_a_rate = rate_ > 0};
    FileSink out(STDOUT_FILENO);
    if (json_) {
        if (!write_load_json(summary, out)) tell(out.error()->message);
    } else {
        fmt::print("{}", load_text(summary));
    }
    if (summary.account.failed() > 0) {
        tell(fmt::format("{} of {} commands failed: {}", summary.account.failed(), summary.account.sent(),
                         failures_text(summary.account)));
    }
    if (summary.account.sent() == 0) return exit_nothing_analysed;
    return summary.account.failed() > 0 || load.lost_a_session() ? exit_input_damaged : exit_all_analysed;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/generate_login.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/core.h>
#include <string_view>
#include <sys/random.h>
#include <unistd.h>
#include <utility>

namespace sanscope {
namespace {

// The random format of RFC 7143 §11.12.5: sessions of another run are others. The qualifier, the last 16 bits, is left
// 0.
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

Result<Secret> from_file(const std::string& path) {
    auto secret = read_secret_file(path);
    if (!secret) return Error{fmt::format("{}: {}", path, secret.error().message)};
    return secret;
}

Result<Secret> from_standard_input(std::optional<Secret>& line) {
    if (!line) {
        auto secret = read_secret_line(STDIN_FILENO);
        if (!secret) return Error{fmt::format("standard input: {}", secret.error().message)};
        line = std::move(*secret);
    }
    return *line;
}

}  // namespace

LoginOffer login_offer(const GenerateOptions& options) {
    const auto within = [](uint64_t size) {
        return static_cast<uint32_t>(std::min<uint64_t>(size, max_data_segment_length));
    };
    LoginOffer offer;
    offer.initiator_name = options.initiator_name.empty() ? own_name() : options.initiator_name;
    offer.isid = random_isid();
    offer.header_digest = options.header_digest;
    offer.data_digest = options.data_digest;
    offer.max_recv_data_segment_length = within(options.pdu_size);
    offer.max_burst_length = within(options.max_burst);
    offer.first_burst_length = std::min(within(options.first_burst), within(options.max_burst));
    offer.initial_r2t = options.initial_r2t;
    offer.immediate_data = !options.no_immediate_data;
    offer.max_outstanding_r2t = options.max_outstanding_r2t;
    offer.max_connections = options.connections;
    return offer;
}

std::chrono::milliseconds login_patience(const GenerateOptions& options) {
    return std::chrono::milliseconds(std::max<int64_t>(std::llround(options.timeout * 1000), 1));
}

Result<Secret> ChapSecrets::initiators(const std::string& user) {
    if (options_.secret_file.empty()) return ask_secret(fmt::format("CHAP secret of {}: ", user));
    if (options_.secret_file == "-") return from_standard_input(initiators_line_);
    return from_file(options_.secret_file);
}

Result<Secret> ChapSecrets::targets() {
    if (options_.mutual_secret_file.empty())
        return ask_secret(fmt::format("CHAP secret of the target, {}: ", options_.mutual_user));
    if (options_.mutual_secret_file == "-") return from_standard_input(targets_line_);
    return from_file(options_.mutual_secret_file);
}

Result<ChapCredentials> ChapSecrets::of(const std::string& user) {
    ChapCredentials credentials;
    credentials.initiator.name = user;
    if (!options_.chap_algorithms.empty()) {
        auto algorithms = parse_chap_algorithms(options_.chap_algorithms);
        if (!algorithms) return algorithms.error();
        credentials.algorithms = std::move(*algorithms);
    }
    auto secret = initiators(user);
    if (!secret) return secret.error();
    credentials.initiator.secret = std::move(*secret);
    if (!options_.mutual_user.empty() || !options_.mutual_secret_file.empty()) {
        auto theirs = targets();
        if (!theirs) return theirs.error();
        credentials.target = ChapAccount{.name = options_.mutual_user, .secret = std::move(*theirs)};
    }
    return credentials;
}

}  // namespace sanscope

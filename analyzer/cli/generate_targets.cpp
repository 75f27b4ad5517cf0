// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/generate_targets.h"

#include <cstdio>
#include <fmt/core.h>
#include <iostream>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <variant>

#include "captures/iscsi_peer/initiator/lun_probe.h"
#include "captures/iscsi_peer/initiator/target_client.h"
#include "captures/iscsi_peer/initiator/write_permission.h"

#include "analyzer/base/print_text.h"
#include "analyzer/cli/generate_login.h"
#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

Result<std::monostate> permit_writes(const GenerateOptions& options, TargetClient& client,
                                     const LoadTarget& target, const LunFacts& facts) {
    auto content = probe_content(client, target.lun_field, facts.capacity);
    if (!content) return content.error();
    AskUser ask;
    if (::isatty(STDIN_FILENO) == 1) {
        ask = [](const std::string& question) -> std::optional<std::string> {
            print_text(stderr, "{} ", question);
            std::string answer;
            if (!std::getline(std::cin, answer)) return std::nullopt;
            return answer;
        };
    }
    return write_permission({.allowed_serials = options.allow_writes, .really = options.really},
                            {.name = target.name, .serial = facts.serial_number, .content = *content}, ask);
}

}  // namespace

Result<LoadTarget> prepare_target(const GenerateOptions& options, const TargetUrl& url, LoginOffer offer) {
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
    auto client =
        TargetClient::log_in(target.addresses, options.tcp.settings(), target.offer,
                             {.patience = login_patience(options), .stop = &InterruptHandler::interrupted});
    if (!client) return of_target(client.error());
    const auto facts = probe_lun(*client, target.lun_field);
    if (!facts) return of_target(facts.error());
    target.capacity = facts->capacity;
    if (options.writes() || (!options.trace_files.empty() && !options.allow_writes.empty())) {
        if (auto permitted = permit_writes(options, *client, target, *facts); !permitted)
            return permitted.error();
    }
    client->log_out();
    if (!options.silent()) {
        print_text(stderr, "{}: {} {}, {}, serial number {}\n", target.name, facts->inquiry.vendor,
                   facts->inquiry.product, human_binary_bytes(target.capacity.bytes()),
                   facts->serial_number.empty() ? "not told" : facts->serial_number);
    }
    return target;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/generate_listing.h"

#include <cstdio>
#include <fmt/core.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "captures/iscsi_peer/initiator/discovery.h"
#include "captures/iscsi_peer/initiator/lun_probe.h"
#include "captures/iscsi_peer/initiator/portal_packets.h"
#include "captures/iscsi_peer/initiator/target_client.h"
#include "captures/load/json_object.h"

#include "analyzer/base/print_text.h"
#include "analyzer/cli/error_message.h"
#include "analyzer/cli/generate_login.h"
#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/export/block_writer.h"
#include "analyzer/export/file_sink.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

// One object in one line on standard output.
template <class Members>
void print_object(std::string_view kind, Members members) {
    FileSink sink(STDOUT_FILENO);
    BlockWriter out(sink);
    JsonObject object(out);
    object.text("kind", kind);
    members(object);
    object.end();
    out.append('\n');
    if (!out.finish() && sink.error() != nullptr) print_error(sink.error()->message);
}

void print_target(const GenerateOptions& options, const std::string& name, const std::string& url) {
    if (!options.json) {
        print_text(stdout, "{}\n", url);
        return;
    }
    print_object("target", [&](JsonObject& object) {
        object.text("name", name);
        object.text("url", url);
    });
}

ExitStatus list_targets(const GenerateOptions& options, const TargetPortal& asked,
                        const std::vector<SocketAddress>& addresses, const LoginOffer& offer) {
    const auto targets = discover(addresses, options.tcp.settings(), offer, login_patience(options));
    if (!targets) {
        print_error(fmt::format("{}: {}", target_portal_text(asked), targets.error().message));
        return exit_nothing_analysed;
    }
    for (const DiscoveredTarget& target : *targets) {
        const auto print = [&](const TargetPortal& portal) {
            print_target(options, target.name,
                         fmt::format("iscsi://{}/{}", target_portal_text(portal), target.name));
        };
        if (target.portals.empty()) print(asked);
        for (TargetPortal portal : target.portals) {
            portal.group.reset();
            print(portal);
        }
    }
    if (targets->empty()) print_error("the portal has no targets for this initiator");
    return exit_all_analysed;
}

void print_lun(const std::string& url, const Result<LunFacts>& facts) {
    if (!facts) {
        print_text(stdout, "{}  {}\n", url, facts.error().message);
        return;
    }
    print_text(stdout, "{}  {}, {} blocks of {} bytes, {} {}, serial number {}\n", url,
               human_binary_bytes(facts->capacity.bytes()), facts->capacity.blocks,
               facts->capacity.block_length, facts->inquiry.vendor, facts->inquiry.product,
               facts->serial_number.empty() ? "not told" : facts->serial_number);
}

void print_lun_object(const std::string& url, uint64_t lun, const std::vector<SocketAddress>& addresses,
                      const Result<LunFacts>& facts, const Result<std::string>& content) {
    print_object("lun", [&](JsonObject& object) {
        object.text("url", url);
        object.number("lun", lun);
        if (facts) {
            object.number("bytes", facts->capacity.bytes());
            object.number("blocks", facts->capacity.blocks);
            object.number("block_length", uint64_t{facts->capacity.block_length});
            object.text("vendor", facts->inquiry.vendor);
            object.text("product", facts->inquiry.product);
            object.text("serial_number", facts->serial_number);
            object.text("content", content ? *content : content.error().message);
        } else {
            object.text("error", facts.error().message);
        }
        object.text("interface", interface_towards(addresses.front()));
        object.text("filter", capture_filter(addresses));
    });
}

ExitStatus list_units(const GenerateOptions& options, const TargetUrl& url,
                      const std::vector<SocketAddress>& addresses, const LoginOffer& offer) {
    auto client =
        TargetClient::log_in(addresses, options.tcp.settings(), offer,
                             {.patience = login_patience(options), .stop = &InterruptHandler::interrupted});
    if (!client) {
        print_error(fmt::format("{}: {}", url.target_name, client.error().message));
        return exit_nothing_analysed;
    }
    const auto luns = list_luns(*client);
    if (!luns) {
        print_error(fmt::format("{}: REPORT LUNS: {}", url.target_name, luns.error().message));
        return exit_nothing_analysed;
    }
    for (const uint64_t field : *luns) {
        const uint64_t lun = lun_number(field);
        const std::string lun_url =
            fmt::format("iscsi://{}/{}/{}", target_portal_text(url.portal), url.target_name, lun);
        const auto facts = probe_lun(*client, field);
        if (!options.json) {
            print_lun(lun_url, facts);
            continue;
        }
        const auto content =
            facts ? probe_content(*client, field, facts->capacity) : Result<std::string>(std::string());
        print_lun_object(lun_url, lun, addresses, facts, content);
    }
    client->log_out();
    return exit_all_analysed;
}

}  // namespace

ExitStatus list_what_is_there(const GenerateOptions& options, const TargetUrl& url, const LoginOffer& offer) {
    const auto addresses = resolve(url.portal.host, url.portal.port);
    if (!addresses) {
        print_error(addresses.error().message);
        return exit_nothing_analysed;
    }
    if (url.target_name.empty()) return list_targets(options, url.portal, *addresses, offer);
    return list_units(options, url, *addresses, offer);
}

}  // namespace sanscope

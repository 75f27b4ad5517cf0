// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/send_targets.h"

#include <fmt/core.h>
#include <utility>

#include "captures/iscsi_peer/login/iscsi_name.h"

#include "analyzer/base/utf8.h"
#include "analyzer/iscsi/pdu_codes.h"

namespace sanscope {
namespace {

constexpr size_t most_text = 4'194'304;  // bytes
constexpr unsigned most_requests = 4096;
constexpr size_t most_targets = 65536;  // and as many portals

std::string logout_response_text(uint8_t response) {
    switch (response) {
        case 1:
            return "the target knows no such connection";
        case 2:
            return "the target recovers no connections";
        case 3:
            return "the target could not clean up";
        default:
            return fmt::format("the target answered the logout with {}", response);
    }
}

}  // namespace

SendTargets::SendTargets(uint32_t cmd_sn, uint32_t exp_stat_sn, std::string_view which)
    : question_(write_text_keys({{"SendTargets", std::string(which)}})),
      cmd_sn_(cmd_sn),
      exp_stat_sn_(exp_stat_sn) {}

SendTargets::Request SendTargets::request() {
    ++requests_;
    if (stage_ != Stage::asks) {
        constexpr unsigned close_the_session = 0;
        BhsWriter header(Opcode::logout_request);
        header.immediate()
            .flags(pdu_flag::final | close_the_session)
            .itt(itt_)
            .cmd_sn(cmd_sn_)
            .exp_stat_sn(exp_stat_sn_);
        return {header, {}};
    }
    std::string data = std::exchange(question_, {});
    BhsWriter header(Opcode::text_request);
    header.immediate()
        .flags(pdu_flag::final)
        .data_segment_length(static_cast<uint32_t>(data.size()))
        .itt(itt_)
        .ttt(ttt_)
        .cmd_sn(cmd_sn_)
        .exp_stat_sn(exp_stat_sn_);
    return {header, std::move(data)};
}

Result<SendTargets::State> SendTargets::on_response(Bhs header, std::string_view data) {
    if (header.opcode() == Opcode::reject) {
        return Error{fmt::format("the target rejects {} (reason 0x{:02x})",
                                 answered() ? "the logout" : "the question for its targets",
                                 header.reject_reason())};
    }
    const Opcode expected = answered() ? Opcode::logout_response : Opcode::text_response;
    if (header.opcode() != expected || stage_ == Stage::done) {
        return Error{fmt::format("the target answered {} with opcode 0x{:02x}",
                                 answered() ? "the logout" : "the question for its targets",
                                 header.opcode_value())};
    }
    if (header.itt() != itt_) return Error{"the target answered a request that was not made"};
    exp_stat_sn_ = header.stat_sn().value + 1;
    if (stage_ == Stage::asks) return on_text_response(header, data);
    if (header.response() != 0) return Error{logout_response_text(header.response())};
    stage_ = Stage::done;
    return State::complete;
}

Result<SendTargets::State> SendTargets::on_text_response(Bhs header, std::string_view data) {
    text_ += data.size();
    if (text_ > most_text)
        return Error{fmt::format("the target told more than {} bytes of its targets", most_text)};
    if (requests_ >= most_requests)
        return Error{fmt::format("the target did not come to an end within {} requests", most_requests)};
    if (header.final() && (header.continues() || header.ttt() != reserved_tag))
        return Error{"the target's text goes on, and is said to be at its end"};
    if (!header.final() && header.ttt() == reserved_tag)
        return Error{"the target's text goes on, and it does not say how to ask for the rest"};
    pending_ += data;
    if (auto taken = take_pairs(!header.continues()); !taken) return taken.error();
    ttt_ = header.ttt();
    if (header.final()) {
        stage_ = Stage::logs_out;
        ++itt_;
    }
    return State::goes_on;
}

// The whole pairs of what was said; `last`: what follows the last zero byte is one too.
Result<std::monostate> SendTargets::take_pairs(bool last) {
    std::string_view left = pending_;
    while (!left.empty()) {
        const size_t zero = left.find('\0');
        if (zero == std::string_view::npos && !last) break;
        const std::string_view pair = left.substr(0, zero);
        const auto keys = read_text_keys(pair);
        if (!keys) return keys.error();
        for (const auto& [name, value] : *keys) {
            if (auto taken = take(name, value); !taken) return taken;
        }
        left.remove_prefix(zero == std::string_view::npos ? left.size() : zero + 1);
    }
    pending_.erase(0, pending_.size() - left.size());
    return std::monostate{};
}

Result<std::monostate> SendTargets::take(const std::string& name, const std::string& value) {
    if (name == "TargetName") {
        if (!is_name_text(value))
            return Error{fmt::format("the target names one as {}", cleaned_text(value))};
        if (targets_.size() == most_targets)
            return Error{fmt::format("there are more than {} targets", most_targets)};
        targets_.push_back({.name = value, .portals = {}});
    } else if (name == "TargetAddress") {
        if (targets_.empty()) return Error{"the target tells an address before the name that it belongs to"};
        if (++portals_ > most_targets)
            return Error{fmt::format("there are more than {} portals", most_targets)};
        auto portal = read_target_portal(value);
        if (!portal) return portal.error();
        targets_.back().portals.push_back(std::move(*portal));
    } else if (name == "SendTargets") {
        return Error{fmt::format("the target does not tell its targets: {}", cleaned_text(value))};
    }
    return std::monostate{};
}

}  // namespace sanscope

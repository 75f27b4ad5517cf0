// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/login/login_exchange.h"

#include <algorithm>
#include <fmt/core.h>
#include <optional>
#include <utility>

#include "captures/iscsi_peer/login/login_keys.h"

#include "analyzer/base/utf8.h"
#include "analyzer/iscsi/pdu_codes.h"

namespace sanscope {
namespace {

constexpr size_t most_text = 65536;
constexpr unsigned most_requests = 64;

struct DigestKey {
    std::string_view name;
    std::string LoginOffer::*offered;
    bool LoginOutcome::*outcome;
};

constexpr DigestKey digest_keys[] = {
    {login_key::header_digest.name, &LoginOffer::header_digest, &LoginOutcome::header_digest},
    {login_key::data_digest.name, &LoginOffer::data_digest, &LoginOutcome::data_digest},
};

Error makes_no_sense(const std::string& name, const std::string& value) {
    return {fmt::format("the target answered {}={}, which is not among what it was offered", name,
                        cleaned_text(value))};
}

}  // namespace

std::string login_status_text(uint8_t status_class, uint8_t status_detail) {
    const auto words = [&]() -> std::string_view {
        switch (status_class << 8 | status_detail) {
            case 0x0101:
                return "the target has moved for the time being";
            case 0x0102:
                return "the target has moved for good";
            case 0x0200:
                return "the target takes the request for wrong";
            case 0x0201:
                return "the target does not believe who this is: authentication failed";
            case 0x0202:
                return "the target does not let this initiator in";
            case 0x0203:
                return "the target does not exist there";
            case 0x0204:
                return "the target was removed";
            case 0x0205:
                return "the target speaks no version that this initiator does";
            case 0x0206:
                return "the session has as many connections as it may have";
            case 0x0207:
                return "the target misses a parameter";
            case 0x0208:
                return "the target does not include this connection in the session";
            case 0x0209:
                return "the target does not know this type of session";
            case 0x020a:
                return "the target knows no such session";
            case 0x020b:
                return "the target takes no login in this state";
            case 0x0300:
                return "the target has an error of its own";
            case 0x0301:
                return "the target is out of service";
            case 0x0302:
                return "the target is out of resources";
            default:
                break;
        }
        return status_class == 2 ? "the target refuses the initiator" : "the target cannot";
    }();
    return fmt::format("{} (status {}/{})", words, status_class, status_detail);
}

LoginExchange::LoginExchange(LoginOffer offer, uint32_t cmd_sn)
    : offer_(std::move(offer)),
      cmd_sn_(cmd_sn),
      tsih_(offer_.joined ? offer_.joined->tsih : uint16_t{0}),
      exp_cmd_sn_(cmd_sn),
      max_cmd_sn_(cmd_sn) {
    if (offer_.chap) chap_.emplace(std::move(*offer_.chap));
    offer_.chap.reset();
    if (offer_.joined) take_from_session(*offer_.joined, outcome_);
    outcome_.max_recv_data_segment_length_initiator = offer_.max_recv_data_segment_length;
}

std::string LoginExchange::first_keys() const {
    TextKeys keys = {{std::string(login_key::initiator_name.name), offer_.initiator_name}};
    if (!offer_.initiator_alias.empty())
        keys.emplace_back(login_key::initiator_alias.name, offer_.initiator_alias);
    if (may_say(login_key::session_type.name))
        keys.emplace_back(login_key::session_type.name, offer_.target_name.empty() ? "Discovery" : "Normal");
    if (!offer_.target_name.empty()) keys.emplace_back(login_key::target_name.name, offer_.target_name);
    keys.emplace_back(login_key::auth_method.name, !chap_ ? "None" : needs_chap() ? "CHAP" : "CHAP,None");
    return write_text_keys(keys);
}

bool LoginExchange::may_say(std::string_view name) const {
    if (offer_.joined) return !is_leading_only(name);
    if (!offer_.target_name.empty()) return true;
    // What a session without commands has no use for is irrelevant there (§13, "Irrelevant when").
    constexpr std::string_view of_discovery[] = {
        login_key::session_type.name,        login_key::header_digest.name,
        login_key::data_digest.name,         login_key::max_recv_data_segment_length.name,
        login_key::default_time2wait.name,   login_key::default_time2retain.name,
        login_key::error_recovery_level.name};
    return std::ranges::find(of_discovery, name) != std::end(of_discovery);
}

std::string LoginExchange::operational_keys() const {
    TextKeys keys;
    for (const DigestKey& key : digest_keys) keys.emplace_back(key.name, offer_.*key.offered);
    for (const LoginNumberKey& key : login_number_keys)
        keys.emplace_back(key.name, std::to_string(offer_.*key.offered));
    for (const LoginBoolKey& key : login_bool_keys)
        keys.emplace_back(key.name, login_bool_text(offer_.*key.offered));
    keys.emplace_back(login_key::data_pdu_in_order.name, "Yes");
    keys.emplace_back(login_key::data_sequence_in_order.name, "Yes");
    std::erase_if(keys, [this](const auto& key) { return !may_say(key.first); });
    return write_text_keys(keys);
}

// Where one side's value decides, the other need not answer it (§6.2.2).
void LoginExchange::take_what_is_decided() {
    for (const LoginBoolKey& key : login_bool_keys) {
        if (!may_say(key.name)) continue;
        if (const bool offered = offer_.*key.offered; key.decided_by(offered))
            outcome_.*key.outcome = offered;
    }
}

// Nothing more is to be said in the security stage.
bool LoginExchange::goes_on_from_security() const {
    return !chap_ || auth_method_ == "None" || (auth_method_ == "CHAP" && chap_->has_proved_itself());
}

LoginExchange::Request LoginExchange::request() {
    ++requests_;
    std::string data = std::exchange(answers_, {});
    chap_unsent_ = false;
    // While the target has more to say it is only let go on.
    if (!asked_ && !wants_more_) {
        data += stage_ == Stage::security ? first_keys() : operational_keys();
        if (stage_ == Stage::operational) take_what_is_decided();
        asked_ = true;
    }
    const auto current = static_cast<unsigned>(stage_);
    const auto next =
        static_cast<unsigned>(stage_ == Stage::security ? Stage::operational : Stage::full_feature);
    const bool goes_on = !wants_more_ && (stage_ != Stage::security || goes_on_from_security());
    const unsigned flags = current << 2 | (goes_on ? pdu_flag::transit | next : 0);
    BhsWriter header(Opcode::login_request);
    header.immediate()
        .flags(flags)
        .data_segment_length(static_cast<uint32_t>(data.size()))
        .isid(offer_.isid)
        .tsih(tsih_)
        .itt(0)
        .cid(offer_.cid)
        .cmd_sn(cmd_sn_)
        .exp_stat_sn(exp_stat_sn_);
    return {header, std::move(data)};
}

Result<LoginExchange::State> LoginExchange::on_response(Bhs header, std::string_view data) {
    if (header.opcode() != Opcode::login_response) {
        return Error{
            fmt::format("the target answered the login with opcode 0x{:02x}", header.opcode_value())};
    }
    exp_stat_sn_ = header.stat_sn().value + 1;
    exp_cmd_sn_ = header.exp_cmd_sn().value;
    max_cmd_sn_ = header.max_cmd_sn().value;
    if (header.status_class() > login_status_class::redirection)
        return Error{login_status_text(header.status_class(), header.status_detail())};
    if (pending_.size() + data.size() > most_text)
        return Error{fmt::format("the target answered with more than {} bytes of text", most_text)};
    if (requests_ >= most_requests)
        return Error{fmt::format("the login did not end within {} requests", most_requests)};
    pending_ += data;
    wants_more_ = header.continues();
    if (wants_more_) return State::goes_on;

    const auto keys = read_text_keys(std::exchange(pending_, {}));
    if (!keys) return keys.error();
    if (header.status_class() == login_status_class::redirection) {
        const std::string* const address = find_key(*keys, login_key::target_address.name);
        if (address == nullptr) {
            return Error{login_status_text(header.status_class(), header.status_detail()) +
                         ", and does not say whereto"};
        }
        target_address_ = *address;
        return State::redirected;
    }
    auto answers = take(*keys);
    if (!answers) return answers.error();
    answers_ = std::move(*answers);
    if (!header.transit()) return State::goes_on;
    if (header.current_stage() != static_cast<uint8_t>(stage_) ||
        header.next_stage() <= header.current_stage()) {
        return Error{fmt::format("the target goes from stage {} of the login to {}", header.current_stage(),
                                 header.next_stage())};
    }
    if (stage_ == Stage::security) {
        if (auto ended = end_security(); !ended) return ended.error();
    }
    answers_.clear();  // who goes on does not wait for them
    stage_ = Stage{header.next_stage()};
    asked_ = false;
    tsih_ = header.tsih();
    if (stage_ != Stage::full_feature) return State::goes_on;
    if (tsih_ == 0) return Error{"the target gave the session no handle"};
    outcome_.tsih = tsih_;
    // A first burst is part of a burst (§13.14).
    outcome_.first_burst_length = std::min(outcome_.first_burst_length, outcome_.max_burst_length);
    return State::complete;
}

// What the target said; what it asked for is answered.
Result<std::string> LoginExchange::take(const TextKeys& keys) {
    std::string answers;
    for (const auto& [name, value] : keys) {
        auto one = answer(name, value);
        if (!one) return one.error();
        answers += *one;
    }
    if (auth_method_ != "CHAP" || stage_ != Stage::security) return answers;
    if (auto heard = chap_->hear(keys); !heard) return heard.error();
    const auto said = chap_->say();
    if (!said) return said.error();
    chap_unsent_ = !said->empty();
    return answers + write_text_keys(*said);
}

Result<std::monostate> LoginExchange::choose_authentication(const std::string& method) {
    if (!chap_) {
        if (method == "None") return std::monostate{};
        return Error{fmt::format("the target wants authentication: {}", cleaned_text(method))};
    }
    if (stage_ != Stage::security || !auth_method_.empty())
        return Error{"the target chose the way of authentication twice"};
    if (method == "None" && needs_chap())
        return Error{"the target wants no authentication, which the initiator does not agree to"};
    if (method != "CHAP" && method != "None")
        return Error{fmt::format("the target takes no authentication by CHAP: {}", cleaned_text(method))};
    auth_method_ = method;
    return std::monostate{};
}

// The target goes on to the next stage.
Result<std::monostate> LoginExchange::end_security() {
    if (!chap_) return std::monostate{};
    if (auth_method_ != "CHAP") {
        if (needs_chap())
            return Error{"the target goes on without the authentication that it was to take part in"};
        return std::monostate{};
    }
    if (chap_->mutual() && !chap_->done()) return Error{"the target goes on without having proved itself"};
    if (chap_unsent_ || !chap_->done())
        return Error{"the target goes on before the initiator has proved itself"};
    outcome_.chap_algorithm = chap_->algorithm();
    outcome_.target_proved_itself = chap_->mutual();
    return std::monostate{};
}

Result<std::string> LoginExchange::answer(const std::string& name, const std::string& value) {
    const bool was_offered = stage_ == Stage::operational && asked_;
    if (offer_.joined && is_leading_only(name)) return std::string();
    for (const LoginNumberKey& key : login_number_keys) {
        if (name != key.name) continue;
        if (is_login_refusal(value)) return std::string();
        const auto number = read_login_number(value);
        if (!number || !key.may_be(*number)) return makes_no_sense(name, value);
        const uint32_t offered = offer_.*key.offered;
        if (key.is_declared()) {
            outcome_.*key.outcome = *number;
            return std::string();
        }
        const uint32_t chosen = key.chosen(*number, offered);
        if (was_offered && chosen != *number) return makes_no_sense(name, value);
        outcome_.*key.outcome = chosen;
        return was_offered ? std::string() : write_text_keys({{name, std::to_string(chosen)}});
    }
    for (const LoginBoolKey& key : login_bool_keys) {
        if (name != key.name) continue;
        if (is_login_refusal(value)) {
            outcome_.*key.outcome = LoginOutcome().*key.outcome;
            return std::string();
        }
        const auto said = read_login_bool(value);
        if (!said) return makes_no_sense(name, value);
        const bool offered = offer_.*key.offered;
        const bool chosen = key.chosen(offered, *said);
        if (was_offered && chosen != *said) return makes_no_sense(name, value);
        outcome_.*key.outcome = chosen;
        return was_offered ? std::string() : write_text_keys({{name, login_bool_text(chosen)}});
    }
    for (const DigestKey& key : digest_keys) {
        if (name != key.name) continue;
        if (value == "Reject")
            return Error{fmt::format("the target takes no {} of {}", name, offer_.*key.offered)};
        if (is_login_refusal(value)) return std::string();
        if (was_offered) {
            if (!is_in_login_list(offer_.*key.offered, value)) return makes_no_sense(name, value);
            outcome_.*key.outcome = value == "CRC32C";
            return std::string();
        }
        const std::string_view wish = first_of_login_list(
            value, [&](std::string_view one) { return is_in_login_list(offer_.*key.offered, one); });
        if (wish.empty()) return write_text_keys({{name, "Reject"}});
        outcome_.*key.outcome = wish == "CRC32C";
        return write_text_keys({{name, std::string(wish)}});
    }
    if (name == login_key::auth_method.name) {
        if (auto chosen = choose_authentication(value); !chosen) return chosen.error();
        return std::string();
    }
    if (name.starts_with("CHAP_")) {
        if (auth_method_ == "CHAP" && stage_ == Stage::security) return std::string();
        return Error{
            fmt::format("the target sent {} without CHAP having been agreed on", cleaned_text(name))};
    }
    if (name == login_key::target_alias.name) {
        outcome_.target_alias = value;
        return std::string();
    }
    if (name == login_key::target_portal_group_tag.name) {
        outcome_.target_portal_group_tag = value;
        return std::string();
    }
    const bool is_known = name == login_key::data_pdu_in_order.name ||
                          name == login_key::data_sequence_in_order.name ||
                          name == login_key::target_address.name || name == login_key::target_name.name;
    if (is_known || is_login_refusal(value)) return std::string();
    return write_text_keys({{name, "NotUnderstood"}});
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/target_login.h"

#include <algorithm>
#include <utility>

#include "captures/iscsi_peer/login/login_keys.h"

#include "analyzer/iscsi/pdu_codes.h"

namespace sanscope {
namespace {

constexpr size_t most_text = 65536;
// What an initiator takes before it has declared its own length (RFC 7143 §13.12).
constexpr size_t most_answer = 8192;
constexpr unsigned most_requests = 64;

TargetLogin::Answer failed(LoginStatus status) {
    TargetLogin::Answer answer;
    answer.status = status;
    return answer;
}

}  // namespace

TargetLogin::TargetLogin(const TargetSettings& settings, const LoginOutcome* session)
    : settings_(settings), authenticated_(!settings.credentials) {
    if (settings.credentials) chap_.emplace(*settings.credentials);
    ours_.max_recv_data_segment_length = settings.max_recv_data_segment_length;
    ours_.max_burst_length = settings.max_burst_length;
    ours_.first_burst_length = settings.first_burst_length;
    ours_.initial_r2t = settings.initial_r2t;
    ours_.immediate_data = settings.immediate_data;
    ours_.max_outstanding_r2t = settings.max_outstanding_r2t;
    ours_.max_connections = settings.max_connections;
    ours_.default_time2wait = 0;
    if (session == nullptr) return;
    for (const LoginNumberKey& key : login_number_keys) {
        if (key.is_declared()) continue;
        ours_.*key.offered = session->*key.outcome;
        outcome_.*key.outcome = session->*key.outcome;
    }
    for (const LoginBoolKey& key : login_bool_keys)
        outcome_.*key.outcome = ours_.*key.offered = session->*key.outcome;
}

TargetLogin::Answer TargetLogin::on_request(Bhs header, std::string_view data) {
    const bool wants_transit = header.transit();
    const uint8_t current = header.current_stage();
    const uint8_t next = header.next_stage();
    if (header.version_min_or_active() > 0) return failed(LoginStatus::unsupported_version);
    if (++requests_ > most_requests || pending_.size() + data.size() > most_text)
        return failed(LoginStatus::initiator_error);
    if (first_ && pending_.empty()) stage_ = current;
    const bool goes_somewhere =
        next == login_stage::full_feature_phase ||
        (next == login_stage::operational_negotiation && current == login_stage::security_negotiation);
    if (current > login_stage::operational_negotiation || current != stage_ ||
        (wants_transit && !goes_somewhere))
        return failed(LoginStatus::initiator_error);
    if (header.continues() && wants_transit) return failed(LoginStatus::initiator_error);

    pending_ += data;
    Answer answer;
    answer.flags = static_cast<uint8_t>(current << 2);
    if (header.continues()) return answer;
    const auto keys = read_text_keys(std::exchange(pending_, {}));
    if (!keys) return failed(LoginStatus::initiator_error);

    TextKeys answers;
    if (std::exchange(first_, false)) {
        if (const Failure failure = take_names(*keys)) return failed(*failure);
        if (!discovery_) answers.emplace_back(login_key::target_portal_group_tag.name, "1");
    }
    if (stage_ == login_stage::security_negotiation) {
        if (const Failure failure = authenticate(*keys, answers)) return failed(*failure);
    } else if (!authenticated_) {
        return failed(LoginStatus::authentication_failed);
    }
    for (const auto& [name, value] : *keys) {
        if (const Failure failure = answer_key(name, value, answers)) return failed(*failure);
    }
    // A declaration; nothing answers it.
    if (stage_ == login_stage::operational_negotiation && !std::exchange(declared_, true)) {
        answers.emplace_back(login_key::max_recv_data_segment_length.name,
                             std::to_string(ours_.max_recv_data_segment_length));
        outcome_.max_recv_data_segment_length_target = ours_.max_recv_data_segment_length;
    }
    answer.text = write_text_keys(answers);
    if (answer.text.size() > most_answer) return failed(LoginStatus::initiator_error);
    if (wants_transit && authenticated_) {
        answer.flags = static_cast<uint8_t>(pdu_flag::transit | static_cast<unsigned>(current << 2) | next);
        answer.full_feature = next == login_stage::full_feature_phase;
        stage_ = next;
    } else if (wants_transit && stage_ == login_stage::security_negotiation && !chap_chosen_) {
        return failed(LoginStatus::authentication_failed);
    }
    // A first burst is part of a burst (§13.14).
    if (answer.full_feature)
        outcome_.first_burst_length = std::min(outcome_.first_burst_length, outcome_.max_burst_length);
    return answer;
}

TargetLogin::Failure TargetLogin::take_names(const TextKeys& keys) {
    const std::string* const initiator = find_key(keys, login_key::initiator_name.name);
    if (initiator == nullptr || initiator->empty()) return LoginStatus::missing_parameter;
    initiator_name_ = *initiator;
    if (const std::string* const type = find_key(keys, login_key::session_type.name)) {
        if (*type != "Normal" && *type != "Discovery") return LoginStatus::session_type_not_supported;
        discovery_ = *type == "Discovery";
    }
    const std::string* const target = find_key(keys, login_key::target_name.name);
    if (target == nullptr && !discovery_) return LoginStatus::missing_parameter;
    if (target != nullptr && *target != settings_.name) return LoginStatus::not_found;
    return std::nullopt;
}

TargetLogin::Failure TargetLogin::authenticate(const TextKeys& keys, TextKeys& answers) {
    if (const std::string* const methods = find_key(keys, login_key::auth_method.name)) {
        const std::string_view ours = chap_ ? "CHAP" : "None";
        if (!is_in_login_list(*methods, ours)) return LoginStatus::authentication_failed;
        answers.emplace_back(login_key::auth_method.name, ours);
        chap_chosen_ = chap_.has_value();
    }
    if (!chap_chosen_) return std::nullopt;
    auto said = chap_->answer(keys);
    if (!said) return LoginStatus::authentication_failed;
    answers.insert(answers.end(), said->begin(), said->end());
    authenticated_ = chap_->done();
    return std::nullopt;
}

void TargetLogin::choose_number(const std::string& name, const std::string& value, TextKeys& answers) {
    const LoginNumberKey& key = *std::ranges::find(login_number_keys, name, &LoginNumberKey::name);
    const auto number = read_login_number(value);
    if (!number || !key.may_be(*number)) {
        answers.emplace_back(name, "Reject");
        return;
    }
    if (key.is_declared()) {
        outcome_.max_recv_data_segment_length_initiator = *number;
        return;
    }
    const uint32_t ours = ours_.*key.offered;
    const uint32_t chosen = key.chosen(*number, ours);
    outcome_.*key.outcome = chosen;
    answers.emplace_back(name, std::to_string(chosen));
}

TargetLogin::Failure TargetLogin::answer_key(const std::string& name, const std::string& value,
                                             TextKeys& answers) {
    // Those that were read by now, and those that only declare.
    constexpr std::string_view no_answer[] = {login_key::initiator_name.name,
                                              login_key::initiator_alias.name,
                                              login_key::session_type.name,
                                              login_key::target_name.name,
                                              login_key::auth_method.name,
                                              "CHAP_A",
                                              "CHAP_N",
                                              "CHAP_R",
                                              "CHAP_I",
                                              "CHAP_C"};
    if (!seen_.insert(name).second) return LoginStatus::initiator_error;  // no key is said twice (§6.2)
    if (std::ranges::find(no_answer, name) != std::end(no_answer) || is_login_refusal(value))
        return std::nullopt;
    if (std::ranges::find(login_number_keys, name, &LoginNumberKey::name) != std::end(login_number_keys)) {
        choose_number(name, value, answers);
        return std::nullopt;
    }
    for (const LoginBoolKey& key : login_bool_keys) {
        if (name != key.name) continue;
        const auto theirs = read_login_bool(value);
        if (!theirs) {
            answers.emplace_back(name, "Reject");
            return std::nullopt;
        }
        const bool chosen = key.chosen(*theirs, ours_.*key.offered);
        outcome_.*key.outcome = chosen;
        answers.emplace_back(name, login_bool_text(chosen));
        return std::nullopt;
    }
    if (name == login_key::header_digest.name || name == login_key::data_digest.name) {
        const bool of_header = name == login_key::header_digest.name;
        const std::string& ours = of_header ? settings_.header_digest : settings_.data_digest;
        const std::string_view chosen =
            first_of_login_list(value, [&](std::string_view wish) { return is_in_login_list(ours, wish); });
        if (chosen.empty()) {
            answers.emplace_back(name, "Reject");
            return std::nullopt;
        }
        (of_header ? outcome_.header_digest : outcome_.data_digest) = chosen == "CRC32C";
        answers.emplace_back(name, chosen);
        return std::nullopt;
    }
    if (name == login_key::data_pdu_in_order.name || name == login_key::data_sequence_in_order.name) {
        answers.emplace_back(name, "Yes");
    } else if (name == "TaskReporting") {
        answers.emplace_back(name, is_in_login_list(value, "RFC3720") ? "RFC3720" : "Reject");
    } else if (name == "IFMarker" || name == "OFMarker" || name == "IFMarkInt" || name == "OFMarkInt") {
        answers.emplace_back(name, "Reject");  // as §13.25 has it
    } else {
        answers.emplace_back(name, "NotUnderstood");
    }
    return std::nullopt;
}

}  // namespace sanscope

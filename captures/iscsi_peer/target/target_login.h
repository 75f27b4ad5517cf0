// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "captures/iscsi_peer/login/chap.h"
#include "captures/iscsi_peer/login/login_exchange.h"
#include "captures/iscsi_peer/login/text_keys.h"
#include "captures/iscsi_peer/target/target_settings.h"

#include "analyzer/base/result.h"
#include "analyzer/iscsi/bhs.h"

namespace sanscope {

// The outcome of a Login Response (RFC 7143 §11.13.5), class and detail.
enum class LoginStatus : uint16_t {
    success = 0x0000,
    initiator_error = 0x0200,
    authentication_failed = 0x0201,
    not_found = 0x0203,
    unsupported_version = 0x0205,
    too_many_connections = 0x0206,
    missing_parameter = 0x0207,
    session_type_not_supported = 0x0209,
    no_such_session = 0x020a,
    out_of_resources = 0x0302,
};

// The target's side of one connection's login (RFC 7143 §6.3): stages, text that comes in parts, and every key of §13.
// It has no socket and knows no sessions: its owner sends what it answers, and decides what the connection joins.
class TargetLogin {
  public:
    // `session`: what was negotiated where the connection joins a session, whose values then hold; else nullptr. It is
    // copied.
    TargetLogin(const TargetSettings& settings, const LoginOutcome* session);

    struct Answer {
        LoginStatus status = LoginStatus::success;
        uint8_t flags = 0;  // byte 1 of the Login Response
        std::string text;
        bool full_feature = false;  // the login ends with this
    };
    // A whole Login Request. Any status but success ends the login.
    Answer on_request(Bhs header, std::string_view data);

    // Once the first request is there.
    const std::string& initiator_name() const { return initiator_name_; }
    bool discovery() const { return discovery_; }
    // In the full feature phase; its TSIH and what names the target are not set.
    const LoginOutcome& outcome() const { return outcome_; }

  private:
    using Failure = std::optional<LoginStatus>;

    Failure take_names(const TextKeys& keys);
    Failure answer_key(const std::string& name, const std::string& value, TextKeys& answers);
    Failure authenticate(const TextKeys& keys, TextKeys& answers);
    void choose_number(const std::string& name, const std::string& value, TextKeys& answers);

    const TargetSettings& settings_;
    LoginOffer ours_;
    std::optional<ChapTarget> chap_;
    bool authenticated_;
    bool chap_chosen_ = false;
    bool first_ = true;
    bool discovery_ = false;
    bool declared_ = false;  // our MaxRecvDataSegmentLength was declared
    uint8_t stage_ = 0;
    unsigned requests_ = 0;
    std::string pending_;
    std::string initiator_name_;
    std::set<std::string> seen_;
    LoginOutcome outcome_;
};

}  // namespace sanscope

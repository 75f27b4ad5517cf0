// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "captures/iscsi_peer/login/chap.h"
#include "captures/iscsi_peer/login/text_keys.h"

#include "analyzer/base/result.h"
#include "analyzer/iscsi/bhs_writer.h"

namespace sanscope {

// What holds for the connection once it is in the full feature phase. Before anything is said, the defaults of RFC 7143
// §13.
struct LoginOutcome {
    bool header_digest = false;
    bool data_digest = false;
    uint32_t max_recv_data_segment_length_initiator = 8192;
    uint32_t max_recv_data_segment_length_target = 8192;
    uint32_t max_burst_length = 262144;
    uint32_t first_burst_length = 65536;
    bool initial_r2t = true;
    bool immediate_data = true;
    uint32_t max_outstanding_r2t = 1;
    uint32_t max_connections = 1;
    uint32_t error_recovery_level = 0;
    uint32_t default_time2wait = 2;
    uint32_t default_time2retain = 20;
    uint16_t tsih = 0;
    std::optional<ChapAlgorithm> chap_algorithm;  // by which the initiator proved itself
    bool target_proved_itself = false;
    std::string target_alias;
    std::string target_portal_group_tag;
};

// What an initiator says of itself and asks for at login: the keys of RFC 7143 §13. Sizes are bytes.
struct LoginOffer {
    std::string initiator_name;
    std::string initiator_alias;  // not sent where empty
    std::string target_name;      // empty: a discovery session
    uint64_t isid = 0;            // 48 bits (§11.12.5)
    // What was negotiated in the session that this connection is to join, which holds for it, too.
    std::optional<LoginOutcome> joined;
    uint16_t cid = 0;
    std::string header_digest = "None";  // in order of preference: "CRC32C,None"
    std::string data_digest = "None";
    uint32_t max_recv_data_segment_length = 256 * 1024;
    uint32_t max_burst_length = 16 * 1024 * 1024 - 512;
    uint32_t first_burst_length = 256 * 1024;
    bool initial_r2t = false;
    bool immediate_data = true;
    uint32_t max_outstanding_r2t = 1;
    uint32_t max_connections = 1;
    uint32_t error_recovery_level = 0;
    uint32_t default_time2wait = 2;
    uint32_t default_time2retain = 0;
    std::optional<ChapCredentials> chap;  // where the initiator can prove itself
    // A target that does not ask for this proof will not do. Always so where the target has to prove itself too.
    bool chap_required = false;
};

// The login of one connection, as the initiator leads it (RFC 7143 §6.3, §11.12, §11.13), with CHAP where that is
// offered. It has no socket: its owner sends request() and shows what comes back, one after the other, until the login
// is complete.
class LoginExchange {
  public:
    enum class State : uint8_t { goes_on, complete, redirected };

    struct Request {
        BhsWriter header;
        std::string data;  // not padded
    };

    // `cmd_sn`: of the first command that the connection will send.
    LoginExchange(LoginOffer offer, uint32_t cmd_sn);

    Request request();
    // A whole Login Response, its data without padding and digests. An Error ends the login: the target refused, in its
    // words of §11.13.5, or said what no target may say.
    Result<State> on_response(Bhs header, std::string_view data);

    // Once complete.
    const LoginOutcome& outcome() const { return outcome_; }
    // What the first command must bear.
    uint32_t exp_stat_sn() const { return exp_stat_sn_; }
    uint32_t exp_cmd_sn() const { return exp_cmd_sn_; }
    uint32_t max_cmd_sn() const { return max_cmd_sn_; }

    // Once redirected: "HOST:PORT[,GROUP]", the host in brackets where it is an IPv6 address (§13.8).
    const std::string& target_address() const { return target_address_; }

  private:
    enum class Stage : uint8_t { security = 0, operational = 1, full_feature = 3 };

    std::string first_keys() const;
    std::string operational_keys() const;
    bool may_say(std::string_view name) const;
    void take_what_is_decided();
    bool needs_chap() const { return chap_ && (offer_.chap_required || chap_->mutual()); }
    bool goes_on_from_security() const;
    Result<std::monostate> choose_authentication(const std::string& method);
    Result<std::monostate> end_security();
    Result<std::string> take(const TextKeys& keys);
    Result<std::string> answer(const std::string& name, const std::string& value);

    LoginOffer offer_;  // but for the credentials, which chap_ has
    std::optional<ChapInitiator> chap_;
    std::string auth_method_;   // as the target chose it
    bool chap_unsent_ = false;  // answers_ have keys of CHAP
    uint32_t cmd_sn_;
    LoginOutcome outcome_;
    Stage stage_ = Stage::security;
    bool asked_ = false;       // the keys of this stage were sent
    bool wants_more_ = false;  // the target's text goes on (the C bit, §11.13.2)
    std::string answers_;      // to keys that the target asked for
    std::string pending_;
    unsigned requests_ = 0;
    uint16_t tsih_ = 0;
    uint32_t exp_stat_sn_ = 0;
    uint32_t exp_cmd_sn_ = 0;
    uint32_t max_cmd_sn_ = 0;
    std::string target_address_;
};

// "the target does not know it (2/3)"
std::string login_status_text(uint8_t status_class, uint8_t status_detail);

}  // namespace sanscope

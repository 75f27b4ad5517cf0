// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "captures/iscsi_peer/initiator/target_portal.h"
#include "captures/iscsi_peer/login/login_exchange.h"

#include "analyzer/base/result.h"
#include "analyzer/iscsi/bhs_writer.h"

namespace sanscope {

// What a discovery says of a target.
struct DiscoveredTarget {
    std::string name;
    std::vector<TargetPortal> portals;  // empty: the address that was asked (RFC 7143, appendix C)
};

// What an initiator does in the full feature phase of a discovery session: it asks for the targets (RFC 7143 §11.10,
// §11.11 and appendix C) and logs out (§11.14). It has no socket: its owner sends request() and shows what comes back,
// one after the other. All requests are immediate, so that none takes a command number.
class SendTargets {
  public:
    enum class State : uint8_t { goes_on, complete };
    using Request = LoginExchange::Request;

    // The numbers are those with which the login ended. `which`: "All", or the name of the one target that is asked
    // about.
    SendTargets(uint32_t cmd_sn, uint32_t exp_stat_sn, std::string_view which = "All");

    // The question first, then whatever lets the target go on, and the logout once the list is complete.
    Request request();
    // A whole Text or Logout Response, its data without padding and digests. Complete once the target agreed to the
    // logout. An Error ends the session; what was listed until then holds.
    Result<State> on_response(Bhs header, std::string_view data);

    // The list is complete; only the logout is left.
    bool answered() const { return stage_ != Stage::asks; }
    const std::vector<DiscoveredTarget>& targets() const { return targets_; }
    uint32_t exp_stat_sn() const { return exp_stat_sn_; }

  private:
    enum class Stage : uint8_t { asks, logs_out, done };

    Result<State> on_text_response(Bhs header, std::string_view data);
    Result<std::monostate> take_pairs(bool last);
    Result<std::monostate> take(const std::string& name, const std::string& value);

    std::string question_;
    uint32_t cmd_sn_;
    uint32_t exp_stat_sn_;
    uint32_t itt_ = 1;
    uint32_t ttt_ = reserved_tag;
    Stage stage_ = Stage::asks;
    std::string pending_;  // of a pair that is not whole
    size_t text_ = 0;      // bytes that the target said
    unsigned requests_ = 0;
    size_t portals_ = 0;
    std::vector<DiscoveredTarget> targets_;
};

}  // namespace sanscope

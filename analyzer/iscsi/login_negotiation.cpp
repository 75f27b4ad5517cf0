// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/iscsi/login_negotiation.h"

#include <algorithm>

#include "analyzer/iscsi/login_keys.h"
#include "analyzer/iscsi/pdu_codes.h"

namespace sanscope {
namespace {

// In the order of LoginNegotiation::Key.
constexpr std::array keys = {
    login_key::initiator_name,   login_key::target_name,         login_key::session_type,
    login_key::header_digest,    login_key::data_digest,         login_key::max_recv_data_segment_length,
    login_key::max_burst_length, login_key::first_burst_length,  login_key::initial_r2t,
    login_key::immediate_data,   login_key::max_outstanding_r2t, login_key::error_recovery_level,
    login_key::max_connections,  login_key::auth_method,         login_key::chap_challenge,
    login_key::chap_response,    login_key::target_address,
};

}  // namespace

void LoginNegotiation::on_pdu(const Pdu& pdu) {
    const Bhs bhs = pdu.bhs();
    const Opcode opcode = bhs.opcode();
    const Role side = is_from_target(bhs.opcode_value()) ? Role::target : Role::initiator;
    if (opcode == Opcode::login_request) {
        if (!begun_) {
            isid_ = bhs.isid();
            tsih_requested_ = bhs.tsih();
            if (pdu.header_captured >= bhs_length) cid_ = bhs.cid();
        }
        begun_ = true;
    }
    if (opcode == Opcode::login_request || opcode == Opcode::login_response) follow(pdu);
    std::string_view text(reinterpret_cast<const char*>(pdu.data.data()), pdu.data.size());
    if (text.size() < bhs.data_segment_length()) {
        // The last pair may have lost its end.
        whole_ = false;
        text = text.substr(0, text.rfind('\0') + 1);
    }
    std::string& pending = pending_[index_of(side)];
    if (bhs.continues()) {
        pending.append(text.substr(0, max_pending_text - std::min(pending.size(), max_pending_text)));
    } else if (pending.empty()) {
        take_text(side, text);
    } else {
        pending.append(text.substr(0, max_pending_text - std::min(pending.size(), max_pending_text)));
        take_text(side, pending);
        pending.clear();
    }
    if (opcode == Opcode::login_response) {
        if (isid_ == unknown<uint64_t>) isid_ = bhs.isid();
        tsih_ = bhs.tsih();
        failed_ = bhs.status_class() > login_status_class::redirection;
        if (bhs.transit() && bhs.next_stage() == login_stage::full_feature_phase && bhs.status_class() == 0)
            full_feature_ = true;
    }
}

// Until the Full Feature Phase begins nothing but Login PDUs passes, and without digests (RFC 7143 §6.3): one that does not
// begin where the one before it ended shows that others are not in the capture.
void LoginNegotiation::follow(const Pdu& pdu) {
    const Bhs bhs = pdu.bhs();
    const size_t side = index_of(is_from_target(bhs.opcode_value()) ? Role::target : Role::initiator);
    if (pdu.offset != next_offset_[side]) whole_ = false;
    next_offset_[side] = pdu.offset + bhs_length + bhs.ahs_length() + bhs.padded_data_length();
    ++login_pdus_[side];
}

// The first request of a login names the initiator (§13.5), and each is answered (§11.12): where no name was seen, or not as many
// answers as requests, one of them is not in the capture. The two directions may come out of order against each other.
bool LoginNegotiation::is_whole() const {
    return whole_ && login_pdus_[0] == login_pdus_[1] && !initiator_name().empty();
}

void LoginNegotiation::describe(SessionRow& row) const {
    row.initiator_name = initiator_name();
    row.target_name = target_name();
    row.isid = isid_;
    if (tsih_ != 0 || full_feature_) row.tsih = tsih_;
    row.auth_offered = value(Role::initiator, Key::auth_method);
    row.auth_method = value(Role::target, Key::auth_method);
    row.chap_challenged = !value(Role::target, Key::chap_challenge).empty();
    row.chap_answered = !value(Role::initiator, Key::chap_response).empty();
    row.chap_mutual = !value(Role::initiator, Key::chap_challenge).empty();
    row.chap_mutual_answered = !value(Role::target, Key::chap_response).empty();
    row.redirected_to = value(Role::target, Key::target_address);
    if (!full_feature_) return;
    row.header_digest = digest(Key::header_digest);
    row.data_digest = digest(Key::data_digest);
    if (!is_whole()) {
        describe_part(row);
        return;
    }
    row.max_recv_data_segment_length_initiator = declared(Role::initiator, Key::max_recv_data_segment_length,
                                                          login_key::max_recv_data_segment_length.otherwise);
    row.max_recv_data_segment_length_target = declared(Role::target, Key::max_recv_data_segment_length,
                                                       login_key::max_recv_data_segment_length.otherwise);
    if (discovery()) return;
    row.max_burst_length = lesser(Key::max_burst_length, login_key::max_burst_length.otherwise);
    row.first_burst_length = lesser(Key::first_burst_length, login_key::first_burst_length.otherwise);
    row.initial_r2t = either(Key::initial_r2t, true);
    row.immediate_data = both(Key::immediate_data, true);
    row.max_outstanding_r2t = lesser(Key::max_outstanding_r2t, login_key::max_outstanding_r2t.otherwise);
    row.error_recovery_level = lesser(Key::error_recovery_level, login_key::error_recovery_level.otherwise);
    row.max_connections = lesser(Key::max_connections, login_key::max_connections.otherwise);
}

// Not all of the text was captured: what is not there may have been said, and no default can be presumed.
void LoginNegotiation::describe_part(SessionRow& row) const {
    row.max_recv_data_segment_length_initiator =
        declared(Role::initiator, Key::max_recv_data_segment_length, unknown<uint32_t>);
    row.max_recv_data_segment_length_target =
        declared(Role::target, Key::max_recv_data_segment_length, unknown<uint32_t>);
    if (discovery()) return;
    const auto if_answered = [&](Key key, uint32_t& column) {
        if (number(Role::initiator, key) && number(Role::target, key))
            column = lesser(key, unknown<uint32_t>);
    };
    if_answered(Key::max_burst_length, row.max_burst_length);
    if_answered(Key::first_burst_length, row.first_burst_length);
    if_answered(Key::max_outstanding_r2t, row.max_outstanding_r2t);
    if_answered(Key::error_recovery_level, row.error_recovery_level);
    if_answered(Key::max_connections, row.max_connections);
    const auto both_said = [&](Key key) {
        return !value(Role::initiator, key).empty() && !value(Role::target, key).empty();
    };
    if (both_said(Key::initial_r2t)) row.initial_r2t = either(Key::initial_r2t, true);
    if (both_said(Key::immediate_data)) row.immediate_data = both(Key::immediate_data, true);
}

std::optional<LoginNegotiation::Key> LoginNegotiation::key_named(std::string_view name) {
    static_assert(keys.size() == key_count);
    const auto found = std::ranges::find(keys, name, &LoginKey::name);
    if (found == keys.end()) return std::nullopt;
    return static_cast<Key>(found - keys.begin());
}

void LoginNegotiation::take_text(Role side, std::string_view text) {
    while (!text.empty()) {
        const size_t end = std::min(text.find('\0'), text.size());
        const std::string_view pair = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const size_t equals = pair.find('=');
        if (equals == std::string_view::npos) continue;
        const auto key = key_named(pair.substr(0, equals));
        if (!key) continue;
        // Of authentication, that it was said is all that is kept.
        const bool is_chap = *key == Key::chap_challenge || *key == Key::chap_response;
        values_[index_of(side)][static_cast<size_t>(*key)] = pair.substr(equals + 1, is_chap ? 1 : max_value);
    }
}

std::optional<uint32_t> LoginNegotiation::number(Role side, Key key) const {
    return read_login_number(value(side, key));
}

uint32_t LoginNegotiation::declared(Role side, Key key, uint32_t otherwise) const {
    return number(side, key).value_or(otherwise);
}

// The lesser of what both sides say; of one side's silence, what the other said or the default.
uint32_t LoginNegotiation::lesser(Key key, uint32_t otherwise) const {
    const auto a = number(Role::initiator, key);
    const auto b = number(Role::target, key);
    if (is_login_refusal(value(Role::initiator, key)) || is_login_refusal(value(Role::target, key)))
        return otherwise;
    if (a && b) return std::min(*a, *b);
    return a ? *a : b ? *b : otherwise;
}

Ternary LoginNegotiation::both(Key key, bool otherwise) const {
    const std::string_view a = value(Role::initiator, key);
    const std::string_view b = value(Role::target, key);
    if (is_login_refusal(a) || is_login_refusal(b)) return otherwise ? Ternary::yes : Ternary::no;
    if (a == "No" || b == "No") return Ternary::no;
    if (a == "Yes" || b == "Yes") return Ternary::yes;
    return otherwise ? Ternary::yes : Ternary::no;
}

Ternary LoginNegotiation::either(Key key, bool otherwise) const {
    const std::string_view a = value(Role::initiator, key);
    const std::string_view b = value(Role::target, key);
    if (is_login_refusal(a) || is_login_refusal(b)) return otherwise ? Ternary::yes : Ternary::no;
    if (a == "Yes" || b == "Yes") return Ternary::yes;
    if (a == "No" || b == "No") return Ternary::no;
    return otherwise ? Ternary::yes : Ternary::no;
}

// One side offers a list, the other answers with its choice (RFC 7143 §6.2.1). Neither asking means none.
std::string LoginNegotiation::digest(Key key) const {
    const std::string_view a = value(Role::initiator, key);
    const std::string_view b = value(Role::target, key);
    const std::string_view choice =
        a.find(',') == std::string_view::npos && b.find(',') != std::string_view::npos ? a : b;
    if (choice.empty() && a.empty()) return begun_ && is_whole() ? "None" : "";
    if (is_login_refusal(choice)) return "None";
    return std::string(choice);
}

DigestUse LoginNegotiation::digest_use(Key key) const {
    if (!full_feature_) return DigestUse::unknown;
    const std::string chosen = digest(key);
    if (chosen == "None") return DigestUse::no;
    return chosen == "CRC32C" ? DigestUse::yes : DigestUse::unknown;
}

}  // namespace sanscope

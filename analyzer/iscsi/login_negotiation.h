// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The text keys of one connection's login and of its later text negotiation, and what they come to (RFC 7143 §6, §13).
// A key's text may go over several PDUs (the C bit, §11.10.2); what is kept of it is bounded.
class LoginNegotiation {
  public:
    // A Login Request or Response, or a Text Request or Response, in stream order of its side.
    void on_pdu(const Pdu& pdu);

    bool begun() const { return begun_; }
    // The target has sent the Login Response that ends the login and begins the Full Feature Phase (§6.3).
    bool full_feature() const { return full_feature_; }
    bool discovery() const { return value(Role::initiator, Key::session_type) == "Discovery"; }
    bool failed() const { return failed_; }

    uint64_t isid() const { return isid_; }  // of the first Login Request; unknown<uint64_t> before
    uint16_t tsih_requested() const { return tsih_requested_; }
    uint32_t cid() const { return cid_; }    // likewise
    uint16_t tsih() const { return tsih_; }  // of the last Login Response; 0 before
    std::string_view initiator_name() const { return value(Role::initiator, Key::initiator_name); }
    std::string_view target_name() const { return value(Role::initiator, Key::target_name); }

    DigestUse header_digest() const { return digest_use(Key::header_digest); }
    DigestUse data_digest() const { return digest_use(Key::data_digest); }

    // Writes what is negotiated so far over the row's columns; what only the end of the login decides stays unknown
    // until then, and in a discovery session what has no meaning there (§13).
    void describe(SessionRow& row) const;

  private:
    enum class Key : uint8_t {
        initiator_name,
        target_name,
        session_type,
        header_digest,
        data_digest,
        max_recv_data_segment_length,
        max_burst_length,
        first_burst_length,
        initial_r2t,
        immediate_data,
        max_outstanding_r2t,
        error_recovery_level,
        max_connections,
        auth_method,
        chap_challenge,
        chap_response,
        target_address,
        count,
    };
    static constexpr size_t max_pending_text = 65536;
    static constexpr size_t max_value = 4096;
    static constexpr auto key_count = static_cast<size_t>(Key::count);

    void describe_part(SessionRow& row) const;
    static std::optional<Key> key_named(std::string_view name);
    void take_text(Role side, std::string_view text);
    std::string_view value(Role side, Key key) const {
        return values_[index_of(side)][static_cast<size_t>(key)];
    }
    std::optional<uint32_t> number(Role side, Key key) const;
    uint32_t declared(Role side, Key key, uint32_t otherwise) const;
    uint32_t lesser(Key key, uint32_t otherwise) const;
    Ternary both(Key key, bool otherwise) const;
    Ternary either(Key key, bool otherwise) const;
    std::string digest(Key key) const;
    DigestUse digest_use(Key key) const;

    bool is_whole() const;
    void follow(const Pdu& pdu);

    std::array<std::array<std::string, key_count>, 2> values_;
    std::array<std::string, 2> pending_;
    uint64_t isid_ = unknown<uint64_t>;
    uint32_t cid_ = unknown<uint32_t>;
    uint16_t tsih_requested_ = 0;
    uint16_t tsih_ = 0;
    bool begun_ = false;
    bool full_feature_ = false;
    bool failed_ = false;
    bool whole_ = true;  // all of the text of what was seen was captured, and no bytes are missing between
    std::array<uint64_t, 2> next_offset_{};  // where the next PDU of a side begins if none is missing
    std::array<uint32_t, 2> login_pdus_{};
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "captures/iscsi_peer/login/secret.h"
#include "captures/iscsi_peer/login/text_keys.h"

#include "analyzer/base/result.h"

namespace sanscope {

// The Challenge Handshake Authentication Protocol (RFC 1994) as the security stage of a login carries it in text keys
// (RFC 7143 §12.1.3). Both sides have no socket: they read the other's keys and say what to answer.

// By their numbers in IANA's registry of PPP authentication algorithms.
enum class ChapAlgorithm : uint8_t { md5 = 5, sha1 = 6, sha256 = 7, sha3_256 = 8 };

// As they are offered, the best first; but SHA-256 last: tgtd and its relatives take its number for SHA-1, choose it
// before MD5 where it comes first, and then find every response wrong.
inline constexpr ChapAlgorithm chap_algorithms[] = {ChapAlgorithm::sha3_256, ChapAlgorithm::sha1,
                                                    ChapAlgorithm::md5, ChapAlgorithm::sha256};

// "SHA-256"
std::string_view chap_algorithm_name(ChapAlgorithm algorithm);

// CHAP_R: the hash of the identifier, the secret and the challenge (RFC 1994 §4.1). An Error where the cryptographic
// library does without the algorithm.
Result<std::vector<uint8_t>> chap_response(ChapAlgorithm algorithm, uint8_t identifier, const Secret& secret,
                                           std::span<const uint8_t> challenge);

// A binary value of a text key, "0x1f…" or "0bHw…=" (RFC 7143 §6.1), of 1 to 1024 bytes; nothing where it is none.
std::optional<std::vector<uint8_t>> read_binary_value(std::string_view text);
// In hexadecimal.
std::string write_binary_value(std::span<const uint8_t> bytes);

// A name, CHAP_N, and the secret that proves it.
struct ChapAccount {
    std::string name;
    Secret secret;
};

// Who proves itself by what, the same on both sides. At the initiator the target's account may lack its name: any will
// do then.
struct ChapCredentials {
    ChapAccount initiator;
    std::optional<ChapAccount> target;  // mutual authentication, which is the initiator's to ask for
    // With which a proof may be made, the best first.
    std::vector<ChapAlgorithm> algorithms{std::begin(chap_algorithms), std::end(chap_algorithms)};
};

// Of "sha3-256,sha256": those named, in this order. An Error names the one that is none.
Result<std::vector<ChapAlgorithm>> parse_chap_algorithms(std::string_view text);

// What is to be answered with a proof.
struct ChapChallenge {
    uint8_t identifier = 0;
    std::vector<uint8_t> bytes;
};

// The side that logs in.
class ChapInitiator {
  public:
    explicit ChapInitiator(ChapCredentials credentials);

    // What to say now; empty while it is the target's turn. What was said once is not said again.
    Result<TextKeys> say();
    // What the target says; keys other than those of CHAP are passed over. An Error ends the login.
    Result<std::monostate> hear(const TextKeys& keys);

    // The target has been given the proof it asked for.
    bool has_proved_itself() const { return state_ == State::waits_for_proof || state_ == State::done; }
    // So it has, and, where authentication is mutual, the target proved itself too. The secrets are gone then.
    bool done() const { return state_ == State::done; }
    bool mutual() const { return mutual_; }
    ChapAlgorithm algorithm() const { return algorithm_; }  // once there is one

  private:
    enum class State : uint8_t { offers, waits_for_challenge, answers, waits_for_proof, done };

    Result<TextKeys> answer();
    Result<std::monostate> take_challenge(const TextKeys& keys);
    Result<std::monostate> take_proof(const TextKeys& keys);

    ChapCredentials credentials_;
    bool mutual_;
    State state_ = State::offers;
    ChapAlgorithm algorithm_ = ChapAlgorithm::md5;
    ChapChallenge received_;
    ChapChallenge sent_;
};

// The side that is logged in to.
class ChapTarget {
  public:
    explicit ChapTarget(ChapCredentials credentials);

    // What the initiator says, and what to answer, which may be nothing; keys other than those of CHAP are passed over.
    // An Error is to be answered with the status of a failed authentication (2/1, RFC 7143 §11.13.5), and ends the
    // login.
    Result<TextKeys> answer(const TextKeys& keys);

    // The initiator has proved itself; its name came with CHAP_N. The secrets are gone then.
    bool done() const { return state_ == State::done; }

  private:
    enum class State : uint8_t { waits_for_algorithms, waits_for_proof, done };

    Result<TextKeys> challenge(const TextKeys& keys);
    Result<TextKeys> check_proof(const TextKeys& keys);

    ChapCredentials credentials_;
    State state_ = State::waits_for_algorithms;
    ChapAlgorithm algorithm_ = ChapAlgorithm::md5;
    ChapChallenge sent_;
};

// Of OpenSSL's libcrypto.
std::string hash_library_version();

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/login/chap.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <memory>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>
#include <utility>

namespace sanscope {
namespace {

constexpr size_t longest_binary_value = 1024;  // bytes: CHAP_C (RFC 7143 §12.1.3)

struct MdRelease {
    void operator()(EVP_MD* md) const { EVP_MD_free(md); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Md = std::unique_ptr<EVP_MD, MdRelease>;
using MdContext = std::unique_ptr<EVP_MD_CTX, MdRelease>;

// Nothing where the library does without it, as one that holds to FIPS 140 does without MD5.
Md fetch(ChapAlgorithm algorithm) {
    const char* const name = [&] {
        switch (algorithm) {
            case ChapAlgorithm::md5:
                return "MD5";
            case ChapAlgorithm::sha1:
                return "SHA1";
            case ChapAlgorithm::sha256:
                return "SHA256";
            case ChapAlgorithm::sha3_256:
                break;
        }
        return "SHA3-256";
    }();
    return Md(EVP_MD_fetch(nullptr, name, nullptr));
}

// An integer below 256, in decimal or hexadecimal (RFC 7143 §6.1).
std::optional<uint8_t> read_small_number(std::string_view text) {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex) text.remove_prefix(2);
    uint8_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// One of those allowed.
std::optional<ChapAlgorithm> read_algorithm(std::string_view text, const ChapCredentials& credentials) {
    const auto number = read_small_number(text);
    const auto found = std::ranges::find_if(credentials.algorithms, [&](ChapAlgorithm algorithm) {
        return number && static_cast<uint8_t>(algorithm) == *number;
    });
    if (found == credentials.algorithms.end() || !fetch(*found)) return std::nullopt;
    return *found;
}

std::optional<std::vector<uint8_t>> read_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) return std::nullopt;
    std::vector<uint8_t> bytes(digits.size() / 2);
    for (size_t i = 0; i < bytes.size(); ++i) {
        const char* const pair = digits.data() + 2 * i;
        const auto [end, error] = std::from_chars(pair, pair + 2, bytes[i], 16);
        if (error != std::errc() || end != pair + 2) return std::nullopt;
    }
    return bytes;
}

std::optional<std::vector<uint8_t>> read_base64(std::string_view text) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    const bool is_base64 =
        text.size() % 4 == 0 &&
        text.substr(0, text.size() - padding).find_first_not_of(alphabet) == std::string_view::npos;
    if (!is_base64 || text.size() / 4 * 3 > longest_binary_value + 2) return std::nullopt;
    std::vector<uint8_t> bytes(text.size() / 4 * 3);
    // The padding is decoded as zeros.
    if (EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(text.data()),
                        static_cast<int>(text.size())) != static_cast<int>(bytes.size())) {
        return std::nullopt;
    }
    bytes.resize(bytes.size() - padding);
    return bytes;
}

// As long as the longest hash.
Result<ChapChallenge> make_challenge() {
    std::array<uint8_t, 33> random{};
    for (size_t length = 0; length < random.size();) {
        const ssize_t count = ::getrandom(random.data() + length, random.size() - length, 0);
        if (count < 0 && errno != EINTR) return Error{"the system gives no random numbers"};
        if (count > 0) length += static_cast<size_t>(count);
    }
    return ChapChallenge{.identifier = random[0], .bytes = {random.begin() + 1, random.end()}};
}

// CHAP_I and CHAP_C.
Result<ChapChallenge> read_challenge(const TextKeys& keys, std::string_view whose) {
    const std::string* const identifier = find_key(keys, "CHAP_I");
    const std::string* const challenge = find_key(keys, "CHAP_C");
    if (identifier == nullptr || challenge == nullptr)
        return Error{fmt::format("the {} did not send both of CHAP_I and CHAP_C", whose)};
    const auto number = read_small_number(*identifier);
    if (!number) return Error{fmt::format("the {}'s CHAP_I is no number below 256", whose)};
    // Of a shorter one, who asks could have computed all responses that there are to a secret of a few bytes.
    constexpr size_t least_challenge = 16;
    auto bytes = read_binary_value(*challenge);
    if (!bytes || bytes->size() < least_challenge) {
        return Error{fmt::format("the {}'s CHAP_C is no value of {} to {} bytes", whose, least_challenge,
                                 longest_binary_value)};
    }
    return ChapChallenge{.identifier = *number, .bytes = std::move(*bytes)};
}

void write_challenge(const ChapChallenge& challenge, TextKeys& keys) {
    keys.emplace_back("CHAP_I", std::to_string(challenge.identifier));
    keys.emplace_back("CHAP_C", write_binary_value(challenge.bytes));
}

Result<std::monostate> write_proof(ChapAlgorithm algorithm, const ChapAccount& account,
                                   const ChapChallenge& challenge, TextKeys& keys) {
    const auto response = chap_response(algorithm, challenge.identifier, account.secret, challenge.bytes);
    if (!response) return response.error();
    keys.emplace_back("CHAP_N", account.name);
    keys.emplace_back("CHAP_R", write_binary_value(*response));
    return std::monostate{};
}

Result<bool> proves(std::span<const uint8_t> proof, ChapAlgorithm algorithm, const Secret& secret,
                    const ChapChallenge& challenge) {
    const auto expected = chap_response(algorithm, challenge.identifier, secret, challenge.bytes);
    if (!expected) return expected.error();
    return proof.size() == expected->size() &&
           CRYPTO_memcmp(proof.data(), expected->data(), proof.size()) == 0;
}

bool speaks_of_chap(const TextKeys& keys) {
    return std::ranges::any_of(keys, [](const auto& key) { return key.first.starts_with("CHAP_"); });
}

void wipe(ChapCredentials& credentials) {
    credentials.initiator.secret.wipe();
    if (credentials.target) credentials.target->secret.wipe();
}

// What RFC 7143 §12.1.3 forbids, and what cannot be meant.
std::optional<Error> fault_of(const ChapCredentials& credentials) {
    const ChapAccount& initiator = credentials.initiator;
    if (initiator.name.empty()) return Error{"CHAP needs a name for the initiator"};
    if (initiator.secret.empty() || (credentials.target && credentials.target->secret.empty()))
        return Error{"CHAP needs a secret for each side that is to prove itself"};
    if (credentials.algorithms.empty()) return Error{"CHAP needs an algorithm"};
    if (credentials.target && credentials.target->secret == initiator.secret) {
        return Error{
            "initiator and target have the same CHAP secret, with which either could feign the other"};
    }
    return std::nullopt;
}

}  // namespace

Result<std::vector<ChapAlgorithm>> parse_chap_algorithms(std::string_view text) {
    constexpr std::pair<std::string_view, ChapAlgorithm> names[] = {{"md5", ChapAlgorithm::md5},
                                                                    {"sha1", ChapAlgorithm::sha1},
                                                                    {"sha256", ChapAlgorithm::sha256},
                                                                    {"sha3-256", ChapAlgorithm::sha3_256}};
    std::vector<ChapAlgorithm> algorithms;
    while (true) {
        const std::string_view name = text.substr(0, text.find(','));
        const auto* const found = std::ranges::find(names, name, [](const auto& one) { return one.first; });
        if (found == std::end(names))
            return Error{fmt::format("'{}' is none of md5, sha1, sha256, sha3-256", name)};
        if (std::ranges::find(algorithms, found->second) == algorithms.end())
            algorithms.push_back(found->second);
        if (name.size() == text.size()) return algorithms;
        text.remove_prefix(name.size() + 1);
    }
}

std::string_view chap_algorithm_name(ChapAlgorithm algorithm) {
    switch (algorithm) {
        case ChapAlgorithm::md5:
            return "MD5";
        case ChapAlgorithm::sha1:
            return "SHA-1";
        case ChapAlgorithm::sha256:
            return "SHA-256";
        case ChapAlgorithm::sha3_256:
            break;
    }
    return "SHA3-256";
}

Result<std::vector<uint8_t>> chap_response(ChapAlgorithm algorithm, uint8_t identifier, const Secret& secret,
                                           std::span<const uint8_t> challenge) {
    const Md md = fetch(algorithm);
    const MdContext context(EVP_MD_CTX_new());
    std::vector<uint8_t> hash(md ? static_cast<size_t>(EVP_MD_get_size(md.get())) : 0);
    unsigned length = 0;
    const bool hashed = md && context && EVP_DigestInit_ex(context.get(), md.get(), nullptr) == 1 &&
                        EVP_DigestUpdate(context.get(), &identifier, 1) == 1 &&
                        EVP_DigestUpdate(context.get(), secret.bytes().data(), secret.bytes().size()) == 1 &&
                        EVP_DigestUpdate(context.get(), challenge.data(), challenge.size()) == 1 &&
                        EVP_DigestFinal_ex(context.get(), hash.data(), &length) == 1;
    if (!hashed)
        return Error{fmt::format("the cryptographic library has no {}", chap_algorithm_name(algorithm))};
    return hash;
}

std::optional<std::vector<uint8_t>> read_binary_value(std::string_view text) {
    if (text.size() < 2 || text[0] != '0') return std::nullopt;
    const std::string_view digits = text.substr(2);
    const bool hex = text[1] == 'x' || text[1] == 'X';
    const bool base64 = text[1] == 'b' || text[1] == 'B';
    auto bytes = hex ? read_hex(digits) : base64 ? read_base64(digits) : std::nullopt;
    if (!bytes || bytes->empty() || bytes->size() > longest_binary_value) return std::nullopt;
    return bytes;
}

std::string write_binary_value(std::span<const uint8_t> bytes) {
    return fmt::format("0x{:02x}", fmt::join(bytes, ""));
}

ChapInitiator::ChapInitiator(ChapCredentials credentials)
    : credentials_(std::move(credentials)), mutual_(credentials_.target.has_value()) {}

Result<TextKeys> ChapInitiator::say() {
    switch (state_) {
        case State::offers: {
            if (auto fault = fault_of(credentials_)) return *fault;
            std::string offered;
            for (const ChapAlgorithm algorithm : credentials_.algorithms) {
                if (!fetch(algorithm)) continue;
                if (!offered.empty()) offered += ',';
                offered += std::to_string(static_cast<unsigned>(algorithm));
            }
            state_ = State::waits_for_challenge;
            return TextKeys{{"CHAP_A", offered}};
        }
        case State::answers:
            return answer();
        case State::waits_for_challenge:
        case State::waits_for_proof:
        case State::done:
            break;
    }
    return TextKeys{};
}

Result<TextKeys> ChapInitiator::answer() {
    TextKeys keys;
    if (auto written = write_proof(algorithm_, credentials_.initiator, received_, keys); !written)
        return written.error();
    if (!mutual_) {
        wipe(credentials_);
        state_ = State::done;
        return keys;
    }
    auto challenge = make_challenge();
    if (!challenge) return challenge.error();
    sent_ = std::move(*challenge);
    write_challenge(sent_, keys);
    state_ = State::waits_for_proof;
    return keys;
}

Result<std::monostate> ChapInitiator::hear(const TextKeys& keys) {
    if (!speaks_of_chap(keys)) return std::monostate{};
    if (state_ == State::waits_for_challenge) return take_challenge(keys);
    if (state_ == State::waits_for_proof) return take_proof(keys);
    return Error{"the target speaks of CHAP when it is not its turn"};
}

Result<std::monostate> ChapInitiator::take_challenge(const TextKeys& keys) {
    const std::string* const chosen = find_key(keys, "CHAP_A");
    if (chosen == nullptr) return Error{"the target chose no CHAP algorithm"};
    if (*chosen == "Reject") return Error{"the target takes none of the CHAP algorithms it was offered"};
    const auto algorithm = read_algorithm(*chosen, credentials_);
    if (!algorithm) return Error{"the target chose a CHAP algorithm that it was not offered"};
    auto challenge = read_challenge(keys, "target");
    if (!challenge) return challenge.error();
    algorithm_ = *algorithm;
    received_ = std::move(*challenge);
    state_ = State::answers;
    return std::monostate{};
}

Result<std::monostate> ChapInitiator::take_proof(const TextKeys& keys) {
    if (find_key(keys, "CHAP_C") != nullptr)
        return Error{"the target sent another challenge where it was to prove itself"};
    const std::string* const name = find_key(keys, "CHAP_N");
    const std::string* const response = find_key(keys, "CHAP_R");
    if (name == nullptr || response == nullptr)
        return Error{"the target did not send both of CHAP_N and CHAP_R"};
    const auto proof = read_binary_value(*response);
    const auto feigned =
        proves(proof ? *proof : std::vector<uint8_t>(), algorithm_, credentials_.initiator.secret, sent_);
    const auto proved =
        proves(proof ? *proof : std::vector<uint8_t>(), algorithm_, credentials_.target->secret, sent_);
    if (!feigned) return feigned.error();
    if (!proved) return proved.error();
    if (*feigned) return Error{"the target proved itself with the initiator's secret, not with its own"};
    if (!*proved) return Error{"the target could not prove itself: its CHAP response is wrong"};
    const std::string& expected = credentials_.target->name;
    if (!expected.empty() && *name != expected)
        return Error{fmt::format("the target's CHAP name is not {}", expected)};
    wipe(credentials_);
    state_ = State::done;
    return std::monostate{};
}

ChapTarget::ChapTarget(ChapCredentials credentials) : credentials_(std::move(credentials)) {}

Result<TextKeys> ChapTarget::answer(const TextKeys& keys) {
    if (!speaks_of_chap(keys)) return TextKeys{};
    if (state_ == State::waits_for_algorithms) return challenge(keys);
    if (state_ == State::waits_for_proof) return check_proof(keys);
    return Error{"the initiator speaks of CHAP after it has proved itself"};
}

Result<TextKeys> ChapTarget::challenge(const TextKeys& keys) {
    if (auto fault = fault_of(credentials_)) return *fault;
    const std::string* const offered = find_key(keys, "CHAP_A");
    if (offered == nullptr) return Error{"the initiator offered no CHAP algorithm"};
    // The first that this side has: the initiator's order is its preference (RFC 7143 §6.2.1).
    std::optional<ChapAlgorithm> chosen;
    for (std::string_view left = *offered; !left.empty() && !chosen;) {
        const std::string_view one = left.substr(0, left.find(','));
        chosen = read_algorithm(one, credentials_);
        left.remove_prefix(std::min(one.size() + 1, left.size()));
    }
    if (!chosen) return Error{"the initiator offered no CHAP algorithm that this target has"};
    auto made = make_challenge();
    if (!made) return made.error();
    algorithm_ = *chosen;
    sent_ = std::move(*made);
    TextKeys said = {{"CHAP_A", std::to_string(static_cast<unsigned>(algorithm_))}};
    write_challenge(sent_, said);
    state_ = State::waits_for_proof;
    return said;
}

Result<TextKeys> ChapTarget::check_proof(const TextKeys& keys) {
    const std::string* const name = find_key(keys, "CHAP_N");
    const std::string* const response = find_key(keys, "CHAP_R");
    if (name == nullptr || response == nullptr)
        return Error{"the initiator did not send both of CHAP_N and CHAP_R"};
    const auto proof = read_binary_value(*response);
    const auto proved =
        proves(proof ? *proof : std::vector<uint8_t>(), algorithm_, credentials_.initiator.secret, sent_);
    if (!proved) return proved.error();
    if (!*proved || *name != credentials_.initiator.name)
        return Error{"the initiator could not prove itself: its CHAP name or response is wrong"};

    TextKeys said;
    if (find_key(keys, "CHAP_I") != nullptr || find_key(keys, "CHAP_C") != nullptr) {
        const auto received = read_challenge(keys, "initiator");
        if (!received) return received.error();
        // Who sends the challenge back that it was given wants the answer for itself (RFC 7143 §9.2.1).
        if (received->bytes == sent_.bytes)
            return Error{"the initiator sent the target's own challenge back"};
        if (!credentials_.target)
            return Error{"the initiator wants a proof, and the target has no secret for it"};
        if (auto written = write_proof(algorithm_, *credentials_.target, *received, said); !written)
            return written.error();
    }
    wipe(credentials_);
    state_ = State::done;
    return said;
}

std::string hash_library_version() {
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

}  // namespace sanscope

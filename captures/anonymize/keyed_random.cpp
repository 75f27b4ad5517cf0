// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/anonymize/keyed_random.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string>
#include <string_view>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/byte_order.h"
#include "analyzer/base/file_descriptor.h"

namespace sanscope {
namespace {

int hex_value(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

}  // namespace

Result<MappingKey> random_mapping_key() {
    MappingKey key;
    if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size()))
        return Error{fmt::format("the system gives no random bytes: {}", std::strerror(errno))};
    return key;
}

Result<MappingKey> read_mapping_key(const std::string& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) return Error{std::strerror(errno)};
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return Error{std::strerror(errno)};
    if (!S_ISREG(status.st_mode)) return Error{"a key must be in a regular file"};
    if ((status.st_mode & 077) != 0)
        return Error{"others than its owner have rights on the key's file: chmod 600 takes them away"};
    std::array<char, 256> text{};
    const ssize_t got = ::read(file.get(), text.data(), text.size());
    if (got < 0) return Error{std::strerror(errno)};
    std::string_view digits(text.data(), static_cast<size_t>(got));
    while (!digits.empty() && std::string_view(" \t\r\n").find(digits.back()) != std::string_view::npos)
        digits.remove_suffix(1);
    MappingKey key{};
    bool good = digits.size() == 2 * key.size();
    for (size_t i = 0; good && i < key.size(); ++i) {
        const int high = hex_value(digits[2 * i]);
        const int low = hex_value(digits[2 * i + 1]);
        good = high >= 0 && low >= 0;
        if (good) key[i] = static_cast<uint8_t>(high << 4 | low);
    }
    OPENSSL_cleanse(text.data(), text.size());
    if (!good) return Error{"a key is 64 hexadecimal digits, as `openssl rand -hex 32` prints them"};
    return key;
}

void KeyedRandom::Release::operator()(evp_cipher_ctx_st* context) const {
    EVP_CIPHER_CTX_free(context);
}

Result<KeyedRandom> KeyedRandom::with_key(std::span<const uint8_t, 16> key) {
    Context context(EVP_CIPHER_CTX_new());
    if (!context ||
        EVP_EncryptInit_ex2(context.get(), EVP_aes_128_ecb(), key.data(), nullptr, nullptr) != 1 ||
        EVP_CIPHER_CTX_set_padding(context.get(), 0) != 1)
        return Error{"libcrypto has no AES-128"};
    return KeyedRandom(std::move(context));
}

Result<KeyedRandom> KeyedRandom::create(const MappingKey& key, uint8_t purpose) {
    auto first = with_key(std::span(key).first<16>());
    if (!first || purpose == 0) return first;
    RandomBlock block;
    std::copy_n(key.begin() + 16, block.size(), block.begin());
    block[0] = static_cast<uint8_t>(block[0] ^ purpose);
    return with_key(first->encrypt(block));
}

RandomBlock KeyedRandom::encrypt(const RandomBlock& block) const {
    RandomBlock out{};
    int length = 0;
    // Cannot fail: a block of memory, one of output, no padding.
    EVP_EncryptUpdate(context_.get(), out.data(), &length, block.data(), static_cast<int>(block.size()));
    return out;
}

RandomBlock KeyedRandom::digest(std::span<const uint8_t> bytes) const {
    RandomBlock state{};
    store_be32(state.data(), static_cast<uint32_t>(bytes.size()));
    state = encrypt(state);
    while (!bytes.empty()) {
        const size_t length = std::min(bytes.size(), state.size());
        for (size_t i = 0; i < length; ++i) state[i] = static_cast<uint8_t>(state[i] ^ bytes[i]);
        state = encrypt(state);
        bytes = bytes.subspan(length);
    }
    return state;
}

}  // namespace sanscope

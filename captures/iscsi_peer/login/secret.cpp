// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/login/secret.h"

#include <algorithm>
#include <array>
#include <bsd/readpassphrase.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <openssl/crypto.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "analyzer/base/file_descriptor.h"

namespace sanscope {
namespace {

// Room for a secret that is too long by one byte and the zero behind it; overwritten when it goes.
struct Room {
    Room() = default;
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

    std::array<char, longest_secret + 2> bytes{};
};

// Who holds a secret leaves no core behind in which it could be read, and can be looked into by root alone. For good:
// where the secret was copied to in the meantime nobody knows.
void keep_from_others() {
    constexpr rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

Error system_error(int number) {
    return {std::generic_category().message(number)};
}

Result<Secret> checked(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return Error{"the secret is empty"};
    if (line.size() > longest_secret)
        return Error{fmt::format("the secret is longer than {} bytes", longest_secret)};
    return Secret(line);
}

}  // namespace

Secret& Secret::operator=(const Secret& other) {
    if (this != &other) *this = Secret(other);
    return *this;
}

Secret& Secret::operator=(Secret&& other) noexcept {
    if (this != &other) {
        wipe();
        bytes_ = std::move(other.bytes_);
    }
    return *this;
}

void Secret::wipe() {
    OPENSSL_cleanse(bytes_.data(), bytes_.size());
    bytes_.clear();
}

bool operator==(const Secret& a, const Secret& b) {
    return a.bytes_.size() == b.bytes_.size() &&
           CRYPTO_memcmp(a.bytes_.data(), b.bytes_.data(), a.bytes_.size()) == 0;
}

Result<Secret> read_secret_file(const std::string& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (file.get() < 0) return system_error(errno);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return system_error(errno);
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) return Error{"this is no file"};
    constexpr mode_t of_others = S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
    if ((status.st_mode & of_others) != 0) {
        return Error{
            "the group or others may read or change the secret; chmod 600 makes it its owner's alone"};
    }

    return read_secret_line(file.get());
}

Result<Secret> read_secret_line(int descriptor) {
    keep_from_others();
    Room room;
    size_t length = 0;
    // Byte by byte: what follows the line is another reader's.
    while (length < room.bytes.size()) {
        const ssize_t count = ::read(descriptor, room.bytes.data() + length, 1);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_error(errno);
        if (count == 0 || room.bytes[length] == '\n') break;
        ++length;
    }
    return checked(std::string_view(room.bytes.data(), length));
}

Result<Secret> ask_secret(const std::string& prompt) {
    keep_from_others();
    Room room;
    if (::readpassphrase(prompt.c_str(), room.bytes.data(), room.bytes.size(),
                         RPP_ECHO_OFF | RPP_REQUIRE_TTY) == nullptr) {
        if (errno == ENOTTY) return Error{"there is no terminal to ask for the secret"};
        return system_error(errno);
    }
    return checked(room.bytes.data());
}

std::optional<std::string> weakness_of(const Secret& secret) {
    constexpr size_t least = 12;
    if (secret.bytes().size() >= least) return std::nullopt;
    return fmt::format("the secret has {} bytes; a CHAP secret of less than {} can be guessed by who listens",
                       secret.bytes().size(), least);
}

}  // namespace sanscope

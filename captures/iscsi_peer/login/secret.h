// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"

namespace sanscope {

// The bytes of a secret. Each copy overwrites its own when it goes or takes others.
class Secret {
  public:
    Secret() = default;
    explicit Secret(std::string_view bytes) : bytes_(bytes.begin(), bytes.end()) {}
    Secret(const Secret&) = default;
    Secret(Secret&&) noexcept = default;
    Secret& operator=(const Secret& other);
    Secret& operator=(Secret&& other) noexcept;
    ~Secret() { wipe(); }

    std::span<const uint8_t> bytes() const { return bytes_; }
    bool empty() const { return bytes_.empty(); }
    void wipe();

    // Takes a time that reveals the length at most.
    friend bool operator==(const Secret& a, const Secret& b);

  private:
    std::vector<uint8_t> bytes_;
};

constexpr size_t longest_secret = 1024;  // bytes

// The first line of a file, or of a pipe, without its end. An Error where that is empty or longer than
// `longest_secret`, or where the group or others may read or change the file.
Result<Secret> read_secret_file(const std::string& path);

// The next line of what is read, without its end; not a byte more is taken. An Error where it is empty or longer than
// `longest_secret`.
Result<Secret> read_secret_line(int descriptor);

// What the user types on the controlling terminal, not shown, up to the end of the line. A signal that comes meanwhile
// finds the terminal as it was. An Error where there is no terminal, or nothing is typed. For a process that has no
// other threads yet.
Result<Secret> ask_secret(const std::string& prompt);

// A sentence, where the secret has less than the 96 bits that RFC 7143 §9.2.1 asks of a CHAP secret.
std::optional<std::string> weakness_of(const Secret& secret);

}  // namespace sanscope

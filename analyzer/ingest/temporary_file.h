// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <unistd.h>

namespace sanscope::test {

// A file for the time of a test.
class TemporaryFile {
  public:
    explicit TemporaryFile(std::span<const uint8_t> bytes)
        : path_(testing::TempDir() + "sanscope-" + std::to_string(::getpid()) + "-" +
                std::to_string(++count_)) {
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() { ::unlink(path_.c_str()); }

    const std::string& path() const { return path_; }

  private:
    static inline std::atomic<int> count_ = 0;
    std::string path_;
};

}  // namespace sanscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/stream_sender.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <thread>

namespace sanscope {
namespace {

std::span<const uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Nothing makes it smaller.
std::string noise(size_t length) {
    std::mt19937 random;
    std::string text(length, '\0');
    for (char& c : text) c = static_cast<char>(random());
    return text;
}

TEST(StreamSender, WaitsWhileALotIsUnderWayAndGoesOnWhenItWasSent) {
    std::atomic<int> told = 0;
    std::atomic<size_t> bytes = 0;
    StreamSender sender([&](const v1::RecordingEvent& event) {
        bytes += event.blocks().zstd().size();
        ++told;
    });
    const std::string blocks = noise(1 << 20);
    std::thread writer([&] {
        for (int i = 0; i < 10; ++i) EXPECT_TRUE(sender.send(bytes_of(blocks)));
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_LT(told, 5);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (told < 10 && std::chrono::steady_clock::now() < deadline) {
        sender.sent(bytes.exchange(0));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    sender.close();
    writer.join();
    EXPECT_EQ(told, 10);
}

TEST(StreamSender, WhereNobodyReadsNobodyWaits) {
    StreamSender sender([](const v1::RecordingEvent&) {});
    const auto file = sender.file();
    EXPECT_TRUE(file->write(bytes_of("abcd"), 1, {}).all);
    EXPECT_EQ(file->bytes(), 4u);
    std::thread closer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        sender.close();
    });
    const std::string blocks = noise(3 << 20);
    BlockFile::Written written;
    while (written.all) written = file->write(bytes_of(blocks), 1, {});
    closer.join();
    EXPECT_EQ(written.error, EPIPE);
    EXPECT_EQ(written.packets, 0u);
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "captures/kernel_truth/kernel_truth_source.h"
#include "captures/recorder/block_source.h"

namespace sanscope {

// The pcapng blocks of a message, each with a payload that readers believe; none of an empty message.
std::string kernel_truth_blocks(const v1::KernelTruth& truth);

// The ports that a capture filter of the form "tcp port 3260 or port 860" is about; none of any that may mean others
// too.
std::vector<uint16_t> ports_of_filter(const std::string& filter);

// Writes what the kernel reports of this host's connections beside their packets.
class KernelTruthBlocks final : public BlockSource {
  public:
    // `filter`: the recording's, by which sockets are left out that have none of its ports.
    explicit KernelTruthBlocks(const std::string& filter) : ports_(ports_of_filter(filter)) {}
    ~KernelTruthBlocks() override;

    Result<std::monostate> open() override;
    void start(BlockSink& sink) override;
    void stop() override;
    // Writes the sockets of all files before, so that the file stands by itself.
    void file_begins(std::string& blocks) override;

  private:
    void run(BlockSink& sink);
    bool hand_over(const v1::KernelTruth& truth, BlockSink& sink);

    std::vector<uint16_t> ports_;
    std::unique_ptr<KernelTruthSource> source_;
    std::thread thread_;
    std::atomic<bool> stop_ = false;
    std::mutex mutex_;                              // sockets_
    std::map<uint32_t, v1::KernelSocket> sockets_;  // written by now, as last known
};

}  // namespace sanscope

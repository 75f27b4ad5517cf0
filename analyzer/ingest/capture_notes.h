// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sanscope {

// What people wrote into a pcapng: the comments on its packets, and those on its sections, which are on the capture as a
// whole. Memory is bounded: notes beyond `max_notes` or `max_bytes` are only counted.
class CaptureNotes {
  public:
    static constexpr size_t max_notes = 100'000;
    static constexpr size_t max_bytes = size_t{16} << 20;

    struct Note {
        uint64_t packet = 0;
        std::string text;  // as cleaned_text() gives it; may be empty

        bool operator==(const Note&) const = default;
    };

    // By packet; those of one packet in the order of the file.
    const std::vector<Note>& of_packets() const { return of_packets_; }
    const std::vector<std::string>& of_capture() const { return of_capture_; }
    uint64_t left_out() const { return left_out_; }

    // For the reader: comments as they are in the file, of packets in their order.
    void add(uint64_t packet, std::span<const uint8_t> comment);
    void add_of_capture(std::span<const uint8_t> comment);

    bool operator==(const CaptureNotes&) const = default;

  private:
    bool takes(const std::string& text);

    std::vector<Note> of_packets_;
    std::vector<std::string> of_capture_;
    size_t bytes_ = 0;
    uint64_t left_out_ = 0;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <google/protobuf/message_lite.h>
#include <span>
#include <string>
#include <vector>

namespace sanscope {

// Messages one behind the other, each after its length as a varint (protobuf's "length-delimited").

// Appends one.
void append_message(const google::protobuf::MessageLite& message, std::vector<uint8_t>& bytes);

// Takes bytes in as they come and gives messages out as they are whole. Of another process, which may be in other hands: what a
// message may cost is bounded by its length, and by how many messages it holds, each of which becomes an object of a hundred
// bytes though it came as two.
class MessageDecoder {
  public:
    // What more than this is taken for garbage.
    struct Limits {
        uint64_t length = uint64_t{64} << 20;
        uint64_t parts = uint64_t{1} << 20;  // fields of the message, and of those right within it
    };

    MessageDecoder() = default;
    explicit MessageDecoder(const Limits& limits) : limits_(limits) {}

    enum class Outcome : uint8_t {
        message,
        incomplete,  // more bytes are needed
        garbage,     // these bytes are no message; nothing comes after them
    };

    void add(std::span<const uint8_t> bytes);
    Outcome next(google::protobuf::MessageLite& message);
    // Bytes of a message that is not whole yet.
    size_t left() const { return bytes_.size() - begin_; }

  private:
    Limits limits_;
    std::vector<uint8_t> bytes_;
    size_t begin_ = 0;  // what is before was given out
    bool garbage_ = false;
};

// Of Protocol Buffers.
std::string message_library_version();

}  // namespace sanscope

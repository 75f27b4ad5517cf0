// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/proto/message_pipe.h"

#include <gtest/gtest.h>

#include "sanscope/v1/dissection.pb.h"

namespace sanscope {
namespace {

using Outcome = MessageDecoder::Outcome;

v1::DissectRequest request(uint64_t id, size_t filter_length) {
    v1::DissectRequest made;
    made.set_id(id);
    made.mutable_check_filter()->set_filter(std::string(filter_length, 'x'));
    return made;
}

TEST(MessagePipe, MessagesComeOutWholeHoweverTheBytesAreCut) {
    std::vector<uint8_t> bytes;
    for (uint64_t id = 1; id <= 5; ++id) append_message(request(id, id * 100), bytes);
    for (size_t piece : {size_t{1}, size_t{2}, size_t{131}, bytes.size()}) {
        MessageDecoder decoder;
        uint64_t next = 1;
        v1::DissectRequest message;
        for (size_t at = 0; at < bytes.size(); at += piece) {
            decoder.add(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
            while (decoder.next(message) == Outcome::message) {
                EXPECT_EQ(message.id(), next);
                EXPECT_EQ(message.check_filter().filter().size(), next * 100);
                ++next;
            }
        }
        EXPECT_EQ(next, 6u);
        EXPECT_EQ(decoder.left(), 0u);
    }
}

TEST(MessagePipe, GarbageIsToldAndStaysSo) {
    v1::DissectRequest message;
    for (const std::vector<uint8_t>& bytes :
         {std::vector<uint8_t>{0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
          std::vector<uint8_t>{0xff, 0xff, 0xff, 0xff, 0x7f}, std::vector<uint8_t>{3, 0xff, 0xff, 0xff}}) {
        MessageDecoder decoder;
        decoder.add(bytes);
        EXPECT_EQ(decoder.next(message), Outcome::garbage);
        std::vector<uint8_t> good;
        append_message(request(1, 1), good);
        decoder.add(good);
        EXPECT_EQ(decoder.next(message), Outcome::garbage);
    }
}

TEST(MessagePipe, AnEmptyMessageIsOne) {
    std::vector<uint8_t> bytes;
    append_message(v1::DissectRequest(), bytes);
    EXPECT_EQ(bytes.size(), 1u);
    MessageDecoder decoder;
    decoder.add(bytes);
    v1::DissectRequest message;
    EXPECT_EQ(decoder.next(message), Outcome::message);
    EXPECT_EQ(decoder.next(message), Outcome::incomplete);
}

}  // namespace
}  // namespace sanscope

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

// A message of many that hold nothing: two bytes each here, an object of a hundred each there.
TEST(MessagePipe, AMessageOfTooManyPartsIsGarbage) {
    const auto tree = [](int nodes) {
        v1::DissectResponse response;
        for (int i = 0; i < nodes; ++i) response.mutable_packet_tree()->add_nodes();
        std::vector<uint8_t> bytes;
        append_message(response, bytes);
        return bytes;
    };
    v1::DissectResponse message;
    MessageDecoder few({.length = 1 << 20, .parts = 1000});
    few.add(tree(999));
    EXPECT_EQ(few.next(message), Outcome::message);
    EXPECT_EQ(message.packet_tree().nodes_size(), 999);
    MessageDecoder many({.length = 1 << 20, .parts = 1000});
    many.add(tree(1001));
    EXPECT_EQ(many.next(message), Outcome::garbage);
}

TEST(MessagePipe, AMessageLongerThanTheLimitIsGarbageBeforeItIsThere) {
    std::vector<uint8_t> bytes;
    append_message(request(1, 5000), bytes);
    MessageDecoder decoder({.length = 4096});
    decoder.add(std::span(bytes).first(8));
    v1::DissectRequest message;
    EXPECT_EQ(decoder.next(message), Outcome::garbage);
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/event_pipe.h"

#include <array>
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

#include "analyzer/base/file_descriptor.h"
#include "analyzer/proto/message_pipe.h"

namespace sanscope {
namespace {

v1::RecordingEvent progress(uint64_t packets) {
    v1::RecordingEvent event;
    event.mutable_progress()->mutable_totals()->set_packets(packets);
    return event;
}
v1::RecordingEvent trouble(std::string text) {
    v1::RecordingEvent event;
    event.mutable_trouble()->set_message(std::move(text));
    return event;
}

class EventPipeTest : public testing::Test {
  protected:
    EventPipeTest() {
        std::signal(SIGPIPE, SIG_IGN);
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe(ends.data()), 0);
        read_end_ = FileDescriptor(ends[0]);
        write_end_ = FileDescriptor(ends[1]);
    }
    std::vector<v1::RecordingEvent> read_all() {
        std::array<uint8_t, 1 << 16> room;
        const ssize_t came = ::read(read_end_.get(), room.data(), room.size());
        if (came > 0) decoder_.add(std::span(room).first(static_cast<size_t>(came)));
        std::vector<v1::RecordingEvent> events;
        v1::RecordingEvent event;
        while (decoder_.next(event) == MessageDecoder::Outcome::message) events.push_back(event);
        return events;
    }

    FileDescriptor read_end_;
    FileDescriptor write_end_;
    MessageDecoder decoder_;
};

TEST_F(EventPipeTest, EventsArriveInOrder) {
    EventPipe pipe(write_end_.get());
    pipe.send(progress(1));
    pipe.send(trouble("oh"));
    pipe.send(progress(2));
    const auto events = read_all();
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[0].progress().totals().packets(), 1u);
    EXPECT_EQ(events[1].trouble().message(), "oh");
    EXPECT_EQ(events[2].progress().totals().packets(), 2u);
    EXPECT_FALSE(pipe.waiting());
}

TEST_F(EventPipeTest, AFullPipeHoldsNothingUpAndOnlyProgressIsLeftOut) {
    EventPipe pipe(write_end_.get());
    const std::string large(50'000, 'x');
    for (int i = 0; i < 4; ++i) pipe.send(trouble(large + std::to_string(i)));
    EXPECT_TRUE(pipe.waiting());
    pipe.send(progress(7));
    pipe.send(trouble("last"));
    std::vector<v1::RecordingEvent> events;
    for (int i = 0; i < 20; ++i) {
        for (const auto& event : read_all()) events.push_back(event);
        pipe.flush();
        if (!pipe.waiting() && events.size() >= 5) break;
    }
    ASSERT_EQ(events.size(), 5u);
    EXPECT_EQ(events[3].trouble().message(), large + "3");
    EXPECT_EQ(events[4].trouble().message(), "last");
}

TEST_F(EventPipeTest, AReaderThatIsGoneIsSeen) {
    EventPipe pipe(write_end_.get());
    read_end_ = FileDescriptor();
    EXPECT_FALSE(pipe.reader_gone());
    pipe.send(progress(1));
    EXPECT_TRUE(pipe.reader_gone());
    pipe.send(trouble("nobody hears this"));
    pipe.finish(1000);
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/recording.h"

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "analyzer/export/testing/temporary_folder.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {
namespace {

using std::chrono::milliseconds;
using Trouble = v1::RecordingTrouble;
using Ended = v1::RecordingEnded;

// Of this process alone: tests that record at once would hear each other.
const auto port = static_cast<uint16_t>(40'000 + ::getpid() % 20'000);

const Recording::Options real{.program = RECORDER, .output_descriptor = -1};

void send_to_loopback(int packets) {
    const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < packets; ++i)
        EXPECT_EQ(::sendto(socket.get(), &i, sizeof i, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to),
                  static_cast<ssize_t>(sizeof i));
}

size_t packets_in(const std::string& path) {
    auto source = open_capture(path);
    EXPECT_TRUE(source);
    if (!source) return 0;
    size_t packets = 0;
    PacketBatch batch;
    while ((*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
        packets += batch.packets.size();
    }
    EXPECT_TRUE((*source)->damage().empty());
    return packets;
}

class RecordingTest : public testing::Test {
  protected:
    RecordingTest() {
        // A recorder built to find races ends at the first it finds, and that shows here.
        ::setenv("TSAN_OPTIONS", "halt_on_error=1", 1);
        request_.add_interfaces("lo");
        request_.set_filter("udp dst port " + std::to_string(port));
        request_.set_path(folder_.path("out.pcapng"));
    }

    // Until `enough` holds of the events that came, or the recording has ended.
    template <class Enough>
    bool poll_until(Recording& recording, Enough enough) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        bool more = true;
        while (more && !enough() && std::chrono::steady_clock::now() < deadline)
            more = recording.poll(milliseconds(50),
                                  [this](const v1::RecordingEvent& event) { events_.push_back(event); });
        return enough();
    }
    bool has_ended() const { return !events_.empty() && events_.back().has_ended(); }
    bool has_started() const {
        return std::ranges::any_of(events_, [](const auto& event) { return event.has_started(); });
    }
    uint64_t packets_reported() const {
        uint64_t packets = 0;
        for (const auto& event : events_)
            if (event.has_progress()) packets = event.progress().totals().packets();
        return packets;
    }
    std::unique_ptr<Recording> start(const Recording::Options& options = real) {
        auto recording = Recording::start(request_, options);
        EXPECT_TRUE(recording);
        return recording ? std::move(*recording) : nullptr;
    }
    // Under way, or none where this user may not record.
    std::unique_ptr<Recording> under_way() {
        auto recording = start();
        poll_until(*recording, [this] { return has_started() || has_ended(); });
        for (const auto& event : events_)
            if (event.has_trouble() && event.trouble().kind() == Trouble::NO_RIGHTS) return nullptr;
        EXPECT_TRUE(has_started());
        return recording;
    }

    test::TemporaryFolder folder_;
    v1::RecordingRequest request_;
    std::vector<v1::RecordingEvent> events_;
};

TEST_F(RecordingTest, InterfacesAreListedAndFiltersCheckedWithoutRights) {
    const auto list = list_capture_interfaces(real);
    ASSERT_TRUE(list) << list.error().message;
    const auto& interfaces = list->interfaces();
    const auto loopback =
        std::ranges::find_if(interfaces, [](const auto& each) { return each.name() == "lo"; });
    ASSERT_NE(loopback, interfaces.end());
    EXPECT_TRUE(loopback->loopback());

    const auto good = check_capture_filter("tcp port 3260 or vlan", "lo", real);
    ASSERT_TRUE(good) << good.error().message;
    EXPECT_TRUE(good->valid());
    const auto bad = check_capture_filter("tcp prot 3260", "", real);
    ASSERT_TRUE(bad);
    EXPECT_FALSE(bad->valid());
    EXPECT_NE(bad->message(), "");
}

// Stands in for a recorder that is in other hands.
class FalseRecorder {
  public:
    explicit FalseRecorder(const test::TemporaryFolder& folder, const std::string& commands)
        : path_(folder.path("false-recorder")) {
        std::ofstream(path_) << "#!/bin/sh\n" << commands << "\n";
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    }
    Recording::Options options() const {
        return {.program = path_, .output_descriptor = -1, .patience = milliseconds(1000)};
    }

  private:
    std::string path_;
};

TEST_F(RecordingTest, ARecorderThatWritesWithoutEndIsNotReadWithoutEnd) {
    // The length of a message, and no message: 1 GiB of it, or byte by byte.
    for (const char* const commands : {"printf '\\200\\200\\200\\200\\004'; exec cat /dev/zero",
                                       "printf '\\200\\200\\4'; while :; do printf '\\0'; sleep 0.01; done",
                                       "while :; do echo complaining >&2; done", "exec cat /dev/zero >&2"}) {
        SCOPED_TRACE(commands);
        const FalseRecorder recorder(folder_, commands);
        const auto began = std::chrono::steady_clock::now();
        EXPECT_FALSE(check_capture_filter("tcp", "", recorder.options()));
        EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
    }
}

TEST_F(RecordingTest, ARecorderThatHasEndedAndGoesOnIsEnded) {
    v1::RecordingEvent event;
    event.mutable_ended()->set_why(Ended::STOPPED);
    std::vector<uint8_t> bytes;
    append_message(event, bytes);
    std::ofstream(folder_.path("ended"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    const FalseRecorder recorder(folder_,
                                 "cat " + folder_.path("ended") + "; while :; do echo complaining >&2; done");
    auto recording = start(recorder.options());
    const auto began = std::chrono::steady_clock::now();
    EXPECT_TRUE(poll_until(*recording, [this] { return has_ended(); }));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
    EXPECT_EQ(recording->process(), 0);
}

TEST(WhatIsKept, IsHeadersForIscsisPortUnlessSaidOtherwise) {
    struct Case {
        const char* filter;
        const char* keep;
        std::optional<uint32_t> snap_length;
        bool remote;
        bool headers;
        uint32_t taken;
    };
    for (const Case& each :
         {Case{"tcp port 3260", "", {}, false, true, 0}, Case{"tcp port 3260", "", {}, true, true, 0},
          Case{"", "", {}, false, false, 0}, Case{"", "", {}, true, false, 128},
          Case{"tcp port 3260", "all", {}, false, false, 0}, Case{"", "all", {}, true, false, 0},
          Case{"", "headers", {}, true, true, 0}, Case{"tcp port 3260", "", 0, false, false, 0},
          Case{"tcp port 3260", "", 96, true, false, 96}, Case{"udp", "headers", 300, false, true, 300}}) {
        SCOPED_TRACE(std::string(each.filter) + ", " + each.keep);
        v1::RecordingRequest request;
        request.set_filter(each.filter);
        set_kept(each.keep, each.snap_length, each.remote, request);
        EXPECT_EQ(request.keep() == v1::RecordingRequest::HEADERS, each.headers);
        EXPECT_EQ(request.snap_length(), each.taken);
    }
}

TEST_F(RecordingTest, ARecorderThatDoesNotKnowOfHeadersOnlyIsStoppedAsItBegins) {
    v1::RecordingEvent event;
    event.mutable_started()->add_interfaces()->set_name("lo");
    std::vector<uint8_t> bytes;
    append_message(event, bytes);
    std::ofstream(folder_.path("started"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    const FalseRecorder recorder(folder_, "cat " + folder_.path("started") + "; exec sleep 60");
    request_.set_keep(v1::RecordingRequest::HEADERS);
    auto recording = start(recorder.options());
    const auto began = std::chrono::steady_clock::now();
    ASSERT_TRUE(poll_until(*recording, [this] { return has_ended(); }));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
    ASSERT_EQ(events_.size(), 2u);
    EXPECT_EQ(events_[0].trouble().kind(), Trouble::WRONG_REQUEST);
    EXPECT_EQ(events_[1].ended().why(), Ended::NOT_BEGUN);
    EXPECT_EQ(recording->process(), 0);
}

TEST_F(RecordingTest, ARecorderThatIsNotThereOrNoneIsTold) {
    const auto none = Recording::start(request_, {.program = "/nowhere/sanscope-recorder"});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message,
              "/nowhere/sanscope-recorder cannot be started: No such file or directory");
    for (const char* other : {"false", "date"}) {
        events_.clear();
        const auto recording = start({.program = other});
        ASSERT_TRUE(poll_until(*recording, [this] { return has_ended(); })) << other;
        EXPECT_TRUE(events_.front().has_trouble());
        EXPECT_EQ(events_.back().ended().why(), Ended::NOT_BEGUN);
        EXPECT_EQ(recording->state(), Recording::State::ended);
        EXPECT_FALSE(recording->poll(milliseconds(0), [](const auto&) { FAIL(); }));
    }
    EXPECT_FALSE(list_capture_interfaces({.program = "false"}));
}

TEST_F(RecordingTest, AQuestionIsGivenUpWhenNobodyWaitsForItsAnswer) {
    const std::string silent = folder_.path("silent");
    std::ofstream(silent) << "#!/bin/sh\nexec sleep 60\n";
    std::filesystem::permissions(silent, std::filesystem::perms::owner_all);
    std::atomic<bool> stop = false;
    std::thread leaves([&] {
        std::this_thread::sleep_for(milliseconds(300));
        stop = true;
    });
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(list_capture_interfaces({.program = silent, .stop = &stop}));
    EXPECT_TRUE(stop) << "it was waited for until then";
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
    leaves.join();
}

TEST_F(RecordingTest, WhatCannotBeRecordedIsTold) {
    request_.set_interfaces(0, "nosuch0");
    auto recording = start();
    ASSERT_TRUE(poll_until(*recording, [this] { return has_ended(); }));
    ASSERT_TRUE(events_[0].has_trouble());
    EXPECT_EQ(events_[0].trouble().kind(), Trouble::NO_SUCH_INTERFACE);
    EXPECT_NE(events_[0].trouble().message().find("lo"), std::string::npos) << "those there are";
    EXPECT_TRUE(folder_.names().empty());

    events_.clear();
    request_.clear_interfaces();
    recording = start();
    ASSERT_TRUE(poll_until(*recording, [this] { return has_ended(); }));
    EXPECT_EQ(events_[0].trouble().kind(), Trouble::WRONG_REQUEST);
    EXPECT_EQ(events_.back().ended().why(), Ended::NOT_BEGUN);
}

TEST_F(RecordingTest, TellsWhatItRecordsAndStopsWhenAsked) {
    const auto recording = under_way();
    if (!recording) GTEST_SKIP() << "this user may not record from interfaces";
    EXPECT_EQ(recording->state(), Recording::State::recording);
    send_to_loopback(100);
    EXPECT_TRUE(poll_until(*recording, [this] { return packets_reported() == 100; }))
        << "live, not in the end only";
    recording->stop();
    EXPECT_EQ(recording->state(), Recording::State::stopping);
    ASSERT_TRUE(poll_until(*recording, [this] { return has_ended(); }));
    const auto& ended = events_.back().ended();
    EXPECT_EQ(ended.why(), Ended::STOPPED);
    EXPECT_EQ(ended.totals().packets(), 100u);
    ASSERT_EQ(ended.totals().interfaces_size(), 1);
    EXPECT_EQ(ended.totals().interfaces(0).received(), 100u);
    EXPECT_EQ(ended.totals().bytes(), std::filesystem::file_size(request_.path()));
    EXPECT_EQ(packets_in(request_.path()), 100u);
    EXPECT_TRUE(events_[0].has_file_begun());
    EXPECT_EQ(events_[1].started().interfaces(0).name(), "lo");
    EXPECT_EQ(events_[events_.size() - 2].file_ended().packets(), 100u);
}

TEST_F(RecordingTest, SeveralInterfacesAndFilesAtOnce) {
    request_.add_interfaces("any");
    request_.mutable_rotation()->set_packets(30);
    const auto recording = under_way();
    if (!recording) GTEST_SKIP() << "this user may not record from interfaces";
    send_to_loopback(100);
    EXPECT_TRUE(poll_until(*recording, [this] { return packets_reported() == 200; }));
    recording->stop();
    ASSERT_TRUE(poll_until(*recording, [this] { return has_ended(); }));
    size_t packets = 0;
    for (const std::string& name : folder_.names()) packets += packets_in(folder_.path(name));
    EXPECT_EQ(packets, 200u);
    EXPECT_EQ(folder_.names().size(), 7u);
    EXPECT_EQ(events_.back().ended().totals().files(), 7u);
}

TEST_F(RecordingTest, EndsWithWhoeverStartedIt) {
    auto recording = under_way();
    if (!recording) GTEST_SKIP() << "this user may not record from interfaces";
    send_to_loopback(50);
    EXPECT_TRUE(poll_until(*recording, [this] { return packets_reported() == 50; }));
    const pid_t process = recording->process();
    recording.reset();
    EXPECT_NE(::kill(process, 0), 0) << "it was waited for";
    EXPECT_EQ(packets_in(request_.path()), 50u);
}

TEST_F(RecordingTest, GoesOnAloneIfItIsTo) {
    request_.set_go_on_alone(true);
    auto recording = under_way();
    if (!recording) GTEST_SKIP() << "this user may not record from interfaces";
    const pid_t process = recording->process();
    recording.reset();
    std::this_thread::sleep_for(milliseconds(300));
    send_to_loopback(50);
    std::this_thread::sleep_for(milliseconds(300));
    ASSERT_EQ(::kill(process, 0), 0) << "it has ended";
    ::kill(process, SIGTERM);
    int status = 0;
    EXPECT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_EQ(how_process_ended(status), "ended with status 0");
    EXPECT_EQ(packets_in(request_.path()), 50u);
}

TEST_F(RecordingTest, OneThatIsKilledIsTold) {
    const auto recording = under_way();
    if (!recording) GTEST_SKIP() << "this user may not record from interfaces";
    send_to_loopback(50);
    EXPECT_TRUE(poll_until(*recording, [this] { return packets_reported() == 50; }));
    ::kill(recording->process(), SIGKILL);
    ASSERT_TRUE(poll_until(*recording, [this] { return has_ended(); }));
    EXPECT_EQ(events_[events_.size() - 2].trouble().message(),
              "sanscope-recorder was ended by signal 9 (Killed)");
    EXPECT_EQ(events_.back().ended().why(), Ended::RECORDER_DIED);
    EXPECT_EQ(events_.back().ended().totals().packets(), 50u) << "as far as it is known";
    EXPECT_EQ(packets_in(request_.path()), 50u);
}

}  // namespace
}  // namespace sanscope

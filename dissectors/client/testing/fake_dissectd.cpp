// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for sanscope-dissectd in the tests of its client: speaks its messages and misbehaves as its arguments say.
//
//     --deadly N     dies of packet N, fed or asked for
//     --die-once F   dies at its first request after OpenCapture, unless the file F exists, which it makes
//     --garbage      writes what is no message
//     --fail TEXT    prints the text and ends with status 2
//     --hang         answers nothing after its Hello
//     --chatter      answers nothing, but goes on writing on standard error
//     --flood        goes on answering what was not asked
//     --huge         answers with a message of 1 GiB
//     --parts        answers with a tree of very many nodes that are nothing
//     --drip         answers with a message that comes byte by byte, without end
//     --not-kept-from TEXT   says so in its Hello
//
// The tree of a packet has a node for each packet fed before it, in order, whose label is the packet's number and
// bytes; and one for each section announced, whose label is its number, a star where it is big-endian, and its bytes.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "dissectors/dissection_protocol.h"
#include "sanscope/v1/dissection.pb.h"

#include "analyzer/base/write_all.h"
#include "analyzer/proto/message_pipe.h"

namespace {

using namespace sanscope;

struct Behaviour {
    uint32_t deadly = 0;
    std::string die_once;
    bool hang = false;
    std::string without_end;  // what it does in place of answering
    std::string not_kept_from;
};

void send(const v1::DissectResponse& response) {
    std::vector<uint8_t> bytes;
    append_message(response, bytes);
    write_all(STDOUT_FILENO, bytes);
}

class Fake {
  public:
    explicit Fake(Behaviour behaviour) : behaviour_(std::move(behaviour)) {}

    void answer(const v1::DissectRequest& request) {
        v1::DissectResponse response;
        response.set_id(request.id());
        if (request.has_open_capture()) {
            fed_.clear();
        } else {
            maybe_die();
        }
        if (request.has_describe_packet()) {
            take(request.describe_packet().packet());
            for (const std::string& label : fed_)
                response.mutable_packet_tree()->add_nodes()->set_label(label);
        } else if (request.has_run_filter()) {
            response.mutable_filter_matches();
            for (const v1::CapturedPacket& packet : request.run_filter().packets()) {
                take(packet);
                if (packet.number() % 2 == 0) response.mutable_filter_matches()->add_numbers(packet.number());
            }
        } else {
            for (const v1::SectionBlocks& section : request.add_sections().sections()) {
                fed_.push_back(fmt::format("section {}{} {}", section.section(),
                                           section.big_endian() ? "*" : "",
                                           section.interfaces().size() + section.others().size()));
            }
            for (const v1::CapturedPacket& packet : request.feed_packets().packets()) take(packet);
            response.mutable_done();
        }
        send(response);
    }

  private:
    void maybe_die() const {
        if (behaviour_.die_once.empty() || std::ifstream(behaviour_.die_once).good()) return;
        std::ofstream(behaviour_.die_once) << "died";
        std::raise(SIGKILL);
    }
    void take(const v1::CapturedPacket& packet) {
        if (packet.number() == behaviour_.deadly) {
            std::fputs("some dissector broke its own rules\n", stderr);
            std::raise(SIGABRT);
        }
        fed_.push_back(fmt::format("{} {}", packet.number(), packet.data().size() + packet.block().size()));
    }

    Behaviour behaviour_;
    std::vector<std::string> fed_;
};

void write_bytes(const std::vector<uint8_t>& bytes) {
    if (!write_all(STDOUT_FILENO, bytes)) std::_Exit(0);
}

// The length of a message, and no message.
std::vector<uint8_t> length_of(uint64_t length) {
    std::vector<uint8_t> bytes;
    for (; length >= 0x80; length >>= 7) bytes.push_back(static_cast<uint8_t>(length | 0x80));
    bytes.push_back(static_cast<uint8_t>(length));
    return bytes;
}

void misbehave(const std::string& how) {
    if (how.empty()) return;
    if (how == "--huge") write_bytes(length_of(uint64_t{1} << 30));
    if (how == "--drip") {
        write_bytes(length_of(uint64_t{1} << 20));
        for (;;) {
            write_bytes({0});
            ::usleep(10'000);
        }
    }
    if (how == "--parts") {
        // A tree of nodes that hold nothing: two bytes each here, a hundred there.
        constexpr size_t nodes = size_t{16} << 20;
        std::vector<uint8_t> inside;
        for (size_t i = 0; i < nodes; ++i) inside.insert(inside.end(), {0x0a, 0x00});
        std::vector<uint8_t> message = {0x08, 0x01, 0x32};  // id 1, packet_tree
        for (const uint8_t byte : length_of(inside.size())) message.push_back(byte);
        message.insert(message.end(), inside.begin(), inside.end());
        write_bytes(length_of(message.size()));
        write_bytes(message);
        ::pause();
    }
    const std::string line(size_t{64} * 1024, 'x');
    for (;;) {
        if (how == "--chatter") std::fputs(line.c_str(), stderr);
        if (how == "--flood") {
            v1::DissectResponse response;
            response.set_id(77);
            response.mutable_error()->set_message(line);
            send(response);
        }
        if (how == "--huge") write_bytes(std::vector<uint8_t>(line.begin(), line.end()));
    }
}

}  // namespace

int main(int argc, char** argv) {
    Behaviour behaviour;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--garbage") {
            const std::vector<uint8_t> garbage(1000, 0xff);
            write_all(STDOUT_FILENO, garbage);
            ::pause();
        }
        if (argument == "--hang") behaviour.hang = true;
        for (const char* const name : {"--chatter", "--flood", "--huge", "--drip", "--parts"}) {
            if (argument == name) behaviour.without_end = argument;
        }
        if (i + 1 == argc) break;
        if (argument == "--fail") {
            std::fprintf(stderr, "%s\n", argv[i + 1]);
            return 2;
        }
        if (argument == "--deadly") behaviour.deadly = static_cast<uint32_t>(std::stoul(argv[i + 1]));
        if (argument == "--not-kept-from") behaviour.not_kept_from = argv[i + 1];
        if (argument == "--die-once") behaviour.die_once = argv[i + 1];
    }
    v1::DissectResponse hello;
    hello.mutable_hello()->set_protocol(dissection_protocol);
    hello.mutable_hello()->set_wireshark_version("none");
    hello.mutable_hello()->set_not_kept_from(behaviour.not_kept_from);
    send(hello);
    if (behaviour.hang) ::pause();
    misbehave(behaviour.without_end);
    Fake fake(std::move(behaviour));
    MessageDecoder decoder;
    v1::DissectRequest request;
    std::vector<uint8_t> room(1 << 16);
    for (ssize_t came; (came = ::read(STDIN_FILENO, room.data(), room.size())) > 0;) {
        decoder.add(std::span(room).first(static_cast<size_t>(came)));
        while (decoder.next(request) == MessageDecoder::Outcome::message) fake.answer(request);
    }
    return 0;
}

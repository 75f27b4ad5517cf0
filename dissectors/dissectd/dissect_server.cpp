// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/dissectd/dissect_server.h"

#include <cerrno>
#include <unistd.h>

#include "dissectors/dissection_protocol.h"

#include "analyzer/base/write_all.h"
#include "analyzer/proto/message_pipe.h"

namespace sanscope {

bool DissectServer::run() {
    v1::DissectResponse response;
    response.mutable_hello()->set_protocol(dissection_protocol);
    response.mutable_hello()->set_wireshark_version(EpanBridge::wireshark_version());
    response.mutable_hello()->set_not_kept_from(not_kept_from_);
    if (!send(response)) return false;

    // Its own program asks, and a block of a capture may be long.
    MessageDecoder decoder({.length = uint64_t{1} << 30});
    v1::DissectRequest request;
    std::vector<uint8_t> room(size_t{1} << 20);
    for (;;) {
        const ssize_t came = ::read(requests_, room.data(), room.size());
        if (came < 0 && errno == EINTR) continue;
        if (came <= 0) return came == 0 && decoder.left() == 0;
        decoder.add(std::span(room).first(static_cast<size_t>(came)));
        MessageDecoder::Outcome outcome;
        while ((outcome = decoder.next(request)) == MessageDecoder::Outcome::message) {
            response.Clear();
            response.set_id(request.id());
            answer(request, response);
            if (!send(response)) return false;
        }
        if (outcome == MessageDecoder::Outcome::garbage) return false;
    }
}

void DissectServer::answer(const v1::DissectRequest& request, v1::DissectResponse& response) {
    const auto fail = [&](std::string message) { response.mutable_error()->set_message(std::move(message)); };
    const bool needs_capture = request.has_add_sections() || request.has_feed_packets() ||
                               request.has_describe_packet() || request.has_run_filter();
    if (needs_capture && !opened_) return fail("no capture is open");

    switch (request.request_case()) {
        case v1::DissectRequest::kOpenCapture:
            bridge_.open(request.open_capture());
            opened_ = true;
            response.mutable_done();
            break;
        case v1::DissectRequest::kAddSections:
            *response.mutable_done() = bridge_.add(request.add_sections());
            break;
        case v1::DissectRequest::kFeedPackets:
            *response.mutable_done() = bridge_.feed(request.feed_packets());
            break;
        case v1::DissectRequest::kDescribePacket: {
            auto tree = bridge_.describe(request.describe_packet());
            if (!tree) return fail(tree.error().message);
            *response.mutable_packet_tree() = std::move(*tree);
            break;
        }
        case v1::DissectRequest::kCheckFilter:
            *response.mutable_filter_check() = EpanBridge::check(request.check_filter().filter());
            break;
        case v1::DissectRequest::kRunFilter: {
            auto matches = bridge_.run(request.run_filter());
            if (!matches) return fail(matches.error().message);
            *response.mutable_filter_matches() = std::move(*matches);
            break;
        }
        case v1::DissectRequest::kCompleteField:
            *response.mutable_field_names() = bridge_.complete(request.complete_field());
            break;
        case v1::DissectRequest::REQUEST_NOT_SET:
            fail("a request of a kind that is not known");
            break;
    }
}

bool DissectServer::send(const v1::DissectResponse& response) {
    bytes_.clear();
    append_message(response, bytes_);
    return write_all(responses_, bytes_);
}

}  // namespace sanscope

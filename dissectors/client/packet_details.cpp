// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/client/packet_details.h"

#include <algorithm>
#include <fmt/format.h>

#include "dissectors/client/capture_messages.h"

#include "analyzer/ingest/pcapng_parser.h"

namespace sanscope {
namespace {

// What a message carries at most, and how many are under way, so that reading, sending and dissecting go on together.
constexpr size_t packets_at_once = 256;
constexpr size_t bytes_at_once = size_t{256} << 10;
constexpr size_t messages_under_way = 4;

std::span<const uint8_t> block_of(const v1::CapturedPacket& packet) {
    return {reinterpret_cast<const uint8_t*>(packet.block().data()), packet.block().size()};
}

}  // namespace

Result<v1::PacketTree> PacketDetails::describe(PacketNumber packet, const Options& options) {
    const PacketIndex& index = reader_.index();
    if (packet == 0 || packet > index.packets())
        return Error{fmt::format("there is no packet {}; the last one is {}", packet, index.packets())};

    constexpr int most_deaths = 6;
    for (int deaths = 0; deaths < most_deaths; ++deaths) {
        if (deadly_.contains(packet)) break;
        const auto fed_before = fed_.find(index.conversation(packet));
        const bool begun = fed_before != fed_.end();
        if (begun ? packet < fed_before->second.first : fed_packets_ >= most_fed_) forget();
        if (const auto opened = open(); !opened) return opened.error();
        plan(packet, options);
        const auto sections_sent = send_sections(packet, options);
        if (!sections_sent) {
            forget();
            return sections_sent.error();
        }
        if (*sections_sent == Step::died) continue;
        // After a death, one packet at a time: so it shows which one it was.
        const auto fed = feed(options, deaths == 0 ? packets_at_once : 1);
        if (!fed) {
            forget();
            return fed.error();
        }
        if (*fed == Step::died) continue;
        v1::PacketTree tree;
        const auto told = ask_for(packet, tree);
        if (!told) return told.error();
        if (*told == Step::done) return tree;
        if (suspect_ == packet) deadly_.insert(packet);
        suspect_ = packet;
    }
    return Error{fmt::format("Wireshark's dissectors do not survive packet {}: the helper process {}", packet,
                             client_.last_end())};
}

Result<bool> PacketDetails::open() {
    const auto run = client_.run();
    if (!run) return run.error();
    if (*run == run_) return true;
    forget();
    v1::DissectRequest request;
    *request.mutable_open_capture() = open_message(reader_.source().interfaces(), reader_.index().time_ns(1));
    const auto answer = client_.ask(request);
    if (!answer) return answer.error();
    const auto opened_in = client_.run();
    if (!opened_in) return opened_in.error();
    run_ = *opened_in;
    return true;
}

void PacketDetails::forget() {
    fed_.clear();
    fed_fragments_.clear();
    fed_packets_ = 0;
    next_block_ = 0;
    run_ = 0;
}

void PacketDetails::plan(PacketNumber packet, const Options& options) {
    const PacketIndex& index = reader_.index();
    const uint32_t conversation = index.conversation(packet);
    plan_.clear();
    if (conversation == Conversations::no_packet) return;
    Fed& fed = fed_[conversation];
    const bool is_new = packet > fed.last;
    if (is_new) {
        if (fed.last == 0) fed.first = 1;
        if (!index.packets_of(conversation, fed.last + 1, packet - 1, options.context, plan_))
            fed.first = plan_.empty() ? packet : plan_.front();
        fed.last = packet;
    }
    if (options.look_ahead > 0) {
        PacketNumber last = packet;
        size_t ahead = 0;
        while (last < index.packets() && ahead < options.look_ahead) {
            if (index.conversation(++last) == conversation) ++ahead;
        }
        // In order with the packet itself, which then is dissected a second time.
        if (is_new) plan_.push_back(packet);
        if (last > fed.last) {
            index.packets_of(conversation, std::max(fed.last, packet) + 1, last, options.look_ahead, plan_);
            fed.last = last;
        }
    }
    std::erase_if(plan_, [&](PacketNumber planned) {
        if (deadly_.contains(planned)) return true;
        const bool fragment = index.conversation(planned) == Conversations::fragments;
        return fragment && !fed_fragments_.insert(planned).second;
    });
}

// What the packets that are planned, and this one, rest on.
Result<PacketDetails::Step> PacketDetails::send_sections(PacketNumber packet, const Options& options) {
    const PcapngSections* const sections = reader_.sections();
    if (sections == nullptr) return Step::done;
    PacketNumber last = plan_.empty() ? packet : std::max(packet, plan_.back());
    if (options.look_ahead > 0) last = reader_.index().packets();
    for (;;) {
        v1::DissectRequest request;
        if (!fill_sections(*sections, last, next_block_, *request.mutable_add_sections())) return Step::done;
        if (!client_.send(request)) return Step::died;
        const auto response = client_.receive();
        if (!response) return Step::died;
        if (response->has_error()) return Error{response->error().message()};
        take_refused(response->done());
    }
}

Result<PacketDetails::Step> PacketDetails::feed(const Options& options, size_t at_once) {
    size_t next = 0;
    size_t answered = 0;
    std::vector<size_t> under_way;  // the end, in plan_, of each message sent and not yet answered
    const auto died = [&] {
        if (at_once == 1 && answered < plan_.size()) {
            const PacketNumber packet = plan_[answered];
            if (suspect_ == packet) {
                deadly_.insert(packet);
                left_out_.push_back(fmt::format("packet {} is left out: with it the helper process {}",
                                                packet, client_.last_end()));
            }
            suspect_ = packet;
        }
        return Step::died;
    };
    while (answered < plan_.size()) {
        if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) {
            while (client_.open_requests() > 0 && client_.receive()) {
            }
            return Error{"stopped"};
        }
        if (next < plan_.size() && under_way.size() < (at_once == 1 ? 1 : messages_under_way)) {
            v1::DissectRequest request;
            auto& packets = *request.mutable_feed_packets()->mutable_packets();
            size_t bytes = 0;
            while (next < plan_.size() && static_cast<size_t>(packets.size()) < at_once &&
                   bytes < bytes_at_once) {
                std::string fault;
                if (!add(plan_[next++], *packets.Add(), fault)) return Error{fault};
                const v1::CapturedPacket& added = packets[packets.size() - 1];
                bytes += added.data().size() + added.block().size();
            }
            if (!client_.send(request)) return died();
            under_way.push_back(next);
            continue;
        }
        const auto response = client_.receive();
        if (!response) return died();
        if (response->has_error()) return Error{response->error().message()};
        take_refused(response->done());
        answered = under_way.front();
        under_way.erase(under_way.begin());
        if (options.progress) options.progress(answered, plan_.size());
    }
    fed_packets_ += plan_.size() + 1;
    return Step::done;
}

Result<PacketDetails::Step> PacketDetails::ask_for(PacketNumber packet, v1::PacketTree& tree) {
    const PacketIndex& index = reader_.index();
    v1::DissectRequest request;
    v1::DescribePacket& describe = *request.mutable_describe_packet();
    std::string fault;
    if (!add(packet, *describe.mutable_packet(), fault)) return Error{fault};
    send_time_before(packet, describe);
    const uint32_t conversation = index.conversation(packet);
    if (Conversations::is_tcp(conversation)) describe.set_tcp_stream(Conversations::tcp_stream(conversation));
    if (!client_.send(request)) return Step::died;
    auto response = client_.receive();
    if (!response) return Step::died;
    if (response->has_error()) return Error{response->error().message()};
    tree = std::move(*response->mutable_packet_tree());
    return Step::done;
}

bool PacketDetails::add(PacketNumber packet, v1::CapturedPacket& message, std::string& fault) const {
    const PcapngSections* const sections = reader_.sections();
    const auto bytes = sections == nullptr ? reader_.read(packet) : reader_.read_block(packet);
    if (!bytes) {
        fault = bytes.error().message;
        return false;
    }
    if (sections != nullptr) {
        fill_block(*bytes, *sections, packet, message);
        return true;
    }
    const PacketPlace& place = reader_.index().place(packet);
    RawPacket raw;
    raw.data = bytes->data();
    raw.captured_length = place.captured_length;
    raw.wire_length = place.wire_length;
    raw.time_ns = place.time_ns;
    fill_packet(raw, packet, message);
    return true;
}

void PacketDetails::send_time_before(PacketNumber packet, v1::DescribePacket& message) const {
    const PacketIndex& index = reader_.index();
    if (packet == 1) return;
    if (reader_.sections() == nullptr) {
        message.set_previous_time_ns(index.time_ns(packet - 1));
        return;
    }
    constexpr PacketNumber most_passed_over = 10'000;
    const PacketNumber first = packet > most_passed_over ? packet - most_passed_over : 1;
    std::string fault;
    while (--packet >= first) {
        v1::CapturedPacket& previous = *message.mutable_previous();
        if (add(packet, previous, fault) &&
            (index.conversation(packet) != Conversations::no_packet || !is_custom_block(block_of(previous))))
            return;
    }
    message.clear_previous();
}

void PacketDetails::take_refused(const v1::Done& done) {
    left_out_.insert(left_out_.end(), done.refused().begin(), done.refused().end());
}

}  // namespace sanscope

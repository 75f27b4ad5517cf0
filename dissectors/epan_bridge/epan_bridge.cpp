// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/epan_bridge/epan_bridge.h"

#include <epan/addr_resolv.h>
#include <epan/proto_data.h>
#include <epan/secrets.h>
#include <fmt/format.h>

#include "dissectors/epan_bridge/capture_slice.h"
#include "dissectors/epan_bridge/display_filter.h"
#include "dissectors/epan_bridge/field_catalogue.h"
#include "dissectors/epan_bridge/packet_provider.h"
#include "dissectors/epan_bridge/tree_copy.h"
#include "dissectors/epan_bridge/wireshark_library.h"
#include "dissectors/wireshark_version.h"

namespace {

std::string reason(int error, const char* details) {
    return details != nullptr ? details : error != 0 ? wtap_strerror(error) : "it ends early";
}

// Wireshark numbered the stream among those that were fed.
void renumber_stream(uint32_t stream, sanscope::v1::PacketTree& tree) {
    for (sanscope::v1::TreeNode& node : *tree.mutable_nodes()) {
        if (node.abbreviation() != "tcp.stream") continue;
        node.set_value(std::to_string(stream));
        node.set_label(fmt::format("{}: {}", node.name(), stream));
    }
}

}  // namespace

namespace sanscope {

struct EpanBridge::State {
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { close(); }

    void open(const v1::OpenCapture& capture);
    void close();
    Result<std::monostate> learn(const v1::SectionBlocks& blocks);

    enum class Tree { none, for_filter, visible };
    // Dissects packets and calls `use(dissection, packet)` behind each.
    template <class Use, class Refuse>
    void dissect(const CaptureSlice::Packets& packets, Tree tree, const dfilter_t* filter, Use use,
                 Refuse refuse);
    // How many of the packets from the `first` on were dissected.
    template <class Use>
    int dissect_some(const CaptureSlice::Packets& packets, int first, epan_dissect_t* dissection,
                     const dfilter_t* filter, Use use, std::string& fault);
    // Where it fails, `fault` says why.
    wtap* open_slice(std::string& fault) const;
    nstime_t time_of(const v1::CapturedPacket& packet);
    frame_data& frame_of(const v1::CapturedPacket& packet, const wtap_rec& record);

    CaptureSlice slice{wireshark::interface_names_in_one_row};
    packet_provider_data provider;
    packet_provider_funcs functions = wireshark::provider_functions();
    epan_t* session = nullptr;
    wireshark::Record record;
    FieldCatalogue fields;
    DisplayFilter filter;
};

void EpanBridge::State::open(const v1::OpenCapture& capture) {
    close();
    slice.open(capture);
    provider.first_time = wireshark::as_nstime(capture.first_packet_time_ns());
    const int own = proto_get_id_by_filter_name("sanscope");
    if (own >= 0) proto_set_decoding(own, capture.whole_capture());
    session = epan_new(&provider, &functions);
}

void EpanBridge::State::close() {
    if (session != nullptr) epan_free(session);
    session = nullptr;
    for (frame_data& frame : provider.frames) frame_data_destroy(&frame);
    provider = {};
}

template <class Use, class Refuse>
void EpanBridge::State::dissect(const CaptureSlice::Packets& packets, Tree tree, const dfilter_t* code,
                                Use use, Refuse refuse) {
    const bool create = tree != Tree::none || postdissectors_want_hfids();
    epan_dissect_t* const dissection = epan_dissect_new(session, create, tree == Tree::visible);
    for (int next = 0; next < packets.size();) {
        std::string fault;
        next += dissect_some(packets, next, dissection, code, use, fault);
        if (!fault.empty())
            refuse(fmt::format("Wireshark cannot read packet {}: {}", packets[next++].number(), fault));
    }
    epan_dissect_free(dissection);
}

template <class Use>
int EpanBridge::State::dissect_some(const CaptureSlice::Packets& packets, int first,
                                    epan_dissect_t* dissection, const dfilter_t* code, Use use,
                                    std::string& fault) {
    const Result<int> written = slice.write(packets, first);
    if (!written) {
        fault = written.error().message;
        return 0;
    }
    int done = 0;
    if (wtap* const file = open_slice(fault); file != nullptr) {
        int error = 0;
        char* details = nullptr;
        provider.file = file;
        while (done < *written && record.read(file, error, details)) {
            const v1::CapturedPacket& packet = packets[first + done];
            if (packet.section() > 0) record.set_section(packet.section());
            frame_data& frame = frame_of(packet, record.get());
            if (code != nullptr) epan_dissect_prime_with_dfilter(dissection, code);
            if (!frame.visited) wireshark::prime_for_postdissectors(dissection);
            record.dissect(dissection, file, frame);
            use(*dissection, packet);
            frame.visited = 1;
            epan_dissect_reset(dissection);
            ++done;
        }
        provider.file = nullptr;
        wtap_close(file);
        if (done < *written) fault = reason(error, details);
        g_free(details);
    }
    return done;
}

wtap* EpanBridge::State::open_slice(std::string& fault) const {
    int error = 0;
    char* details = nullptr;
    wtap* const file = wtap_open_offline(slice.path().c_str(), WTAP_TYPE_AUTO, &error, &details, FALSE);
    if (file == nullptr) fault = reason(error, details);
    g_free(details);
    return file;
}

nstime_t EpanBridge::State::time_of(const v1::CapturedPacket& packet) {
    CaptureSlice::Packets packets;
    *packets.Add() = packet;
    std::string fault;
    wtap* const file = slice.write(packets, 0) ? open_slice(fault) : nullptr;
    nstime_t time{};
    if (file == nullptr) return time;
    int error = 0;
    char* details = nullptr;
    if (record.read(file, error, details)) time = record.get().ts;
    wtap_close(file);
    g_free(details);
    return time;
}

// Takes in names and secrets.
Result<std::monostate> EpanBridge::State::learn(const v1::SectionBlocks& blocks) {
    if (const auto written = slice.write_others(blocks); !written) return written.error();
    std::string fault;
    wtap* const file = open_slice(fault);
    if (file == nullptr) return Error{fault};
    wtap_set_cb_new_ipv4(file, add_ipv4_name);
    wtap_set_cb_new_ipv6(file, reinterpret_cast<wtap_new_ipv6_callback_t>(add_ipv6_name));
    wtap_set_cb_new_secrets(file, secrets_wtap_callback);
    int error = 0;
    char* details = nullptr;
    while (record.read(file, error, details)) {
    }
    wtap_close(file);
    if (error != 0) fault = reason(error, details);
    g_free(details);
    if (!fault.empty()) return Error{fault};
    return std::monostate{};
}

frame_data& EpanBridge::State::frame_of(const v1::CapturedPacket& packet, const wtap_rec& read) {
    frame_data*& known = provider.by_number[packet.number()];
    if (known == nullptr) {
        known = &provider.frames.emplace_back();
        frame_data_init(known, packet.number(), &read, 0, 0);
        known->frame_ref_num = packet.number() == 1 ? 0 : 1;
        known->prev_dis_num = packet.number() - 1;
    }
    return *known;
}

EpanBridge::EpanBridge() : state_(std::make_unique<State>()) {}

EpanBridge::~EpanBridge() {
    state_.reset();
    epan_cleanup();
    wtap_cleanup();
}

Result<std::unique_ptr<EpanBridge>> EpanBridge::start(const Options& options) {
    if (const auto started = wireshark::start_library(options); !started) return started.error();
    return std::unique_ptr<EpanBridge>(new EpanBridge);
}

std::string EpanBridge::wireshark_version() {
    return epan_get_version();
}

std::vector<std::string> EpanBridge::files_it_reads() {
    return wireshark::files_of_library();
}

void EpanBridge::open(const v1::OpenCapture& capture) {
    state_->open(capture);
}

v1::Done EpanBridge::add(const v1::AddSections& sections) {
    v1::Done done;
    for (const v1::SectionBlocks& blocks : sections.sections()) {
        auto added = state_->slice.add(blocks);
        if (added && !blocks.others().empty()) added = state_->learn(blocks);
        if (!added) {
            done.add_refused(fmt::format("Wireshark cannot read all of section {}: {}", blocks.section(),
                                         added.error().message));
        }
    }
    return done;
}

v1::Done EpanBridge::feed(const v1::FeedPackets& packets) {
    v1::Done done;
    state_->dissect(
        packets.packets(), State::Tree::none, nullptr,
        [](const epan_dissect_t&, const v1::CapturedPacket&) {},
        [&](std::string reason) { done.add_refused(std::move(reason)); });
    return done;
}

Result<v1::PacketTree> EpanBridge::describe(const v1::DescribePacket& request) {
    packet_provider_data& provider = state_->provider;
    const bool any = request.has_previous() || request.has_previous_time_ns();
    provider.previous = any ? request.packet().number() - 1 : 0;
    provider.previous_time = request.has_previous() ? state_->time_of(request.previous())
                                                    : wireshark::as_nstime(request.previous_time_ns());

    CaptureSlice::Packets packets;
    *packets.Add() = request.packet();
    v1::PacketTree tree;
    std::string fault;
    state_->dissect(
        packets, State::Tree::visible, nullptr,
        [&](const epan_dissect_t& dissection, const v1::CapturedPacket&) {
            copy_tree(dissection, tree);
            tree.set_time_s(dissection.pi.abs_ts.secs);
        },
        [&](std::string reason) { fault = std::move(reason); });
    if (!fault.empty()) return Error{fault};
    if (request.has_tcp_stream()) renumber_stream(request.tcp_stream(), tree);
    return tree;
}

v1::FilterCheck EpanBridge::check(const std::string& text) {
    v1::FilterCheck check;
    dfilter_t* code = nullptr;
    wireshark::FilterFault fault;
    check.set_valid(wireshark::compile_filter(text.c_str(), &code, fault));
    if (check.valid()) {
        if (code != nullptr) {
            for (const std::string& warning : wireshark::filter_warnings(code)) check.add_warnings(warning);
        }
        dfilter_free(code);
        return check;
    }
    check.set_message(fault.message);
    check.set_start(static_cast<uint32_t>(std::min(fault.start, text.size())));
    check.set_length(static_cast<uint32_t>(std::min(fault.length, text.size() - check.start())));
    return check;
}

Result<v1::FilterMatches> EpanBridge::run(const v1::RunFilter& request) {
    wireshark::FilterFault fault;
    if (!state_->filter.compile(request.filter(), fault)) return Error{fault.message};
    dfilter_t* const code = state_->filter.code();
    v1::FilterMatches matches;
    state_->dissect(
        request.packets(), State::Tree::for_filter, code,
        [&](epan_dissect_t& dissection, const v1::CapturedPacket& packet) {
            if (code == nullptr || dfilter_apply_edt(code, &dissection)) matches.add_numbers(packet.number());
        },
        [&](std::string reason) { matches.add_refused(std::move(reason)); });
    return matches;
}

v1::FieldNames EpanBridge::complete(const v1::CompleteField& request) {
    return state_->fields.complete(request.prefix(), request.most());
}

}  // namespace sanscope

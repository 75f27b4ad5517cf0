// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/open_path.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "analyzer/ingest/packet_source.h"
#include "analyzer/points/point_names.h"

namespace sanscope {
namespace {

constexpr size_t most_in_memory = size_t{256} << 20;
constexpr size_t most_kept = 4;  // of the connections' transits

Error about(const std::string& file, const std::string& message) {
    return {fmt::format("{}: {}", file, message)};
}

// Of the same connection at the next point; nullptr where that did not see it.
const ConnectionAtPoints* at_next(const PointPair& pair, size_t connection) {
    const auto found = std::ranges::find(pair.connections, connection, &ConnectionAtPoints::connection_a);
    return found == pair.connections.end() ? nullptr : &*found;
}

}  // namespace

OpenPath::OpenPath() : memory_(std::make_unique<SpillingMemory>(most_in_memory)) {}

Result<std::shared_ptr<const OpenPath>> OpenPath::follow(const std::vector<std::string>& files,
                                                         const Options& options) {
    const auto stopped = [&] { return options.stop != nullptr && *options.stop; };
    if (files.size() < 2 || files.size() > most_points)
        return Error{fmt::format("a path has 2 to {} captures", most_points)};
    const std::shared_ptr<OpenPath> open(new OpenPath);
    std::vector<std::unique_ptr<PacketSource>> sources;
    uint64_t total = 0;
    for (const std::string& file : files) {
        auto source = open_capture(file);
        if (!source) return about(file, source.error().message);
        total += (*source)->bytes_total();
        sources.push_back(std::move(*source));
    }
    std::vector<std::unique_ptr<PointCapture>> captures;
    const std::vector<std::string> names = point_names(files);
    std::vector<const PointCapture*> as_given;
    uint64_t read_before = 0;
    for (size_t i = 0; i < files.size(); ++i) {
        captures.push_back(std::make_unique<PointCapture>(names[i], open->memory_.get()));
        as_given.push_back(captures.back().get());
        const auto progress = [&](uint64_t) {
            if (options.progress) options.progress(read_before + sources[i]->bytes_read(), total);
        };
        if (!read_point(*sources[i], *captures.back(), {options.stop, progress})) return Error{"stopped"};
        read_before += sources[i]->bytes_total();
        if (const auto& damage = sources[i]->damage(); !damage.empty()) {
            if (captures.back()->packets() == 0) return about(files[i], damage.front().message);
            open->damage_.push_back(fmt::format("{}: {} at byte {}; what comes before is compared", files[i],
                                                damage.front().message, damage.front().at_byte));
        }
        sources[i].reset();
    }
    auto path = follow_path(std::move(captures), {.stop = options.stop, .progress = {}, .compared = {}});
    if (!path) return stopped() ? Error{"stopped"} : path.error();
    open->path_ = std::move(*path);
    for (const auto& point : open->path_.points) {
        const auto at = std::ranges::find(as_given, point.get());
        open->files_.push_back(files[static_cast<size_t>(at - as_given.begin())]);
    }
    append_point_rows(open->path_, open->points_);
    append_point_loss_rows(open->path_, open->losses_);
    return std::shared_ptr<const OpenPath>(open);
}

MeasuredMoment OpenPath::at_first_point(size_t point, int64_t time_ns) const {
    MeasuredMoment moment{time_ns, 0};
    for (; point > 0; --point) {
        const MeasuredMoment before = at_a(path_.pairs[point - 1].clock, moment.time_ns);
        if (!before.known()) return {};
        moment = {before.time_ns, moment.plus_minus_ns + before.plus_minus_ns};
    }
    return moment;
}

ConnectionNumber OpenPath::connection_in(const ResultStore& store, const PointCapture& first,
                                         size_t connection) {
    const PacketNumber packet = first.connections()[connection].first_packet;
    return packet == 0 || packet > store.segments().size()
               ? ConnectionNumber(0)
               : store.segments().get<&SegmentRow::connection>(packet - 1);
}

std::shared_ptr<const MeasuredTransits> OpenPath::transits(const ResultStore& store,
                                                           ConnectionNumber connection,
                                                           size_t farthest) const {
    const std::pair key(connection, std::clamp<size_t>(farthest, 1, path_.pairs.size()));
    const std::lock_guard lock(mutex_);
    if (const auto kept = transits_.find(key); kept != transits_.end()) return kept->second;
    if (transits_.size() >= most_kept) transits_.clear();
    std::shared_ptr<const MeasuredTransits>& result = transits_[key];
    const PointCapture& first = *path_.points.front();
    for (const ConnectionAtPoints& near : path_.pairs.front().connections) {
        if (!near.order_known || connection_in(store, first, near.connection_a) != connection) continue;
        MeasuredTransits::Ends ends;
        ends.far_point = 1;
        size_t far = near.connection_b;
        bool turned = near.turned;
        for (size_t pair = 1; pair < key.second; ++pair) {
            const ConnectionAtPoints* const next = at_next(path_.pairs[pair], far);
            if (next == nullptr || !next->order_known) break;
            far = next->connection_b;
            turned = turned != next->turned;
            ends.far_point = pair + 1;
        }
        // Who is the initiator is the open capture's to say.
        const PacketNumber packet = first.connections()[near.connection_a].first_packet;
        const SegmentRow& segment = store.segments()[packet - 1];
        const auto out = first.segments(near.connection_a, Way::out);
        const bool sent_out = !out.empty() && first.record(out.front()).packet == packet;
        const bool by_initiator = store.connection(connection).role_of(segment.sender) == Role::initiator;
        ends.here_is_initiator = (sent_out == by_initiator) != near.contrary;
        result = std::make_shared<const MeasuredTransits>(path_, ends, near, far, turned);
        break;
    }
    return result;
}

}  // namespace sanscope

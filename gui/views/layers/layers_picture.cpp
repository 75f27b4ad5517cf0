// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/layers_picture.h"

#include <QCoreApplication>
#include <algorithm>
#include <bit>
#include <tuple>
#include <unordered_set>

#include "gui/plot/time_axis.h"
#include "gui/senders/sender_list.h"

#include "analyzer/iscsi/bhs.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

constexpr size_t most_items = 6000;  // of a lane, drawn one by one
constexpr size_t most_selected = 4096;
constexpr int64_t columns_of_label = 30;  // that an item must be wide to be given one
constexpr size_t losses_one_by_one = 300;
constexpr int64_t columns_of_mark = 8;

QString tr(const char* text) {
    return QCoreApplication::translate("LayersView", text);
}

// Of a sender that sends more than requests and acknowledgements, or had trouble with these.
bool shows_state(const SenderTrack& sender, const SenderTrack& other) {
    if (sender.windows.empty()) return false;
    return !sender.ca_transitions.empty() || sender.payload.total() * 20 >= other.payload.total();
}

}  // namespace

std::vector<GroupShape> survey_groups(const CaptureData::Reading& reading, bool complete) {
    const auto& connections = reading.store().connections();
    std::vector<GroupShape> groups;
    for (uint32_t number = 1; number <= connections.size(); ++number) {
        const ConnectionTrack* track = reading.timeline().track(number);
        if (track == nullptr) continue;
        GroupShape shape{number, track->slots_used, 0};
        const TrackRows rows(reading, number);
        const auto add = [&](LaneKind kind, bool there) {
            if (there) shape.lanes = static_cast<uint8_t>(shape.lanes | bit_of(kind));
        };
        add(LaneKind::commands, !track->commands.empty());
        add(LaneKind::pdus_out, !track->pdus.empty());
        add(LaneKind::pdus_in, !track->pdus.empty());
        add(LaneKind::tcp_out, true);
        add(LaneKind::tcp_in, true);
        add(LaneKind::state_out, shows_state(rows.sender(0), rows.sender(1)));
        add(LaneKind::state_in, shows_state(rows.sender(1), rows.sender(0)));
        add(LaneKind::packets, true);
        groups.push_back(shape);
    }
    const auto key = [&](const GroupShape& shape) {
        const ConnectionRow& row = connections[shape.connection - 1];
        const uint64_t bytes = row.bytes_in + row.bytes_out;
        constexpr int much_more_bits = 4;
        const auto amount = static_cast<uint64_t>(std::bit_width(bytes) / much_more_bits);
        return std::tuple(!row.iscsi, ~(complete ? bytes : amount), shape.connection);
    };
    std::ranges::sort(groups, {}, key);
    return groups;
}

const GroupPicture* LayersPicture::group(uint32_t connection) const {
    const auto found = std::ranges::find(groups, connection, &GroupPicture::connection);
    return found == groups.end() ? nullptr : &*found;
}

namespace {

// The finest grid over a range with so many columns at most.
PreparedRange grid_over(TimeRange range, size_t most) {
    return PreparedRange::around({range, 0, static_cast<double>(most) / 2.5});
}

size_t rows_of(const ConnectionTrack& track) {
    return track.commands.size() + track.pdus.size() + track.senders[0].segments.size() +
           track.senders[1].segments.size();
}

}  // namespace

TrackSummaries::Summary& TrackSummaries::of(const TrackRows& rows, uint32_t connection, bool finished) {
    if (summaries_.size() > most_summaries && !summaries_.contains(connection)) {
        // Those not used lately go.
        std::erase_if(summaries_,
                      [&](const auto& entry) { return entry.second.used + most_summaries / 2 < uses_; });
    }
    Summary& summary = summaries_[connection];
    summary.used = ++uses_;
    const size_t count = rows_of(rows.track());
    if (summary.rows != count || summary.finished != finished) {
        ReachIndex reach = std::move(summary.reach);
        summary = {};
        summary.reach = std::move(reach);
        summary.rows = count;
        summary.finished = finished;
        summary.used = uses_;
        summary.columns = std::clamp<size_t>(std::bit_ceil(2 * count + 1), 256, most_columns);
        summary.grid = grid_over(rows.whole(), summary.columns);
    }
    return summary;
}

const ReachIndex& TrackSummaries::reach(Summary& summary, const TrackRows& rows) const {
    if (!summary.reach_is_new) {
        summary.reach_is_new = true;
        summary.reach.follow(rows);
        TimeRange whole = rows.whole();
        whole.end_ns = std::max(whole.end_ns, summary.reach.commands_end_ns);
        summary.commands_grid = grid_over(whole, summary.columns);
    }
    return summary.reach;
}

namespace {

TrackSummaries::Part& part_for(TrackSummaries::Summary& summary,
                               const std::shared_ptr<const FilterResult>& filter) {
    if (!filter) return summary.all;
    if (summary.filter != filter) {
        summary.passing = {};
        summary.filter = filter;
    }
    return summary.passing;
}

}  // namespace

std::vector<CommandColumn> TrackSummaries::commands(Summary& summary, const TrackRows& rows,
                                                    const PreparedRange& grid,
                                                    const std::shared_ptr<const FilterResult>& filter) const {
    Part& part = part_for(summary, filter);
    const ReachIndex& index = reach(summary, rows);
    if (grid.ns_per_column < summary.commands_grid.ns_per_column)
        return command_columns(rows, index, grid, filter.get());
    if (!part.has_commands) part.commands = command_columns(rows, index, summary.commands_grid, filter.get());
    part.has_commands = true;
    return joined(summary.commands_grid, part.commands, grid);
}

std::vector<TrafficColumn> TrackSummaries::traffic(Summary& summary, const TrackRows& rows,
                                                   const PreparedRange& grid,
                                                   const std::shared_ptr<const FilterResult>& filter) const {
    Part& part = part_for(summary, filter);
    if (grid.ns_per_column < summary.grid.ns_per_column) return traffic_columns(rows, grid, filter.get());
    if (!part.has_traffic) part.traffic = traffic_columns(rows, summary.grid, filter.get());
    part.has_traffic = true;
    return joined(summary.grid, part.traffic, grid);
}

std::vector<PduColumn> TrackSummaries::pdus(Summary& summary, const TrackRows& rows,
                                            const PreparedRange& grid,
                                            const std::shared_ptr<const FilterResult>& filter) const {
    Part& part = part_for(summary, filter);
    if (grid.ns_per_column < summary.grid.ns_per_column) return pdu_columns(rows, grid, filter.get());
    if (!part.has_pdus) part.pdus = pdu_columns(rows, summary.grid, filter.get());
    part.has_pdus = true;
    return joined(summary.grid, part.pdus, grid);
}

namespace {

// One that lasts no time is left out, one that goes on with the last is made part of it.
void add_span(std::vector<StateSpan>& spans, const StateSpan& span) {
    if (span.end_ns <= span.begin_ns) return;
    if (!spans.empty() && spans.back().state == span.state) {
        spans.back().end_ns = span.end_ns;
    } else {
        spans.push_back(span);
    }
}

class GroupPreparer {
  public:
    GroupPreparer(const CaptureData::Reading& reading, TrackSummaries& summaries, const GroupRequest& request,
                  const PreparedRange& prepared, const SelectedThings& selected,
                  const std::shared_ptr<const FilterResult>& filter)
        : reading_(reading),
          rows_(reading, request.connection),
          summaries_(summaries),
          summary_(summaries.of(rows_, request.connection, reading.timeline().finished())),
          request_(request),
          prepared_(prepared),
          selected_(selected),
          selected_here_(selected.connection == request.connection),
          filter_(filter) {}

    GroupPicture prepare() {
        picture_.connection = request_.connection;
        picture_.expanded = request_.expanded;
        describe();
        if (!request_.expanded) {
            traffic();
            return std::move(picture_);
        }
        if (!rows_.track().commands.empty()) commands();
        if (!rows_.track().pdus.empty()) pdus();
        packets();
        for (const size_t direction : {size_t{0}, size_t{1}}) {
            losses(direction);
            states(direction);
        }
        return std::move(picture_);
    }

  private:
    void describe() {
        const ConnectionRow& row = rows_.connection();
        picture_.title = endpoint_text(row.initiator) + QStringLiteral(" → ") + endpoint_text(row.target);
        if (row.session != 0) {
            const SessionRow& session = rows_.store().sessions()[row.session - 1];
            if (!session.target_name.empty()) {
                picture_.title += QStringLiteral("   ") + QString::fromStdString(session.target_name);
            }
        }
        QStringList facts;
        if (!rows_.track().commands.empty()) {
            facts << tr("%1 commands").arg(short_count(static_cast<double>(rows_.track().commands.size())));
        }
        facts << tr("%1 out").arg(short_bytes(static_cast<double>(row.bytes_out)))
              << tr("%1 in").arg(short_bytes(static_cast<double>(row.bytes_in)));
        if (!row.iscsi) facts << tr("no iSCSI");
        picture_.facts = facts.join(QStringLiteral(" · "));
    }

    void traffic() {
        picture_.traffic = summaries_.traffic(summary_, rows_, prepared_, nullptr);
        if (filter_) picture_.passing_traffic = summaries_.traffic(summary_, rows_, prepared_, filter_);
    }

    bool few(size_t items, size_t lines) const {
        return items <= std::min(most_items, std::max<size_t>(200, prepared_.columns() * lines / 4));
    }
    bool wide(int64_t begin_ns, int64_t end_ns) const {
        return (end_ns - begin_ns) / prepared_.ns_per_column >= columns_of_label;
    }

    CommandBar command_bar(size_t position) const {
        const CommandRow& row = rows_.command(position);
        CommandBar bar;
        bar.begin_ns = rows_.begin_of(row);
        bar.end_ns = rows_.end_of(row);
        bar.first_data_ns = row.first_byte_ns != no_time ? row.first_byte_ns : row.first_data_ns;
        bar.last_data_ns = row.last_data_ns;
        bar.name = row.name;
        bar.bytes = row.bytes;
        bar.row = rows_.track().commands[position];
        bar.opcode = row.opcode;
        bar.slot = rows_.track().slots[position];
        bar.status = row.status;
        bar.queue_depth = row.queue_depth;
        bar.outcome = row.outcome;
        bar.bad = failed(row);
        bar.inferred = row.inferred;
        bar.faint = filter_ && !filter_->rows.commands.test(bar.row);
        if (wide(bar.begin_ns, bar.end_ns == no_time ? prepared_.range.end_ns : bar.end_ns)) {
            bar.short_label = QString::fromUtf8(row.name[0] != '\0' ? row.name : "command");
            bar.label = bar.short_label;
            if (row.bytes != unknown<uint64_t> && row.bytes > 0) {
                bar.label += QLatin1Char(' ') + QString::fromStdString(human_binary_bytes(row.bytes));
            }
            const int64_t turnaround_ns = row.turnaround_ns();
            if (turnaround_ns != no_time) bar.label += QLatin1Char(' ') + short_duration(turnaround_ns);
            if (bar.end_ns == no_time) bar.label += QLatin1Char(' ') + tr("unanswered");
        }
        return bar;
    }

    void commands() {
        const ConnectionTrack& track = rows_.track();
        const ReachIndex& reach = summaries_.reach(summary_, rows_);
        const TrackRows::Run begun = rows_.commands_begun_in(prepared_.range);
        const size_t lines = std::clamp<size_t>(track.slots_used, 1, 32);
        if (!request_.compact_commands && few(begun.size(), lines)) {
            std::vector<uint32_t> positions;
            commands_under_way(rows_, reach, prepared_.range, positions);
            if (positions.size() <= 2 * most_items) {
                picture_.commands.reserve(positions.size());
                for (const uint32_t position : positions) picture_.commands.push_back(command_bar(position));
                return;
            }
        }
        picture_.command_columns = summaries_.commands(summary_, rows_, prepared_, nullptr);
        if (filter_)
            picture_.passing_command_columns = summaries_.commands(summary_, rows_, prepared_, filter_);
        if (!selected_here_ || selected_.command == 0 || selected_.command > rows_.store().commands().size())
            return;
        const CommandRow& row = rows_.store().commands()[selected_.command - 1];
        const int64_t begin_ns = rows_.begin_of(row);
        if (begin_ns == no_time || row.connection != request_.connection) return;
        const TrackRows::Run same = rows_.commands_begun_in({begin_ns, begin_ns + 1});
        for (size_t i = same.first; i < same.last; ++i) {
            if (track.commands[i] + 1 == selected_.command) picture_.commands.push_back(command_bar(i));
        }
    }

    PduBar pdu_bar(uint32_t row_index) const {
        const PduRow& row = rows_.store().pdus()[row_index];
        PduBar bar;
        bar.begin_ns = rows_.begin_of(row);
        bar.end_ns = rows_.end_of(row);
        bar.command = row.command;
        bar.first_packet = row.first_packet;
        bar.last_packet = row.last_packet;
        bar.row = row_index;
        bar.data_length = row.data_length;
        bar.opcode = row.opcode;
        bar.damaged = row.damaged;
        bar.faint = filter_ && !filter_->rows.pdus.test(row_index);
        if (wide(bar.begin_ns, bar.end_ns)) {
            bar.label = short_opcode_name(row.opcode);
            if (row.data_length > 0) {
                bar.label += QLatin1Char(' ') + QString::fromStdString(human_binary_bytes(row.data_length));
            }
        }
        return bar;
    }

    void pdus() {
        const ReachIndex& reach = summaries_.reach(summary_, rows_);
        if (few(rows_.pdus_completed_in(prepared_.range).size(), 2)) {
            std::vector<uint32_t> positions;
            pdus_under_way(rows_, reach, prepared_.range, positions);
            for (const uint32_t position : positions) {
                PduBar bar = pdu_bar(rows_.track().pdus[position]);
                picture_.pdus[rows_.store().pdus()[bar.row].from_target ? 1 : 0].push_back(std::move(bar));
            }
            // One that begins before the last has ended goes to the other line.
            for (auto& bars : picture_.pdus) {
                std::ranges::stable_sort(bars, {}, &PduBar::begin_ns);
                std::array<int64_t, pdu_lines> free_from{};
                free_from.fill(no_time);
                for (PduBar& bar : bars) {
                    const auto fits =
                        std::ranges::find_if(free_from, [&](int64_t free) { return free <= bar.begin_ns; });
                    const auto line = fits != free_from.end() ? fits : std::ranges::min_element(free_from);
                    bar.line = static_cast<uint8_t>(line - free_from.begin());
                    *line = std::max(*line, bar.end_ns);
                }
            }
            return;
        }
        picture_.pdu_columns = summaries_.pdus(summary_, rows_, prepared_, nullptr);
        if (filter_) picture_.passing_pdu_columns = summaries_.pdus(summary_, rows_, prepared_, filter_);
        if (!selected_here_) return;
        for (size_t i = 0; i < std::min(selected_.pdus.size(), most_selected); ++i) {
            const uint64_t number = selected_.pdus[i];
            if (number == 0 || number > rows_.store().pdus().size()) continue;
            PduBar bar = pdu_bar(static_cast<uint32_t>(number - 1));
            if (bar.begin_ns == no_time) continue;
            picture_.pdus[rows_.store().pdus()[bar.row].from_target ? 1 : 0].push_back(std::move(bar));
        }
    }

    PacketTick tick(uint32_t row_index) const {
        const SegmentRow& row = rows_.store().segments()[row_index];
        PacketTick tick;
        tick.packet = row_index + 1;
        tick.time_ns = rows_.time_of(tick.packet);
        tick.payload = row.payload_length;
        tick.wire_length = reading_.index().place(tick.packet).wire_length;
        tick.seq = row.seq;
        tick.ack = row.ack;
        tick.flags = row.flags;
        tick.direction = static_cast<uint8_t>(rows_.direction_of(row.from_a));
        tick.faint = filter_ && !filter_->rows.packets.test(row_index);
        return tick;
    }

    void packets() {
        const TrackRows::Run runs[2] = {rows_.segments_in(0, prepared_.range),
                                        rows_.segments_in(1, prepared_.range)};
        picture_.ticks_are_all = few(std::max(runs[0].size(), runs[1].size()), 2);
        if (picture_.ticks_are_all) {
            for (size_t direction = 0; direction < 2; ++direction) {
                auto& ticks = picture_.ticks[direction];
                ticks.reserve(runs[direction].size());
                const auto& segments = rows_.sender(direction).segments;
                for (size_t i = runs[direction].first; i < runs[direction].last; ++i) {
                    ticks.push_back(tick(segments[i]));
                }
            }
            return;
        }
        traffic();
        if (!selected_here_) return;
        for (size_t i = 0; i < std::min(selected_.packets.size(), most_selected); ++i) {
            const uint32_t packet = selected_.packets[i];
            if (packet == 0 || packet > rows_.store().segments().size() ||
                packet > reading_.index().packets())
                continue;
            const PacketTick highlighted = tick(packet - 1);
            picture_.ticks[highlighted.direction].push_back(highlighted);
        }
    }

    void losses(size_t direction) {
        const auto& store = rows_.store().losses();
        const auto& list = rows_.sender(direction).losses;
        const auto time_at = [&](uint32_t row) { return store[row].time_ns; };
        const size_t first = first_not_before(list, prepared_.range.begin_ns, time_at);
        const size_t last = first_not_before(list, prepared_.range.end_ns, time_at);
        const int64_t together =
            last - first > losses_one_by_one ? prepared_.ns_per_column * columns_of_mark : 1;
        auto& marks = picture_.losses[direction];
        struct Latest {
            int64_t column = no_time;
            size_t mark = 0;
        };
        std::array<std::array<Latest, loss_kinds>, 2> latest;
        for (size_t i = first; i < last; ++i) {
            const LossRow& row = store[list[i]];
            const bool faint = filter_ && !filter_->rows.losses.test(list[i]);
            Latest& same = latest[faint ? 1 : 0][static_cast<size_t>(row.kind)];
            const int64_t column = row.time_ns / together;
            if (together > 1 && same.column == column) {
                ++marks[same.mark].count;
                continue;
            }
            same = {column, marks.size()};
            LaneLoss mark;
            mark.time_ns = row.time_ns;
            mark.packet = row.packet;
            mark.original = row.original_packet;
            mark.delay_ns = row.delay_ns;
            mark.row = list[i];
            mark.length = row.length;
            mark.kind = row.kind;
            mark.faint = faint;
            marks.push_back(mark);
        }
    }

    void states(size_t direction) {
        const SenderTrack& sender = rows_.sender(direction);
        if (sender.windows.empty()) return;
        const auto& store = rows_.store().ca_transitions();
        const auto& list = sender.ca_transitions;
        const TimeRange whole = rows_.whole();
        const int64_t known_from =
            std::max(prepared_.range.begin_ns, rows_.store().windows()[sender.windows.front()].time_ns);
        const int64_t known_to = std::min(prepared_.range.end_ns, whole.end_ns);
        if (known_from >= known_to) return;
        const auto time_at = [&](uint32_t row) { return store[row].time_ns; };
        const size_t first = first_not_before(list, known_from + 1, time_at);
        const size_t last = first_not_before(list, known_to, time_at);
        auto& spans = picture_.states[direction];
        StateSpan span;
        span.begin_ns = known_from;
        span.state = first > 0       ? store[list[first - 1]].to
                     : !list.empty() ? store[list[0]].from
                                     : CaState::open;
        if (first > 0) span.cause = store[list[first - 1]].cause;
        // Several within a column are told as the gravest of them.
        const bool fold = last - first > 2 * prepared_.columns();
        for (size_t i = first; i < last; ++i) {
            const CaTransitionRow& row = store[list[i]];
            if (fold && row.time_ns - span.begin_ns < prepared_.ns_per_column) {
                if (row.to > span.state) {
                    span.state = row.to;
                    span.cause = row.cause;
                }
                continue;
            }
            span.end_ns = row.time_ns;
            add_span(spans, span);
            span = {row.time_ns, 0, row.to, row.cause};
        }
        span.end_ns = known_to;
        add_span(spans, span);
    }

    const CaptureData::Reading& reading_;
    TrackRows rows_;
    TrackSummaries& summaries_;
    TrackSummaries::Summary& summary_;
    const GroupRequest& request_;
    const PreparedRange& prepared_;
    const SelectedThings& selected_;
    bool selected_here_;
    const std::shared_ptr<const FilterResult>& filter_;
    GroupPicture picture_;
};

}  // namespace

GroupPicture prepare_group(const CaptureData::Reading& reading, TrackSummaries& summaries,
                           const GroupRequest& request, const PreparedRange& prepared,
                           const SelectedThings& selected,
                           const std::shared_ptr<const FilterResult>& filter) {
    if (reading.timeline().track(request.connection) == nullptr) {
        GroupPicture none;
        none.connection = request.connection;
        none.expanded = request.expanded;
        return none;
    }
    return GroupPreparer(reading, summaries, request, prepared, selected, filter).prepare();
}

QString short_opcode_name(uint8_t opcode) {
    const char* name = opcode_name(opcode);
    if (name == nullptr) return QStringLiteral("0x%1").arg(opcode, 2, 16, QLatin1Char('0'));
    const QString full = QString::fromUtf8(name);
    return full.startsWith(QLatin1String("SCSI ")) ? full.mid(5) : full;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/ladder_geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sanscope {
namespace {

double distance_to(const QLineF& line, QPointF at) {
    const double dx = line.dx();
    const double dy = line.dy();
    const double length = dx * dx + dy * dy;
    double along = length > 0 ? ((at.x() - line.x1()) * dx + (at.y() - line.y1()) * dy) / length : 0;
    along = std::clamp(along, 0.0, 1.0);
    return std::hypot(at.x() - line.x1() - along * dx, at.y() - line.y1() - along * dy);
}

// Whether a point lies between two ways, the later one below.
bool is_between(const QLineF& first, const QLineF& last, QPointF at, double reach) {
    if (first.dx() == 0) return false;
    const double along = (at.x() - first.x1()) / first.dx();
    if (along < 0 || along > 1) return false;
    const double top = first.y1() + along * first.dy();
    const double bottom = last.y1() + along * last.dy();
    return at.y() >= top - reach && at.y() <= bottom + reach;
}

int gravity(const LadderTransition& transition) {
    switch (transition.to) {
        case CaState::loss:
            return 5;
        case CaState::recovery:
            return 4;
        case CaState::cwr:
            return 3;
        case CaState::open:
            return transition.from == CaState::disorder ? 0 : 2;
        case CaState::disorder:
            return 1;
    }
    return 0;
}

}  // namespace

LadderLayout LadderLayout::of(QSize size, bool with_kernel_states) {
    const int top = header();
    const int height = std::max(1, size.height() - header() - footer);
    const int axis_width = beside_text(size.width() < beside_text(500) ? 64 : 92);
    const int rest = std::max(0, size.width() - axis_width);
    const int band_width = own_states() + (with_kernel_states ? kernel_states() : 0);
    const int names_width = rest >= beside_text(900) ? std::min(beside_text(300), rest * 2 / 9) : 0;
    const int curves_width = rest >= beside_text(520) ? std::min(beside_text(360), rest * 2 / 11) : 0;
    const int space = 10;
    LadderLayout layout;
    layout.axis = QRect(0, top, axis_width, height);
    const int right = band_width + names_width + curves_width + 2 * space;
    const int ladder_width = std::max(1, rest - right);
    layout.ladder = QRect(axis_width, top, ladder_width, height);
    const double gutter =
        ladder_width >= beside_text(520) ? std::min(text_scale() * 150, ladder_width * 0.18) : 26;
    layout.x_initiator = std::floor(axis_width + gutter) + 0.5;
    layout.x_target = std::floor(axis_width + ladder_width - gutter) + 0.5;
    layout.band = QRect(layout.ladder.right() + 1 + space, top, band_width, height);
    layout.names = QRect(layout.band.right() + 1, top, names_width, height);
    layout.curves = QRect(layout.names.right() + 1, top, curves_width, height);
    return layout;
}

std::pair<double, double> part_between(const QLineF& line, double top, double bottom) {
    const double dy = line.dy();
    if (std::abs(dy) < 1e-9) {
        const bool inside = line.y1() >= top && line.y1() <= bottom;
        return inside ? std::pair(0.0, 1.0) : std::pair(1.0, 0.0);
    }
    double first = (top - line.y1()) / dy;
    double second = (bottom - line.y1()) / dy;
    if (first > second) std::swap(first, second);
    return {std::max(0.0, first), std::min(1.0, second)};
}

LadderHit hit_ladder(const LadderPicture& picture, const LadderGeometry& geometry, QPointF at,
                     double lane_width, double reach) {
    LadderHit hit;
    double nearest = reach;
    const auto offer = [&](LadderHit::Kind kind, size_t index, double distance) {
        if (distance > nearest) return;
        nearest = distance;
        hit = {kind, index};
    };
    for (size_t i = 0; i < picture.arrows.size(); ++i) {
        const LadderArrow& arrow = picture.arrows[i];
        QLineF line = geometry.line(arrow.transit, arrow.sender);
        line.setP2(line.pointAt(way_of(arrow.fate)));
        // What was sent again is thick, and is meant more often.
        const double more = arrow.loss != 0 ? 1.5 : 0;
        offer(LadderHit::Kind::arrow, i, std::max(0.0, distance_to(line, at) - more));
    }
    for (size_t i = 0; i < picture.folded_losses.size(); ++i) {
        const LadderLosses& losses = picture.folded_losses[i];
        offer(LadderHit::Kind::losses, i,
              std::hypot(at.x() - geometry.x_sender(losses.sender), at.y() - geometry.y(losses.time_ns)));
    }
    for (size_t i = 0; i < picture.commands.size(); ++i) {
        const LadderCommand& command = picture.commands[i];
        if (command.has_request) {
            offer(LadderHit::Kind::command, i,
                  distance_to(geometry.line(command.request, Role::initiator), at));
        }
        if (command.has_response) {
            offer(LadderHit::Kind::command, i,
                  distance_to(geometry.line(command.response, Role::target), at));
        }
        const double x = lane_x(geometry, command.lane, lane_width);
        const QLineF bracket(x, geometry.y(command.begin_ns), x, geometry.y(command.end_ns));
        offer(LadderHit::Kind::command, i, distance_to(bracket, at));
    }
    if (hit.kind != LadderHit::Kind::none) return hit;
    double briefest = std::numeric_limits<double>::max();
    const auto offer_band = [&](LadderHit::Kind kind, size_t index, const PacketTransit& first,
                                const PacketTransit& last, Role sender) {
        if (!is_between(geometry.line(first, sender), geometry.line(last, sender), at, 2)) return;
        const auto duration = static_cast<double>(last.arrival_ns - first.left_ns);
        if (duration >= briefest) return;
        briefest = duration;
        hit = {kind, index};
    };
    if (picture.detail == LadderDetail::pdus) {
        for (size_t i = 0; i < picture.pdus.size(); ++i) {
            const LadderPdu& pdu = picture.pdus[i];
            offer_band(LadderHit::Kind::pdu, i, pdu.first, pdu.last, pdu.sender);
        }
    }
    for (size_t i = 0; i < picture.commands.size(); ++i) {
        const LadderCommand& command = picture.commands[i];
        if (command.has_data) {
            offer_band(LadderHit::Kind::command, i, command.first_data, command.last_data,
                       command.data_sender);
        }
    }
    return hit;
}

std::vector<double> spread_labels(std::span<const double> wanted, double height, double top, double bottom) {
    // With what stands before each taken away, labels must only not go back: runs that would are put at their mean.
    struct Run {
        double mean;
        size_t count;
    };
    std::vector<Run> runs;
    for (size_t i = 0; i < wanted.size(); ++i) {
        runs.push_back({wanted[i] - static_cast<double>(i) * height, 1});
        while (runs.size() > 1 && runs[runs.size() - 2].mean > runs.back().mean) {
            const Run last = runs.back();
            runs.pop_back();
            Run& run = runs.back();
            const auto count = static_cast<double>(run.count + last.count);
            run.mean =
                (run.mean * static_cast<double>(run.count) + last.mean * static_cast<double>(last.count)) /
                count;
            run.count += last.count;
        }
    }
    std::vector<double> centres;
    centres.reserve(wanted.size());
    const double least = top + height / 2;
    const double most =
        bottom - height / 2 - static_cast<double>(std::max<size_t>(wanted.size(), 1) - 1) * height;
    for (const Run& run : runs) {
        const double at = std::max(least, std::min(run.mean, most));
        for (size_t i = 0; i < run.count; ++i)
            centres.push_back(at + static_cast<double>(centres.size()) * height);
    }
    return centres;
}

std::vector<size_t> choose_named(std::span<const LadderTransition> transitions, const TimeViewport& view,
                                 double label_height) {
    constexpr size_t near = 7;  // so many about one place at most
    const double about = label_height * (near / 2.0 + 0.5);
    std::vector<size_t> visible;
    for (size_t i = 0; i < transitions.size(); ++i) {
        if (view.range.contains(transitions[i].time_ns)) visible.push_back(i);
    }
    std::ranges::stable_sort(visible, [&](size_t one, size_t other) {
        return gravity(transitions[one]) > gravity(transitions[other]);
    });
    const auto room = static_cast<size_t>(std::max(0.0, view.length / label_height));
    std::vector<size_t> chosen;
    for (const size_t i : visible) {
        if (chosen.size() >= room) break;
        const double y = view.x_of(transitions[i].time_ns);
        const auto close = [&](size_t other) {
            return std::abs(view.x_of(transitions[other].time_ns) - y) < about;
        };
        if (static_cast<size_t>(std::ranges::count_if(chosen, close)) < near) chosen.push_back(i);
    }
    std::ranges::sort(chosen);
    // Where labels pile up, the least grave of a pile go until the rest stand near what they name.
    const double farthest = 4 * label_height;
    std::vector<double> wanted;
    while (chosen.size() > 1) {
        wanted.clear();
        for (const size_t i : chosen) wanted.push_back(view.x_of(transitions[i].time_ns));
        const std::vector<double> centres =
            spread_labels(wanted, label_height, view.origin, view.origin + view.length);
        size_t worst = 0;
        const auto off = [&](size_t i) { return std::abs(centres[i] - wanted[i]); };
        for (size_t i = 1; i < chosen.size(); ++i) {
            if (off(i) > off(worst)) worst = i;
        }
        if (off(worst) <= farthest) break;
        size_t first = worst;
        size_t last = worst;
        const auto touch = [&](size_t i) { return centres[i + 1] - centres[i] < label_height * 1.01; };
        while (first > 0 && touch(first - 1)) --first;
        while (last + 1 < chosen.size() && touch(last)) ++last;
        size_t least = worst;
        for (size_t i = first; i <= last; ++i) {
            if (gravity(transitions[chosen[i]]) < gravity(transitions[chosen[least]])) least = i;
        }
        chosen.erase(chosen.begin() + static_cast<ptrdiff_t>(least));
    }
    return chosen;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/lanes/lane_painting.h"

#include "analyzer/iscsi/bhs.h"

namespace sanscope {

QColor mix(const QColor& from, const QColor& to, double share) {
    const auto part = [&](int a, int b) { return a + static_cast<int>(std::lround((b - a) * share)); };
    return {part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue())};
}

QColor LanePainting::on_background(const QColor& color, double strength) const {
    return mix(theme().background, color, strength);
}

const QColor& LanePainting::ink(double strength) const {
    if (strength < 0.3) return theme().faint_text;
    if (!theme().dark) return theme().text;
    return strength < 0.7 ? theme().text : theme().background;
}

bool LanePainting::highlighted(const LaneLoss& mark) const {
    const Selection& selection = scene.selected.selection;
    if (selection.kind == Selection::Kind::loss) return selection.number == mark.number();
    return selected_here && scene.selected.includes(Selection::Kind::packet, mark.packet);
}

QColor slowness_color(const Theme& theme, size_t slowness) {
    const double slow = static_cast<double>(slowness) / (slowness_classes - 1);
    const QColor swift = mix(theme.background, theme.initiator, 0.4);
    return slow < 0.6 ? mix(swift, theme.in_flight, slow / 0.6)
                      : mix(theme.in_flight, theme.problem, (slow - 0.6) / 0.4);
}

QColor pdu_color(const Theme& theme, uint8_t opcode) {
    const QColor& side = is_from_target(opcode) ? theme.target : theme.initiator;
    switch (Opcode{opcode}) {
        case Opcode::scsi_data_in:
        case Opcode::scsi_data_out:
            return mix(theme.background, side, 0.6);
        case Opcode::scsi_command:
        case Opcode::scsi_response:
            return side;
        case Opcode::r2t:
            return theme.acknowledgement;
        case Opcode::reject:
        case Opcode::async_message:
        case Opcode::task_management_request:
        case Opcode::task_management_response:
            return theme.problem;
        default:
            return theme.other_command;
    }
}

void fill(QPainter& painter, const std::vector<QRect>& rects, const QColor& color) {
    if (rects.empty()) return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRects(rects.data(), static_cast<int>(rects.size()));
}

void add_column(std::vector<QRect>& rects, int left, int right, double foot, double high) {
    const int bottom = static_cast<int>(std::lround(foot));
    const int top = std::min(bottom - 1, static_cast<int>(std::lround(foot - high)));
    rects.emplace_back(left, top, right - left, bottom - top);
}

double full_scale(std::vector<double>& values) {
    if (values.empty()) return 0;
    const double greatest = *std::ranges::max_element(values);
    const auto near_top = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 95 / 100);
    std::ranges::nth_element(values, near_top);
    return std::min(greatest, 2 * *near_top);
}

double rough_width(const QFontMetrics& metrics, const QString& text) {
    return static_cast<double>(text.size()) * metrics.averageCharWidth() * 1.12;
}

void draw_triangle(QPainter& painter, QPointF center, bool open, const QColor& color) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    const QPointF down[] = {center + QPointF(-4, -2), center + QPointF(4, -2), center + QPointF(0, 3)};
    const QPointF right[] = {center + QPointF(-2, -4), center + QPointF(-2, 4), center + QPointF(3, 0)};
    painter.drawConvexPolygon(open ? down : right, 3);
    painter.restore();
}

}  // namespace sanscope

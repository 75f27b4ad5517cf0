// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/theme.h"

#include <QPolygonF>

#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

Theme make_light() {
    Theme t;
    t.background = QColor(0xff, 0xff, 0xff);
    t.alternate_background = QColor(0xf6, 0xf7, 0xf9);
    t.grid = QColor(0xe3, 0xe6, 0xea);
    t.axis = QColor(0x87, 0x8f, 0x99);
    t.text = QColor(0x1d, 0x24, 0x2c);
    t.faint_text = QColor(0x62, 0x6c, 0x78);
    t.selection = QColor(0x1a, 0x1a, 0x1a);
    t.selection_fill = QColor(0xff, 0xd5, 0x4f, 0x70);
    t.cursor = QColor(0x50, 0x58, 0x62, 0xb0);
    t.initiator = QColor(0x00, 0x72, 0xb2);
    t.target = QColor(0xd5, 0x5e, 0x00);
    t.acknowledgement = QColor(0x00, 0x9e, 0x73);
    t.cwnd = QColor(0x00, 0x72, 0xb2);
    t.cwnd_interval = QColor(0x56, 0xb4, 0xe9, 0x55);
    t.ssthresh = QColor(0xc6, 0x75, 0xa2);
    t.in_flight = QColor(0xbd, 0x82, 0x00);
    t.advertised_window = QColor(0x00, 0x9e, 0x73);
    t.kernel = QColor(0x1a, 0x1a, 0x1a);
    t.problem = QColor(0xc6, 0x28, 0x28);
    t.read = QColor(0x3b, 0x8e, 0xc8);
    t.write = QColor(0xd5, 0x75, 0x36);
    t.other_command = QColor(0x88, 0x8f, 0x97);
    t.ca = {QColor(0xcf, 0xe8, 0xdc), QColor(0xf3, 0xe0, 0x8f), QColor(0x9f, 0xc9, 0xec),
            QColor(0xf2, 0xa8, 0x6a), QColor(0xe8, 0x5b, 0x64)};
    t.limit = {QColor(0xc8, 0xcd, 0xd4), QColor(0x00, 0x9e, 0x73), QColor(0x56, 0xb4, 0xe9),
               QColor(0xcc, 0x79, 0xa7), QColor(0xe0, 0x7b, 0x39), QColor(0xf2, 0xf3, 0xf5)};
    return t;
}

Theme make_dark() {
    Theme t;
    t.dark = true;
    t.background = QColor(0x1b, 0x1e, 0x23);
    t.alternate_background = QColor(0x21, 0x25, 0x2b);
    t.grid = QColor(0x33, 0x39, 0x41);
    t.axis = QColor(0x78, 0x82, 0x8e);
    t.text = QColor(0xe4, 0xe8, 0xed);
    t.faint_text = QColor(0x9a, 0xa4, 0xb0);
    t.selection = QColor(0xff, 0xff, 0xff);
    t.selection_fill = QColor(0xff, 0xd5, 0x4f, 0x50);
    t.cursor = QColor(0xc0, 0xc8, 0xd2, 0xb0);
    t.initiator = QColor(0x56, 0xb4, 0xe9);
    t.target = QColor(0xf0, 0x8c, 0x3c);
    t.acknowledgement = QColor(0x2e, 0xa9, 0x83);
    t.cwnd = QColor(0x56, 0xb4, 0xe9);
    t.cwnd_interval = QColor(0x56, 0xb4, 0xe9, 0x3c);
    t.ssthresh = QColor(0xde, 0x96, 0xbd);
    t.in_flight = QColor(0xf0, 0xb4, 0x32);
    t.advertised_window = QColor(0x2e, 0xa9, 0x83);
    t.kernel = QColor(0xf5, 0xf5, 0xf5);
    t.problem = QColor(0xff, 0x6b, 0x6b);
    t.read = QColor(0x4a, 0x9d, 0xd6);
    t.write = QColor(0xe3, 0x85, 0x45);
    t.other_command = QColor(0x8c, 0x96, 0xa2);
    t.ca = {QColor(0x1a, 0x46, 0x40), QColor(0x6a, 0x61, 0x3a), QColor(0x2f, 0x5f, 0x86),
            QColor(0x91, 0x4d, 0x00), QColor(0xcc, 0x15, 0x40)};
    t.limit = {QColor(0x3c, 0x43, 0x4d), QColor(0x03, 0x76, 0x5b), QColor(0x0b, 0x6a, 0xb4),
               QColor(0x90, 0x54, 0x79), QColor(0x9b, 0x56, 0x1a), QColor(0x25, 0x29, 0x2f)};
    return t;
}

}  // namespace

const Theme& Theme::light() {
    static const Theme theme = make_light();
    return theme;
}

const Theme& Theme::dark_one() {
    static const Theme theme = make_dark();
    return theme;
}

const Theme& Theme::of(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < 128 ? dark_one() : light();
}

const QColor& Theme::loss_color(LossKind kind) const {
    switch (kind) {
        case LossKind::fast_retransmit:
        case LossKind::rto:
        case LossKind::tlp:
            return problem;
        case LossKind::spurious:
        case LossKind::out_of_order:
        case LossKind::duplicate:
            return ssthresh;
        default:
            return faint_text;
    }
}

const QColor& Theme::command_color(uint16_t opcode) const {
    return is_read_opcode(opcode) ? read : writes_blocks(opcode) ? write : other_command;
}

void draw_loss_mark(QPainter& painter, const Theme& theme, LossKind kind, QPointF center, double size) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor& color = theme.loss_color(kind);
    const double r = size / 2;
    const auto stroke = [&] {
        painter.setPen(QPen(color, 1.6));
        painter.setBrush(Qt::NoBrush);
    };
    const auto fill = [&] {
        painter.setPen(QPen(theme.background, 1));
        painter.setBrush(color);
    };
    const auto point = [&](double x, double y) { return center + QPointF(x * r, y * r); };
    switch (kind) {
        case LossKind::fast_retransmit:  // a triangle that points back up
            fill();
            painter.drawPolygon(QPolygonF{point(0, -1), point(0.95, 0.8), point(-0.95, 0.8)});
            break;
        case LossKind::rto:  // a full square: the timer ran out
            fill();
            painter.drawRect(QRectF(point(-0.85, -0.85), point(0.85, 0.85)));
            break;
        case LossKind::tlp:  // a diamond
            fill();
            painter.drawPolygon(QPolygonF{point(0, -1), point(1, 0), point(0, 1), point(-1, 0)});
            break;
        case LossKind::spurious:  // a hollow triangle: it had not been lost
            stroke();
            painter.drawPolygon(QPolygonF{point(0, -0.9), point(0.9, 0.75), point(-0.9, 0.75)});
            break;
        case LossKind::out_of_order:  // crossing lines
            stroke();
            painter.drawLine(point(-0.8, -0.8), point(0.8, 0.8));
            painter.drawLine(point(-0.8, 0.8), point(0.8, -0.8));
            break;
        case LossKind::duplicate:  // two lines
            stroke();
            painter.drawLine(point(-0.4, -0.8), point(-0.4, 0.8));
            painter.drawLine(point(0.4, -0.8), point(0.4, 0.8));
            break;
        case LossKind::keep_alive:
        case LossKind::zero_window_probe:  // a small ring
            stroke();
            painter.drawEllipse(center, r * 0.7, r * 0.7);
            break;
        case LossKind::not_captured:  // an empty square
            stroke();
            painter.drawRect(QRectF(point(-0.75, -0.75), point(0.75, 0.75)));
            break;
    }
    painter.restore();
}

}  // namespace sanscope

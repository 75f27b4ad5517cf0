// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPainter>
#include <QPalette>
#include <array>
#include <string_view>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The colours of the drawn views, light and dark: distinguished by those who cannot tell red from green (after the palette of
// Okabe and Ito), and never by colour alone where it matters: losses have shapes, states have names. theme_test.cpp holds them to
// that, for three kinds of colour blindness, and to the contrast that lines and text need.
struct Theme {
    bool dark = false;
    QColor background;
    QColor alternate_background;  // of every other lane
    QColor grid;
    QColor axis;  // lines and ticks
    QColor text;
    QColor faint_text;
    QColor selection;       // outlines what is selected
    QColor selection_fill;  // lies over it
    QColor cursor;          // the line under the pointer

    QColor initiator;  // what the initiator sent
    QColor target;
    QColor acknowledgement;
    QColor cwnd;
    QColor cwnd_interval;
    QColor ssthresh;
    QColor in_flight;
    QColor advertised_window;
    QColor kernel;   // what the sender's kernel said
    QColor problem;  // a retransmission, an error
    QColor read;
    QColor write;
    QColor other_command;
    std::array<QColor, ca_states> ca;
    std::array<QColor, send_limits + 1> limit;  // the last one: unknown

    static const Theme& light();
    static const Theme& dark_one();
    // By whether the palette's windows are light or dark.
    static const Theme& of(const QPalette& palette);

    const QColor& ca_color(CaState state) const { return ca[static_cast<size_t>(state)]; }
    const QColor& limit_color(SendLimit reason) const { return limit[static_cast<size_t>(reason)]; }
    const QColor& loss_color(LossKind kind) const;
    // Of a SCSI command, by what it does: reads, writes, others; by name for the common ones apart.
    const QColor& command_color(uint16_t opcode) const;
};

// A mark for a loss of that kind, some 9 pixels wide, about `center`: a shape a kind.
void draw_loss_mark(QPainter& painter, const Theme& theme, LossKind kind, QPointF center, double size = 9);

}  // namespace sanscope

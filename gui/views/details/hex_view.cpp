// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/details/hex_view.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "gui/plot/theme.h"

namespace sanscope {
namespace {

constexpr int margin = 4;

QChar shown_as_text(char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return value >= 0x20 && value < 0x7f ? QLatin1Char(byte) : QChar(0xb7);
}

}  // namespace

HexView::HexView(QWidget* parent) : QAbstractScrollArea(parent) {
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Bytes"));
    setAccessibleDescription(
        tr("The bytes of the packet in hexadecimal. Cursor keys choose a byte and its field."));
    viewport()->setBackgroundRole(QPalette::Base);
    measure();
}

void HexView::measure() {
    const QFontMetrics metrics(font());
    character_ = metrics.horizontalAdvance(QLatin1Char('0'));
    line_ = metrics.height() + 1;
    offset_digits_ = bytes_.size() > 0x10000 ? 8 : 4;
    const int in_sight = std::max(1, (viewport()->height() - 2 * margin) / line_);
    verticalScrollBar()->setRange(0, std::max(0, lines() - in_sight));
    verticalScrollBar()->setPageStep(in_sight);
    const int wide = (text_column(bytes_per_line - 1) + 1) * character_ + 2 * margin;
    horizontalScrollBar()->setRange(0, std::max(0, wide - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    viewport()->update();
}

QSize HexView::sizeHint() const {
    const int width = (text_column(bytes_per_line - 1) + 1) * character_ + 2 * margin;
    constexpr int some_lines = 12;
    return {width + verticalScrollBar()->sizeHint().width() + 4, some_lines * line_};
}

int HexView::lines() const {
    return static_cast<int>((bytes_.size() + bytes_per_line - 1) / bytes_per_line);
}

int HexView::hex_column(uint32_t in_line) const {
    return offset_digits_ + 2 + static_cast<int>(in_line) * 3 + (in_line >= bytes_per_line / 2 ? 1 : 0);
}

int HexView::text_column(uint32_t in_line) const {
    return hex_column(bytes_per_line - 1) + 4 + static_cast<int>(in_line) +
           (in_line >= bytes_per_line / 2 ? 1 : 0);
}

void HexView::set_bytes(std::string bytes) {
    bytes_ = std::move(bytes);
    highlight_start_ = highlight_length_ = outer_start_ = outer_length_ = 0;
    current_.reset();
    verticalScrollBar()->setValue(0);
    measure();
}

void HexView::highlight(uint32_t start, uint32_t length, uint32_t outer_start, uint32_t outer_length) {
    highlight_start_ = start;
    highlight_length_ = length;
    outer_start_ = outer_start;
    outer_length_ = outer_length;
    if (length > 0) {
        // Its first byte, and its last one as long as the first remains in sight.
        const auto in_sight = static_cast<uint32_t>(verticalScrollBar()->pageStep()) * bytes_per_line;
        show_byte(start + std::min(length, std::max(in_sight, 2 * bytes_per_line) - 2 * bytes_per_line + 1) -
                  1);
        show_byte(start);
    }
    viewport()->update();
}

void HexView::show_byte(uint32_t byte) {
    const int line = static_cast<int>(byte / bytes_per_line);
    QScrollBar* const bar = verticalScrollBar();
    if (line < bar->value()) bar->setValue(line);
    if (line >= bar->value() + bar->pageStep()) bar->setValue(line - bar->pageStep() + 1);
}

QRect HexView::place_of(uint32_t byte) const {
    const int line = static_cast<int>(byte / bytes_per_line) - verticalScrollBar()->value();
    return {margin + hex_column(byte % bytes_per_line) * character_ - horizontalScrollBar()->value(),
            margin + line * line_, 2 * character_, line_};
}

std::optional<uint32_t> HexView::byte_at(QPoint place) const {
    const int line = (place.y() - margin) / line_ + verticalScrollBar()->value();
    const double column =
        static_cast<double>(place.x() - margin + horizontalScrollBar()->value()) / character_;
    if (place.y() < margin || line >= lines()) return std::nullopt;
    for (uint32_t in_line = 0; in_line < bytes_per_line; ++in_line) {
        const double hex = hex_column(in_line);
        const double text = text_column(in_line);
        const bool here =
            (column >= hex - 0.5 && column < hex + 2.5) || (column >= text && column < text + 1);
        const uint32_t byte = static_cast<uint32_t>(line) * bytes_per_line + in_line;
        if (here && byte < bytes_.size()) return byte;
    }
    return std::nullopt;
}

QString HexView::dump() const {
    const uint32_t begin = highlight_length_ > 0 ? highlight_start_ : 0;
    const auto size = static_cast<uint32_t>(bytes_.size());
    const uint32_t end = highlight_length_ > 0 ? std::min(size, highlight_start_ + highlight_length_) : size;
    QString text;
    for (uint32_t at = begin; at < end; at += bytes_per_line) {
        QString hex;
        QString characters;
        for (uint32_t byte = at; byte < std::min(end, at + bytes_per_line); ++byte) {
            hex += QStringLiteral("%1 ").arg(static_cast<uint>(static_cast<unsigned char>(bytes_[byte])), 2,
                                             16, QLatin1Char('0'));
            const QChar shown = shown_as_text(bytes_[byte]);
            characters += shown == QChar(0xb7) ? QLatin1Char('.') : shown;
        }
        text += QStringLiteral("%1  %2 %3\n").arg(at, 8, 16, QLatin1Char('0')).arg(hex, -48).arg(characters);
    }
    return text;
}

void HexView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& theme = Theme::of(palette());
    const int first = verticalScrollBar()->value();
    const int last = std::min(lines(), first + viewport()->height() / line_ + 1);
    const QFontMetrics metrics(font());
    const int left = margin - horizontalScrollBar()->value();
    const auto within = [](uint32_t byte, uint32_t start, uint32_t length) {
        return byte >= start && byte - start < length;
    };
    const QColor ink = palette().color(QPalette::Text);
    const QColor highlighted = palette().color(QPalette::Highlight);
    const QColor on_highlight = palette().color(QPalette::HighlightedText);
    static constexpr char digits[] = "0123456789abcdef";
    for (int line = first; line < last; ++line) {
        const int top = margin + (line - first) * line_;
        const int base = top + metrics.ascent();
        painter.setPen(theme.faint_text);
        painter.drawText(left, base,
                         QStringLiteral("%1").arg(line * static_cast<int>(bytes_per_line), offset_digits_, 16,
                                                  QLatin1Char('0')));
        for (uint32_t in_line = 0; in_line < bytes_per_line; ++in_line) {
            const uint32_t byte = static_cast<uint32_t>(line) * bytes_per_line + in_line;
            if (byte >= bytes_.size()) break;
            const auto value = static_cast<unsigned char>(bytes_[byte]);
            const int hex = left + hex_column(in_line) * character_;
            const int text = left + text_column(in_line) * character_;
            const bool is_highlighted = within(byte, highlight_start_, highlight_length_);
            const bool outer = within(byte, outer_start_, outer_length_);
            if (is_highlighted || outer) {
                // The gap to the next byte is theirs if that is.
                const bool goes_on = in_line + 1 < bytes_per_line &&
                                     (is_highlighted ? within(byte + 1, highlight_start_, highlight_length_)
                                                     : within(byte + 1, outer_start_, outer_length_));
                const int gap =
                    !goes_on ? 0 : (hex_column(in_line + 1) - hex_column(in_line) - 2) * character_;
                const int text_gap =
                    !goes_on ? 0 : (text_column(in_line + 1) - text_column(in_line) - 1) * character_;
                const QColor fill =
                    is_highlighted ? highlighted : theme.alternate_background.darker(theme.dark ? 70 : 108);
                painter.fillRect(hex, top, 2 * character_ + gap, line_, fill);
                painter.fillRect(text, top, character_ + text_gap, line_, fill);
            }
            painter.setPen(is_highlighted ? on_highlight : ink);
            const QChar pair[2] = {QLatin1Char(digits[value >> 4]), QLatin1Char(digits[value & 15])};
            painter.drawText(hex, base, QString(pair, 2));
            if (!is_highlighted && (value < 0x20 || value >= 0x7f)) painter.setPen(theme.faint_text);
            painter.drawText(text, base, QString(shown_as_text(bytes_[byte])));
            if (current_ == byte) {
                painter.setPen(theme.selection);
                painter.drawRect(hex - 1, top, 2 * character_ + 1, line_ - 1);
                painter.drawRect(text, top, character_ - 1, line_ - 1);
            }
        }
    }
}

void HexView::choose(uint32_t byte) {
    if (bytes_.empty()) return;
    byte = std::min(byte, static_cast<uint32_t>(bytes_.size()) - 1);
    current_ = byte;
    Q_EMIT byte_chosen(byte);
    show_byte(byte);
    viewport()->update();
}

void HexView::mousePressEvent(QMouseEvent* event) {
    const auto byte = byte_at(event->pos());
    if (event->button() == Qt::LeftButton && byte) choose(*byte);
}

void HexView::keyPressEvent(QKeyEvent* event) {
    const uint32_t at = current_.value_or(highlight_start_);
    const auto page = static_cast<uint32_t>(std::max(1, verticalScrollBar()->pageStep())) * bytes_per_line;
    const auto size = static_cast<uint32_t>(bytes_.size());
    const bool control = event->modifiers().testFlag(Qt::ControlModifier);
    const uint32_t in_line = at % bytes_per_line;
    switch (event->key()) {
        case Qt::Key_Left:
            return choose(at == 0 ? 0 : at - 1);
        case Qt::Key_Right:
            return choose(current_ ? at + 1 : at);
        case Qt::Key_Up:
            return choose(at < bytes_per_line ? at : at - bytes_per_line);
        case Qt::Key_Down:
            return choose(at + bytes_per_line < size ? at + bytes_per_line : at);
        case Qt::Key_PageUp:
            return choose(at < page ? in_line : at - page);
        case Qt::Key_PageDown:
            return choose(at + page);
        case Qt::Key_Home:
            return choose(control ? 0 : at - in_line);
        case Qt::Key_End:
            return choose(control ? size : at - in_line + bytes_per_line - 1);
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

void HexView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    measure();
}

void HexView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange) measure();
    if (event->type() == QEvent::PaletteChange) viewport()->update();
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/filter_line/filter_edit.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QCompleter>
#include <QIconEngine>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>

#include "gui/plot/theme.h"

namespace sanscope {
namespace {

// A tick, a cross, a warning or a funnel, drawn at whatever size is asked for.
class SignEngine final : public QIconEngine {
  public:
    SignEngine(FilterEdit::Look look, QColor color) : look_(look), color_(color) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode, QIcon::State) override {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const double side = std::min(rect.width(), rect.height());
        painter->translate(rect.center().x() + 0.5, rect.center().y() + 0.5);
        painter->scale(side / 2, side / 2);
        painter->setPen(QPen(color_, 0.26, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        switch (look_) {
            case FilterEdit::Look::valid:
                painter->drawPolyline(QPolygonF{{-0.6, 0.05}, {-0.15, 0.5}, {0.6, -0.5}});
                break;
            case FilterEdit::Look::invalid:
                painter->drawLine(QPointF(-0.5, -0.5), QPointF(0.5, 0.5));
                painter->drawLine(QPointF(-0.5, 0.5), QPointF(0.5, -0.5));
                break;
            case FilterEdit::Look::doubtful:
                painter->drawLine(QPointF(0, -0.6), QPointF(0, 0.15));
                painter->drawPoint(QPointF(0, 0.6));
                break;
            case FilterEdit::Look::plain:
                painter->setPen(QPen(color_, 0.16, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
                painter->drawPolygon(QPolygonF{
                    {-0.65, -0.55}, {0.65, -0.55}, {0.15, 0.05}, {0.15, 0.65}, {-0.15, 0.45}, {-0.15, 0.05}});
                break;
        }
        painter->restore();
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return picture;
    }
    QIconEngine* clone() const override { return new SignEngine(look_, color_); }

  private:
    FilterEdit::Look look_;
    QColor color_;
};

QColor mixed(const QColor& one, const QColor& other, double share) {
    const auto mix = [&](int a, int b) { return static_cast<int>(a + (b - a) * share); };
    return {mix(one.red(), other.red()), mix(one.green(), other.green()), mix(one.blue(), other.blue())};
}

}  // namespace

FilterEdit::FilterEdit(QWidget* parent) : QLineEdit(parent), sign_(new QAction(this)) {
    sign_->setText(tr("Whether it is a filter"));
    sign_->setEnabled(true);
    addAction(sign_, LeadingPosition);
    connect(sign_, &QAction::triggered, this, [this] { setFocus(); });
    tint();
}

void FilterEdit::set_look(Look look) {
    if (look == look_) return;
    look_ = look;
    tint();
}

void FilterEdit::set_wave(int position, int length) {
    wave_position_ = position;
    wave_length_ = length;
    update();
}

void FilterEdit::tint() {
    if (tinting_) return;
    tinting_ = true;
    const Theme& theme = Theme::of(QApplication::palette(this));
    QPalette colours = QApplication::palette(this);
    const QColor base = colours.color(QPalette::Base);
    QColor sign = theme.faint_text;
    switch (look_) {
        case Look::plain:
            break;
        case Look::valid:
            sign = theme.acknowledgement;
            colours.setColor(QPalette::Base, mixed(base, theme.acknowledgement, 0.14));
            break;
        case Look::invalid:
            sign = theme.problem;
            colours.setColor(QPalette::Base, mixed(base, theme.problem, 0.16));
            break;
        case Look::doubtful:
            sign = theme.in_flight;
            colours.setColor(QPalette::Base, mixed(base, theme.in_flight, 0.16));
            break;
    }
    setPalette(colours);
    sign_->setIcon(QIcon(new SignEngine(look_, sign)));
    tinting_ = false;
}

void FilterEdit::changeEvent(QEvent* event) {
    QLineEdit::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange || event->type() == QEvent::StyleChange) tint();
}

bool FilterEdit::popup_takes(const QKeyEvent& key) const {
    if (completer_ == nullptr || !completer_->popup()->isVisible()) return false;
    if (key.key() == Qt::Key_Escape) return true;
    const bool choosing =
        key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter || key.key() == Qt::Key_Tab;
    return choosing && completer_->popup()->selectionModel()->hasSelection();
}

bool FilterEdit::event(QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const auto* const key = static_cast<QKeyEvent*>(event);
        // Tab would go to the next widget before any key is looked at.
        if (key->key() == Qt::Key_Tab && popup_takes(*key)) {
            event->ignore();
            return true;
        }
    }
    return QLineEdit::event(event);
}

void FilterEdit::keyPressEvent(QKeyEvent* event) {
    if (popup_takes(*event)) return event->ignore();
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (completer_ != nullptr) completer_->popup()->hide();
            event->accept();
            Q_EMIT applied();
            return;
        case Qt::Key_Escape:
            event->accept();
            Q_EMIT cleared();
            return;
        case Qt::Key_Up:
            event->accept();
            Q_EMIT older_wanted();
            return;
        case Qt::Key_Down:
            event->accept();
            if (event->modifiers().testFlag(Qt::AltModifier)) {
                Q_EMIT history_wanted();
            } else {
                Q_EMIT newer_wanted();
            }
            return;
        case Qt::Key_Space:
            if (event->modifiers().testFlag(Qt::ControlModifier)) {
                event->accept();
                Q_EMIT completion_wanted();
                return;
            }
            break;
        default:
            break;
    }
    QLineEdit::keyPressEvent(event);
}

void FilterEdit::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    if (wave_length_ < 0) return;
    // The line edit knows where its cursor is, and so where all its characters are.
    const QFontMetricsF metrics(font());
    const QString shown = text();
    const QRect cursor = cursorRect();
    const double origin = cursor.center().x() - metrics.horizontalAdvance(shown.left(cursorPosition()));
    const double begin = origin + metrics.horizontalAdvance(shown.left(wave_position_));
    constexpr double wanting = 10;
    const double end = wave_length_ == 0
                           ? begin + wanting
                           : origin + metrics.horizontalAdvance(shown.left(wave_position_ + wave_length_));
    constexpr double step = 2.5;
    const double y = std::min<double>(cursor.bottom() - 1, height() - 4);
    QPainterPath wave(QPointF(begin, y));
    const int steps = qRound((end - begin) / step);
    for (int i = 1; i <= steps; ++i) wave.lineTo(begin + i * step, i % 2 == 1 ? y - 2.5 : y);
    QPainter painter(this);
    const int inner = cursorRect().height();
    painter.setClipRect(QRect(inner + 2, 0, width() - 2 * inner, height()));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Theme::of(QApplication::palette(this)).problem, 1.3));
    painter.drawPath(wave);
}

}  // namespace sanscope

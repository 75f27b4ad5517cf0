// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/time_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPicture>
#include <QToolTip>
#include <QWheelEvent>

#include "gui/document/plain_text.h"
#include "gui/plot/selected_range.h"
#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

constexpr int right_margin = 10;
double least_time_pixels() {
    return beside_text(110);
}
double least_value_pixels() {
    return beside_text(27);
}

// What a pane's draw functions come to in QCustomPlot's terms: it knows nothing of their data.
class Drawn : public QCPAbstractPlottable {
  public:
    Drawn(QCPAxis& key, QCPAxis& value, const PlotPane& pane, PlotPane::Draw draw)
        : QCPAbstractPlottable(&key, &value), pane_(pane), draw_(std::move(draw)) {
        setSelectable(QCP::stNone);
    }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override {
        found = false;
        return {};
    }
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override {
        found = false;
        return {};
    }

  protected:
    void draw(QCPPainter* painter) override {
        painter->setAntialiasing(false);
        draw_(*painter, pane_);
    }
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

  private:
    const PlotPane& pane_;
    PlotPane::Draw draw_;
};

class TimeTicker : public QCPAxisTicker {
  public:
    explicit TimeTicker(const TimePlot& plot) : plot_(plot) {}

    // The axis runs from 0 to the range's span: whole nanoseconds since the epoch do not fit a double.
    void generate(const QCPRange&, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* minor,
                  QVector<QString>* labels) override {
        ticks.clear();
        if (minor != nullptr) minor->clear();
        if (labels != nullptr) labels->clear();
        const ViewState& state = plot_.state();
        const TimeViewport viewport = plot_.time_viewport();
        const TimeTicks found =
            time_ticks(viewport, state.whole().begin_ns, state.time_format(), least_time_pixels());
        const auto key = [&](const TimeTick& tick) {
            return static_cast<double>(tick.time_ns - viewport.range.begin_ns);
        };
        // A label that would stick out of the plot is left out.
        const QFontMetrics metrics(plot_.font());
        const double most_right = viewport.origin + viewport.length + right_margin - 2;
        for (const TimeTick& tick : found.major) {
            ticks.push_back(key(tick));
            const bool fits = tick.x + metrics.horizontalAdvance(tick.label) / 2.0 <= most_right;
            if (labels != nullptr) labels->push_back(fits ? tick.label : QString());
        }
        if (minor == nullptr) return;
        for (const TimeTick& tick : found.minor) minor->push_back(key(tick));
    }

  private:
    const TimePlot& plot_;
};

class ValueTicker : public QCPAxisTicker {
  public:
    ValueTicker(const PlotPane& pane, const ValueUnit& unit) : pane_(pane), unit_(unit) {}

    void generate(const QCPRange&, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* minor,
                  QVector<QString>* labels) override {
        ticks.clear();
        if (minor != nullptr) minor->clear();
        if (labels != nullptr) labels->clear();
        const ValueTicks found = value_ticks(pane_.scale(), unit_, least_value_pixels());
        for (const ValueTicks::Tick& tick : found.major) {
            ticks.push_back(tick.value);
            if (labels != nullptr) labels->push_back(tick.label);
        }
        if (minor == nullptr) return;
        for (const double value : found.minor) minor->push_back(value);
    }

  private:
    const PlotPane& pane_;
    const ValueUnit& unit_;
};

}  // namespace

TimeViewport PlotPane::viewport() const {
    const QRect area = rect_->rect();
    return {plot_->state().range(), static_cast<double>(area.left()),
            static_cast<double>(std::max(1, area.width()))};
}

ValueScale PlotPane::scale() const {
    const QCPAxis& axis = value_axis();
    const QRect area = rect_->rect();
    return {axis.range().lower, axis.range().upper, static_cast<double>(area.top()),
            static_cast<double>(area.bottom()), axis.scaleType() == QCPAxis::stLogarithmic};
}

const Theme& PlotPane::theme() const {
    return plot_->theme();
}

void PlotPane::set_values(ValueRange range) {
    value_axis().setRange(range.lower, range.upper);
}

void PlotPane::set_logarithmic(bool logarithmic) {
    value_axis().setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
}

void PlotPane::set_height(int pixels) {
    height_ = pixels;
    rect_->setSizeConstraintRect(QCPLayoutElement::scrInnerRect);
    rect_->setMinimumSize(50, pixels > 0 ? pixels : 40);
    rect_->setMaximumSize(QWIDGETSIZE_MAX, pixels > 0 ? pixels : QWIDGETSIZE_MAX);
}

void PlotPane::set_rows(const QStringList& names) {
    const auto rows = static_cast<double>(std::max<qsizetype>(1, names.size()));
    const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (qsizetype i = 0; i < names.size(); ++i)
        ticker->addTick(rows - static_cast<double>(i) - 0.5, names[i]);
    QCPAxis& axis = value_axis();
    axis.setTicker(ticker);
    axis.setTicks(true);
    axis.setTickLabels(true);
    axis.setTickLength(0, 0);
    axis.setSubTicks(false);
    axis.grid()->setVisible(false);
    axis.setRange(0, rows);
}

QRectF PlotPane::row_area(int row) const {
    const QRect all = area();
    const double height = static_cast<double>(all.height()) / std::max(1, rows());
    const double top = std::round(all.top() + row * height);
    return {static_cast<double>(all.left()), top, static_cast<double>(all.width()),
            std::round(all.top() + (row + 1) * height) - top - (rows() > 1 ? 1 : 0)};
}

void PlotPane::add(Draw draw) {
    // Owned by the plot from now on.
    new Drawn(key_axis(), value_axis(), *this, std::move(draw));
}

// What lies over the data and changes with the pointer: in a buffer of its own, so that nothing else is drawn anew.
class TimePlot::Overlay : public QCPLayerable {
  public:
    explicit Overlay(TimePlot& plot) : QCPLayerable(&plot, QStringLiteral("overlay")), plot_(plot) {}

  protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(false); }
    void draw(QCPPainter* painter) override {
        const Theme& theme = plot_.theme();
        const TimeViewport view = plot_.time_viewport();
        std::optional<QRect> around;
        for (const auto& pane : plot_.panes_) {
            if (!pane->time_ || !pane->rect_->visible()) continue;
            around = around ? around->united(pane->area()) : pane->area();
        }
        plot_.overlaid_ = QRegion();
        if (!around) return;
        if (!plot_.message_.isEmpty() || !plot_.state_.selected_range().empty() || plot_.gestures_.drawn())
            plot_.overlaid_ = plot_.rect();
        painter->setFont(plot_.font());
        if (!plot_.message_.isEmpty()) {
            painter->setPen(theme.faint_text);
            painter->drawText(*around, Qt::AlignCenter | Qt::TextWordWrap, plot_.message_);
        }
        draw_selected_ranges(*painter, theme, plot_.state_, view, plot_.gestures_.drawn(), *around);
        const auto cursor = plot_.state_.cursor_ns();
        if (!cursor || !plot_.state_.range().contains(*cursor)) return;
        painter->setPen(QPen(theme.cursor, 1, Qt::DashLine));
        const double x = std::floor(view.x_of(*cursor)) + 0.5;
        for (const auto& pane : plot_.panes_) {
            if (!pane->time_ || !pane->rect_->visible()) continue;
            painter->drawLine(QPointF(x, pane->area().top()), QPointF(x, pane->area().bottom()));
        }
        constexpr int beside = 2;  // pixels, for the pen
        plot_.overlaid_ += QRect(static_cast<int>(x) - beside, 0, 2 * beside + 1, plot_.height());
    }

  private:
    TimePlot& plot_;
};

TimePlot::TimePlot(ViewState& state, QWidget* parent) : QCustomPlot(parent), state_(state), gestures_(state) {
    setAutoAddPlottableToLegend(false);
    setInteractions(QCP::Interactions());
    setNotAntialiasedElements(QCP::aeAll);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    plotLayout()->clear();
    plotLayout()->setRowSpacing(4);
    plotLayout()->setColumnSpacing(0);
    left_margin_ = QFontMetrics(font()).horizontalAdvance(QStringLiteral("0000.0 MB/s")) +
                   QFontMetrics(font()).height() + 14;
    new Overlay(*this);
    // Ticks are known by the panes' sizes, so that these must be known first.
    connect(this, &QCustomPlot::beforeReplot, this, &TimePlot::arrange);
    connect(&state_, &ViewState::range_changed, this, [this] {
        apply_range();
        redraw();
    });
    connect(&state_, &ViewState::time_format_changed, this, [this] { redraw(); });
    connect(&state_, &ViewState::units_changed, this, [this] { redraw(); });
    connect(&state_, &ViewState::whole_changed, this, [this] { redraw(); });
    for (const auto signal : {&ViewState::cursor_changed, &ViewState::selected_range_changed})
        connect(&state_, signal, this, [this] { layer(QStringLiteral("overlay"))->replot(); });
    apply_theme();
}

PlotPane& TimePlot::make_pane(const PaneOptions& options, bool time) {
    auto owned = std::make_unique<PlotPane>();
    PlotPane& pane = *owned;
    panes_.push_back(std::move(owned));
    pane.plot_ = this;
    pane.rect_ = new QCPAxisRect(this, false);
    pane.unit_ = options.unit;
    pane.time_ = time;
    pane.ticks_ = options.value_ticks;
    pane.rect_->addAxes(QCPAxis::atLeft | QCPAxis::atBottom);
    pane.rect_->setAutoMargins(QCP::msNone);
    QCPAxis& value = pane.value_axis();
    QCPAxis& key = pane.key_axis();
    for (QCPAxis* axis : {&value, &key}) {
        axis->setLayer(QStringLiteral("axes"));
        axis->grid()->setLayer(QStringLiteral("grid"));
        axis->grid()->setSubGridVisible(false);
        axis->setTickLength(0, 4);
        axis->setSubTickLength(0, 2);
        axis->setTickLabelPadding(4);
        axis->setLabelPadding(3);
        // Beside the pane, so that what lies on its edge is seen.
        axis->setOffset(2);
    }
    pane.label_ = options.label;
    value.setTicker(QSharedPointer<QCPAxisTicker>(new ValueTicker(pane, pane.unit_)));
    value.setTicks(options.value_ticks);
    value.setTickLabels(options.value_ticks);
    value.grid()->setVisible(options.value_ticks);
    key.grid()->setVisible(time && options.value_ticks);
    if (time) key.setTicker(QSharedPointer<QCPAxisTicker>(new TimeTicker(*this)));
    pane.set_height(options.height);
    return pane;
}

PlotPane& TimePlot::add_pane(const PaneOptions& options) {
    PlotPane& pane = make_pane(options, true);
    plotLayout()->addElement(rows_, 0, pane.rect_);
    plotLayout()->setRowStretchFactor(rows_, options.stretch);
    ++rows_;
    place_time_axis();
    apply_theme();
    apply_range();
    return pane;
}

PlotPane& TimePlot::add_side_pane(PlotPane& beside, const PaneOptions& options, double width) {
    PlotPane& pane = make_pane(options, false);
    for (int row = 0; row < plotLayout()->rowCount(); ++row) {
        if (plotLayout()->element(row, 0) == beside.rect_) plotLayout()->addElement(row, 1, pane.rect_);
    }
    plotLayout()->setColumnStretchFactor(1, width);
    place_time_axis();
    apply_theme();
    return pane;
}

LegendRow& TimePlot::add_legend() {
    auto* row = new LegendRow(this, left_margin_);
    plotLayout()->addElement(rows_, 0, row);
    plotLayout()->setRowStretchFactor(rows_, 0.001);
    row->setLayer(QStringLiteral("legend"));
    ++rows_;
    legends_.push_back(row);
    return *row;
}

void TimePlot::set_shown(PlotPane& pane, bool shown) {
    if (pane.rect_->visible() == shown) return;
    pane.rect_->setVisible(shown);
    if (shown) {
        pane.set_height(pane.height_);
    } else {
        pane.rect_->setSizeConstraintRect(QCPLayoutElement::scrOuterRect);
        pane.rect_->setMinimumSize(0, 0);
        pane.rect_->setMaximumSize(QWIDGETSIZE_MAX, 0);
    }
    place_time_axis();
    redraw();
}

// The lowest pane of time carries the labels; margins are fixed, so that panes stand exactly above each other and stay where
// they are while labels change.
void TimePlot::place_time_axis() {
    const int line = QFontMetrics(font()).height();
    const PlotPane* lowest = nullptr;
    for (const auto& pane : panes_) {
        if (pane->time_ && pane->rect_->visible()) lowest = pane.get();
    }
    for (const auto& pane : panes_) {
        if (!pane->rect_->visible()) {
            pane->rect_->setMargins({});
            continue;
        }
        const bool labels = pane.get() == lowest || !pane->time_;
        QCPAxis& key = pane->key_axis();
        key.setTickLabels(labels);
        key.setTicks(true);
        // What stands beside another pane is as high; its labels reach into the free place below.
        const int below = pane.get() == lowest ? 2 * line + 14 : 4;
        pane->rect_->setMargins(pane->time_
                                    ? QMargins(left_margin_, 4, right_margin, below)
                                    : QMargins(pane->ticks_ ? left_margin_ : 6, 4, right_margin, below));
    }
}

void TimePlot::arrange() {
    drawn_ = true;
    plotLayout()->update(QCPLayoutElement::upPreparation);
    plotLayout()->update(QCPLayoutElement::upMargins);
    plotLayout()->update(QCPLayoutElement::upLayout);
    const TimeTicks ticks =
        time_ticks(time_viewport(), state_.whole().begin_ns, state_.time_format(), least_time_pixels());
    QString label;
    if (!ticks.base.isEmpty()) {
        label = tr("from %1 on").arg(ticks.base);
    } else if (state_.time_format() == TimeFormat::relative) {
        label = tr("time since the first packet");
    } else {
        label = state_.time_format() == TimeFormat::utc ? tr("time of day, UTC") : tr("time of day");
    }
    const QFontMetrics metrics(font());
    for (const auto& pane : panes_) {
        if (pane->time_) pane->key_axis().setLabel(pane->key_axis().tickLabels() ? label : QString());
        // One that is longer than the pane is high would lie on its neighbours'.
        const bool fits = metrics.horizontalAdvance(pane->label_) <= pane->rect_->height();
        pane->value_axis().setLabel(fits ? pane->label_ : QString());
    }
}

void TimePlot::apply_range() {
    const auto span = static_cast<double>(state_.range().span_ns());
    for (const auto& pane : panes_) {
        if (pane->time_) pane->key_axis().setRange(0, std::max(span, 1.0));
    }
}

void TimePlot::apply_theme() {
    const Theme& colors = theme();
    setBackground(QBrush(colors.background));
    for (const auto& pane : panes_) {
        for (QCPAxis* axis : {&pane->value_axis(), &pane->key_axis()}) {
            axis->setBasePen(QPen(colors.axis));
            axis->setTickPen(QPen(colors.axis));
            axis->setSubTickPen(QPen(colors.axis));
            axis->setTickLabelColor(colors.text);
            axis->setLabelColor(colors.faint_text);
            axis->setTickLabelFont(font());
            axis->setLabelFont(font());
            axis->grid()->setPen(QPen(colors.grid));
            axis->grid()->setZeroLinePen(Qt::NoPen);
        }
    }
}

TimeViewport TimePlot::time_viewport() const {
    for (const auto& pane : panes_) {
        if (pane->time_) return pane->viewport();
    }
    return {state_.range(), 0, 1};
}

PlotPane* TimePlot::pane_at(QPointF point) const {
    for (const auto& pane : panes_) {
        if (pane->rect_->visible() && pane->area().contains(point.toPoint())) return pane.get();
    }
    return nullptr;
}

const LegendRow::Entry* TimePlot::legend_entry_at(QPointF point) const {
    for (const LegendRow* row : legends_) {
        if (const auto* entry = row->entry_at(point)) return entry;
    }
    return nullptr;
}

void TimePlot::set_message(const QString& message) {
    if (message == message_) return;
    message_ = message;
    redraw();
}

// By way of a picture, since QCustomPlot draws with a painter of its own kind, and no device bears two painters at once.
void TimePlot::draw_into(QPainter& painter, QPointF at) {
    QPicture picture;
    {
        QCPPainter recorder(&picture);
        recorder.setMode(QCPPainter::pmVectorized);
        recorder.setMode(QCPPainter::pmNoCaching);
        recorder.setMode(QCPPainter::pmNonCosmetic);
        toPainter(&recorder, width(), height());
    }
    painter.drawPicture(at, picture);
    // toPainter() has left the layout at that size, which is the present one.
    redraw();
}

// As QCustomPlot's own, but of the buffer that lies over the data, and is mostly empty, only the part in which something is.
void TimePlot::paintEvent(QPaintEvent*) {
    if (!drawn_) {
        // It is being painted, and need not be once more.
        setAttribute(Qt::WA_UpdatesDisabled, true);
        replot(rpQueuedRefresh);
        setAttribute(Qt::WA_UpdatesDisabled, false);
    }
    QCPPainter painter(this);
    if (!painter.isActive()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(mViewport, mBackgroundBrush);
    for (qsizetype i = 0; i < mPaintBuffers.size(); ++i) {
        if (i > 0 && i + 1 == mPaintBuffers.size()) {
            if (overlaid_.isEmpty()) continue;
            painter.setClipRegion(overlaid_);
        }
        mPaintBuffers[i]->draw(&painter);
    }
}

void TimePlot::resizeEvent(QResizeEvent* event) {
    QCustomPlot::resizeEvent(event);
    Q_EMIT arranged();
}

void TimePlot::wheelEvent(QWheelEvent* event) {
    const PlotPane* pane = pane_at(event->position());
    if (pane != nullptr && !pane->time_) return event->ignore();
    event->setAccepted(gestures_.wheel(*event, time_viewport()));
}

void TimePlot::mousePressEvent(QMouseEvent* event) {
    const auto buttons = Qt::LeftButton | Qt::RightButton | Qt::MiddleButton;
    if (!buttons.testFlag(event->button())) return event->ignore();
    gestures_.press(*event);
}

void TimePlot::mouseMoveEvent(QMouseEvent* event) {
    const TimeViewport view = time_viewport();
    switch (gestures_.move(*event, view)) {
        case TimeGestures::Outcome::hover: {
            const PlotPane* pane = pane_at(event->position());
            const double x = event->position().x();
            const bool inside =
                x >= view.origin && x < view.origin + view.length && (pane == nullptr || pane->time_);
            state_.set_cursor(inside ? std::optional(view.time_at(x)) : std::nullopt);
            const LegendRow::Entry* entry = legend_entry_at(event->position());
            const bool clickable = entry != nullptr && (entry->on != nullptr || entry->act);
            setCursor(clickable ? Qt::PointingHandCursor : Qt::ArrowCursor);
            if (entry != nullptr) {
                QToolTip::showText(event->globalPosition().toPoint(), plain_text(entry->tip), this);
            } else {
                Q_EMIT hovered(event->pos());
            }
            break;
        }
        case TimeGestures::Outcome::began:
            setCursor(gestures_.panning() ? Qt::ClosedHandCursor : Qt::CrossCursor);
            Q_EMIT hovered(std::nullopt);
            [[fallthrough]];
        case TimeGestures::Outcome::goes_on:
            if (!gestures_.panning()) layer(QStringLiteral("overlay"))->replot();
            break;
        default:
            break;
    }
}

void TimePlot::mouseReleaseEvent(QMouseEvent* event) {
    const auto outcome = gestures_.release(*event);
    unsetCursor();
    layer(QStringLiteral("overlay"))->replot();
    if (outcome != TimeGestures::Outcome::click) return;
    if (const LegendRow::Entry* entry = legend_entry_at(event->position())) {
        if (entry->on == nullptr) {
            // It may set the entries anew.
            if (const auto act = entry->act) act();
            return;
        }
        *entry->on = !*entry->on;
        redraw();
        Q_EMIT legend_switched();
        return;
    }
    Q_EMIT clicked(event->pos(), event->modifiers());
}

void TimePlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) Q_EMIT double_clicked(event->pos());
}

void TimePlot::leaveEvent(QEvent*) {
    state_.set_cursor(std::nullopt);
    Q_EMIT hovered(std::nullopt);
}

void TimePlot::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && gestures_.cancel()) {
        unsetCursor();
        layer(QStringLiteral("overlay"))->replot();
        return;
    }
    QCustomPlot::keyPressEvent(event);
}

void TimePlot::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        apply_theme();
        redraw();
    }
}

}  // namespace sanscope

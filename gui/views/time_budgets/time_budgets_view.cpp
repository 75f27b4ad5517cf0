// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/time_budgets/time_budgets_view.h"

#include <QLabel>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "gui/plot/budget_colors.h"
#include "gui/plot/plot_drawing.h"
#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

constexpr int breakdown_rest_ms = 80;  // it is found once the range is at rest so long
constexpr double all_of_it = 100;      // percent

// Whether two questions are the same, so that the answer is.
bool same(const BreakdownQuestion& a, const BreakdownQuestion& b) {
    return a.scope == b.scope && a.range == b.range && a.by == b.by && a.filter == b.filter;
}

double mean_of(const PartsColumn& column) {
    return column.commands == 0
               ? 0
               : static_cast<double>(sum_of(column.sums)) / static_cast<double>(column.commands);
}

}  // namespace

TimeBudgetsView::TimeBudgetsView(Document& document, QWidget* parent)
    : PreparedView(document, parent),
      chooser_(new ConnectionChooser(document, ConnectionChooser::Offers::scopes, this)),
      by_box_(new QComboBox(this)),
      table_(new BreakdownTable(this)),
      breakdown_debounce_(breakdown_rest_ms, [this] { ask_breakdown(); }) {
    setAccessibleName(tr("Where the time went"));
    QHBoxLayout& bar = arrange();
    auto* by = new QLabel(tr("table by"), this);
    by->setBuddy(by_box_);
    bar.addWidget(chooser_);
    bar.addStretch();
    bar.addWidget(by);
    bar.addWidget(by_box_);
    by_box_->setAccessibleName(tr("Groups of the table"));
    by_box_->addItem(tr("session"), static_cast<int>(BreakdownBy::session));
    by_box_->addItem(tr("LUN"), static_cast<int>(BreakdownBy::lun));
    by_box_->addItem(tr("direction"), static_cast<int>(BreakdownBy::transfer));
    by_box_->addItem(tr("size"), static_cast<int>(BreakdownBy::size));
    by_box_->addItem(tr("all of these"), static_cast<int>(BreakdownBy::all_of_these));
    plot_->setAccessibleName(tr("Parts of the commands' time"));
    plot_->setAccessibleDescription(
        tr("Whose time the turnaround of the commands was that completed at each moment: the mean command's "
           "parts, and their shares"));
    table_->setAccessibleName(tr("Parts of the commands' time by group"));
    layout()->addWidget(table_);
    build_plot();

    connect(chooser_, &ConnectionChooser::scope_changed, this, &TimeBudgetsView::renew);
    connect(by_box_, &QComboBox::activated, this, [this] { want_statistics(); });
    connect(plot_, &TimePlot::clicked, this, [this](QPoint at) { select_at(at, false); });
    connect(plot_, &TimePlot::double_clicked, this, [this](QPoint at) { select_at(at, true); });
    connect(table_, &BreakdownTable::chosen, this,
            [this](const Breakdown::Group& group, std::optional<BudgetPart> part) {
                want_commands(table_->breakdown_model().breakdown().question, group, part);
            });
    plot_->set_message(message());
}

void TimeBudgetsView::build_plot() {
    legend_ = &plot_->add_legend();
    mean_ = &plot_->add_pane({.label = tr("mean command"), .unit = ValueUnit::nanoseconds, .stretch = 2});
    share_ = &plot_->add_pane({.label = tr("shares, %"), .unit = ValueUnit::count, .stretch = 1});
    share_->set_values({0, all_of_it});
    for (PlotPane* const pane : {mean_, share_}) {
        pane->add([this, pane](QPainter& painter, const PlotPane&) {
            draw_columns(painter, *pane, pane == share_);
            draw_selection(painter, *pane);
        });
    }
}

void TimeBudgetsView::make_legend() {
    std::vector<LegendRow::Entry> entries;
    for (const BudgetPart part : present_) {
        LegendRow::Entry entry;
        entry.name = budget_title(part);
        entry.tip = tr("%1\nClick: the commands that lost most to it").arg(budget_meaning(part));
        entry.icon = [part](QPainter& painter, const Theme& theme, const QRectF& box) {
            const QRectF place = box.adjusted(2, 1, -2, -1);
            fill_budget_part(painter, theme, part, place);
            painter.setPen(theme.axis);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(place);
        };
        entry.act = [this, part] { want_commands(question(), {}, part); };
        entries.push_back(std::move(entry));
    }
    legend_->set_entries(std::move(entries));
}

void TimeBudgetsView::set_breakdown(BreakdownBy by) {
    by_box_->setCurrentIndex(by_box_->findData(static_cast<int>(by)));
    want_statistics();
}

bool TimeBudgetsView::settled() const {
    return PreparedView::settled() && breakdown_job_.idle() && chooser_->settled() &&
           !breakdown_debounce_.waiting();
}

QString TimeBudgetsView::title() const {
    return tr("Where the time of %1 went").arg(chooser_->title());
}

void TimeBudgetsView::draw(QPainter& painter) {
    PlottedView::draw(painter);
    if (table_->isVisibleTo(this)) {
        table_->render(&painter, table_->pos(), QRegion(), QWidget::DrawChildren);
    }
}

// This view asked for the filter that is applied: it goes on to show what it was asked about, so that another part can be
// chosen.
std::shared_ptr<const FilterResult> TimeBudgetsView::filter() const {
    const auto& applied = state().filter();
    const bool own = applied != nullptr && !own_filter_.empty() && applied->expression == own_filter_;
    return own ? filter_before_ : applied;
}

BreakdownQuestion TimeBudgetsView::question() const {
    BreakdownQuestion question;
    question.scope = chooser_->scope();
    if (!state().range().contains(state().first_view())) question.range = state().range();
    question.by = static_cast<BreakdownBy>(by_box_->currentData().toInt());
    question.filter = filter();
    return question;
}

QString TimeBudgetsView::message() const {
    if (document().loading()) {
        return document().live() ? tr("Where the time went is known once the recording has ended.")
                                 : tr("Where the time went is known once the capture is read.");
    }
    if (state().whole().empty()) return tr("The capture holds no packets.");
    if (!picture().known) return tr("Finding out where the time of each command went …");
    if (picture().commands_anywhere == 0) {
        return tr("No SCSI command of this capture has both its request and its answer.");
    }
    const TimeRange range = state().range();
    for (size_t i = 0; i < picture().columns.size(); ++i) {
        const int64_t begin_ns = picture().begin_of(i);
        const bool in_sight = begin_ns < range.end_ns && begin_ns + picture().column_ns > range.begin_ns;
        if (in_sight && picture().columns[i].commands > 0) return {};
    }
    return filter() == nullptr ? tr("No command completed in this range of time.")
                               : tr("No command that passes the filter completed in this range of time.");
}

void TimeBudgetsView::on_growth() {
    plot_->set_message(message());
    if (!document().loading()) renew();
}

TimeBudgetsView::Preparation TimeBudgetsView::preparation() {
    return [data = document().data(), shared = parts_, filter = filter(), scope = chooser_->scope(),
            range = PreparedRange::around(plot_->time_viewport())](const StopFlag& stop) {
        const auto reading = data->read();
        const auto parts = shared->get(reading, stop);
        if (parts == nullptr) {
            PartsPicture none;
            none.prepared = range;
            return none;
        }
        return prepare_parts(reading, *parts, scope, range, filter.get());
    };
}

void TimeBudgetsView::on_picture(const PartsPicture&) {
    if (picture().known) learn_parts(picture().sums);
}

// Those that no command of the capture has stand nowhere. Picture and breakdown may come in either order.
void TimeBudgetsView::learn_parts(const BudgetSums& anywhere) {
    std::vector<BudgetPart> present;
    for (size_t i = 0; i < budget_parts; ++i) {
        if (anywhere[i] > 0) present.push_back(static_cast<BudgetPart>(i));
    }
    if (std::exchange(present_, present) == present) return;
    make_legend();
    plot_->redraw();
}

void TimeBudgetsView::redraw() {
    plot_->set_message(message());
    PlottedView::redraw();
}

void TimeBudgetsView::fit_values() {
    const TimeRange range = state().range();
    double most = 0;
    for (size_t i = 0; i < picture().columns.size(); ++i) {
        const int64_t begin_ns = picture().begin_of(i);
        if (begin_ns >= range.end_ns || begin_ns + picture().column_ns <= range.begin_ns) continue;
        most = std::max(most, mean_of(picture().columns[i]));
    }
    mean_->set_values(round_range(0, most > 0 ? most : 1e6, true));
}

void TimeBudgetsView::want_statistics() {
    const bool asked = asked_ && same(*asked_, question());
    breakdown_debounce_.look(document().loading(), asked);
}

void TimeBudgetsView::ask_breakdown() {
    if (document().loading() || state().range().empty()) return;
    asked_ = question();
    breakdown_job_.request(
        [data = document().data(), shared = parts_, question = *asked_](const StopFlag& stop) {
            const auto reading = data->read();
            const auto parts = shared->get(reading, stop);
            return parts == nullptr ? Breakdown() : break_down(reading, *parts, question, stop);
        },
        [this](Breakdown breakdown) {
            if (!breakdown.complete) return;
            learn_parts(breakdown.anywhere);
            table_->show_breakdown(std::move(breakdown), present_);
            fit_table();
        });
}

// The plot keeps the greater part.
void TimeBudgetsView::fit_table() {
    table_->fit(height() * 2 / 5);
}

void TimeBudgetsView::resizeEvent(QResizeEvent* event) {
    PlottedView::resizeEvent(event);
    if (table_->breakdown_model().rowCount() > 0) fit_table();
}

void TimeBudgetsView::want_commands(const BreakdownQuestion& of, const Breakdown::Group& group,
                                    std::optional<BudgetPart> part) {
    const QString wanted = filter_text(of, group, part);
    filter_before_ = of.filter != nullptr && of.filter->table == "commands" ? of.filter : nullptr;
    own_filter_ = wanted.toStdString();
    QString column = QStringLiteral("turnaround_ns");
    if (part) {
        const std::string_view name = budget_part_name(*part);
        column = QStringLiteral("budget_%1_ns")
                     .arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
    }
    Q_EMIT commands_wanted(wanted, column);
}

void TimeBudgetsView::draw_columns(QPainter& painter, const PlotPane& pane, bool shares) const {
    const Theme& theme = pane.theme();
    const TimeViewport view = pane.viewport();
    const ValueScale scale = pane.scale();
    const PartsPicture& drawn = picture();
    std::array<std::vector<QRect>, budget_parts> stretches;
    const auto fill = [&] {
        for (size_t part = 0; part < budget_parts; ++part) {
            if (!stretches[part].empty())
                fill_budget_part(painter, theme, static_cast<BudgetPart>(part), stretches[part]);
            stretches[part].clear();
        }
    };
    const double highest = pane.area().top() - 1;
    double beside = view.origin - 1;
    for (size_t i = 0; i < drawn.columns.size(); ++i) {
        const PartsColumn& column = drawn.columns[i];
        if (column.commands == 0) continue;
        double left = std::floor(view.x_of(drawn.begin_of(i)));
        double right = std::max(left + 1, std::floor(view.x_of(drawn.begin_of(i + 1))));
        if (right <= view.origin || left >= view.origin + view.length) continue;
        left = std::max(left, view.origin - 1);
        right = std::min(right, view.origin + view.length + 1);
        const auto whole = static_cast<double>(sum_of(column.sums));
        if (whole <= 0) continue;
        // Columns narrower than a pixel lie over those before.
        if (left < beside) fill();
        beside = right;
        const double of_one = shares ? all_of_it / whole : 1 / static_cast<double>(column.commands);
        double up_to = 0;
        double bottom = std::round(scale.y_of(0));
        for (size_t part = 0; part < budget_parts; ++part) {
            up_to += static_cast<double>(column.sums[part]);
            const double top = std::max(std::round(scale.y_of(up_to * of_one)), highest);
            if (top >= bottom) continue;
            stretches[part].emplace_back(static_cast<int>(left), static_cast<int>(top),
                                         static_cast<int>(right - left), static_cast<int>(bottom - top));
            bottom = top;
        }
    }
    fill();
}

std::optional<TimeBudgetsView::Under> TimeBudgetsView::under(QPoint at) const {
    const PlotPane* pane = plot_->pane_at(at);
    if (pane == nullptr) return std::nullopt;
    const size_t index = picture().column_at(pane->viewport().time_at(at.x()));
    if (index >= picture().columns.size() || picture().columns[index].commands == 0) return std::nullopt;
    const PartsColumn& column = picture().columns[index];
    Under found{index, std::nullopt};
    const auto whole = static_cast<double>(sum_of(column.sums));
    const double value = pane->scale().value_at(at.y());
    const double of_one = pane == share_ ? all_of_it / whole : 1 / static_cast<double>(column.commands);
    double up_to = 0;
    for (size_t part = 0; part < budget_parts && whole > 0; ++part) {
        up_to += static_cast<double>(column.sums[part]);
        if (column.sums[part] == 0 || value > up_to * of_one) continue;
        found.part = static_cast<BudgetPart>(part);
        break;
    }
    return found;
}

QString TimeBudgetsView::text_at(QPoint at) const {
    const auto found = under(at);
    if (!found) return {};
    const PartsColumn& column = picture().columns[found->column];
    const auto line = [](const QString& text) { return QStringLiteral("<br>") + text.toHtmlEscaped(); };
    QString text = moment_text(picture().begin_of(found->column));
    const auto count = static_cast<int64_t>(column.commands);
    text += line((count == 1 ? tr("%1 command completed within %2, after %3")
                             : tr("%1 commands completed within %2, after %3 each on average"))
                     .arg(count)
                     .arg(short_duration(picture().column_ns), short_duration(sum_of(column.sums) / count)));
    BudgetSums mean{};
    for (size_t part = 0; part < budget_parts; ++part) mean[part] = column.sums[part] / count;
    constexpr size_t most_named = 6;
    for (const QString& part : largest_parts(mean, most_named)) text += line(QStringLiteral("\u2003") + part);
    if (found->part) {
        const auto part = static_cast<size_t>(*found->part);
        text += line(tr("Most %1: command %2, %3 (click selects it)")
                         .arg(budget_title(*found->part))
                         .arg(uint64_t{column.worst[part]} + 1)
                         .arg(short_duration(column.most_ns[part])));
    }
    return text;
}

void TimeBudgetsView::select_at(QPoint at, bool frame) {
    const auto found = under(at);
    if (!found || !found->part) return;
    const PartsColumn& column = picture().columns[found->column];
    state().select({Selection::Kind::command, uint64_t{column.worst[static_cast<size_t>(*found->part)]} + 1});
    if (frame) document().frame_when_resolved();
}

}  // namespace sanscope

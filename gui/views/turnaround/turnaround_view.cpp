// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/turnaround/turnaround_view.h"

#include <QLabel>
#include <QSignalBlocker>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <mutex>

#include "gui/plot/command_words.h"
#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"

#include "analyzer/report/human_units.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

constexpr int statistics_rest_ms = 80;  // statistics are computed once the range is at rest so long
constexpr double reach = 7;             // pixels around the pointer

QString size_text(uint64_t bytes) {
    return QString::fromStdString(human_binary_bytes(bytes));
}

}  // namespace

TurnaroundView::TurnaroundView(Document& document, QWidget* parent)
    : PreparedView(document, parent),
      chooser_(new ConnectionChooser(document, ConnectionChooser::Offers::scopes, this)),
      group_box_(new QComboBox(this)),
      leave_out_(new QCheckBox(tr("leave out what the filter rejects"), this)),
      strip_(new BudgetStrip(this)),
      index_(std::make_shared<SharedCommandIndex>(scope_)),
      statistics_debounce_(statistics_rest_ms, [this] { ask_statistics(); }) {
    setAccessibleName(tr("Turnaround"));
    on_.fill(true);
    QHBoxLayout& bar = arrange();
    auto* by = new QLabel(tr("table by"), this);
    by->setBuddy(group_box_);
    bar.addWidget(chooser_);
    bar.addWidget(leave_out_);
    bar.addStretch();
    bar.addWidget(by);
    bar.addWidget(group_box_);
    group_box_->setAccessibleName(tr("Groups of the table"));
    group_box_->addItem(tr("command"), static_cast<int>(GroupBy::opcode));
    group_box_->addItem(tr("size"), static_cast<int>(GroupBy::size));
    group_box_->addItem(tr("LUN"), static_cast<int>(GroupBy::lun));
    group_box_->addItem(tr("session"), static_cast<int>(GroupBy::session));
    leave_out_->setToolTip(
        tr("Commands that do not pass the filter are not drawn at all, instead of faintly"));
    leave_out_->hide();
    plot_->setAccessibleName(tr("Turnaround over time"));
    plot_->setAccessibleDescription(
        tr("Each SCSI command by when it was requested and how long it took; how their turnarounds are "
           "distributed; "
           "how many commands were under way"));
    layout()->addWidget(strip_);
    table_ = &add_table(tr("Percentiles of the turnarounds in sight"));
    build_plot();

    connect(&document, &Document::loaded, this, &TurnaroundView::show_selected);
    connect(&state(), &ViewState::filter_changed, this,
            [this] { leave_out_->setVisible(state().filter() != nullptr); });
    connect(&state(), &ViewState::units_changed, this, &TurnaroundView::fill_table);
    connect(leave_out_, &QCheckBox::toggled, this, &TurnaroundView::renew);
    connect(chooser_, &ConnectionChooser::scope_changed, this, &TurnaroundView::on_scope_changed);
    connect(group_box_, &QComboBox::activated, this, [this] { ask_statistics(); });
    connect(&state(), &ViewState::selected_things_changed, this, &TurnaroundView::show_selected);
    connect(plot_, &TimePlot::hovered, this, &TurnaroundView::ask_parts_at);
    connect(plot_, &TimePlot::clicked, this, [this](QPoint at) { select_at(at, false); });
    connect(plot_, &TimePlot::double_clicked, this, [this](QPoint at) { select_at(at, true); });
    // What was selected before there was this view.
    show_selected();
}

void TurnaroundView::on_scope_changed() {
    using Kind = ConnectionChooser::Scope::Kind;
    const ConnectionChooser::Scope& scope = chooser_->scope();
    const auto kind = scope.kind == Kind::session      ? CommandScope::Kind::session
                      : scope.kind == Kind::connection ? CommandScope::Kind::connection
                                                       : CommandScope::Kind::all;
    scope_ = {kind, scope.number};
    index_ = std::make_shared<SharedCommandIndex>(scope_);
    renew();
}

void TurnaroundView::build_plot() {
    legend_ = &plot_->add_legend();
    scatter_ = &plot_->add_pane({.label = tr("turnaround"), .unit = ValueUnit::nanoseconds, .stretch = 3});
    depth_ = &plot_->add_pane({.label = tr("queue depth"), .unit = ValueUnit::count, .stretch = 0.9});
    histogram_ =
        &plot_->add_side_pane(*scatter_, {.unit = ValueUnit::nanoseconds, .value_ticks = false}, 0.24);
    scatter_->set_logarithmic(true);
    histogram_->set_logarithmic(true);
    QCPAxis& value = histogram_->value_axis();
    value.setTicks(true);
    value.grid()->setVisible(true);
    QCPAxis& key = histogram_->key_axis();
    const QSharedPointer<QCPAxisTickerText> percents(new QCPAxisTickerText);
    percents->addTick(0, QStringLiteral("0"));
    percents->addTick(0.5, QStringLiteral("50 %"));
    percents->addTick(1, QStringLiteral("100 %"));
    key.setTicker(percents);
    key.setRange(0, most_share);
    constexpr double too_wide_for_one_line = 1.3;
    key.setLabel(text_scale() < too_wide_for_one_line ? tr("not slower than; bars: how many")
                                                      : tr("not slower than;\nbars: how many"));
    scatter_->add([this](QPainter& painter, const PlotPane& pane) { draw_scatter(painter, pane); });
    histogram_->add([this](QPainter& painter, const PlotPane& pane) {
        draw_turnaround_histogram(painter, pane, *statistics_, plot_->font());
    });
    depth_->add([this](QPainter& painter, const PlotPane& pane) { draw_depth(painter, pane); });
    make_legend();
}

void TurnaroundView::make_legend() {
    std::vector<LegendRow::Entry> entries;
    const auto add = [&](const QString& name, const QString& tip, CommandClass kind) {
        entries.push_back({name, tip,
                           [kind](QPainter& painter, const Theme& theme, const QRectF& box) {
                               painter.setRenderHint(QPainter::Antialiasing);
                               painter.setPen(Qt::NoPen);
                               painter.setBrush(class_color(theme, kind));
                               draw_command_dot(painter, kind, box.center(), 4);
                           },
                           &on_[static_cast<size_t>(kind)]});
    };
    add(tr("reads"), tr("READ of any length"), CommandClass::read);
    add(tr("writes"), tr("WRITE of any length, and what writes as well"), CommandClass::write);
    add(tr("others"), tr("Commands that move no user data"), CommandClass::other);
    entries.push_back({tr("failed"),
                       tr("Ended with another status than GOOD, aborted, rejected or terminated"),
                       [](QPainter& painter, const Theme& theme, const QRectF& box) {
                           painter.setRenderHint(QPainter::Antialiasing);
                           draw_failed(painter, theme, box.center());
                       },
                       nullptr});
    entries.push_back({tr("no turnaround"),
                       tr("Not answered, or aborted, rejected or terminated, so that there is no turnaround: "
                          "at the upper edge, when it was requested"),
                       [](QPainter& painter, const Theme& theme, const QRectF& box) {
                           painter.setRenderHint(QPainter::Antialiasing);
                           draw_unanswered(painter, theme, CommandClass::read, box.center());
                       },
                       nullptr});
    entries.push_back(
        {tr("commands under way"),
         tr("Requested and not yet answered; at least so many, where nobody knows when some were answered"),
         line_icon(&Theme::axis), nullptr});
    entries.push_back(
        {tr("their mean"), tr("Over some pixels each, by time"), line_icon(&Theme::in_flight, 2), nullptr});
    legend_->set_entries(std::move(entries));
}

bool TurnaroundView::settled() const {
    return PreparedView::settled() && statistics_job_.idle() && chooser_->settled() &&
           !document().picking() && selected_parts_job_.idle() && parts_at_job_.idle() &&
           !statistics_debounce_.waiting();
}

void TurnaroundView::draw(QPainter& painter) {
    PlottedView::draw(painter);
    if (strip_->isVisibleTo(this)) strip_->draw(painter, strip_->geometry());
}

FilteredOut TurnaroundView::filtered_out() const {
    return leave_out_->isChecked() ? FilteredOut::left_out : FilteredOut::faint;
}

QString TurnaroundView::title() const {
    return tr("Turnaround of %1").arg(chooser_->title());
}

void TurnaroundView::on_loaded() {
    asked_range_ = {};
}

void TurnaroundView::want_statistics() {
    const bool asked =
        state().range() == asked_range_ && state().filter() == asked_filter_ && index_ == asked_index_;
    statistics_debounce_.look(document().loading(), asked);
}

TurnaroundView::Preparation TurnaroundView::preparation() {
    return [data = document().data(), index = index_, filter = state().filter(),
            range = PreparedRange::around(plot_->time_viewport()), left_out = filtered_out(),
            &theme = plot_->theme()](const StopFlag&) {
        index->follow(data->read());
        PreparedTurnaround prepared;
        const std::shared_lock lock(index->mutex);
        prepared.picture = prepare_turnaround(index->index, range, filter.get(), left_out);
        prepared.density = density_image(prepared.picture.grid, theme);
        for (const DepthMean& mean : prepared.picture.depth_means) {
            prepared.depth_mean.push_back({mean.range.begin_ns, mean.mean, mean.mean, mean.mean, mean.mean});
        }
        return prepared;
    };
}

void TurnaroundView::on_picture(const PreparedTurnaround&) {
    QString message;
    if (drawn().commands == 0) {
        message = document().loading() ? tr("Reading the capture …") : tr("There are no SCSI commands here.");
    }
    plot_->set_message(message);
}

void TurnaroundView::fit_values() {
    const TimeRange range = state().range();
    const TurnaroundPicture& picture = drawn();
    Extent seen;
    for (const CommandDot& dot : picture.dots) {
        if (range.contains(dot.time_ns) && on_[static_cast<size_t>(dot.kind)]) {
            seen.add(static_cast<double>(std::max<int64_t>(dot.turnaround_ns, 1)));
        }
    }
    const DensityGrid& grid = picture.grid;
    if (!grid.cells.empty()) {
        const auto column_of = [&](int64_t time_ns) {
            return static_cast<size_t>(std::clamp<int64_t>((time_ns - grid.begin_ns) / grid.cell_ns, 0,
                                                           static_cast<int64_t>(grid.columns)));
        };
        size_t lowest = grid.bins;
        size_t highest = 0;
        const size_t last = std::min(grid.columns, column_of(range.end_ns) + 1);
        for (size_t column = column_of(range.begin_ns); column < last; ++column) {
            const auto filled = [&](size_t bin) {
                const auto& counts = grid.at(column, bin);
                return counts[0] + counts[1] + counts[2] > 0;
            };
            // Only what is beyond the bounds found so far is looked at.
            for (size_t bin = 0; bin < lowest; ++bin) {
                if (filled(bin)) lowest = bin;
            }
            for (size_t bin = grid.bins; bin-- > highest;) {
                if (filled(bin)) highest = bin + 1;
            }
        }
        if (lowest < highest) {
            seen.add(bin_edge(grid.first_bin + static_cast<int>(lowest), DensityGrid::bins_per_decade));
            seen.add(bin_edge(grid.first_bin + static_cast<int>(highest), DensityGrid::bins_per_decade));
        }
    }
    const ValueRange values = seen.any ? round_log_range(seen.min, seen.max) : ValueRange{1e5, 1e8};
    scatter_->set_values(values);
    histogram_->set_values(values);
    const Extent depth = extent_in(picture.depth, range);
    depth_->set_values(round_range(0, std::max(depth.any ? depth.max : 0.0, 1.0), true));
}

void TurnaroundView::draw_scatter(QPainter& painter, const PlotPane& pane) {
    draw_density(painter, pane, drawn().grid, picture().density);
    dots_.draw(painter, pane, drawn().dots, on_);
    draw_unanswered(painter, pane, drawn().unanswered, on_, state().selected().command);
    if (selected_dot_) draw_selected_dot(painter, pane, *selected_dot_);
}

void TurnaroundView::draw_depth(QPainter& painter, const PlotPane& pane) {
    const Theme& theme = pane.theme();
    const int64_t until_ns = state().whole().end_ns;
    const TurnaroundStatistics::Group& all = statistics_->all;
    const auto say = [&](const QString& text) {
        painter.setPen(theme.faint_text);
        painter.drawText(QRectF(pane.area()).adjusted(6, 2, -6, -2), Qt::AlignTop | Qt::AlignHCenter, text);
    };
    // A command that ended nobody knows when is counted until the last moment of which that is known.
    if (all.untimed > 0 && all.turnaround.count() == 0) return say(tr("not known: no command's end is"));
    drawing_.line(painter, pane, drawn().depth, theme.axis, until_ns);
    if (all.untimed == 0 || all.turnaround.moments_hold(all.untimed)) {
        drawing_.line(painter, pane, picture().depth_mean, theme.in_flight, until_ns, 2);
    } else {
        say(tr("as far as is known: of %1 in sight nobody knows when they ended")
                .arg(counted(all.untimed, tr("command"), tr("commands"))));
    }
}

void TurnaroundView::ask_statistics() {
    const TimeRange range = state().range();
    if (range.empty()) return;
    asked_range_ = range;
    asked_filter_ = state().filter();
    asked_index_ = index_;
    statistics_job_.request(
        [data = document().data(), index = index_, range, filter = state().filter(),
         by = static_cast<GroupBy>(group_box_->currentData().toInt())](const StopFlag& stop) {
            const auto reading = data->read();
            index->follow(reading);
            const std::shared_lock lock(index->mutex);
            return turnaround_statistics(reading, index->index, range, by, filter.get(), stop);
        },
        [this](TurnaroundStatistics statistics) { take_statistics(std::move(statistics)); });
}

void TurnaroundView::take_statistics(TurnaroundStatistics statistics) {
    if (!statistics.complete) return;
    *statistics_ = std::move(statistics);
    fill_table();
    plot_->redraw();
}

QString TurnaroundView::group_name(const TurnaroundStatistics::Group& group) const {
    switch (statistics_->by) {
        case GroupBy::opcode:
            return *group.name != '\0' ? QString::fromUtf8(group.name)
                   : group.key == unknown<uint16_t>
                       ? tr("not known")
                       : QStringLiteral("0x%1").arg(group.key, 2, 16, QLatin1Char('0'));
        case GroupBy::size:
            return group.key == 0 ? tr("no data") : tr("≤ %1").arg(size_text(uint64_t{1} << (group.key - 1)));
        case GroupBy::lun:
            return tr("LUN %1").arg(lun_text(group.key));
        case GroupBy::session:
            break;
    }
    return group.key == 0 ? tr("no session") : tr("session %1").arg(group.key);
}

void TurnaroundView::fill_table() {
    const auto& groups = statistics_->groups;
    const bool single = groups.size() == 1;
    const int rows = static_cast<int>(groups.size()) + (single || groups.empty() ? 0 : 1);
    table_->begin({tr("in sight"), tr("commands"), tr("p50"), tr("p90"), tr("p99"), tr("p99.9"), tr("max"),
                   tr("throughput"), tr("over"), tr("mean"), tr("SD"), tr("%SD")},
                  rows);
    const auto fill = [&](int row, const QString& name, const TurnaroundStatistics::Group& group) {
        table_->set(row, 0, name);
        table_->set(row, 1, QLocale::c().toString(static_cast<qulonglong>(group.count)));
        int column = 2;
        for (const double fraction : {0.5, 0.9, 0.99, 0.999}) {
            table_->set(row, column++,
                        group.turnaround.percentile_holds(fraction, group.untimed)
                            ? short_duration(group.turnaround.percentile_ns(fraction))
                            : QString());
        }
        if (group.turnaround.moments_hold(group.untimed)) {
            table_->set(row, 6, short_duration(group.turnaround.max_ns()));
            table_->set(row, 9, short_duration(std::llround(group.turnaround.mean_ns())));
            table_->set(row, 10, short_duration(std::llround(group.turnaround.standard_deviation_ns())));
            table_->set(
                row, 11,
                QStringLiteral("%1 %").arg(group.turnaround.moments().percent_deviation(), 0, 'f', 0));
        }
        if (group.bytes == 0 || group.span_ns() == 0) return;
        table_->set(row, 7, value_text(group.bytes_per_second(), ValueUnit::bytes_per_second));
        table_->set(row, 8, short_duration(group.span_ns()));
    };
    int row = 0;
    for (const auto& group : groups) fill(row++, group_name(group), group);
    if (row < rows) fill(row, tr("all"), statistics_->all);
    for (const int column : {7, 8}) {
        table_->horizontalHeaderItem(column)->setToolTip(
            tr("Data of the commands that completed, over the time from the first one's request to the last "
               "answer"));
    }
    for (const int column : {2, 3, 4, 5, 6, 9}) {
        table_->horizontalHeaderItem(column)->setToolTip(
            tr("Empty where it is not known: commands whose answers are not in the capture may have been the "
               "slowest"));
    }
    table_->horizontalHeaderItem(10)->setToolTip(tr("Standard deviation of the turnarounds"));
    table_->horizontalHeaderItem(11)->setToolTip(
        tr("Coefficient of variation: the standard deviation in percent of the mean"));
    table_->fit();
}

std::function<TurnaroundView::Parts(const StopFlag&)> TurnaroundView::find_parts(
    std::shared_ptr<const CaptureData> data, uint64_t command) {
    return [data = std::move(data), command](const StopFlag&) {
        Parts parts{command, false, {}};
        CommandBudget budget;
        parts.known = data->read().budgets()->find(command, budget);
        parts.sums = budget.parts();
        return parts;
    };
}

void TurnaroundView::show_parts_of(const CommandRow& row, uint64_t number) {
    QString title = tr("Command %1").arg(number);
    if (row.name[0] != '\0') title += tr(", %1").arg(QString::fromUtf8(row.name));
    if (row.bytes != unknown<uint64_t> && row.bytes > 0) title += tr(", %1").arg(size_text(row.bytes));
    const int64_t turnaround_ns = row.turnaround_ns();
    if (turnaround_ns == no_time) {
        return strip_->show_reason(title, tr("without a turnaround, as request or answer is missing"));
    }
    title += tr(", turnaround %1").arg(short_duration(turnaround_ns));
    if (document().loading()) {
        return strip_->show_reason(
            title, document().live() ? tr("where the time went is known once the recording has ended")
                                     : tr("where the time went is known once the capture is read"));
    }
    selected_parts_job_.request(find_parts(document().data(), number), [this, title](const Parts& parts) {
        if (state().selected().command != parts.command) return;
        if (!parts.known) return strip_->show_nothing();
        strip_->show_parts(title, parts.sums);
    });
}

// What hover says of a command has its parts once a worker has found them.
void TurnaroundView::ask_parts_at(std::optional<QPoint> at) {
    const PlotPane* pane = at ? plot_->pane_at(*at) : nullptr;
    if (pane == nullptr || pane != scatter_ || document().loading()) return;
    const CommandDot* dot = dot_at(drawn(), pane->viewport(), pane->scale(), at->x(), at->y(), reach);
    if (dot == nullptr || dot->command == parts_at_.command) return;
    parts_at_job_.request(find_parts(document().data(), dot->command), [this, at = *at](const Parts& parts) {
        parts_at_ = parts;
        if (plot_->underMouse() && QToolTip::isVisible()) {
            QToolTip::showText(plot_->mapToGlobal(at), text_at(at), plot_);
        }
    });
}

void TurnaroundView::show_selected() {
    selected_dot_.reset();
    const uint64_t number = state().selected().command;
    const auto reading = document().data()->try_read();
    if (reading && number > 0 && number <= reading->store().commands().size()) {
        const CommandRow& row = reading->store().commands()[number - 1];
        const int64_t turnaround_ns = row.turnaround_ns();
        show_parts_of(row, number);
        if (turnaround_ns != no_time) {
            selected_dot_ =
                CommandDot{row.request_ns, turnaround_ns, number, class_of(row.opcode), false, true};
        }
    } else {
        strip_->show_nothing();
    }
    plot_->redraw();
}

const UnansweredMark* TurnaroundView::unanswered_mark_at(QPoint at) const {
    if (at.y() > scatter_->area().top() + unanswered_band) return nullptr;
    return unanswered_at(drawn(), scatter_->viewport(), at.x(), reach);
}

QString TurnaroundView::ending_text(uint64_t command) const {
    const auto reading = document().data()->try_read();
    const bool known = reading && command > 0 && command <= reading->store().commands().size();
    switch (known ? reading->store().commands()[command - 1].outcome : Outcome::unanswered) {
        case Outcome::aborted:
            return tr("aborted, and not answered");
        case Outcome::rejected:
            return tr("rejected by the target");
        case Outcome::terminated:
            return tr("terminated by the target");
        default:
            return tr("not answered");
    }
}

// What hover says of a command besides how long it took.
QString TurnaroundView::command_text(uint64_t command) const {
    const auto line = [](const QString& text) { return QStringLiteral("<br>") + text.toHtmlEscaped(); };
    QString text = line(tr("command %1").arg(command));
    const auto reading = document().data()->try_read();
    if (!reading || command > reading->store().commands().size()) return text;
    const CommandRow& row = reading->store().commands()[command - 1];
    QString what = QString::fromUtf8(row.name);
    if (row.bytes != unknown<uint64_t> && row.bytes > 0) what += tr(", %1").arg(size_text(row.bytes));
    text += line(what);
    const QString tag = row.itt == unknown<uint32_t>
                            ? tr("not captured")
                            : QStringLiteral("0x%1").arg(row.itt, 8, 16, QLatin1Char('0'));
    text += line(tr("LUN %1, task tag %2").arg(lun_text(row.lun), tag));
    text +=
        line(tr("session %1, %2").arg(row.session.value()).arg(connection_text(*reading, row.connection)));
    if (row.queue_depth != unknown<uint32_t>) text += line(tr("queue depth %1").arg(row.queue_depth));
    if (ended_otherwise_than_good(row)) {
        text +=
            line(ending_of(row).lacks_status() ? ending_name(row) : tr("status %1").arg(ending_name(row)));
    }
    return text;
}

QString TurnaroundView::text_at(QPoint at) const {
    const PlotPane* pane = plot_->pane_at(at);
    if (pane == nullptr || drawn().commands == 0) return {};
    const TimeViewport view = pane->viewport();
    const ValueScale scale = pane->scale();
    const auto line = [](const QString& text) { return QStringLiteral("<br>") + text.toHtmlEscaped(); };
    if (pane == histogram_) {
        const double value = scale.value_at(at.y());
        uint64_t below = 0;
        uint64_t total = 0;
        for (size_t i = 0; i < statistics_->histogram.size(); ++i) {
            const auto& counts = statistics_->histogram[i];
            const uint64_t count = counts[0] + counts[1] + counts[2];
            total += count;
            if (bin_edge(statistics_->first_bin + static_cast<int>(i),
                         TurnaroundStatistics::bins_per_decade) < value) {
                below += count;
            }
        }
        if (total == 0) return {};
        return tr("%1 % of the commands in sight took %2 or less")
            .arg(100 * static_cast<double>(below) / static_cast<double>(total), 0, 'f', 1)
            .arg(pane->text_of(value));
    }
    const int64_t time_ns = view.time_at(at.x());
    if (pane == depth_) {
        return moment_text(time_ns) +
               line((statistics_->all.untimed > 0 ? tr("at least %1 under way") : tr("%1 under way"))
                        .arg(counted(static_cast<uint64_t>(value_at(drawn().depth, time_ns)), tr("command"),
                                     tr("commands")))) +
               (statistics_->all.untimed > 0
                    ? QString()
                    : line(tr("%1 on average about here")
                               .arg(value_at(picture().depth_mean, time_ns), 0, 'f', 1)));
    }
    if (const CommandDot* dot = dot_at(drawn(), view, scale, at.x(), at.y(), reach)) {
        QString text = moment_text(dot->time_ns) + command_text(dot->command);
        text += line(tr("turnaround %1").arg(short_duration(dot->turnaround_ns)));
        if (!parts_at_.known || parts_at_.command != dot->command) return text;
        constexpr size_t most_named = 4;
        for (const QString& part : largest_parts(parts_at_.sums, most_named)) {
            text += line(QStringLiteral("\u2003") + part);
        }
        return text;
    }
    if (const UnansweredMark* mark = unanswered_mark_at(at)) {
        QString text =
            moment_text(mark->time_ns) + command_text(mark->command) + line(ending_text(mark->command));
        return mark->count == 1 ? text : text + line(tr("and %1 more about here").arg(mark->count - 1));
    }
    const DensityGrid& grid = drawn().grid;
    if (!grid.cells.empty() && time_ns >= grid.begin_ns) {
        const auto column = static_cast<size_t>((time_ns - grid.begin_ns) / grid.cell_ns);
        const double value = std::max(scale.value_at(at.y()), 1.0);
        const int bin =
            static_cast<int>(std::floor(std::log10(value) * DensityGrid::bins_per_decade)) - grid.first_bin;
        if (column < grid.columns && bin >= 0 && static_cast<size_t>(bin) < grid.bins) {
            const auto& counts = grid.at(column, static_cast<size_t>(bin));
            const uint32_t count = counts[0] + counts[1] + counts[2];
            if (count > 0) {
                return moment_text(time_ns) +
                       line(tr("%1 of about %2 within %3")
                                .arg(counted(count, tr("command"), tr("commands")), pane->text_of(value),
                                     short_duration(grid.cell_ns)));
            }
        }
    }
    return {};
}

void TurnaroundView::select_at(QPoint at, bool frame) {
    const PlotPane* pane = plot_->pane_at(at);
    if (pane != scatter_) return;
    const TimeViewport view = pane->viewport();
    const ValueScale scale = pane->scale();
    const auto frame_if_wanted = [this, frame] {
        if (frame) document().frame_when_resolved();
    };
    const auto select = [&](uint64_t command) {
        document().end_pick();
        state().select({Selection::Kind::command, command});
        frame_if_wanted();
    };
    if (const CommandDot* dot = dot_at(drawn(), view, scale, at.x(), at.y(), reach)) {
        return select(dot->command);
    }
    if (const UnansweredMark* mark = unanswered_mark_at(at)) return select(mark->command);
    if (drawn().near) return;
    // One of those that a cell stands for: found behind the window.
    const TimeRange around{view.time_at(at.x() - 3), view.time_at(at.x() + 3)};
    const auto low = static_cast<int64_t>(scale.value_at(at.y() + 4));
    const auto high = static_cast<int64_t>(scale.value_at(at.y() - 4)) + 1;
    document().pick(
        this,
        [index = index_, around, low, high](const StopFlag&) {
            const std::shared_lock lock(index->mutex);
            const uint64_t command = command_within(index->index, around, low, high);
            return command == 0 ? Selection() : Selection{Selection::Kind::command, command};
        },
        frame_if_wanted);
}

}  // namespace sanscope

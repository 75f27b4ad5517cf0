// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/points/points_view.h"

#include <QEvent>
#include <QFontDatabase>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>
#include <utility>
#include <vector>

#include "gui/document/open_path.h"
#include "gui/models/table_access.h"
#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"
#include "gui/points/path_commands.h"
#include "gui/points/split_bars.h"
#include "gui/views/tables/rows_view.h"

#include "analyzer/points/points_tables.h"
#include "analyzer/points/points_text.h"

namespace sanscope {
namespace {

// Rows of the path, which no longer change.
class PathTable final : public TableAccess {
  public:
    // `owner` has the rows.
    PathTable(std::shared_ptr<const void> owner, std::unique_ptr<Table> table)
        : owner_(std::move(owner)), table_(std::move(table)) {}

    std::string_view name() const override { return table_->name(); }
    std::span<const ColumnInfo> columns() const override { return table_->columns(); }
    void read(const std::function<void(const Table&)>& visit) const override { visit(*table_); }
    const Table* final_table() const override { return table_.get(); }

  private:
    std::shared_ptr<const void> owner_;
    std::unique_ptr<Table> table_;
};

// What matters most stands first, and the rest is offered by the header's menu. Of two points their names are in the text.
std::vector<std::string_view> point_columns(bool names_points) {
    std::vector<std::string_view> names;
    if (names_points) names.insert(names.end(), {"point", "other_point"});
    names.insert(names.end(),
                 {"lost_out", "lost_in", "delay_p50_low_out_ns", "delay_p50_high_out_ns",
                  "delay_p50_low_in_ns", "delay_p50_high_in_ns", "connection", "queues_p99_low_out_ns",
                  "queues_p99_low_in_ns", "lost_beyond_out", "lost_beyond_in", "unclear_out", "unclear_in",
                  "initiator", "target", "matched_permille_out", "matched_permille_in", "clock_steps"});
    return names;
}

std::vector<std::string_view> command_columns(bool names_points) {
    std::vector<std::string_view> names{"command", "name"};
    if (names_points) names.insert(names.end(), {"point", "other_point"});
    names.insert(names.end(), {"turnaround_ns", "initiator_ns", "path_out_low_ns", "path_out_high_ns",
                               "target_ns", "answer_ns", "path_back_low_ns", "path_back_high_ns", "paths_ns",
                               "not_split", "round_trips", "bytes"});
    return names;
}

QString name_of(const OpenPath& path, size_t point) {
    return QString::fromStdString(path.path().points[point]->name());
}

}  // namespace

PointsView::PointsView(Document& document, QWidget* parent)
    : View(document, parent), text_(new QPlainTextEdit(this)), tables_(new QTabWidget(this)) {
    text_->setReadOnly(true);
    text_->setLineWrapMode(QPlainTextEdit::NoWrap);
    text_->setFrameShape(QFrame::NoFrame);
    text_->setTabChangesFocus(true);
    text_->setAccessibleName(tr("What the points of the path tell"));
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    tables_->setDocumentMode(true);
    tables_->setAccessibleName(tr("Tables of the points"));
    auto* const parts = new QSplitter(Qt::Horizontal, this);
    parts->setChildrenCollapsible(false);
    parts->addWidget(text_);
    parts->addWidget(tables_);
    parts->setStretchFactor(0, 1);
    parts->setStretchFactor(1, 1);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(parts);
    setFocusProxy(text_);
    set_text_font();
    connect(&document, &Document::points_changed, this, &PointsView::show_path);
    connect(&document, &Document::loaded, this, &PointsView::split_commands);
    show_path();
}

PointsView::~PointsView() = default;

void PointsView::set_text_font() {
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(font().pointSizeF());
    text_->setFont(fixed);
}

void PointsView::show_path() {
    splitting_.cancel();
    delete std::exchange(split_, nullptr);
    commands_ = nullptr;
    bars_ = nullptr;
    command_times_ = nullptr;
    for (RowsView** const view : {&points_, &losses_}) {
        delete *view;
        *view = nullptr;
    }
    const std::shared_ptr<const OpenPath>& path = document().points();
    tables_->setVisible(path != nullptr);
    if (path == nullptr) {
        text_->setPlainText(
            tr("This capture is open by itself. Captures of the same traffic at two or more points of its "
               "path,\nas at the initiator and at the target, tell where packets were lost and where they "
               "were late:\nFile › Open as points of one path…"));
        return;
    }
    QString text = QString::fromStdString(points_text(path->path()));
    for (const std::string& damage : path->damage())
        text += QLatin1Char('\n') + QString::fromStdString(damage);
    text_->setPlainText(text);
    const QString connections = tr("&Connections between points");
    const QString lost = tr("What was &lost or not captured");
    points_ = make_table(path, make_points_table(path->points()), connections, &PointsView::go_to_point);
    points_->show_columns(point_columns(path->path().points.size() > 2));
    losses_ = make_table(path, make_point_losses_table(path->losses()), lost, &PointsView::go_to_loss);
    tables_->addTab(points_, connections);
    tables_->addTab(losses_, lost);
    split_commands();
}

RowsView* PointsView::make_table(std::shared_ptr<const void> owner, std::unique_ptr<Table> table,
                                 const QString& title, Go go) {
    auto* const rows =
        new RowsView(document(), std::make_shared<PathTable>(std::move(owner), std::move(table)), this);
    rows->setAccessibleName(QString(title).remove(QLatin1Char('&')));
    rows->table().setAccessibleName(rows->accessibleName());
    const auto go_there = [this, rows, go](const QModelIndex& index) {
        if (index.isValid()) (this->*go)(rows->model().table_row(index.row()));
    };
    connect(&rows->table(), &QTableView::clicked, this, go_there);
    connect(&rows->table(), &QTableView::activated, this, go_there);
    connect(rows, &RowsView::told, this, &PointsView::told);
    return rows;
}

// Behind the window, once the capture is whole.
void PointsView::split_commands() {
    const std::shared_ptr<const OpenPath>& path = document().points();
    if (path == nullptr || !document().has_loaded() || command_times_ != nullptr) return;
    splitting_.request([path, data = document().data()](
                           const StopFlag& stop) { return PathCommands::split(path, data, stop); },
                       [this](const std::shared_ptr<const PathCommands>& split) { show_split(split); });
}

void PointsView::show_split(const std::shared_ptr<const PathCommands>& split) {
    if (split == nullptr) return;
    command_times_ = split;
    const int at = text_->verticalScrollBar()->value();
    text_->setPlainText(text_->toPlainText() + QString::fromStdString(split->text()));
    text_->verticalScrollBar()->setValue(at);
    const QString title = tr("Whose time the co&mmands' was");
    auto* const parts = new QSplitter(Qt::Vertical);
    split_ = parts;
    parts->setChildrenCollapsible(false);
    bars_ = new SplitBars(nullptr);
    bars_->show_commands(split);
    auto* const scrolled = new QScrollArea;
    scrolled->setWidgetResizable(true);
    scrolled->setFrameShape(QFrame::NoFrame);
    scrolled->setWidget(bars_);
    scrolled->setAccessibleName(bars_->accessibleName());
    commands_ = make_table(split, split->table(), title, &PointsView::go_to_command);
    commands_->show_columns(command_columns(split->path().path().points.size() > 2));
    parts->addWidget(scrolled);
    parts->addWidget(commands_);
    parts->setSizes({bars_->sizeHint().height(), bars_->sizeHint().height()});
    tables_->addTab(parts, title);
}

void PointsView::show_commands() {
    if (split_ != nullptr) tables_->setCurrentWidget(split_);
}

void PointsView::go_to_command(size_t row) {
    if (command_times_ == nullptr || row >= command_times_->rows().size()) return;
    state().select({Selection::Kind::command, command_times_->rows()[row].command.value()});
    document().reveal_when_resolved();
}

void PointsView::go_to_loss(size_t row) {
    const std::shared_ptr<const OpenPath> path = document().points();
    if (path == nullptr || row >= path->losses().size()) return;
    const PointLossRow& loss = path->losses()[row];
    const size_t point = loss.fate->at_b ? loss.pair->b : loss.pair->a;
    if (point == 0) {
        state().select({Selection::Kind::packet, loss.fate->packet});
        document().reveal_when_resolved();
        return;
    }
    const MeasuredMoment moment = path->at_first_point(point, loss.fate->time_ns);
    const QString words = tr("Packet %1 of %2").arg(loss.fate->packet).arg(name_of(*path, point));
    if (!moment.known()) {
        Q_EMIT told(
            tr("%1 is not in this capture, and the clocks are not known well enough to show when it was.")
                .arg(words));
        return;
    }
    state().select({});
    if (const auto reading = document().data()->try_read(); reading && loss.pair->a == 0) {
        const ConnectionNumber connection =
            OpenPath::connection_in(reading->store(), *path->path().points.front(), loss.at->connection_a);
        if (connection != 0) state().set_connection(connection);
    }
    // With the whole band in sight, and what came before and after.
    constexpr int64_t least_margin_ns = 2'000'000;
    const int64_t margin_ns = std::max(least_margin_ns, 4 * moment.plus_minus_ns);
    state().set_range({moment.time_ns - margin_ns, moment.time_ns + margin_ns});
    Q_EMIT told(tr("%1 is not in this capture: its moment is in the middle, ± %2 by the clocks.")
                    .arg(words, short_duration(moment.plus_minus_ns)));
}

void PointsView::go_to_point(size_t row) {
    const std::shared_ptr<const OpenPath> path = document().points();
    if (path == nullptr || row >= path->points().size()) return;
    const PointRow& point = path->points()[row];
    if (point.pair->a != 0) {
        Q_EMIT told(tr("This connection is between two points that are not of this capture."));
        return;
    }
    const auto reading = document().data()->try_read();
    if (!reading) return;
    const ConnectionNumber connection =
        OpenPath::connection_in(reading->store(), *path->path().points.front(), point.at->connection_a);
    if (connection == 0) return;
    state().select({Selection::Kind::connection, connection});
    document().reveal_when_resolved();
}

bool PointsView::settled() const {
    const auto is_settled = [](const RowsView* rows) { return rows == nullptr || rows->settled(); };
    return splitting_.idle() && is_settled(points_) && is_settled(losses_) && is_settled(commands_);
}

void PointsView::draw(QPainter& painter) {
    render(&painter, QPoint(), QRegion(), QWidget::DrawWindowBackground | QWidget::DrawChildren);
}

void PointsView::changeEvent(QEvent* event) {
    View::changeEvent(event);
    if (event->type() == QEvent::FontChange && text_ != nullptr) set_text_font();
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/points/points_view.h"

#include <QEvent>
#include <QFontDatabase>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/document/open_path.h"
#include "gui/models/table_access.h"
#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"
#include "gui/views/tables/rows_view.h"

#include "analyzer/points/points_tables.h"
#include "analyzer/points/points_text.h"

namespace sanscope {
namespace {

// Rows of the path, which no longer change.
class PathTable final : public TableAccess {
  public:
    PathTable(std::shared_ptr<const OpenPath> path, bool losses)
        : path_(std::move(path)),
          table_(losses ? make_point_losses_table(path_->losses()) : make_points_table(path_->points())) {}

    std::string_view name() const override { return table_->name(); }
    std::span<const ColumnInfo> columns() const override { return table_->columns(); }
    void read(const std::function<void(const Table&)>& visit) const override { visit(*table_); }
    const Table* final_table() const override { return table_.get(); }

  private:
    std::shared_ptr<const OpenPath> path_;
    std::unique_ptr<Table> table_;
};

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
    show_path();
}

PointsView::~PointsView() = default;

void PointsView::set_text_font() {
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(font().pointSizeF());
    text_->setFont(fixed);
}

void PointsView::show_path() {
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
    points_ = add_table(path, false, tr("&Connections between points"));
    losses_ = add_table(path, true, tr("What was &lost or not captured"));
}

RowsView* PointsView::add_table(const std::shared_ptr<const OpenPath>& path, bool losses,
                                const QString& title) {
    auto* const rows = new RowsView(document(), std::make_shared<PathTable>(path, losses), this);
    rows->setAccessibleName(QString(title).remove(QLatin1Char('&')));
    rows->table().setAccessibleName(rows->accessibleName());
    tables_->addTab(rows, title);
    const auto go = [this, rows, losses](const QModelIndex& index) {
        if (!index.isValid()) return;
        const size_t row = rows->model().table_row(index.row());
        losses ? go_to_loss(row) : go_to_point(row);
    };
    connect(&rows->table(), &QTableView::clicked, this, go);
    connect(&rows->table(), &QTableView::activated, this, go);
    connect(rows, &RowsView::told, this, &PointsView::told);
    return rows;
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
    return is_settled(points_) && is_settled(losses_);
}

void PointsView::draw(QPainter& painter) {
    render(&painter, QPoint(), QRegion(), QWidget::DrawWindowBackground | QWidget::DrawChildren);
}

void PointsView::changeEvent(QEvent* event) {
    View::changeEvent(event);
    if (event->type() == QEvent::FontChange && text_ != nullptr) set_text_font();
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/capture_window.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QSettings>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/models/table_access.h"
#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"
#include "gui/points/points_view.h"
#include "gui/senders/sender_list.h"
#include "gui/views/details/details_view.h"
#include "gui/views/filter_line/filter_line.h"
#include "gui/views/findings/findings_view.h"
#include "gui/views/follow_stream/follow_stream_dialog.h"
#include "gui/views/notes/notes_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/statistics/statistics_view.h"
#include "gui/views/tables/find_bar.h"
#include "gui/views/tables/rows_view.h"
#include "gui/views/time_budgets/time_budgets_view.h"

namespace sanscope {
namespace {

constexpr int layout_version = 6;  // another one with every view that is added
constexpr double key_pan = 0.15;   // of the span
constexpr double key_zoom = 1.5;
constexpr int message_ms = 4000;

class NoTitleBar : public QWidget {
  public:
    using QWidget::QWidget;
    QSize sizeHint() const override { return {0, 0}; }
    QSize minimumSizeHint() const override { return {0, 0}; }
};

// How many rows there are of what is selected; 0 while the loader holds them.
uint64_t rows_of(Selection::Kind selection, const CaptureData& data) {
    const TableKind* const kind = find_table_kind(selection);
    const auto reading = data.try_read();
    return kind == nullptr || !reading ? 0 : make_table(*reading, kind->name)->rows();
}

// ": 192.0.2.1:32916 → 192.0.2.2:3260"; empty while the loader holds it.
QString ends_of(const CaptureData& data, uint32_t connection) {
    const auto reading = data.try_read();
    if (!reading || connection == 0 || connection > reading->store().connections().size()) return {};
    const ConnectionRow& row = reading->store().connection(connection);
    return QStringLiteral(": ") + connection_text(row.initiator, row.target);
}

}  // namespace

CaptureWindow::CaptureWindow(std::unique_ptr<Document> document, QWidget* parent)
    : QMainWindow(parent), document_(std::move(document)) {
    setWindowFlag(Qt::Window, false);
    setDockNestingEnabled(true);
    setDocumentMode(true);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    // Docks make up all of the window.
    auto* const nothing = new QWidget(this);
    nothing->setMaximumSize(0, 0);
    setCentralWidget(nothing);
    nothing->hide();
    make_top();
    make_docks();
    make_status();
    arrange();
    set_movable(false);

    connect(document_.get(), &Document::grown, this, &CaptureWindow::show_progress);
    connect(document_.get(), &Document::loaded, this, [this] {
        show_progress();
        show_warning();
        take_names_of_capture();
    });
    connect(&state(), &ViewState::range_changed, this, &CaptureWindow::show_range);
    connect(&state(), &ViewState::whole_changed, this, &CaptureWindow::show_range);
    connect(&state(), &ViewState::time_format_changed, this, &CaptureWindow::show_range);
    connect(&state(), &ViewState::cursor_changed, this, &CaptureWindow::show_cursor);
    connect(&state(), &ViewState::selected_things_changed, this, &CaptureWindow::show_selection);
    connect(qApp, &QApplication::focusChanged, this,
            [this](QWidget*, QWidget* now) { on_focus_changed(now); });
    show_progress();
    show_range();
}

CaptureWindow::~CaptureWindow() {
    // What looks at the document goes before it, and what of it is in front is nobody's concern any more.
    for (const auto& [name, dock] : docks_) dock->disconnect(this);
    qDeleteAll(findChildren<FollowStreamDialog*>());
    for (const auto& [name, view] : views_) delete view;
    delete filter_line_;
}

void CaptureWindow::make_docks() {
    for (const ViewKind& kind : view_kinds()) {
        auto* const dock = new QDockWidget(kind.translated_title(), this);
        dock->setObjectName(kind.layout_name());
        dock->setAllowedAreas(Qt::AllDockWidgetAreas);
        dock->setProperty("view", kind.id());
        auto* const place = new QWidget(dock);
        auto* const column = new QVBoxLayout(place);
        column->setContentsMargins(0, 0, 0, 0);
        dock->setWidget(place);
        docks_[kind.id()] = dock;
        connect(dock, &QDockWidget::visibilityChanged, this, [this, dock](bool visible) {
            if (visible) ensure_view(dock);
            const auto view = views_.find(dock->property("view").toString());
            if (view != views_.end()) view->second->set_in_front(visible);
            if (!visible) return;
            // Its tab was clicked, maybe.
            if (auto* const rows = dock->findChild<RowsView*>()) last_table_ = rows;
        });
    }
}

void CaptureWindow::ensure_view(QDockWidget* dock) {
    const QString name = dock->property("view").toString();
    if (views_.contains(name)) return;
    const ViewKind* const kind = find_view_kind(name.toStdString());
    View* const view = kind->make(*document_, dock->widget());
    view->setWindowTitle(kind->translated_title());
    view->setAccessibleName(kind->translated_title());
    dock->widget()->layout()->addWidget(view);
    views_[name] = view;
    if (auto* const rows = qobject_cast<RowsView*>(view)) {
        connect(rows, &RowsView::filter_wanted, filter_line_, &FilterLine::apply_filter);
        connect(rows, &RowsView::rows_wanted, this, &CaptureWindow::show_rows);
        connect(rows, &RowsView::told, this, [this](const QString& text) {
            constexpr int long_enough_ms = 8000;
            statusBar()->showMessage(text, long_enough_ms);
        });
        connect(rows, &RowsView::stream_wanted, this, &CaptureWindow::follow_stream);
        connect(rows, &RowsView::decode_as_wanted, this, &CaptureWindow::decode_as_wanted);
        connect(&rows->model(), &TableModel::unnamed_in_sight, this, &CaptureWindow::unnamed_in_sight);
        show_names_in(*rows);
        if (name == QLatin1String("packets")) rows->set_colors(packet_colors_);
    } else if (auto* const details = qobject_cast<DetailsView*>(view)) {
        connect(details, &DetailsView::filter_wanted, filter_line_, &FilterLine::apply_filter);
    } else if (auto* const statistics = qobject_cast<StatisticsView*>(view)) {
        connect(statistics, &StatisticsView::filter_wanted, filter_line_, &FilterLine::apply_filter);
    } else if (auto* const budgets = qobject_cast<TimeBudgetsView*>(view)) {
        connect(budgets, &TimeBudgetsView::commands_wanted, this, &CaptureWindow::show_commands);
    } else if (auto* const findings = qobject_cast<FindingsView*>(view)) {
        connect(findings, &FindingsView::rows_wanted, this, &CaptureWindow::show_rows);
    } else if (auto* const points = qobject_cast<PointsView*>(view)) {
        connect(points, &PointsView::told, this, [this](const QString& text) {
            constexpr int long_enough_ms = 15000;
            statusBar()->showMessage(text, long_enough_ms);
        });
    } else if (auto* const overview = qobject_cast<OverviewView*>(view)) {
        const auto mark = [this, overview] { mark_notes(*overview); };
        connect(&document_->notes(), &Notes::changed, overview, mark);
        connect(document_.get(), &Document::loaded, overview, mark);
        mark();
    }
    if (current_ == nullptr) look_at(view, name);
}

void CaptureWindow::set_points(std::shared_ptr<const OpenPath> path) {
    document_->set_points(std::move(path));
    if (document_->points() == nullptr) return dock("points")->hide();
    show_view("points");
}

void CaptureWindow::show_commands(const QString& filter, const QString& column) {
    filter_line_->apply_filter(filter, QStringLiteral("commands"));
    show_view("commands");
    if (auto* const rows = qobject_cast<RowsView*>(view("commands")))
        rows->show_greatest(column.toStdString());
}

void CaptureWindow::show_rows(const QString& filter, const QString& table) {
    filter_line_->apply_filter(filter, table);
    if (const TableKind* const kind = find_table_kind(table.toStdString())) show_view(kind->view);
}

void CaptureWindow::mark_notes(OverviewView& overview) const {
    std::vector<OverviewMark> marks;
    if (const auto reading = document_->data()->try_read()) {
        for (const auto& [packet, text] : document_->notes().all()) {
            if (packet > reading->index().packets()) continue;
            marks.push_back(
                {reading->timeline().time_of(packet), text.isEmpty() ? tr("Packet %1").arg(packet) : text});
        }
    }
    std::ranges::sort(marks, {}, &OverviewMark::time_ns);
    overview.set_marks(std::move(marks));
}

// Overview on top, timelines below it with the findings and the details beside them, tables at the bottom.
void CaptureWindow::arrange() {
    const auto get = [this](const char* name) { return docks_.at(QString::fromUtf8(name)); };
    for (const auto& [name, dock] : docks_) {
        removeDockWidget(dock);
        dock->setFloating(false);
    }
    QDockWidget* const overview = get("overview");
    QDockWidget* const layers = get("layers");
    QDockWidget* const findings = get("findings");
    QDockWidget* const commands = get("commands");
    addDockWidget(Qt::TopDockWidgetArea, overview);
    splitDockWidget(overview, layers, Qt::Vertical);
    splitDockWidget(layers, commands, Qt::Vertical);
    splitDockWidget(layers, findings, Qt::Horizontal);
    // Whatever has no place of its own is one of the timelines.
    constexpr std::string_view placed[] = {"overview", "layers",  "statistics",     "points",
                                           "findings", "details", "selected-range", "notes"};
    for (const ViewKind& kind : view_kinds()) {
        if (kind.table == nullptr && std::ranges::find(placed, kind.name) == std::end(placed))
            tabifyDockWidget(layers, docks_.at(kind.id()));
    }
    for (const TableKind& table : table_kinds()) {
        QDockWidget* const holder = dock(table.view);
        if (holder != nullptr && holder != commands) tabifyDockWidget(commands, holder);
    }
    tabifyDockWidget(commands, get("statistics"));
    tabifyDockWidget(commands, get("points"));
    tabifyDockWidget(findings, get("details"));
    tabifyDockWidget(findings, get("selected-range"));
    tabifyDockWidget(findings, get("notes"));
    for (const auto& [name, dock] : docks_) dock->show();
    get("points")->setVisible(document_->points() != nullptr);
    layers->raise();
    findings->raise();
    commands->raise();
    share_out_space();
}

void CaptureWindow::share_out_space() {
    const auto get = [this](const char* name) { return docks_.at(QString::fromUtf8(name)); };
    const int strip = beside_text(104);
    const int rest = std::max(height() - strip, 300);
    resizeDocks({get("overview"), get("layers"), get("commands")}, {strip, rest * 64 / 100, rest * 36 / 100},
                Qt::Vertical);
    resizeDocks({get("layers"), get("findings")}, {width() * 73 / 100, width() * 27 / 100}, Qt::Horizontal);
}

// Bars by which views can be moved and closed take room: they are there when asked for.
void CaptureWindow::set_movable(bool movable) {
    for (const auto& [name, dock] : docks_) {
        QWidget* const bar = dock->titleBarWidget();
        if (movable == (bar == nullptr)) continue;
        dock->setTitleBarWidget(movable ? nullptr : new NoTitleBar(dock));
        delete bar;
    }
}

bool CaptureWindow::is_movable() const {
    return docks_.begin()->second->titleBarWidget() == nullptr;
}

void CaptureWindow::toggle_time_reference() {
    show_view("packets");
    auto* const packets = qobject_cast<RowsView*>(view("packets"));
    const PacketNumber packet = state().selected().packet;
    const bool unset =
        packets->time_reference_packet() != 0 && (packet == 0 || packet == packets->time_reference_packet());
    if (packet == 0 && !unset)
        return statusBar()->showMessage(tr("Select the packet that times are to be told from."), message_ms);
    if (!packets->set_time_reference(unset ? 0 : packet)) {
        statusBar()->showMessage(document_->loading()
                                     ? tr("Times can be told from a packet once the capture is read.")
                                     : tr("Packet %1 has no time.").arg(packet),
                                 message_ms);
    }
}

void CaptureWindow::follow_stream(uint32_t connection) {
    filter_line_->apply_filter(QStringLiteral("connection == %1").arg(connection), QStringLiteral("packets"));
    FollowStreamDialog* dialog = nullptr;
    for (auto* const open : findChildren<FollowStreamDialog*>()) {
        if (open->connection() == connection) dialog = open;
    }
    if (dialog == nullptr) {
        dialog = new FollowStreamDialog(*document_, connection, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void CaptureWindow::follow_selected_stream() {
    document_->when_resolved(this, [this](const SelectedThings& things) {
        if (things.connection != 0) return follow_stream(things.connection);
        statusBar()->showMessage(tr("Select a packet, command or connection of the stream to follow."),
                                 message_ms);
    });
}

// In front, for what is found is to be seen.
FindBar& CaptureWindow::find_bar() {
    show_view("packets");
    return *qobject_cast<RowsView*>(view("packets"))->find_bar();
}

void CaptureWindow::ask_to_find() {
    find_bar().begin();
}

void CaptureWindow::find_next(bool forward) {
    find_bar().find(forward);
}

void CaptureWindow::set_host_names(HostNameSources sources) {
    name_sources_ = std::move(sources);
    show_names();
}

void CaptureWindow::take_names_of_capture() {
    const ResolvedNames* const names = document_->data()->names();
    if (names != nullptr && !names->all().empty())
        names_of_capture_ = std::make_shared<const HostNames>(HostNames::of(*names));
    show_names();
}

std::shared_ptr<const HostNames> CaptureWindow::shown_names() const {
    return HostNames::first_of(
        HostNames::first_of(name_sources_.first, name_sources_.of_capture ? names_of_capture_ : nullptr),
        name_sources_.last);
}

void CaptureWindow::show_names() {
    for (const auto& [name, view] : views_) {
        if (auto* const rows = qobject_cast<RowsView*>(view)) show_names_in(*rows);
    }
}

// Nobody is asked for what the capture may name once it is read, nor while it is recorded: questions would be recorded, too.
void CaptureWindow::show_names_in(RowsView& rows) const {
    rows.model().set_host_names(shown_names(), name_sources_.wants_more && document_->has_loaded());
}

void CaptureWindow::set_packet_colors(ThemedRowColors colors) {
    packet_colors_ = std::move(colors);
    const auto packets = views_.find(QStringLiteral("packets"));
    if (packets != views_.end()) qobject_cast<RowsView*>(packets->second)->set_colors(packet_colors_);
}

void CaptureWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (std::exchange(sized_, true)) return;
    // Only now has it the size that is to be shared.
    QTimer::singleShot(0, this, [this] {
        if (!restore_layout()) share_out_space();
    });
}

void CaptureWindow::reset_layout() {
    arrange();
}

void CaptureWindow::save_layout() const {
    QSettings().setValue(QStringLiteral("capture_layout"), layout_state());
}

QByteArray CaptureWindow::layout_state() const {
    return saveState(layout_version);
}

bool CaptureWindow::set_layout_state(const QByteArray& layout) {
    if (!restoreState(layout, layout_version)) return false;
    // Whatever capture that layout was of.
    dock("points")->setVisible(document_->points() != nullptr);
    return true;
}

bool CaptureWindow::restore_layout() {
    const QByteArray layout = QSettings().value(QStringLiteral("capture_layout")).toByteArray();
    return !layout.isEmpty() && set_layout_state(layout);
}

void CaptureWindow::make_top() {
    auto* const top = new QToolBar(tr("Filter"), this);
    top->setObjectName(QStringLiteral("filter-bar"));
    top->setMovable(false);
    top->toggleViewAction()->setEnabled(false);
    addToolBar(Qt::TopToolBarArea, top);
    filter_line_ = new FilterLine(*document_, this);
    filter_line_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    top->addWidget(filter_line_);
    range_label_ = new QLabel(this);
    range_label_->setObjectName(QStringLiteral("range"));
    range_label_->setTextFormat(Qt::PlainText);
    range_label_->setContentsMargins(8, 0, 8, 0);
    range_label_->setAccessibleName(tr("Time range in sight"));
    top->addWidget(range_label_);
    addToolBarBreak(Qt::TopToolBarArea);
    auto* const message_row = new QToolBar(tr("Messages"), this);
    message_row->setObjectName(QStringLiteral("message-bar"));
    message_row->setMovable(false);
    messages_ = new MessageBar(message_row);
    messages_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    QAction* const shown = message_row->addWidget(messages_);
    shown->setVisible(false);
    message_row->hide();
    addToolBar(Qt::TopToolBarArea, message_row);
}

void CaptureWindow::make_status() {
    cursor_label_ = new QLabel(this);
    cursor_label_->setTextFormat(Qt::PlainText);
    cursor_label_->setAccessibleName(tr("Time under the pointer"));
    selection_label_ = new QLabel(this);
    selection_label_->setTextFormat(Qt::PlainText);
    selection_label_->setAccessibleName(tr("What is selected"));
    progress_label_ = new QLabel(this);
    progress_label_->setTextFormat(Qt::PlainText);
    progress_bar_ = new QProgressBar(this);
    progress_bar_->setMaximumSize(fontMetrics().averageCharWidth() * 28, fontMetrics().height());
    progress_bar_->setTextVisible(false);
    progress_bar_->setAccessibleName(tr("How much of the capture is read"));
    stop_button_ = new QToolButton(this);
    stop_button_->setText(tr("Stop"));
    stop_button_->setToolTip(tr("Stop reading; what was read stays"));
    connect(stop_button_, &QToolButton::clicked, document_.get(), &Document::stop_loading);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(selection_label_);
    statusBar()->addWidget(cursor_label_, 1);
    statusBar()->addPermanentWidget(progress_label_);
    statusBar()->addPermanentWidget(progress_bar_);
    statusBar()->addPermanentWidget(stop_button_);
    follow_button_ = new QToolButton(this);
    follow_button_->setText(tr("Follow"));
    follow_button_->setToolTip(tr("Stay at the end of what is recorded (L)"));
    follow_button_->setCheckable(true);
    follow_button_->hide();
    connect(follow_button_, &QToolButton::clicked, &state(), &ViewState::set_following);
    connect(&state(), &ViewState::following_changed, this,
            [this] { follow_button_->setChecked(state().following()); });
    statusBar()->addPermanentWidget(follow_button_);
}

void CaptureWindow::set_recording(std::unique_ptr<LiveRecording> recording) {
    recording_ = std::move(recording);
    claim_file();
    may_begin_to_follow_ = true;
    stop_button_->setToolTip(tr("Stop recording"));
    stop_button_->disconnect();
    connect(stop_button_, &QToolButton::clicked, recording_.get(), &LiveRecording::stop);
    connect(recording_.get(), &LiveRecording::changed, this, &CaptureWindow::show_recording);
    connect(recording_.get(), &LiveRecording::trouble, this, [this](const QString& text) {
        trouble_ = text;
        show_warning();
    });
    connect(document_.get(), &Document::grown, this, &CaptureWindow::follow_once_long_enough);
    follow_button_->setVisible(true);
    show_progress();
    // What was reported before there was a window to show it.
    trouble_ = recording_->last_trouble();
    show_warning();
}

// At first all there is is seen; of a longer recording the last seconds, unless the user looks elsewhere by then.
void CaptureWindow::follow_once_long_enough() {
    constexpr int64_t followed_ns = 10'000'000'000;
    const TimeRange whole = state().whole();
    if (!may_begin_to_follow_ || !document_->live() || whole.span_ns() < followed_ns) return;
    may_begin_to_follow_ = false;
    if (state().range() != whole) return;
    state().set_range({whole.end_ns - followed_ns, whole.end_ns});
    state().set_following(true);
}

void CaptureWindow::show_recording() {
    if (!document_->loading()) return;
    const v1::RecordingTotals& totals = recording_->totals();
    const QLocale locale;
    const uint64_t dropped = recording_->dropped();
    QString text = (totals.packets() == 1 ? tr("Recording: %1 packet, %2") : tr("Recording: %1 packets, %2"))
                       .arg(locale.toString(static_cast<qulonglong>(totals.packets())),
                            short_bytes(static_cast<double>(totals.bytes())));
    text += dropped == 0 ? tr(", none dropped")
                         : tr(", %1 dropped").arg(locale.toString(static_cast<qulonglong>(dropped)));
    progress_label_->setText(text);
}

void CaptureWindow::show_progress() {
    const CaptureData::Progress progress = document_->data()->progress();
    const QLocale locale;
    const bool loading = document_->loading();
    progress_bar_->setVisible(loading && !document_->live());
    stop_button_->setVisible(loading);
    if (recording_ != nullptr) {
        follow_button_->setVisible(loading);
        if (loading) return show_recording();
    }
    QString packets = progress.packets == 1
                          ? tr("1 packet")
                          : tr("%1 packets").arg(locale.toString(static_cast<qulonglong>(progress.packets)));
    if (const std::string format = document_->data()->read_by_wireshark(); !format.empty()) {
        packets += loading
                       ? tr(" of a %1 file, by Wireshark's reader, which is slower")
                             .arg(QString::fromStdString(format))
                       : tr(" of a %1 file, read by Wireshark's reader").arg(QString::fromStdString(format));
    }
    if (!loading) {
        const uint64_t dropped = recording_ == nullptr ? 0 : recording_->dropped();
        progress_label_->setText(
            dropped == 0
                ? packets
                : tr("%1, %2 dropped").arg(packets, locale.toString(static_cast<qulonglong>(dropped))));
        return;
    }
    // Thousandths: an int holds no larger number of bytes.
    progress_bar_->setRange(0, progress.bytes_total == 0 ? 0 : 1000);
    if (progress.bytes_total != 0) {
        progress_bar_->setValue(static_cast<int>(progress.bytes_read * 1000 / progress.bytes_total));
    }
    progress_label_->setText(progress.bytes_total == 0
                                 ? tr("Reading: %1").arg(packets)
                                 : tr("Reading: %1, %2 of %3")
                                       .arg(packets, short_bytes(static_cast<double>(progress.bytes_read)),
                                            short_bytes(static_cast<double>(progress.bytes_total))));
}

void CaptureWindow::show_warning() {
    const QString text = document_->warning().isEmpty() ? trouble_ : document_->warning();
    messages_->show_message(text);
    auto* const row = findChild<QToolBar*>(QStringLiteral("message-bar"));
    const bool any = !text.isEmpty();
    for (QAction* const action : row->actions()) action->setVisible(any);
    row->setVisible(any);
}

void CaptureWindow::show_range() {
    const TimeRange range = state().range();
    if (range.empty()) {
        range_label_->setMinimumSize(0, 0);
        range_label_->setMaximumSize(QWIDGETSIZE_MAX, QWIDGETSIZE_MAX);
        return range_label_->clear();
    }
    const QString from = full_time(range.begin_ns, document_->first_ns(), state().time_format());
    const QString span = short_duration(range.span_ns());
    range_label_->setText(
        range.contains(state().whole())
            ? tr("%1 from %2").arg(span, from)
            : tr("%1 of %2, from %3").arg(span, short_duration(state().whole().span_ns()), from));
    // It grows and does not shrink, and its size is fixed: what moves does not have the window arranged anew with each step.
    const QSize wanted = range_label_->sizeHint().expandedTo(range_label_->minimumSize());
    if (wanted != range_label_->minimumSize()) range_label_->setFixedSize(wanted);
}

void CaptureWindow::show_cursor() {
    const auto cursor = state().cursor_ns();
    cursor_label_->setText(cursor ? full_time(*cursor, document_->first_ns(), state().time_format())
                                  : QString());
}

void CaptureWindow::show_selection() {
    const SelectedThings& things = state().selected();
    QString text = selection_text(things.selection);
    if (things.selection.kind == Selection::Kind::connection)
        text += ends_of(*document_->data(), things.connection);
    if (!things.range.empty()) {
        text +=
            tr(" at %1").arg(full_time(things.range.begin_ns, document_->first_ns(), state().time_format()));
        if (things.range.span_ns() > 1) text += tr(", %1 long").arg(short_duration(things.range.span_ns()));
    }
    selection_label_->setText(text);
}

QDockWidget* CaptureWindow::dock(std::string_view view) const {
    const ViewKind* const kind = find_view_kind(view);
    return kind == nullptr ? nullptr : docks_.at(kind->id());
}

View* CaptureWindow::view(std::string_view name) {
    QDockWidget* const holder = dock(name);
    if (holder == nullptr) return nullptr;
    ensure_view(holder);
    return views_.at(holder->property("view").toString());
}

void CaptureWindow::show_view(std::string_view name) {
    QDockWidget* const holder = dock(name);
    if (holder == nullptr) return;
    holder->show();
    holder->raise();
    View* const shown = view(name);
    shown->setFocus(Qt::OtherFocusReason);
    look_at(shown, holder->property("view").toString());
    Q_EMIT current_view_changed();
}

void CaptureWindow::on_focus_changed(QWidget* now) {
    for (QWidget* widget = now; widget != nullptr; widget = widget->parentWidget()) {
        const auto found =
            std::ranges::find_if(views_, [&](const auto& one) { return one.second == widget; });
        if (found == views_.end()) continue;
        if (current_ == found->second) return;
        look_at(found->second, found->first);
        Q_EMIT current_view_changed();
        return;
    }
}

void CaptureWindow::focus_neighbour_view(int direction) {
    std::vector<std::string_view> seen;
    size_t at = 0;
    for (const ViewKind& kind : view_kinds()) {
        const QDockWidget* const holder = dock(kind.name);
        if (holder->isHidden()) continue;
        if (kind.id() == current_name_) at = seen.size();
        seen.push_back(kind.name);
    }
    if (seen.empty()) return;
    show_view(
        seen[(at + seen.size() + static_cast<size_t>(static_cast<ptrdiff_t>(direction))) % seen.size()]);
}

void CaptureWindow::focus_filter() {
    filter_line_->focus();
}

void CaptureWindow::go_to_packet(PacketNumber packet) {
    const PacketNumber packets = document_->data()->progress().packets;
    if (packet == 0 || packet > packets) {
        const QLocale locale;
        statusBar()->showMessage(tr("There is no packet %1: the capture has %2.")
                                     .arg(locale.toString(static_cast<qulonglong>(packet)),
                                          locale.toString(static_cast<qulonglong>(packets))),
                                 message_ms);
        return;
    }
    state().select({Selection::Kind::packet, packet});
    document_->reveal_when_resolved();
}

bool CaptureWindow::has_row(Selection row) const {
    return row && row.number >= 1 && row.number <= rows_of(row.kind, *document_->data());
}

void CaptureWindow::select_row(Selection row) {
    if (has_row(row)) state().select(row);
}

void CaptureWindow::select_neighbour(int direction) {
    document_->when_picked(this, [this, direction] { select_neighbour_of_selected(direction); });
}

void CaptureWindow::select_neighbour_of_selected(int direction) {
    const Selection now = state().selection();
    if (!now) return;
    const uint64_t rows = rows_of(now.kind, *document_->data());
    if (direction < 0 ? now.number <= 1 : now.number >= rows) return;
    state().select({now.kind, direction < 0 ? now.number - 1 : now.number + 1});
    document_->reveal_when_resolved();
}

void CaptureWindow::toggle_bookmark() {
    document_->when_resolved(this,
                             [this](const SelectedThings& things) { toggle_bookmark_on(things.packet); });
}

void CaptureWindow::toggle_bookmark_on(PacketNumber packet) {
    if (packet == 0) {
        statusBar()->showMessage(tr("Select something to bookmark first."), message_ms);
        return;
    }
    Notes& notes = document_->notes();
    if (notes.has(packet) && notes.all().at(packet).isEmpty()) {
        notes.remove(packet);
        statusBar()->showMessage(tr("The bookmark on packet %1 is removed.").arg(packet), message_ms);
        return;
    }
    if (!notes.has(packet)) {
        notes.set(packet, {});
        statusBar()->showMessage(tr("Packet %1 is bookmarked.").arg(packet), message_ms);
    }
    show_view("notes");
    qobject_cast<NotesView*>(view("notes"))->edit(packet);
}

RowsView* CaptureWindow::table_in_front() const {
    if (auto* const rows = qobject_cast<RowsView*>(current_)) return rows;
    if (last_table_ != nullptr && last_table_->isVisible()) return last_table_;
    for (const auto& [name, view] : views_) {
        auto* const rows = qobject_cast<RowsView*>(view);
        if (rows != nullptr && !rows->visibleRegion().isEmpty()) return rows;
    }
    return nullptr;
}

std::map<QString, RowsView*> CaptureWindow::tables() const {
    std::map<QString, RowsView*> tables;
    for (const auto& [name, view] : views_) {
        if (auto* const rows = qobject_cast<RowsView*>(view)) tables.emplace(name, rows);
    }
    return tables;
}

void CaptureWindow::look_at(View* view, const QString& name) {
    current_ = view;
    current_name_ = name;
    if (auto* const rows = qobject_cast<RowsView*>(view)) last_table_ = rows;
}

void CaptureWindow::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
            return state().pan(-key_pan);
        case Qt::Key_Right:
            return state().pan(key_pan);
        case Qt::Key_Up:
        case Qt::Key_Down: {
            const TimeRange range = state().range();
            const int64_t about = state().cursor_ns().value_or(range.begin_ns + range.span_ns() / 2);
            return state().zoom(event->key() == Qt::Key_Up ? key_zoom : 1 / key_zoom, about);
        }
        case Qt::Key_Home:
            return state().show_all();
        case Qt::Key_Escape:
            return state().set_selected_range({});
        default:
            return QMainWindow::keyPressEvent(event);
    }
}

void CaptureWindow::closeEvent(QCloseEvent* event) {
    save_layout();
    QMainWindow::closeEvent(event);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/findings/findings_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStringList>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "gui/models/finding_place.h"
#include "gui/plot/time_axis.h"
#include "gui/senders/sender_list.h"
#include "gui/views/findings/finding_delegate.h"
#include "gui/views/findings/finding_page.h"

#include "analyzer/report/findings_input.h"

namespace sanscope {
namespace {

QString severity_name(Finding::Severity severity) {
    switch (severity) {
        case Finding::Severity::problem:
            return FindingsView::tr("Problem");
        case Finding::Severity::notice:
            return FindingsView::tr("Notice");
        case Finding::Severity::information:
            break;
    }
    return FindingsView::tr("Information");
}

// What only the end of the capture shows: before it, every command under way would be one never answered.
bool needs_the_end(Finding::Kind kind) {
    switch (kind) {
        case Finding::Kind::unanswered_commands:
        case Finding::Kind::under_way_at_end:
        case Finding::Kind::unseen_answers:
        case Finding::Kind::no_packets:
        case Finding::Kind::no_iscsi:
        case Finding::Kind::nothing_wrong:
            return true;
        default:
            return false;
    }
}

// "192.0.2.1:32916 → 192.0.2.2:3260, LUN 1"; of what is about several, or about all, as the report has it.
QString place_of(const CaptureData::Reading& reading, const Finding& finding) {
    if (finding.connection == 0 || finding.connection > reading.store().connections().size())
        return QString::fromStdString(finding.place);
    const ConnectionRow& row = reading.store().connection(finding.connection);
    const QString place = connection_text(row.initiator, row.target);
    return finding.lun == unknown<uint64_t>
               ? place
               : FindingsView::tr("%1, LUN %2").arg(place).arg(static_cast<qulonglong>(finding.lun));
}

QStringList signs_of(const Finding& finding) {
    QStringList signs;
    for (const std::string& sign : finding.evidence) signs.append(QString::fromStdString(sign));
    return signs;
}

}  // namespace

FindingsView::FindingsView(Document& document, QWidget* parent)
    : View(document, parent),
      model_(new QStandardItemModel(this)),
      list_(new QListView(this)),
      status_(new QLabel(tr("Looking at the capture…"), this)),
      explain_(new QLabel(QStringLiteral("<a href=\"#\">%1</a>").arg(tr("What does this mean?")), this)) {
    setAccessibleName(tr("Findings"));
    since_begun_.start();
    make_widgets();
    connect(list_, &QListView::clicked, this, &FindingsView::on_clicked);
    connect(list_, &QWidget::customContextMenuRequested, this, &FindingsView::show_menu);
    connect(explain_, &QLabel::linkActivated, this,
            [this] { explain(std::max(list_->currentIndex().row(), 0)); });
    connect(&document, &Document::grown, this, &FindingsView::on_grown);
    connect(&document, &Document::loaded, this, &FindingsView::ask);
}

void FindingsView::make_widgets() {
    list_->setModel(model_);
    list_->setItemDelegate(new FindingDelegate(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setResizeMode(QListView::Adjust);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // One that came and went would change the width that the rows are laid out for.
    list_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    list_->setContextMenuPolicy(Qt::CustomContextMenu);
    list_->setMouseTracking(true);
    list_->setAccessibleName(tr("Findings, most important first"));
    list_->installEventFilter(this);
    list_->viewport()->installEventFilter(this);
    status_->setContentsMargins(8, 2, 8, 2);
    status_->setToolTip(
        tr("Problems first, then notices; of these what failed, then what cost most.\n"
           "A cost is the time that something kept commands or senders waiting, as far as the capture tells. "
           "Two findings may be about the same time: costs do not add up."));
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(list_, 1);
    explain_->setContentsMargins(8, 2, 8, 2);
    explain_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    explain_->setToolTip(tr("What the chosen finding means, and what else looks like it (F1)"));
    explain_->hide();
    auto* const below = new QHBoxLayout;
    below->addWidget(status_, 1);
    below->addWidget(explain_);
    layout->addLayout(below);
    setFocusProxy(list_);
}

void FindingsView::show_menu(QPoint at) {
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (const QModelIndex index = list_->indexAt(at); index.isValid()) {
        const int row = index.row();
        const QStringList links = index.data(FindingDelegate::links).toStringList();
        for (int link = 0; link < links.size(); ++link) {
            connect(menu->addAction(links[link]), &QAction::triggered, this,
                    [this, row, link] { follow_link(row, link); });
        }
        connect(menu->addAction(tr("What does this mean?")), &QAction::triggered, this,
                [this, row] { explain(row); });
    }
    connect(menu->addAction(tr("Copy")), &QAction::triggered, this, &FindingsView::copy);
    menu->popup(list_->viewport()->mapToGlobal(at));
}

FindingsView::~FindingsView() = default;

QString FindingsView::status_text() const {
    return status_->text();
}

void FindingsView::on_in_sight() {
    if (stale_) ask();
}

void FindingsView::changeEvent(QEvent* event) {
    View::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && list_ != nullptr) list_->viewport()->update();
}

// A look at everything keeps the loader waiting: seldom enough that this does not show, and not at all where the whole
// capture is soon there.
void FindingsView::on_grown() {
    if (!document().loading() || !job_.idle()) return;
    if (since_last_.isValid() && since_last_.elapsed() < pause_ms_) return;
    if (since_last_.isValid() && soon_loaded()) return;
    ask();
}

// If it goes on as it did.
bool FindingsView::soon_loaded() const {
    constexpr uint64_t soon_ms = 5000;
    const CaptureData::Progress progress = document().data()->progress();
    if (document().live() || progress.bytes_total == 0 || progress.bytes_read > progress.bytes_total)
        return false;
    const double left = static_cast<double>(progress.bytes_total - progress.bytes_read) /
                        static_cast<double>(std::max<uint64_t>(progress.bytes_read, 1));
    return left * static_cast<double>(since_begun_.elapsed()) < soon_ms;
}

void FindingsView::ask() {
    if (!in_sight()) {
        stale_ = true;
        return;
    }
    stale_ = false;
    job_.request([data = document().data()](const StopFlag& stop) { return look_at(*data, stop); },
                 [this](Answer answer) { show_findings(std::move(answer)); });
}

FindingsView::Answer FindingsView::look_at(const CaptureData& data, const StopFlag& stop) {
    constexpr size_t most_of_a_kind = 64;
    QElapsedTimer timer;
    Answer answer;
    std::optional<CaptureData::Reading> reading = data.read();
    timer.start();
    answer.last = data.complete();
    CaptureFindingsInput input(reading->engine(), reading->packets().source(), &stop);
    input->between = [&] {
        reading.reset();
        data.keep_within_memory();
        reading = data.read();
    };
    input->most_of_a_kind = most_of_a_kind;
    answer.findings = sanscope::findings(*input);
    if (!answer.last) {
        std::erase_if(answer.findings, [](const Finding& finding) { return needs_the_end(finding.kind); });
    }
    answer.groups = group_findings(reading->store(), answer.findings);
    for (const Finding& finding : answer.findings) answer.places.push_back(place_of(*reading, finding));
    answer.took_ms = timer.elapsed();
    return answer;
}

void FindingsView::show_findings(Answer answer) {
    constexpr int64_t least_pause_ms = 1000;
    constexpr int64_t share_of_loading = 20;
    pause_ms_ = std::max(least_pause_ms, answer.took_ms * share_of_loading);
    since_last_.start();
    rows_job_.cancel();
    findings_ = std::move(answer.findings);
    groups_ = std::move(answer.groups);
    rows_of_findings_.assign(findings_.size(), std::nullopt);
    places_ = std::move(answer.places);
    last_shown_ = answer.last;
    count_picture();
    fill();
    explain_->setVisible(!findings_.empty());
    show_status();
    look_up_rows();
}

// They take a pass over a table each: the list does not wait for them.
void FindingsView::look_up_rows() {
    to_look_up_.clear();
    if (!last_shown_) return;
    for (size_t group = groups_.size(); group-- > 0;) {
        const std::vector<size_t>& members = groups_[group].findings;
        for (size_t i = members.size(); members.size() > 1 && i-- > 0;)
            to_look_up_.push_back({group, members[i]});
        to_look_up_.push_back({group, std::nullopt});
    }
    look_up_next_rows();
}

void FindingsView::look_up_next_rows() {
    if (to_look_up_.empty()) return;
    const Row row = to_look_up_.back();
    to_look_up_.pop_back();
    std::vector<Finding> findings;
    if (is_head(row)) {
        for (const size_t member : groups_[row.group].findings) findings.push_back(findings_[member]);
    } else {
        findings.push_back(finding_at(row));
    }
    rows_job_.request(
        [data = document().data(), findings = std::move(findings)](const StopFlag& stop) {
            std::vector<const Finding*> all;
            for (const Finding& finding : findings) all.push_back(&finding);
            return find_rows_of(data->read(), all, stop);
        },
        [this, row](std::optional<FindingRows> rows) {
            take_rows(row, std::move(rows));
            look_up_next_rows();
        });
}

void FindingsView::take_rows(const Row& row, std::optional<FindingRows> rows) {
    if (!rows) return;
    FindingGroup& group = groups_[row.group];
    auto& known = is_head(row) ? group.rows : rows_of_findings_[row.member.value_or(group.findings.front())];
    known = std::move(rows);
    const auto listed = std::ranges::find(rows_, row);
    if (listed == rows_.end()) return;
    model_->item(static_cast<int>(listed - rows_.begin()))->setData(links_of(row), FindingDelegate::links);
}

// Of each kind a handful of groups.
void FindingsView::fill() {
    constexpr size_t most_groups_of_a_kind = 4;
    const auto name_of = [](const QModelIndex& index) {
        return index.data().toString() + index.data(FindingDelegate::place).toString();
    };
    const QString current = name_of(list_->currentIndex());
    const int scrolled = list_->verticalScrollBar()->value();
    model_->clear();
    rows_.clear();
    std::map<Finding::Kind, size_t> shown;
    for (size_t group = 0; group < groups_.size(); ++group) {
        if (++shown[findings_[groups_[group].findings.front()].kind] > most_groups_of_a_kind) continue;
        add_row({group, std::nullopt});
        if (groups_[group].findings.size() == 1 || !is_open(group)) continue;
        for (const size_t member : groups_[group].findings) add_row({group, member});
    }
    for (int row = 0; row < model_->rowCount() && !current.isEmpty(); ++row) {
        if (name_of(model_->index(row, 0)) != current) continue;
        list_->setCurrentIndex(model_->index(row, 0));
        break;
    }
    list_->doItemsLayout();
    list_->verticalScrollBar()->setValue(scrolled);
}

const Finding& FindingsView::finding_at(const Row& row) const {
    return findings_[row.member.value_or(groups_[row.group].findings.front())];
}

const FindingRows* FindingsView::rows_at(const Row& row) const {
    const FindingGroup& group = groups_[row.group];
    const auto& rows =
        is_head(row) ? group.rows : rows_of_findings_[row.member.value_or(group.findings.front())];
    return rows ? &*rows : nullptr;
}

QStringList FindingsView::links_of(const Row& row) const {
    QStringList links;
    if (is_head(row)) {
        links << (is_open(row.group) ? tr("▾ Hide the %1 places") : tr("▸ Show the %1 places"))
                     .arg(groups_[row.group].findings.size());
    }
    if (const FindingRows* const rows = rows_at(row)) links << words_for(*rows);
    return links;
}

FindingsView::GroupKey FindingsView::key_of(size_t group) const {
    return {findings_[groups_[group].findings.front()].kind, groups_[group].target};
}

QString FindingsView::title_of(const Row& row) const {
    const FindingGroup& group = groups_[row.group];
    const Finding& finding = finding_at(row);
    QString title = QString::fromStdString(finding.title);
    if (row.member || group.findings.size() == 1) return title;
    const QString headline = finding_headline(finding.kind);
    return tr("%1: %2 places at target %3")
        .arg(headline.isEmpty() ? title : headline)
        .arg(group.findings.size())
        .arg(group.target);
}

void FindingsView::add_row(const Row& row) {
    const FindingGroup& group = groups_[row.group];
    const Finding& finding = finding_at(row);
    const bool head = is_head(row);
    auto* const item = new QStandardItem(title_of(row));
    QStringList signs = signs_of(finding);
    if (head) signs = {tr("the costliest: %1").arg(QString::fromStdString(finding.title))};
    const QString explanation = row.member ? QString() : QString::fromStdString(finding.explanation);
    const QString place = head ? QString() : places_[row.member.value_or(group.findings.front())];
    item->setData(explanation, FindingDelegate::explanation);
    item->setData(signs, FindingDelegate::evidence);
    item->setData(static_cast<int>(finding.severity), FindingDelegate::severity);
    item->setData(place, FindingDelegate::place);
    item->setData(row.member.has_value(), FindingDelegate::is_member);
    const int64_t cost_ns = head ? group.cost_ns : finding.cost_ns;
    if (cost_ns > 0) {
        item->setData((head ? tr("cost about %1 or more") : tr("cost about %1")).arg(short_duration(cost_ns)),
                      FindingDelegate::cost);
    }
    item->setData(links_of(row), FindingDelegate::links);
    const QString shown_by =
        signs.isEmpty() ? QString() : signs.join(QStringLiteral("; ")) + QStringLiteral(". ");
    item->setData(QStringLiteral("%1: %2. %3%4")
                      .arg(severity_name(finding.severity), item->text(), shown_by, explanation),
                  Qt::AccessibleTextRole);
    QStringList tips;
    if (leads_somewhere(finding)) tips << tr("Click to see it in all views");
    if (head && cost_ns > 0) {
        tips << tr("The cost is that of the costliest place: the others may have cost the same time");
    }
    item->setToolTip(tips.join(QLatin1Char('\n')));
    model_->appendRow(item);
    rows_.push_back(row);
}

void FindingsView::show_status() {
    size_t problems = 0;
    size_t notices = 0;
    for (const Row& row : rows_) {
        if (row.member) continue;
        problems += finding_at(row).severity == Finding::Severity::problem ? 1U : 0U;
        notices += finding_at(row).severity == Finding::Severity::notice ? 1U : 0U;
    }
    QString text = tr("Problems: %1, notices: %2").arg(problems).arg(notices);
    if (!last_shown_) {
        text += document().live() ? tr(" — so far; the recording goes on")
                                  : tr(" — so far; the capture is still loaded");
    }
    status_->setText(text);
}

int FindingsView::row_of(size_t finding) {
    for (size_t group = 0; group < groups_.size(); ++group) {
        const auto& members = groups_[group].findings;
        if (members.size() > 1 && std::ranges::find(members, finding) != members.end()) set_open(group, true);
    }
    const auto found = std::ranges::find_if(rows_, [&](const Row& row) {
        return row.member ? *row.member == finding
                          : groups_[row.group].findings.size() == 1 &&
                                groups_[row.group].findings.front() == finding;
    });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

void FindingsView::set_open(size_t group, bool open) {
    if (open == is_open(group)) return;
    if (open) {
        open_.insert(key_of(group));
    } else {
        open_.erase(key_of(group));
    }
    fill();
}

int FindingsView::link_at(const QModelIndex& index, QPoint at) const {
    if (!index.isValid()) return -1;
    QStyleOptionViewItem option;
    option.rect = list_->visualRect(index);
    option.font = list_->font();
    option.widget = list_;
    return FindingDelegate::link_at(option, index, at);
}

void FindingsView::on_clicked(const QModelIndex& index) {
    const int link = link_at(index, released_at_);
    if (link >= 0) return follow_link(index.row(), link);
    go_to(index.row());
}

void FindingsView::follow_link(int at, int link) {
    if (at < 0 || static_cast<size_t>(at) >= rows_.size()) return;
    const Row row = rows_[static_cast<size_t>(at)];
    if (is_head(row) && link == 0) return set_open(row.group, !is_open(row.group));
    if (const FindingRows* const rows = rows_at(row)) Q_EMIT rows_wanted(rows->filter, rows->table);
}

void FindingsView::go_to(int at) {
    if (at < 0 || static_cast<size_t>(at) >= rows_.size()) return;
    show_place(document(), finding_at(rows_[static_cast<size_t>(at)]));
}

void FindingsView::explain(int at) {
    if (at < 0 || static_cast<size_t>(at) >= rows_.size()) return;
    show_finding_page(finding_at(rows_[static_cast<size_t>(at)]).kind, this);
}

void FindingsView::copy() const {
    QString text;
    for (const Finding& finding : findings_) {
        text += QStringLiteral("%1: %2\n")
                    .arg(severity_name(finding.severity), QString::fromStdString(finding.title));
        for (const QString& sign : signs_of(finding)) text += QStringLiteral("    – %1\n").arg(sign);
        text += QStringLiteral("    %1\n").arg(QString::fromStdString(finding.explanation));
    }
    QApplication::clipboard()->setText(text);
}

bool FindingsView::handle_key(const QKeyEvent& key) {
    const int row = list_->currentIndex().row();
    if (key.matches(QKeySequence::Copy)) {
        copy();
        return true;
    }
    switch (key.key()) {
        case Qt::Key_F1:
            explain(std::max(row, 0));
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            go_to(row);
            return true;
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (row < 0 || static_cast<size_t>(row) >= rows_.size()) return false;
            if (groups_[rows_[static_cast<size_t>(row)].group].findings.size() == 1) return false;
            set_open(rows_[static_cast<size_t>(row)].group, key.key() == Qt::Key_Right);
            return true;
        default:
            return false;
    }
}

bool FindingsView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == list_ && event->type() == QEvent::KeyPress &&
        handle_key(*static_cast<const QKeyEvent*>(event)))
        return true;
    if (watched == list_->viewport() && event->type() == QEvent::MouseButtonRelease) {
        released_at_ = static_cast<const QMouseEvent*>(event)->position().toPoint();
    } else if (watched == list_->viewport() && event->type() == QEvent::MouseMove) {
        const QPoint at = static_cast<const QMouseEvent*>(event)->position().toPoint();
        list_->viewport()->setCursor(link_at(list_->indexAt(at), at) >= 0 ? Qt::PointingHandCursor
                                                                          : Qt::ArrowCursor);
    }
    return View::eventFilter(watched, event);
}

}  // namespace sanscope

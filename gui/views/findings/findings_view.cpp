// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/findings/findings_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QStandardItemModel>
#include <QStringList>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <vector>

#include "gui/models/finding_place.h"
#include "gui/plot/time_axis.h"
#include "gui/views/findings/finding_delegate.h"
#include "gui/views/findings/finding_page.h"

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
    status_->setContentsMargins(8, 2, 8, 2);
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

    connect(list_, &QListView::clicked, this,
            [this](const QModelIndex& index) { go_to(static_cast<size_t>(index.row())); });
    connect(list_, &QWidget::customContextMenuRequested, this, [this](QPoint at) {
        auto* const menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        if (const QModelIndex at_index = list_->indexAt(at); at_index.isValid()) {
            const auto finding = static_cast<size_t>(at_index.row());
            connect(menu->addAction(tr("What does this mean?")), &QAction::triggered, this,
                    [this, finding] { explain(finding); });
        }
        connect(menu->addAction(tr("Copy")), &QAction::triggered, this, &FindingsView::copy);
        menu->popup(list_->viewport()->mapToGlobal(at));
    });
    connect(explain_, &QLabel::linkActivated, this,
            [this] { explain(static_cast<size_t>(std::max(list_->currentIndex().row(), 0))); });
    connect(&document, &Document::grown, this, &FindingsView::on_grown);
    connect(&document, &Document::loaded, this, &FindingsView::ask);
}

FindingsView::~FindingsView() = default;

QString FindingsView::status_text() const {
    return status_->text();
}

void FindingsView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    if (stale_) ask();
}

void FindingsView::changeEvent(QEvent* event) {
    View::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && list_ != nullptr) list_->viewport()->update();
}

// A look at everything keeps the loader waiting: seldom enough that this does not show.
void FindingsView::on_grown() {
    if (!document().loading() || !job_.idle()) return;
    if (since_last_.isValid() && since_last_.elapsed() < pause_ms_) return;
    ask();
}

void FindingsView::ask() {
    if (!isVisible()) {
        stale_ = true;
        return;
    }
    stale_ = false;
    job_.request(
        [data = document().data()](const StopFlag& stop) {
            QElapsedTimer timer;
            Answer answer;
            std::optional<CaptureData::Reading> reading = data->read();
            timer.start();
            answer.last = data->complete();
            const PacketSource& source = reading->packets().source();
            const std::vector<Damage> damage = source.damage();
            const std::vector<CaptureInterface> interfaces(source.interfaces().begin(),
                                                           source.interfaces().end());
            answer.findings = sanscope::findings({.store = reading->store(),
                                                  .totals = reading->engine().totals(),
                                                  .issues = reading->engine().issues(),
                                                  .damage = damage,
                                                  .interfaces = interfaces,
                                                  .stop = &stop,
                                                  .between = [&] {
                                                      reading.reset();
                                                      data->keep_within_memory();
                                                      reading = data->read();
                                                  }});
            answer.took_ms = timer.elapsed();
            if (!answer.last) {
                std::erase_if(answer.findings,
                              [](const Finding& finding) { return needs_the_end(finding.kind); });
            }
            return answer;
        },
        [this](Answer answer) { show_findings(std::move(answer)); });
}

void FindingsView::show_findings(Answer answer) {
    constexpr int64_t least_pause_ms = 1000;
    constexpr int64_t share_of_loading = 20;
    pause_ms_ = std::max(least_pause_ms, answer.took_ms * share_of_loading);
    since_last_.start();
    const int current = list_->currentIndex().row();
    const bool kept =
        current >= 0 && static_cast<size_t>(current) < std::min(findings_.size(), answer.findings.size()) &&
        findings_[static_cast<size_t>(current)].title == answer.findings[static_cast<size_t>(current)].title;
    findings_ = std::move(answer.findings);
    count_picture();
    model_->clear();
    size_t problems = 0;
    size_t notices = 0;
    for (const Finding& finding : findings_) {
        auto* const item = new QStandardItem(QString::fromStdString(finding.title));
        item->setData(QString::fromStdString(finding.explanation), FindingDelegate::explanation);
        const QStringList signs = signs_of(finding);
        item->setData(signs, FindingDelegate::evidence);
        item->setData(static_cast<int>(finding.severity), FindingDelegate::severity);
        if (finding.cost_ns > 0) {
            item->setData(tr("cost about %1").arg(short_duration(finding.cost_ns)), FindingDelegate::cost);
        }
        const QString shown_by =
            signs.isEmpty() ? QString() : signs.join(QStringLiteral("; ")) + QStringLiteral(". ");
        item->setData(QStringLiteral("%1: %2. %3%4")
                          .arg(severity_name(finding.severity), item->text(), shown_by,
                               QString::fromStdString(finding.explanation)),
                      Qt::AccessibleTextRole);
        if (leads_somewhere(finding)) item->setToolTip(tr("Click to see it in all views"));
        model_->appendRow(item);
        problems += finding.severity == Finding::Severity::problem ? 1 : 0;
        notices += finding.severity == Finding::Severity::notice ? 1 : 0;
    }
    if (kept) list_->setCurrentIndex(model_->index(current, 0));
    explain_->setVisible(!findings_.empty());
    QString text = tr("Problems: %1, notices: %2").arg(problems).arg(notices);
    last_shown_ = answer.last;
    if (!answer.last) {
        text += document().live() ? tr(" — so far; the recording goes on")
                                  : tr(" — so far; the capture is still loaded");
    }
    status_->setText(text);
}

void FindingsView::go_to(size_t at) {
    if (at < findings_.size()) show_place(document(), findings_[at]);
}

void FindingsView::explain(size_t at) {
    if (at < findings_.size()) show_finding_page(findings_[at].kind, this);
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

bool FindingsView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == list_ && event->type() == QEvent::KeyPress) {
        const auto* const key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Copy)) {
            copy();
            return true;
        }
        if (key->key() == Qt::Key_F1) {
            explain(static_cast<size_t>(std::max(list_->currentIndex().row(), 0)));
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter || key->key() == Qt::Key_Space) {
            if (list_->currentIndex().isValid()) go_to(static_cast<size_t>(list_->currentIndex().row()));
            return true;
        }
    }
    return View::eventFilter(watched, event);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/comparing/comparison_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/comparing/interval_delegate.h"
#include "gui/document/plain_text.h"
#include "gui/document/write_file.h"
#include "gui/plot/plain_label.h"
#include "gui/plot/theme.h"
#include "gui/plot/time_axis.h"

#include "analyzer/compare/comparison_json.h"
#include "analyzer/compare/comparison_text.h"
#include "analyzer/compare/comparison_words.h"

namespace sanscope {
namespace {

using Which = ComparisonView::Which;
constexpr std::array both{Which::before, Which::after};
constexpr int progress_steps = 1000;

class BytesInMemory final : public ByteSink {
  public:
    bool write(std::span<const char> bytes) override {
        bytes_.append(bytes.data(), static_cast<qsizetype>(bytes.size()));
        return true;
    }
    const Error* error() const override { return nullptr; }
    QByteArray take() { return std::move(bytes_); }

  private:
    QByteArray bytes_;
};

std::string file_name(const QString& path) {
    return QFile::encodeName(path).toStdString();
}

}  // namespace

ComparisonView::ComparisonView(const QString& before, const QString& after, FindOpen find_open,
                               QWidget* parent)
    : QWidget(parent),
      find_open_(std::move(find_open)),
      model_(new ComparisonModel(this)),
      tree_(new QTreeView(this)),
      outcome_(plain_label(this)),
      only_(new QCheckBox(tr("&Only what differs"), this)),
      copy_(new QPushButton(tr("&Copy as text"), this)),
      export_(new QPushButton(tr("&Export…"), this)),
      swap_(new QPushButton(tr("S&wap"), this)),
      state_(plain_label(this)),
      bar_(new QProgressBar(this)),
      stop_(new QPushButton(tr("&Stop"), this)),
      start_(new QPushButton(tr("&Again"), this)) {
    setAccessibleName(tr("Comparison of two captures"));
    pool_.setMaxThreadCount(1);
    at(Which::before).path = before;
    at(Which::after).path = after;
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 0);
    layout->addLayout(make_head());
    layout->addLayout(make_bar());
    layout->addLayout(make_progress());
    make_tree();
    layout->addWidget(tree_, 1);
    connect(&timer_, &QTimer::timeout, this, &ComparisonView::show_progress);
    setFocusProxy(tree_);
    start();
}

ComparisonView::~ComparisonView() = default;

QLayout* ComparisonView::make_head() {
    auto* const head = new QGridLayout;
    head->setColumnStretch(2, 1);
    int row = 0;
    for (const Which which : both) {
        Capture& capture = at(which);
        const QString word = which == Which::before ? tr("Before") : tr("After");
        auto* const label = plain_label(this);
        label->setText(word);
        QFont bold = label->font();
        bold.setBold(true);
        label->setFont(bold);
        capture.name = plain_label(this);
        capture.name->setAccessibleName(tr("%1: the file").arg(word));
        capture.about = plain_label(this);
        capture.about->setTextInteractionFlags(Qt::TextSelectableByMouse);
        capture.about->setAccessibleName(tr("%1: what is in it").arg(word));
        auto* const other = new QPushButton(tr("Another file…"), this);
        other->setAccessibleName(tr("%1: another file").arg(word));
        connect(other, &QPushButton::clicked, this, [this, which] { choose(which); });
        head->addWidget(label, row, 0);
        head->addWidget(capture.name, row, 1);
        head->addWidget(capture.about, row, 2);
        head->addWidget(other, row, 3);
        ++row;
    }
    swap_->setToolTip(tr("What was before the change was after it, and the other way round"));
    connect(swap_, &QPushButton::clicked, this, &ComparisonView::swap);
    head->addWidget(swap_, 0, 4, 2, 1);
    return head;
}

QLayout* ComparisonView::make_bar() {
    auto* const bar = new QHBoxLayout;
    QFont bold = outcome_->font();
    bold.setBold(true);
    outcome_->setFont(bold);
    outcome_->setWordWrap(true);
    outcome_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    outcome_->setAccessibleName(tr("What differs beyond chance"));
    only_->setToolTip(tr("Hides the figures that may differ by chance, and the findings that stayed"));
    connect(only_, &QCheckBox::toggled, this, &ComparisonView::show_groups);
    connect(copy_, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(QString::fromUtf8(text())); });
    connect(export_, &QPushButton::clicked, this, &ComparisonView::ask_to_export);
    bar->addWidget(outcome_, 1);
    bar->addWidget(only_);
    bar->addWidget(copy_);
    bar->addWidget(export_);
    return bar;
}

QLayout* ComparisonView::make_progress() {
    auto* const row = new QHBoxLayout;
    bar_->setTextVisible(false);
    bar_->setMaximumHeight(14);
    bar_->setAccessibleName(tr("How much of the capture is read"));
    stop_->setToolTip(tr("Stop reading; what was measured stays"));
    connect(stop_, &QPushButton::clicked, this, &ComparisonView::stop);
    connect(start_, &QPushButton::clicked, this, &ComparisonView::start);
    row->addWidget(state_);
    row->addWidget(bar_, 1);
    row->addWidget(stop_);
    row->addWidget(start_);
    return row;
}

void ComparisonView::make_tree() {
    model_->set_dark(Theme::of(palette()).dark);
    tree_->setModel(model_);
    tree_->setAccessibleName(tr("Figures and findings, before and after"));
    tree_->setUniformRowHeights(true);
    tree_->setAlternatingRowColors(true);
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    tree_->setExpandsOnDoubleClick(false);
    tree_->setContextMenuPolicy(Qt::CustomContextMenu);
    tree_->header()->setStretchLastSection(true);
    tree_->setItemDelegateForColumn(ComparisonModel::interval, new IntervalDelegate(tree_));
    tree_->installEventFilter(this);
    connect(tree_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (const ComparisonRow* const row = model_->row_of(index)) {
            const bool gone = row->finding != nullptr && row->finding->after == nullptr;
            const bool only_before = row->change != nullptr && row->change->after == nullptr;
            go_to(*row, gone || only_before ? Which::before : Which::after);
        }
    });
    connect(tree_, &QWidget::customContextMenuRequested, this, &ComparisonView::show_menu);
}

// With its folder, where both files have the same name.
QString ComparisonView::name(Which which) const {
    const QFileInfo file(path(which));
    const QFileInfo other(path(which == Which::before ? Which::after : Which::before));
    if (file.fileName() != other.fileName()) return file.fileName();
    return QFileInfo(file.absolutePath()).fileName() + QLatin1Char('/') + file.fileName();
}

QString ComparisonView::title() const {
    return QStringLiteral("%1 → %2").arg(name(Which::before), name(Which::after));
}

void ComparisonView::set_path(Which which, const QString& path) {
    Capture& capture = at(which);
    capture.path = path;
    capture.measured = nullptr;
    captures_ = nullptr;
    measuring_.cancel();
    comparing_.cancel();
    start();
    Q_EMIT title_changed();
}

void ComparisonView::swap() {
    Capture& before = at(Which::before);
    Capture& after = at(Which::after);
    std::swap(before.path, after.path);
    std::swap(before.measured, after.measured);
    captures_ = nullptr;
    // One that is being read is read for the place it had.
    measuring_.cancel();
    comparing_.cancel();
    start();
    Q_EMIT title_changed();
}

void ComparisonView::stop() {
    stopped_ = true;
    measuring_.cancel();
    comparing_.cancel();
    timer_.stop();
    show_captures();
}

void ComparisonView::start() {
    stopped_ = false;
    for (Capture& capture : captures_of_) capture.error.clear();
    for (const Which which : both) {
        if (at(which).measured == nullptr) return measure(which);
    }
    compare_both();
}

void ComparisonView::measure(Which which) {
    measured_now_ = which;
    progress_ = std::make_shared<MeasuringProgress>();
    const QString path = at(which).path;
    using Measured = Result<std::shared_ptr<const MeasuredCapture>>;
    measuring_.request(
        [file = file_name(path), progress = progress_, open = find_open_(path)](const StopFlag& stop) {
            return std::make_shared<Measured>(open != nullptr ? measure_open_capture(*open, stop)
                                                              : measure_file(file, stop, *progress));
        },
        [this, which](const std::shared_ptr<Measured>& outcome) {
            if (*outcome) {
                at(which).measured = **outcome;
            } else {
                at(which).error = QString::fromStdString(outcome->error().message);
            }
            for (const Which next : both) {
                if (at(next).measured == nullptr && at(next).error.isEmpty()) return measure(next);
            }
            compare_both();
        });
    constexpr int between_looks_ms = 100;
    timer_.start(between_looks_ms);
    show_captures();
}

void ComparisonView::compare_both() {
    timer_.stop();
    const auto& before = at(Which::before).measured;
    const auto& after = at(Which::after).measured;
    if (before != nullptr && after != nullptr) {
        comparing_.request([before, after](const StopFlag&) { return compare(before, after); },
                           [this](std::shared_ptr<const ComparedCaptures> captures) {
                               captures_ = std::move(captures);
                               show_captures();
                           });
    }
    show_captures();
}

void ComparisonView::show_captures() {
    const Theme& theme = Theme::of(palette());
    for (const Which which : both) {
        Capture& capture = at(which);
        const QFileInfo file(capture.path);
        capture.name->setText(name(which));
        capture.name->setToolTip(plain_text(file.absoluteFilePath()));
        QString about = file.exists() ? short_bytes(static_cast<double>(file.size())) : QString();
        if (capture.measured != nullptr) {
            about += QStringLiteral(", ") + QString::fromStdString(capture_words(capture.measured->figures));
            if (!capture.measured->damage.empty()) {
                about +=
                    tr("; the file is damaged: %1").arg(QString::fromStdString(capture.measured->damage));
            }
        } else if (!capture.error.isEmpty()) {
            about = tr("Cannot be read: %1").arg(capture.error);
        }
        QPalette colours = palette();
        if (!capture.error.isEmpty()) colours.setColor(QPalette::WindowText, theme.problem);
        capture.about->setPalette(colours);
        capture.about->setText(about);
    }
    const bool busy = !settled();
    const bool failed =
        std::ranges::any_of(captures_of_, [](const Capture& one) { return !one.error.isEmpty(); });
    QString outcome;
    if (captures_ != nullptr) {
        outcome = QString::fromStdString(outcome_words(captures_->comparison));
    } else if (stopped_) {
        outcome = tr("Stopped: nothing is compared.");
    } else if (failed && !busy) {
        outcome = tr("Nothing is compared: of one capture nothing could be read.");
    }
    outcome_->setText(outcome);
    bar_->setVisible(busy && !stopped_);
    stop_->setVisible(busy && !stopped_);
    state_->setVisible(busy && !stopped_);
    start_->setVisible(stopped_ || (failed && !busy));
    for (QPushButton* const button : {copy_, export_}) button->setEnabled(captures_ != nullptr);
    only_->setEnabled(captures_ != nullptr);
    show_progress();
    show_groups();
}

void ComparisonView::show_progress() {
    const bool reading = !measuring_.idle();
    state_->setText(reading ? tr("Reading %1…").arg(name(measured_now_)) : tr("Comparing…"));
    const uint64_t total = progress_ == nullptr ? 0 : progress_->bytes_total.load();
    bar_->setMaximum(reading && total > 0 ? progress_steps : 0);
    if (reading && total > 0) {
        bar_->setValue(static_cast<int>(std::min<double>(
            static_cast<double>(progress_->bytes_read) / static_cast<double>(total) * progress_steps,
            progress_steps)));
    }
}

void ComparisonView::show_groups() {
    model_->show(captures_, only_->isChecked());
    for (int group = 0; group < model_->rowCount(); ++group) {
        tree_->setFirstColumnSpanned(group, {}, true);
        const QModelIndex parent = model_->index(group, 0);
        for (int row = 0; row < model_->rowCount(parent); ++row) {
            if (model_->spans(row, parent)) tree_->setFirstColumnSpanned(row, parent, true);
        }
    }
    tree_->expandAll();
    const int line = fontMetrics().averageCharWidth();
    constexpr std::array widths{46, 36, 15, 15, 18, 58};
    for (int column = 0; column < ComparisonModel::verdict; ++column)
        tree_->setColumnWidth(column, line * widths[static_cast<size_t>(column)]);
}

void ComparisonView::choose(Which which) {
    const QString chosen = QFileDialog::getOpenFileName(
        this,
        which == Which::before ? tr("The capture from before the change")
                               : tr("The capture from after the change"),
        QFileInfo(path(which)).absolutePath(),
        tr("Captures (*.pcap *.pcapng *.cap *.dmp *.pcap.* *.pcapng.*);;All files (*)"));
    if (!chosen.isEmpty()) set_path(which, chosen);
}

QByteArray ComparisonView::text() const {
    if (captures_ == nullptr) return {};
    return QByteArray::fromStdString(
        comparison_text({path(Which::before).toStdString(), path(Which::after).toStdString()},
                        captures_->before->figures, captures_->after->figures, captures_->comparison));
}

QByteArray ComparisonView::json() const {
    if (captures_ == nullptr) return {};
    BytesInMemory bytes;
    write_comparison_json({path(Which::before).toStdString(), path(Which::after).toStdString()},
                          captures_->before->figures, captures_->after->figures, captures_->comparison,
                          bytes);
    return bytes.take();
}

QString ComparisonView::export_to(const QString& path) const {
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending != QStringLiteral("txt") && ending != QStringLiteral("json"))
        return tr("%1: the name ends with .txt or .json").arg(path);
    const QByteArray bytes = ending == QStringLiteral("json") ? json() : text();
    const QString why = write_file(path, bytes);
    return why.isEmpty() ? why : QStringLiteral("%1: %2").arg(path, why);
}

void ComparisonView::ask_to_export() {
    const QFileInfo after(path(Which::after));
    const QString chosen =
        QFileDialog::getSaveFileName(this, tr("Export the comparison"),
                                     after.dir().filePath(after.baseName() + QStringLiteral("-compared.txt")),
                                     tr("Text (*.txt);;JSON (*.json)"));
    if (chosen.isEmpty()) return;
    const QString error = export_to(chosen);
    if (error.isEmpty()) return;
    auto* const box = new QMessageBox(QMessageBox::Warning, tr("The comparison was not written"), error,
                                      QMessageBox::Ok, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void ComparisonView::show_menu(QPoint at) {
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (const ComparisonRow* const row = model_->row_of(tree_->indexAt(at))) {
        const auto add = [&](const QString& text, Which which, bool there) {
            QAction* const action = menu->addAction(text, this, [this, row = *row, which, shown = captures_] {
                // While the menu was open, another comparison may have come, and this row's gone.
                if (shown == captures_) go_to(row, which);
            });
            action->setEnabled(there);
        };
        const bool leads = row->finding != nullptr || row->session != nullptr;
        const bool before = row->finding == nullptr || row->finding->before != nullptr;
        const bool after = row->finding == nullptr || row->finding->after != nullptr;
        add(tr("Show in the capture from &before"), Which::before, leads && before);
        add(tr("Show in the capture from &after"), Which::after, leads && after);
        menu->addSeparator();
    }
    menu->addAction(tr("&Copy the chosen rows"), this, &ComparisonView::copy_rows);
    menu->popup(tree_->viewport()->mapToGlobal(at));
}

void ComparisonView::go_to(const ComparisonRow& row, Which which) {
    if (captures_ == nullptr) return;
    if (row.finding != nullptr) {
        const Finding* const finding = which == Which::before ? captures_->finding_before(*row.finding)
                                                              : captures_->finding_after(*row.finding);
        if (finding != nullptr) Q_EMIT finding_wanted(path(which), *finding);
        return;
    }
    if (row.session == nullptr || row.place == nullptr) return;
    const CaptureFigures& figures =
        which == Which::before ? captures_->before->figures : captures_->after->figures;
    const SessionFigures& session =
        figures.sessions[which == Which::before ? row.session->before : row.session->after];
    Q_EMIT commands_wanted(path(which), filter_of(session, *row.place));
}

void ComparisonView::copy_rows() const {
    QString text;
    QModelIndexList rows = tree_->selectionModel()->selectedRows();
    std::ranges::sort(rows, {}, [](const QModelIndex& index) {
        return index.parent().isValid() ? std::pair(index.parent().row(), index.row())
                                        : std::pair(index.row(), -1);
    });
    for (const QModelIndex& index : rows) {
        QStringList cells;
        for (int column = 0; column < ComparisonModel::columns; ++column) {
            const QString cell = index.siblingAtColumn(column).data().toString();
            if (!cell.isEmpty() || column < ComparisonModel::interval) cells.append(cell);
        }
        text += cells.join(QLatin1Char('\t')).trimmed() + QLatin1Char('\n');
    }
    QApplication::clipboard()->setText(text);
}

void ComparisonView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && model_ != nullptr)
        model_->set_dark(Theme::of(palette()).dark);
}

bool ComparisonView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == tree_ && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        copy_rows();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/experiment_window.h"

#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/experimenting/experiment_figure.h"
#include "gui/experimenting/experiment_form.h"
#include "gui/generating/generator_program.h"

namespace sanscope {
namespace {

constexpr int look_each_ms = 1000;
constexpr qint64 most_bytes_of_records = 64 << 20;

QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

std::string available_congestion_controls() {
    QFile file(QStringLiteral("/proc/sys/net/ipv4/tcp_available_congestion_control"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toStdString() : std::string();
}

QLabel* make_words(QWidget* parent, const QString& name) {
    auto* const label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setAccessibleName(name);
    return label;
}

}  // namespace

ExperimentWindow::ExperimentWindow(QWidget* parent, bool may_run)
    : QDialog(parent, Qt::Window),
      may_run_(may_run),
      process_(this),
      records_(std::make_shared<std::vector<lab::RunRecord>>()),
      form_(new ExperimentForm(this)),
      drawings_(new QComboBox(this)),
      figure_(new ExperimentFigure(this)),
      runs_(new RunsModel(this)),
      table_(new QTableView(this)),
      plan_(make_words(this, tr("The plan"))),
      command_(new QPlainTextEdit(this)),
      right_(make_words(this, tr("The right to run it"))),
      message_(make_words(this, tr("What is to be known"))),
      progress_(new QProgressBar(this)),
      start_(new QPushButton(tr("&Start"), this)),
      stop_(new QPushButton(tr("&Cancel"), this)) {
    setWindowTitle(tr("Experiment"));
    build();
    connect(form_, &ExperimentForm::changed, this, &ExperimentWindow::choose);
    connect(drawings_, &QComboBox::currentIndexChanged, this, &ExperimentWindow::show_figure);
    connect(figure_, &ExperimentFigure::run_marked, this, &ExperimentWindow::select_run);
    connect(figure_, &ExperimentFigure::run_opened, this, [this](size_t record) {
        if (const ShownRun* const run = runs_->run(runs_->row_of(record))) open_run(*run);
    });
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const ShownRun* const run = runs_->run(index.row())) open_run(*run);
    });
    connect(&process_, &ExperimentProcess::message, message_, &QLabel::setText);
    connect(&process_, &ExperimentProcess::begun, this, [this](uint64_t runs) {
        constexpr uint64_t most_steps = 1 << 30;
        progress_->setRange(0, static_cast<int>(std::min(runs, most_steps)));
        progress_->setValue(0);
    });
    connect(&process_, &ExperimentProcess::told, this, &ExperimentWindow::take);
    connect(&process_, &ExperimentProcess::ended, this, &ExperimentWindow::take_end);
    connect(&timer_, &QTimer::timeout, this, [this] {
        if (isVisible() || under_way()) look();
    });
    timer_.start(look_each_ms);
    choose();
}

void ExperimentWindow::build() {
    auto* const column = new QVBoxLayout(this);
    auto* const halves = new QSplitter(this);
    halves->setChildrenCollapsible(false);
    halves->addWidget(form_);
    halves->addWidget(build_results());
    halves->setStretchFactor(0, 2);
    halves->setStretchFactor(1, 3);
    column->addWidget(halves, 1);
    column->addWidget(plan_);
    column->addLayout(build_command());
    column->addWidget(right_);
    column->addWidget(message_);
    column->addLayout(build_buttons());
    resize(1240, 860);
}

QWidget* ExperimentWindow::build_results() {
    auto* const results = new QSplitter(Qt::Vertical, this);
    results->setChildrenCollapsible(false);
    auto* const above = new QWidget(results);
    auto* const column = new QVBoxLayout(above);
    column->setContentsMargins(0, 0, 0, 0);
    auto* const row = new QHBoxLayout;
    auto* const label = new QLabel(tr("F&igure"), above);
    label->setBuddy(drawings_);
    drawings_->setAccessibleName(tr("Figure"));
    drawings_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    row->addWidget(label);
    row->addWidget(drawings_, 1);
    column->addLayout(row);
    column->addWidget(figure_, 1);
    results->addWidget(above);
    table_->setAccessibleName(tr("Runs of the experiment"));
    table_->setModel(runs_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setTabKeyNavigation(false);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    connect(runs_, &RunsModel::modelReset, this, &ExperimentWindow::fit_columns);
    fit_columns();
    results->addWidget(table_);
    results->setStretchFactor(0, 3);
    results->setStretchFactor(1, 2);
    return results;
}

// By their headings, of which an experiment has its own: its runs are too many to look at.
void ExperimentWindow::fit_columns() {
    const QHeaderView* const headings = table_->horizontalHeader();
    for (int column = 0; column < runs_->columnCount(); ++column)
        table_->setColumnWidth(column, headings->sectionSizeHint(column));
    table_->setColumnWidth(RunsModel::number, fontMetrics().horizontalAdvance(QStringLiteral("000000")));
    constexpr std::pair<int, int> characters[] = {{RunsModel::settings, 48}, {RunsModel::state, 16}};
    for (const auto& [column, count] : characters)
        table_->setColumnWidth(column, count * fontMetrics().averageCharWidth());
}

QLayout* ExperimentWindow::build_command() {
    auto* const row = new QHBoxLayout;
    command_->setAccessibleName(tr("The same as a command"));
    command_->setReadOnly(true);
    command_->setTabChangesFocus(true);
    command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    constexpr int lines = 2;
    constexpr int frame = 14;
    command_->setFixedHeight(lines * QFontMetrics(command_->font()).lineSpacing() + frame);
    row->addWidget(command_, 1);
    auto* const copy = new QPushButton(tr("Cop&y"), this);
    copy->setAccessibleName(tr("Copy the command"));
    copy->setAutoDefault(false);
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(command_->toPlainText()); });
    row->addWidget(copy, 0, Qt::AlignTop);
    return row;
}

QLayout* ExperimentWindow::build_buttons() {
    auto* const row = new QHBoxLayout;
    progress_->setAccessibleName(tr("How far the experiment is"));
    progress_->setRange(0, 1);
    row->addWidget(progress_, 1);
    auto* const close = new QPushButton(tr("C&lose"), this);
    for (QPushButton* const button : {start_, stop_, close}) {
        // Enter is of the fields and of the runs.
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    connect(start_, &QPushButton::clicked, this, &ExperimentWindow::start);
    connect(stop_, &QPushButton::clicked, this, &ExperimentWindow::stop);
    connect(close, &QPushButton::clicked, this, &ExperimentWindow::reject);
    return row;
}

QString ExperimentWindow::plan() const {
    return plan_->text();
}

QString ExperimentWindow::message() const {
    return message_->text();
}

QString ExperimentWindow::command() const {
    return command_->toPlainText();
}

QString ExperimentWindow::records_path() const {
    return choice_.folder + QStringLiteral("/runs.csv");
}

void ExperimentWindow::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    look();
}

// What is entered has changed.
void ExperimentWindow::choose() {
    choice_ = form_->choice();
    trouble_.clear();
    auto chosen = lab::choose(choice_.wishes);
    if (!chosen) {
        chosen_.reset();
        trouble_ = QString::fromStdString(chosen.error().message);
    } else {
        chosen_ = std::make_shared<const lab::ChosenExperiment>(std::move(*chosen));
        if (choice_.folder.isEmpty()) trouble_ = tr("Which folder is what comes out written into?");
    }
    command_->setPlainText(trouble_.isEmpty() ? experiment_command(choice_, generator_program(), !may_run_)
                                              : QString());
    message_->setText(trouble_);
    const QSignalBlocker no_figure(drawings_);
    const QString before = drawings_->currentText();
    drawings_->clear();
    if (chosen_ != nullptr) {
        for (const lab::Drawing& drawing : chosen_->experiment.drawings)
            drawings_->addItem(text_of(drawing.title));
    }
    drawings_->setCurrentIndex(std::max(0, drawings_->findText(before)));
    seen_ = {};
    look();
}

// Whether somebody has written into the folder.
void ExperimentWindow::look() {
    const QFileInfo info(records_path());
    Seen now{
        .path = info.filePath(), .bytes = info.exists() ? info.size() : 0, .changed = info.lastModified()};
    if (now == seen_) return;
    seen_ = std::move(now);
    read_records();
    show_runs();
    show_figure();
    show_plan();
    update_buttons();
}

void ExperimentWindow::read_records() {
    auto records = std::make_shared<std::vector<lab::RunRecord>>();
    const QFileInfo info(records_path());
    QString wrong;
    if (!choice_.folder.isEmpty() && info.exists()) {
        if (!info.isFile() || info.size() > most_bytes_of_records) {
            wrong = tr("%1 is no file with runs; choose another folder").arg(info.filePath());
        } else if (auto read = lab::read_run_records(QFile::encodeName(info.filePath()).toStdString())) {
            *records = std::move(read->records);
        } else {
            wrong = tr("%1; choose another folder").arg(QString::fromStdString(read.error().message));
        }
    }
    records_ = std::move(records);
    if (!wrong.isEmpty()) {
        trouble_ = wrong;
        message_->setText(trouble_);
    } else if (chosen_ != nullptr && !choice_.folder.isEmpty() && !trouble_.isEmpty()) {
        // It has been put right.
        trouble_.clear();
        message_->clear();
    }
}

void ExperimentWindow::show_runs() {
    std::vector<ShownRun> shown;
    if (chosen_ != nullptr) shown = shown_runs(*chosen_, *records_, available_congestion_controls());
    // What the process told of those that have no record yet.
    if (under_way() && shown.size() == runs_->runs().size()) {
        for (size_t i = 0; i < shown.size(); ++i) {
            const ShownRun& before = runs_->runs()[i];
            const bool told =
                before.state == ShownRun::State::runs || before.state == ShownRun::State::failed;
            if (!told || shown[i].state == ShownRun::State::done || before.run != shown[i].run) continue;
            shown[i].state = before.state;
            shown[i].why = before.why;
        }
    }
    runs_->set(chosen_, records_, std::move(shown));
}

void ExperimentWindow::show_figure() {
    if (chosen_ == nullptr) return figure_->set_picture({});
    figure_->set_picture(
        picture_of(*chosen_, *records_, static_cast<size_t>(std::max(0, drawings_->currentIndex()))));
}

void ExperimentWindow::show_plan() {
    if (chosen_ == nullptr) return plan_->clear();
    std::vector<lab::PlannedRun> remaining;
    for (const ShownRun& run : runs_->runs()) {
        if (run.state != ShownRun::State::done) remaining.push_back(run.run);
    }
    const size_t done = runs_->runs().size() - remaining.size();
    QStringList sentences;
    for (const std::string& sentence : lab::leave_out(remaining, available_congestion_controls()))
        sentences << QString::fromStdString(sentence);
    sentences.prepend(QString::fromStdString(
        lab::plan_sentence(*chosen_, remaining.size(), done, choice_.records_packets(*chosen_))));
    plan_->setText(sentences.join(u'\n'));
}

void ExperimentWindow::update_buttons() {
    const bool runs = under_way();
    form_->setEnabled(!runs);
    const bool something = std::ranges::any_of(
        runs_->runs(), [](const ShownRun& run) { return run.state == ShownRun::State::waits; });
    const bool failed = std::ranges::any_of(
        runs_->runs(), [](const ShownRun& run) { return run.state == ShownRun::State::failed; });
    start_->setEnabled(may_run_ && !runs && trouble_.isEmpty() && (something || failed));
    stop_->setEnabled(runs);
    stop_->setText(stop_asked_ ? tr("&End it now") : tr("&Cancel"));
    progress_->setEnabled(runs);
    right_->setText(
        may_run_
            ? tr("It runs as root, as this window does: its hosts are network namespaces, which are "
                 "removed after each run.")
            : tr("Hosts in network namespaces need root, which this window is not: copy the command into "
                 "a terminal. The figure grows here meanwhile."));
}

void ExperimentWindow::start() {
    if (under_way() || !may_run_ || !trouble_.isEmpty() || chosen_ == nullptr) return;
    form_->remember();
    stop_asked_ = close_afterwards_ = false;
    message_->setText(tr("The experiment begins."));
    show_runs();
    process_.start(experiment_arguments(choice_));
    update_buttons();
}

void ExperimentWindow::stop() {
    if (!under_way()) return;
    process_.stop();
    message_->setText(stop_asked_
                          ? tr("It is ended. Hosts that it leaves behind are removed by the next experiment.")
                          : tr("The run that is under way is given up, and its hosts are removed."));
    stop_asked_ = true;
    update_buttons();
}

void ExperimentWindow::take(const RunTold& run) {
    const QString which = tr("Run %1 of %2: %3").arg(run.number).arg(run.of).arg(run.label);
    switch (run.kind) {
        case RunTold::Kind::begins:
            runs_->set_state(run.label, run.repetition, ShownRun::State::runs);
            if (!stop_asked_) message_->setText(which);
            return;
        case RunTold::Kind::failed:
            runs_->set_state(run.label, run.repetition, ShownRun::State::failed, run.text);
            message_->setText(tr("%1 failed: %2").arg(which, run.text));
            break;
        case RunTold::Kind::done:
            look();
            break;
    }
    constexpr uint64_t most_steps = 1 << 30;
    progress_->setValue(static_cast<int>(std::min(run.number, most_steps)));
    progress_->setFormat(run.seconds_left > 0
                             ? tr("%1 of %2, about %3 left")
                                   .arg(run.number)
                                   .arg(run.of)
                                   .arg(QString::fromStdString(lab::duration_text(run.seconds_left)))
                             : tr("%1 of %2").arg(run.number).arg(run.of));
}

void ExperimentWindow::take_end(const ExperimentEnd& end) {
    constexpr int interrupted = 130;
    constexpr int some_failed = 3;
    QString what;
    if (end.status == 0) {
        what = tr("All runs are done. Figure, tables and page are in %1.").arg(choice_.folder);
    } else if (stop_asked_ || end.status == interrupted) {
        what = tr("Cancelled. Runs that are done are kept; Start goes on from there.");
    } else if (end.status == some_failed) {
        const QString done = end.done == 1 ? tr("1 run was done") : tr("%1 runs were done").arg(end.done);
        what = tr("%1, %2 failed; Start tries those again.").arg(done).arg(end.failed);
    } else {
        what = end.why;
    }
    message_->setText(what);
    stop_asked_ = false;
    // Runs that were under way are to come again; why others failed stays until the next start.
    std::vector<ShownRun> before = runs_->runs();
    seen_ = {};
    look();
    for (const ShownRun& run : before) {
        if (run.state != ShownRun::State::failed || chosen_ == nullptr) continue;
        runs_->set_state(QString::fromStdString(lab::run_label(chosen_->experiment, run.run.settings)),
                         run.run.repetition, ShownRun::State::failed, run.why);
    }
    message_->setText(what);
    update_buttons();
    Q_EMIT ended();
    if (std::exchange(close_afterwards_, false)) hide();
}

void ExperimentWindow::select_run(size_t record) {
    const int row = runs_->row_of(record);
    if (row < 0) return;
    table_->selectRow(row);
    table_->scrollTo(runs_->index(row, 0));
}

void ExperimentWindow::open_run(const ShownRun& run) {
    if (run.state != ShownRun::State::done || chosen_ == nullptr)
        return message_->setText(tr("This run has not been made yet."));
    const QString path = capture_path(choice_.folder, run.run, chosen_->seconds);
    if (QFileInfo(path).isFile()) {
        Q_EMIT capture_wanted(path);
    } else if (run.run.settings.load != lab::Load::iscsi) {
        message_->setText(tr("This run’s load is not iSCSI but %1, of which no captures are kept.")
                              .arg(run.run.settings.load == lab::Load::socket ? tr("plain sockets")
                                                                              : tr("a transfer over UDP")));
    } else {
        message_->setText(
            tr("This run’s capture was not kept. Runs that are made while “Keep the captures” is "
               "chosen have one; to make this one again, choose another folder."));
    }
}

void ExperimentWindow::reject() {
    if (!under_way()) return QDialog::reject();
    auto* const box = new QMessageBox(
        QMessageBox::Question, tr("An experiment is under way"),
        tr("End it? The run that is under way is lost; those that are done are kept, and Start goes on from "
           "there."),
        QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* const end = box->addButton(tr("&End it"), QMessageBox::AcceptRole);
    QPushButton* const go_on = box->addButton(tr("Close only the &window"), QMessageBox::AcceptRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(end, &QPushButton::clicked, this, [this] {
        if (!under_way()) return hide();
        close_afterwards_ = true;
        stop();
    });
    connect(go_on, &QPushButton::clicked, this, &QWidget::hide);
    box->open();
}

}  // namespace sanscope

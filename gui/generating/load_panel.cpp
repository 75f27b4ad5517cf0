// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/load_panel.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QHeaderView>
#include <QJsonDocument>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QTabWidget>
#include <QTime>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/document/plain_text.h"
#include "gui/document/write_file.h"
#include "gui/generating/load_charts.h"
#include "gui/generating/load_summary.h"

namespace sanscope {
namespace {

enum Place : size_t { throughput, commands, median, p99, in_flight, errors, processor, elapsed };
constexpr int progress_steps = 1000;
constexpr int figures_width = 300;
constexpr int least_words_width = 260;
constexpr int most_words_width = 430;
constexpr double ns_per_second = 1e9;

QString count_text(uint64_t count) {
    return QLocale(QLocale::English).toString(static_cast<qulonglong>(count));
}

QString duration_of(std::optional<double> ns) {
    return ns ? value_text(*ns, ValueUnit::nanoseconds) : QStringLiteral("–");
}

QString seconds_text(double seconds) {
    return value_text(seconds * ns_per_second, ValueUnit::nanoseconds);
}

}  // namespace

LoadPanel::LoadPanel(QWidget* parent)
    : QWidget(parent),
      state_(new QLabel(this)),
      of_what_(new QLabel(this)),
      progress_(new QProgressBar(this)),
      stop_(new QPushButton(tr("&Stop"), this)),
      again_(new QPushButton(tr("&Again"), this)),
      save_(new QPushButton(tr("Save summary as &JSON…"), this)),
      caption_(new QLabel(this)),
      charts_(new LoadCharts(this)),
      words_(new QTabWidget(this)),
      summary_(new QTreeWidget(this)),
      messages_(new QPlainTextEdit(this)) {
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(8, 6, 8, 6);
    column->addLayout(build_head());
    auto* const row = new QHBoxLayout;
    row->addWidget(build_figures());
    row->addWidget(charts_, 2);
    row->addWidget(build_words(), 1);
    column->addLayout(row, 1);
    begin({});
    show_state(tr("No load has been put on yet."));
    stop_->setEnabled(false);
}

QLayout* LoadPanel::build_head() {
    auto* const row = new QHBoxLayout;
    QFont bold = font();
    bold.setBold(true);
    state_->setFont(bold);
    // What targets say may stand in both.
    for (QLabel* const label : {state_, of_what_}) {
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    state_->setWordWrap(true);
    state_->setAccessibleName(tr("State of the load"));
    of_what_->setAccessibleName(tr("What the load is put on"));
    of_what_->setMinimumWidth(0);
    of_what_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(state_, 3);
    row->addWidget(of_what_, 2);
    progress_->setRange(0, progress_steps);
    progress_->setAccessibleName(tr("How far the load is"));
    progress_->setMinimumWidth(260);
    row->addWidget(progress_, 2);
    for (QPushButton* const button : {stop_, again_, save_}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    connect(stop_, &QPushButton::clicked, this, &LoadPanel::stop_asked);
    connect(again_, &QPushButton::clicked, this, &LoadPanel::again_asked);
    connect(save_, &QPushButton::clicked, this, &LoadPanel::ask_to_save);
    return row;
}

QWidget* LoadPanel::build_figures() {
    auto* const box = new QWidget(this);
    auto* const grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(0);
    figures_[throughput].name = tr("Throughput");
    figures_[commands].name = tr("Commands a second");
    figures_[median].name = tr("Turnaround, median");
    figures_[p99].name = tr("Turnaround, p99");
    figures_[in_flight].name = tr("In flight");
    figures_[errors].name = tr("Errors");
    figures_[processor].name = tr("Processor");
    figures_[elapsed].name = tr("Time");
    constexpr double larger = 1.5;
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * larger);
    large.setBold(true);
    for (size_t i = 0; i < figures_.size(); ++i) {
        auto* const cell = new QVBoxLayout;
        cell->setSpacing(0);
        auto* const name = new QLabel(figures_[i].name, box);
        name->setForegroundRole(QPalette::PlaceholderText);
        figures_[i].value = new QLabel(box);
        figures_[i].value->setTextFormat(Qt::PlainText);
        figures_[i].value->setFont(large);
        figures_[i].value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        figures_[i].value->setAccessibleName(figures_[i].name);
        cell->addWidget(name);
        cell->addWidget(figures_[i].value);
        grid->addLayout(cell, static_cast<int>(i) / 2, static_cast<int>(i) % 2);
    }
    caption_->setForegroundRole(QPalette::PlaceholderText);
    grid->addWidget(caption_, 4, 0, 1, 2);
    grid->setRowStretch(5, 1);
    box->setFixedWidth(figures_width);
    return box;
}

QWidget* LoadPanel::build_words() {
    summary_->setAccessibleName(tr("Summary of the load"));
    summary_->setColumnCount(2);
    summary_->setHeaderHidden(true);
    summary_->setRootIsDecorated(false);
    summary_->setUniformRowHeights(true);
    summary_->setFrameShape(QFrame::NoFrame);
    summary_->header()->setStretchLastSection(false);
    summary_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    messages_->setAccessibleName(tr("Messages of the load"));
    messages_->setReadOnly(true);
    messages_->setFrameShape(QFrame::NoFrame);
    constexpr int most_messages = 1000;
    messages_->setMaximumBlockCount(most_messages);
    words_->addTab(messages_, tr("Messages"));
    words_->addTab(summary_, tr("Summary"));
    words_->setAccessibleName(tr("Messages and summary of the load"));
    words_->setDocumentMode(true);
    words_->setMinimumWidth(least_words_width);
    words_->setMaximumWidth(most_words_width);
    return words_;
}

void LoadPanel::set_figure(size_t place, const QString& text) {
    figures_[place].value->setText(text);
}

void LoadPanel::begin(const LoadSettings& settings) {
    settings_ = settings;
    end_ = {};
    last_at_ = 0;
    commands_ = bytes_ = errors_ = 0;
    for (size_t i = 0; i < figures_.size(); ++i) set_figure(i, QStringLiteral("–"));
    caption_->setText(tr("of the last second"));
    charts_->clear();
    summary_->clear();
    messages_->clear();
    words_->setTabEnabled(1, false);
    words_->setCurrentIndex(0);
    const QString text = settings.luns.join(QStringLiteral(", "));
    of_what_->setText(text);
    of_what_->setToolTip(plain_text(text));
    progress_->setVisible(!settings.luns.isEmpty());
    show_progress(0, QString());
    stop_->setText(tr("&Stop"));
    stop_->setEnabled(true);
    again_->setEnabled(false);
    save_->setEnabled(false);
}

void LoadPanel::show_state(const QString& sentence) {
    state_->setText(sentence);
}

void LoadPanel::show_progress(double share, const QString& text) {
    progress_->setValue(static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * progress_steps)));
    progress_->setFormat(text);
}

void LoadPanel::add(const LoadSecond& second) {
    commands_ += second.commands;
    bytes_ += second.bytes;
    errors_ += second.errors;
    set_figure(in_flight, count_text(second.in_flight));
    set_figure(errors, count_text(errors_));
    if (const double took = second.at - last_at_; took >= LoadSeries::shortest_second) {
        set_figure(throughput, value_text(second.bytes_per_second, ValueUnit::bytes_per_second));
        set_figure(commands, value_text(second.commands_per_second, ValueUnit::count));
        set_figure(median, duration_of(second.p50_ns));
        set_figure(p99, duration_of(second.p99_ns));
        set_figure(processor, QStringLiteral("%1 %").arg(100 * second.cpu_seconds / took, 0, 'f', 0));
    }
    set_figure(elapsed, seconds_text(second.at));
    last_at_ = std::max(last_at_, second.at);
    charts_->add(second);
    switch (settings_.end) {
        case LoadSettings::End::duration:
            show_progress(second.at / settings_.seconds,
                          tr("%1 of %2").arg(seconds_text(second.at), seconds_text(settings_.seconds)));
            break;
        case LoadSettings::End::bytes:
            show_progress(static_cast<double>(bytes_) / static_cast<double>(settings_.bytes),
                          tr("%1 of %2")
                              .arg(value_text(static_cast<double>(bytes_), ValueUnit::bytes),
                                   value_text(static_cast<double>(settings_.bytes), ValueUnit::bytes)));
            break;
        case LoadSettings::End::commands:
            show_progress(static_cast<double>(commands_ + errors_) / static_cast<double>(settings_.commands),
                          tr("%1 of %2 commands").arg(count_text(commands_), count_text(settings_.commands)));
            break;
    }
}

void LoadPanel::show_message(const QString& message) {
    messages_->appendPlainText(QTime::currentTime().toString(QStringLiteral("HH:mm:ss  ")) + message);
}

void LoadPanel::show_stopping(LoadProcess::State state) {
    if (state == LoadProcess::State::stopping) {
        show_state(tr("Stopping: nothing more is sent, answers are waited for."));
        stop_->setText(tr("&Do not wait"));
    } else {
        show_state(tr("Stopping: answers are not waited for."));
        stop_->setText(tr("&End it"));
    }
}

void LoadPanel::show_end(const LoadEnd& end) {
    end_ = end;
    show_state(end_sentence(end));
    stop_->setText(tr("&Stop"));
    stop_->setEnabled(false);
    again_->setEnabled(!settings_.luns.isEmpty());
    save_->setEnabled(!end.summary.isEmpty());
    summary_->clear();
    for (const auto& [name, value] : summary_rows(end.summary)) {
        auto* const item = new QTreeWidgetItem(summary_, {name, value});
        item->setToolTip(1, plain_text(value));
    }
    if (end.summary.isEmpty()) return;
    const QJsonObject turnaround = end.summary.value(QStringLiteral("turnaround_ns")).toObject();
    const double seconds = std::max(0.0, number_of(end.summary, "seconds"));
    const bool any = count_of(end.summary, "commands") > 0;
    const auto percentile = [&](const char* name) {
        return any ? duration_of(number_of(turnaround, name)) : QStringLiteral("–");
    };
    set_figure(throughput, value_text(std::max(0.0, number_of(end.summary, "bytes_per_second")),
                                      ValueUnit::bytes_per_second));
    set_figure(commands,
               value_text(std::max(0.0, number_of(end.summary, "commands_per_second")), ValueUnit::count));
    set_figure(median, percentile("p50"));
    set_figure(p99, percentile("p99"));
    set_figure(in_flight, count_text(count_of(end.summary, "in_flight")));
    set_figure(errors, count_text(count_of(end.summary, "errors")));
    if (seconds > 0) {
        set_figure(processor,
                   QStringLiteral("%1 %").arg(
                       100 * std::max(0.0, number_of(end.summary, "cpu_seconds")) / seconds, 0, 'f', 0));
    }
    set_figure(elapsed, seconds_text(seconds));
    caption_->setText(tr("of the whole load"));
    progress_->setFormat(tr("ended after %1").arg(seconds_text(seconds)));
    words_->setTabEnabled(1, true);
    words_->setCurrentIndex(1);
}

QString LoadPanel::figure(const QString& name) const {
    const auto* const found = std::ranges::find(figures_, name, &Figure::name);
    return found == figures_.end() ? QString() : found->value->text();
}

QString LoadPanel::state() const {
    return state_->text();
}

QString LoadPanel::messages() const {
    return messages_->toPlainText();
}

void LoadPanel::ask_to_save() {
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save the summary"), QStringLiteral("load.json"), tr("JSON (*.json);;All files (*)"));
    if (path.isEmpty()) return;
    const QString why = write_file(path, QJsonDocument(end_.summary).toJson());
    if (why.isEmpty()) return;
    auto* const box = new QMessageBox(QMessageBox::Warning, tr("Not saved"),
                                      QStringLiteral("%1: %2").arg(path, why), QMessageBox::Ok, this);
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace sanscope

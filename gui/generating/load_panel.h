// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <array>

#include "gui/generating/load_process.h"

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QTabWidget;
class QTreeWidget;

namespace sanscope {

class LoadCharts;

// What a load does while it runs, and what came of it: figures of the last second, charts, how far it is, what it says.
class LoadPanel : public QWidget {
    Q_OBJECT

  public:
    explicit LoadPanel(QWidget* parent = nullptr);

    // A load that is about to be put on; what was shown of the one before goes.
    void begin(const LoadSettings& settings);
    void show_state(const QString& sentence);
    void add(const LoadSecond& second);
    void show_message(const QString& message);
    void show_stopping(LoadProcess::State state);
    void show_end(const LoadEnd& end);

    // As they are shown, for whoever looks from outside.
    QString figure(const QString& name) const;
    QString state() const;
    QString messages() const;
    const LoadCharts& charts() const { return *charts_; }
    const QTreeWidget& summary() const { return *summary_; }

  Q_SIGNALS:
    void stop_asked();
    void again_asked();

  private:
    struct Figure {
        QString name;
        QLabel* value = nullptr;
    };
    QWidget* build_figures();
    QLayout* build_head();
    QWidget* build_words();
    void set_figure(size_t place, const QString& text);
    void show_progress(double share, const QString& text);
    void ask_to_save();

    LoadSettings settings_;
    LoadEnd end_;
    double last_at_ = 0;
    uint64_t commands_ = 0;
    uint64_t bytes_ = 0;
    uint64_t errors_ = 0;
    std::array<Figure, 8> figures_;
    QLabel* state_;
    QLabel* of_what_;
    QProgressBar* progress_;
    QPushButton* stop_;
    QPushButton* again_;
    QPushButton* save_;
    QLabel* caption_;
    LoadCharts* charts_;
    QTabWidget* words_;
    QTreeWidget* summary_;
    QPlainTextEdit* messages_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QDialog>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "gui/experimenting/experiment_choice.h"
#include "gui/experimenting/experiment_process.h"
#include "gui/experimenting/runs_model.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QTableView;

namespace sanscope {

class ExperimentFigure;
class ExperimentForm;

// `sanscope experiment` as a window: what is chosen, the plan, the command; the runs, and the figure that grows with the
// records in the folder, whoever writes them. Stays open beside captures; the process ends with it.
class ExperimentWindow : public QDialog {
    Q_OBJECT

  public:
    // `may_run`: by itself; else its user gets the command only.
    explicit ExperimentWindow(QWidget* parent = nullptr, bool may_run = may_run_experiments());

    ExperimentForm& form() const { return *form_; }
    ExperimentFigure& figure() const { return *figure_; }
    const RunsModel& runs() const { return *runs_; }
    // What is shown below: the plan in a sentence, what stands against it or became of it, the command.
    QString plan() const;
    QString message() const;
    QString command() const;

    bool under_way() const { return process_.state() != ExperimentProcess::State::idle; }
    void start();
    // The run that is under way is given up; those that are done are kept.
    void stop();
    // Asks first while an experiment is under way.
    void reject() override;

  Q_SIGNALS:
    void capture_wanted(const QString& path);
    void ended();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void build();
    QWidget* build_results();
    void fit_columns();
    QLayout* build_command();
    QLayout* build_buttons();
    void choose();
    void look();
    void read_records();
    void show_runs();
    void show_figure();
    void show_plan();
    void update_buttons();
    void take(const RunTold& run);
    void take_end(const ExperimentEnd& end);
    void select_run(size_t record);
    void open_run(const ShownRun& run);
    QString records_path() const;

    bool may_run_;
    ExperimentProcess process_;
    ExperimentChoice choice_;
    std::shared_ptr<const lab::ChosenExperiment> chosen_;  // nullptr: what is entered cannot be
    std::shared_ptr<const std::vector<lab::RunRecord>> records_;
    QString trouble_;  // with what is chosen, in a sentence
    QTimer timer_;
    struct Seen {
        QString path;
        qint64 bytes = -1;
        QDateTime changed;
        bool operator==(const Seen&) const = default;
    };
    Seen seen_;
    bool stop_asked_ = false;
    bool close_afterwards_ = false;

    ExperimentForm* form_;
    QComboBox* drawings_;
    ExperimentFigure* figure_;
    RunsModel* runs_;
    QTableView* table_;
    QLabel* plan_;
    QPlainTextEdit* command_;
    QLabel* right_;
    QLabel* message_;
    QProgressBar* progress_;
    QPushButton* start_;
    QPushButton* stop_;
};

}  // namespace sanscope

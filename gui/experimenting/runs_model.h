// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "captures/experiment/chosen_experiment.h"
#include "captures/experiment/run_records.h"

namespace sanscope {

// A run of the plan, and what became of it.
struct ShownRun {
    enum class State : uint8_t {
        waits,
        runs,
        done,
        failed,
        left_out,  // this kernel does not have its congestion control
    };

    lab::PlannedRun run;
    State state = State::waits;
    QString why = {};                             // it failed
    std::optional<size_t> record = std::nullopt;  // of those given; it is done
};

// The runs of the plan, in its order: done where there is a record, left out where their congestion control is none of
// `available`, words of which an empty text says nothing.
std::vector<ShownRun> shown_runs(const lab::ChosenExperiment& chosen,
                                 const std::vector<lab::RunRecord>& records, std::string_view available);

// Runs as a table: number, settings, repetition, what became of it, what was measured.
class RunsModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column : int { number, settings, repetition, state, first_measure };

    explicit RunsModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void set(std::shared_ptr<const lab::ChosenExperiment> chosen,
             std::shared_ptr<const std::vector<lab::RunRecord>> records, std::vector<ShownRun> runs);
    // Of a run by its words and repetition, as its process tells of it; of one that is done nothing changes. Its row, or -1.
    int set_state(const QString& label, uint64_t repetition_number, ShownRun::State become,
                  const QString& why = {});
    const std::vector<ShownRun>& runs() const { return runs_; }
    const ShownRun* run(int row) const;
    // The row of a record's run; -1: it is not in the plan.
    int row_of(size_t record) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QString text(const ShownRun& run, int row, int column) const;

    std::shared_ptr<const lab::ChosenExperiment> chosen_;
    std::shared_ptr<const std::vector<lab::RunRecord>> records_;
    std::vector<ShownRun> runs_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/runs_model.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include "gui/document/plain_text.h"

namespace sanscope {
namespace {

std::string key_of(const lab::PlannedRun& run) {
    return fmt::format("{}#{}", lab::settings_text(run.settings), run.repetition);
}

QString state_text(const ShownRun& run) {
    switch (run.state) {
        case ShownRun::State::waits:
            return RunsModel::tr("to come");
        case ShownRun::State::runs:
            return RunsModel::tr("under way");
        case ShownRun::State::done:
            return RunsModel::tr("done");
        case ShownRun::State::failed:
            return RunsModel::tr("failed: %1").arg(run.why);
        case ShownRun::State::left_out:
            return RunsModel::tr("left out");
    }
    return {};
}

}  // namespace

std::vector<ShownRun> shown_runs(const lab::ChosenExperiment& chosen,
                                 const std::vector<lab::RunRecord>& records, std::string_view available) {
    std::unordered_map<std::string, size_t> record_of;
    for (size_t i = 0; i < records.size(); ++i) {
        if (records[i].seconds == chosen.seconds) record_of.emplace(key_of(records[i].run), i);
    }
    const std::string words = fmt::format(" {} ", available);
    std::vector<ShownRun> shown;
    for (lab::PlannedRun& planned : chosen.plan()) {
        ShownRun& run = shown.emplace_back(ShownRun{.run = std::move(planned)});
        const auto found = record_of.find(key_of(run.run));
        if (found != record_of.end()) {
            run.state = ShownRun::State::done;
            run.record = found->second;
        } else if (!available.empty() &&
                   words.find(fmt::format(" {} ", run.run.settings.congestion_control)) ==
                       std::string::npos) {
            run.state = ShownRun::State::left_out;
        }
    }
    return shown;
}

void RunsModel::set(std::shared_ptr<const lab::ChosenExperiment> chosen,
                    std::shared_ptr<const std::vector<lab::RunRecord>> records, std::vector<ShownRun> runs) {
    // The same runs, further on, leave what is selected as it is.
    const bool same = chosen_ == chosen && runs.size() == runs_.size();
    if (!same) beginResetModel();
    chosen_ = std::move(chosen);
    records_ = std::move(records);
    runs_ = std::move(runs);
    if (!same) {
        endResetModel();
    } else if (!runs_.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

int RunsModel::set_state(const QString& label, uint64_t repetition_number, ShownRun::State become,
                         const QString& why) {
    const std::string words = label.toStdString();
    for (size_t i = 0; i < runs_.size(); ++i) {
        ShownRun& run = runs_[i];
        if (run.run.repetition != repetition_number || run.state == ShownRun::State::done ||
            lab::run_label(chosen_->experiment, run.run.settings) != words)
            continue;
        run.state = become;
        run.why = why;
        const int row = static_cast<int>(i);
        Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
        return row;
    }
    return -1;
}

const ShownRun* RunsModel::run(int row) const {
    return row < 0 || static_cast<size_t>(row) >= runs_.size() ? nullptr : &runs_[static_cast<size_t>(row)];
}

int RunsModel::row_of(size_t record) const {
    const auto found = std::ranges::find(runs_, std::optional(record), &ShownRun::record);
    return found == runs_.end() ? -1 : static_cast<int>(found - runs_.begin());
}

int RunsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return first_measure + (chosen_ == nullptr ? 0 : static_cast<int>(chosen_->experiment.measured.size()));
}

QString RunsModel::text(const ShownRun& run, int row, int column) const {
    switch (column) {
        case number:
            return QString::number(row + 1);
        case settings:
            return QString::fromStdString(lab::run_label(chosen_->experiment, run.run.settings));
        case repetition:
            return QString::number(run.run.repetition);
        case state:
            return state_text(run);
        default:
            break;
    }
    if (!run.record) return {};
    const lab::Measure measure = chosen_->experiment.measured[static_cast<size_t>(column - first_measure)];
    const auto& value = (*records_)[*run.record].measured[measure];
    const lab::MeasureInfo& info = lab::measure_info(measure);
    return value ? QString::number(*value / info.scale, 'f', info.decimals) : QStringLiteral("–");
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
    const ShownRun* const run = this->run(index.row());
    if (run == nullptr) return {};
    if (role == Qt::DisplayRole) return text(*run, index.row(), index.column());
    if (role == Qt::ToolTipRole && index.column() <= state)
        return plain_text(text(*run, index.row(), index.column()));
    const bool figure =
        index.column() >= first_measure || index.column() == number || index.column() == repetition;
    if (role == Qt::TextAlignmentRole && figure)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    return {};
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case number:
            return tr("Run");
        case settings:
            return tr("Settings");
        case repetition:
            return tr("Repetition");
        case state:
            return tr("State");
        default:
            break;
    }
    const auto measure = static_cast<size_t>(section - first_measure);
    if (chosen_ == nullptr || measure >= chosen_->experiment.measured.size()) return {};
    const std::string_view heading = lab::measure_info(chosen_->experiment.measured[measure]).heading;
    return QString::fromUtf8(heading.data(), static_cast<qsizetype>(heading.size()));
}

}  // namespace sanscope

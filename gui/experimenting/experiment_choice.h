// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "captures/experiment/chosen_experiment.h"

namespace sanscope {

// What is chosen in the window: an experiment, what of it, and what becomes of its results.
struct ExperimentChoice {
    lab::Wishes wishes;
    QString folder;  // for what comes out; absolute
    bool keep_captures = false;

    // Whether packets are recorded, which takes time.
    bool records_packets(const lab::ChosenExperiment& chosen) const {
        return keep_captures || chosen.experiment.records_packets;
    }
};

// For the program `sanscope`.
QStringList experiment_arguments(const ExperimentChoice& choice);

// The same for a shell, each word as it has to be typed; with `sudo` before it where the right is to be come by.
QString experiment_command(const ExperimentChoice& choice, const QString& program, bool with_sudo);

// Whether this process may run experiments by itself: hosts in network namespaces need root.
bool may_run_experiments();

// The file that holds, or would hold, the packets of a run.
QString capture_path(const QString& folder, const lab::PlannedRun& run, double seconds);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstddef>
#include <vector>

#include "captures/experiment/axis_ticks.h"
#include "captures/experiment/chosen_experiment.h"
#include "captures/experiment/run_records.h"

namespace sanscope {

// A run as a point, and which of the records it is of.
struct PictureRun {
    double x = 0;
    double y = 0;
    size_t record = 0;
};

// Runs that differ in nothing but what is along the axis, and their repetitions.
struct PictureLine {
    struct Median {
        double x = 0;
        double y = 0;
    };
    QString label;
    bool reference = false;        // what the others are to be compared with
    std::vector<Median> medians;   // of the repetitions, in order of x
    std::vector<PictureRun> runs;  // in order of x
};

// One of an experiment's figures, of what has been measured by now.
struct ExperimentPicture {
    QString title;
    QString x_heading;  // with its unit
    QString y_heading;
    lab::AxisScale::Kind x_axis = lab::AxisScale::Kind::linear;
    lab::AxisScale::Kind y_axis = lab::AxisScale::Kind::linear;
    std::vector<PictureLine> lines;

    // The ends of an axis and its marks, for all that is drawn along it.
    lab::AxisScale scale_of_x() const;
    lab::AxisScale scale_of_y() const;
    bool can_be_drawn(double x, double y) const;  // what is not above zero has no place on a logarithmic axis
};

// The experiment's drawing of that number; empty where there is none. Once all runs are done its lines are those of the figure
// that `sanscope experiment` writes; before, a line begins with its first run.
ExperimentPicture picture_of(const lab::ChosenExperiment& chosen, const std::vector<lab::RunRecord>& records,
                             size_t drawing);

}  // namespace sanscope

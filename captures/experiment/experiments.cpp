// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "captures/experiment/bianco.h"
#include "captures/experiment/experiment.h"
#include "captures/experiment/gao.h"
#include "captures/experiment/kancharla.h"
#include "captures/experiment/kancharla_files.h"
#include "captures/experiment/oguchi.h"
#include "captures/experiment/zhu.h"

namespace sanscope::lab {

std::span<const Experiment> experiments() {
    static const std::vector<Experiment> all{oguchi_figures(), kancharla_tables(), kancharla_file_loads(),
                                             bianco_figures(), gao_figures(),      zhu_tables()};
    return all;
}

const Experiment* find_experiment(std::string_view name) {
    // As they were called when they covered less of their publications.
    if (name == "kancharla-tab5-7") name = "kancharla-tab4-7";
    if (name == "bianco-fig4-6") name = "bianco-fig3-7";
    if (name == "zhu-tab") name = "zhu-fig3-14";
    const auto all = experiments();
    const auto found = std::ranges::find(all, name, &Experiment::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace sanscope::lab

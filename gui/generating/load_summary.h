// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <utility>
#include <vector>

#include "gui/generating/load_process.h"

namespace sanscope {

// How a load ended, in one sentence.
QString end_sentence(const LoadEnd& end);
// What came of it, by name and value; empty where it printed no summary.
std::vector<std::pair<QString, QString>> summary_rows(const QJsonObject& summary);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace sanscope {

// A path that is not there yet, for what comes after `path`: its name with the next number, san.pcapng, san-2.pcapng,
// san-3.pcapng. A number of more than three digits is part of the name, as a date is.
QString numbered_path(const QString& path);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/command_words.h"

#include <QCoreApplication>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

QString lun_text(uint64_t lun) {
    if (lun == unknown<uint64_t>) return QCoreApplication::translate("CommandWords", "not known");
    // The longest numbers, of extended flat addressing, have 24 bits.
    constexpr uint64_t greatest_number = 0xffffff;
    return lun <= greatest_number ? QString::number(lun)
                                  : QStringLiteral("0x%1").arg(lun, 16, 16, QLatin1Char('0'));
}

}  // namespace sanscope

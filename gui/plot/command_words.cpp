// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/command_words.h"

#include <QCoreApplication>

#include "analyzer/scsi/status.h"
#include "analyzer/vocabulary/command_ending.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

QString lun_text(uint64_t lun) {
    if (lun == unknown<uint64_t>) return QCoreApplication::translate("CommandWords", "not known");
    // The longest numbers, of extended flat addressing, have 24 bits.
    constexpr uint64_t greatest_number = 0xffffff;
    return lun <= greatest_number ? QString::number(lun)
                                  : QStringLiteral("0x%1").arg(lun, 16, 16, QLatin1Char('0'));
}

QString status_text(uint8_t status) {
    const std::string_view name = scsi_status_name(status);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))
        .replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString ending_name(const CommandRow& row) {
    const CommandEnding ending = ending_of(row);
    return ending.lacks_status() ? QString::fromStdString(iscsi_response_words(ending.iscsi_response))
                                 : status_text(static_cast<uint8_t>(ending.status));
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/write_consent.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/plot/theme.h"

namespace sanscope {
namespace {

QString name_of(const DiscoveredLun& lun) {
    const QString target = lun.url.section(u'/', -2, -2);
    return WriteConsent::tr("LUN %1 of %2").arg(lun.number).arg(target);
}

QStringList urls_of(const std::vector<DiscoveredLun>& luns) {
    QStringList urls;
    for (const DiscoveredLun& lun : luns) urls << lun.url;
    return urls;
}

}  // namespace

WriteConsent::WriteConsent(QWidget* parent)
    : QFrame(parent), words_(new QLabel(this)), serials_(new QLineEdit(this)), really_(new QCheckBox(this)) {
    setFrameShape(QFrame::StyledPanel);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(8, 6, 8, 6);
    words_->setText(tr("This load writes. What is on the LUNs is overwritten, and cannot be brought back."));
    words_->setWordWrap(true);
    column->addWidget(words_);
    auto* const form = new QFormLayout;
    serials_->setAccessibleName(tr("Serial number of what may be written to"));
    serials_->setPlaceholderText(tr("as the list tells it; several with commas"));
    form->addRow(tr("To allow that, type the serial n&umber"), serials_);
    column->addLayout(form);
    really_->setAccessibleName(tr("What lies there may be lost"));
    really_->hide();
    column->addWidget(really_);
    QPalette colors = words_->palette();
    colors.setColor(QPalette::WindowText, Theme::of(palette()).problem);
    words_->setPalette(colors);
    connect(serials_, &QLineEdit::textChanged, this, &WriteConsent::changed);
    connect(really_, &QCheckBox::toggled, this, &WriteConsent::changed);
}

void WriteConsent::set_luns(const std::vector<DiscoveredLun>& luns) {
    const bool same = urls_of(luns) == urls_of(luns_);
    luns_ = luns;
    if (same) return;
    serials_->clear();
    really_->setChecked(false);
    QStringList lying;
    for (const DiscoveredLun& lun : luns_) {
        if (!lun.content.isEmpty()) lying << tr("%1 holds %2").arg(name_of(lun), lun.content);
    }
    // An ampersand of a target's would be taken for a mnemonic.
    really_->setText(tr("%1. What lies on it is lost.")
                         .arg(lying.join(QStringLiteral("; ")).replace(u'&', QStringLiteral("&&"))));
    really_->setVisible(!lying.isEmpty());
}

QStringList WriteConsent::typed() const {
    const QString whole = serials_->text().trimmed();
    // One may have a comma in it.
    if (std::ranges::find(luns_, whole, &DiscoveredLun::serial_number) != luns_.end()) return {whole};
    QStringList serials;
    for (const QString& part : whole.split(u',')) {
        if (!part.trimmed().isEmpty()) serials << part.trimmed();
    }
    return serials;
}

QString WriteConsent::trouble() const {
    const QStringList serials = typed();
    for (const DiscoveredLun& lun : luns_) {
        if (lun.serial_number.isEmpty())
            return tr("%1 tells no serial number; it cannot be written to.").arg(name_of(lun));
        if (serials.contains(lun.serial_number)) continue;
        return serials.isEmpty()
                   ? tr("Writes destroy what is on a LUN: type its serial number to allow them.")
                   : tr("The serial number of %1 is another one than what is typed.").arg(name_of(lun));
    }
    const bool lies = std::ranges::any_of(luns_, [](const auto& lun) { return !lun.content.isEmpty(); });
    if (lies && !really_->isChecked()) return tr("Something lies there: say that it may be lost.");
    return {};
}

void WriteConsent::take_into(LoadSettings& settings) const {
    settings.writable_serials.clear();
    settings.really = false;
    if (!settings.writes()) return;
    settings.writable_serials = typed();
    settings.really = really_->isChecked();
}

}  // namespace sanscope

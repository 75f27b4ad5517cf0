// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

namespace sanscope {

// A combo box as wide as its widest entry, as QComboBox::AdjustToContents makes it, which measures each entry once: with each one
// that is added QComboBox measures all of them, a thousand in 8 ms. Entries are added and removed, not changed, and have no icons.
class LongChoiceBox : public QComboBox {
    Q_OBJECT

  public:
    explicit LongChoiceBox(QWidget* parent);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void measure_anew();

    mutable int measured_ = 0;  // so many entries from the first on
    mutable int widest_ = 0;    // of those, in pixels
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "gui/models/row_colors.h"

namespace sanscope {

// How the packets of all captures are coloured, kept from one run to the next: whether at all, and by which rules, the first
// ones until the user has others.
class PacketColoring : public QObject {
    Q_OBJECT

  public:
    // As it was kept.
    explicit PacketColoring(QObject* parent = nullptr);

    bool on() const { return on_; }
    void set_on(bool on);
    // Those of a theme.
    std::vector<ColorRule> rules(bool dark) const;
    // For both kinds of themes.
    void set_rules(const std::vector<ColorRule>& rules);
    void set_first_rules();
    // Ready for tables of packets; none where they are not to be coloured.
    ThemedRowColors colors() const;

  Q_SIGNALS:
    void changed();

  private:
    void change();

    bool on_ = true;
    bool own_ = false;
    std::vector<ColorRule> own_rules_;
    mutable std::optional<ThemedRowColors> ready_;  // until something changes
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "gui/document/view_state.h"
#include "gui/plot/time_axis.h"

namespace sanscope {

// What the user chose for all captures, kept from one run to the next. A signal comes only with a change.
class Settings : public QObject {
    Q_OBJECT

  public:
    enum class ThemeChoice : uint8_t { system, light, dark };

    // As it was kept.
    explicit Settings(QObject* parent = nullptr);

    ThemeChoice theme() const { return theme_; }
    TimeFormat time_format() const { return time_format_; }
    RateUnit rates() const { return rates_; }
    // Whether views have bars to move them by.
    bool movable_views() const { return movable_views_; }
    void set_theme(ThemeChoice theme);
    void set_time_format(TimeFormat format);
    void set_rates(RateUnit unit);
    void set_movable_views(bool movable);

  Q_SIGNALS:
    void theme_changed();
    void time_format_changed();
    void rates_changed();
    void movable_views_changed();

  private:
    ThemeChoice theme_ = ThemeChoice::system;
    TimeFormat time_format_ = TimeFormat::relative;
    RateUnit rates_ = RateUnit::bytes;
    bool movable_views_ = false;
};

// Of all windows, at once.
void apply_theme(Settings::ThemeChoice theme);

}  // namespace sanscope

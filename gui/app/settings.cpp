// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/settings.h"

#include <QApplication>
#include <QSettings>
#include <array>

#include "gui/app/theme_palette.h"

namespace sanscope {
namespace {

constexpr auto theme_key = "settings/theme";
constexpr auto time_key = "settings/time";
constexpr auto rates_key = "settings/rates";
constexpr auto movable_key = "settings/movable_views";
// In the order of their values.
constexpr std::array<const char*, 3> theme_names = {"system", "light", "dark"};
constexpr std::array<const char*, 3> time_names = {"relative", "local", "utc"};
constexpr std::array<const char*, 2> rate_names = {"bytes", "bits"};

// The first one for what is none of them.
template <class Value>
Value kept(const char* key, const auto& names) {
    const QString name = QSettings().value(QString::fromLatin1(key)).toString();
    for (size_t i = 0; i < names.size(); ++i) {
        if (name == QLatin1String(names[i])) return static_cast<Value>(i);
    }
    return Value{};
}

// True where it is another.
template <class Value>
bool change(Value& now, Value value, const char* key, const auto& names) {
    if (now == value) return false;
    now = value;
    QSettings().setValue(QString::fromLatin1(key), QString::fromLatin1(names[static_cast<size_t>(value)]));
    return true;
}

}  // namespace

Settings::Settings(QObject* parent)
    : QObject(parent),
      theme_(kept<ThemeChoice>(theme_key, theme_names)),
      time_format_(kept<TimeFormat>(time_key, time_names)),
      rates_(kept<RateUnit>(rates_key, rate_names)),
      movable_views_(QSettings().value(QString::fromLatin1(movable_key)).toBool()) {}

void Settings::set_theme(ThemeChoice theme) {
    if (change(theme_, theme, theme_key, theme_names)) Q_EMIT theme_changed();
}

void Settings::set_time_format(TimeFormat format) {
    if (change(time_format_, format, time_key, time_names)) Q_EMIT time_format_changed();
}

void Settings::set_rates(RateUnit unit) {
    if (change(rates_, unit, rates_key, rate_names)) Q_EMIT rates_changed();
}

void Settings::set_movable_views(bool movable) {
    if (movable == movable_views_) return;
    movable_views_ = movable;
    QSettings().setValue(QString::fromLatin1(movable_key), movable);
    Q_EMIT movable_views_changed();
}

void apply_theme(Settings::ThemeChoice theme) {
    QApplication::setPalette(theme == Settings::ThemeChoice::system
                                 ? QPalette()
                                 : theme_palette(theme == Settings::ThemeChoice::dark));
}

}  // namespace sanscope

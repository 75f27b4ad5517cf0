// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/packet_coloring.h"

#include <QSettings>

namespace sanscope {
namespace {

constexpr auto on_key = "settings/colorize_packets";
constexpr auto rules_key = "settings/coloring_rules";

}  // namespace

PacketColoring::PacketColoring(QObject* parent) : QObject(parent) {
    const QSettings settings;
    on_ = settings.value(QLatin1String(on_key), true).toBool();
    own_ = settings.contains(QLatin1String(rules_key));
    own_rules_ = read_colorfilters(settings.value(QLatin1String(rules_key)).toString()).rules;
}

void PacketColoring::set_on(bool on) {
    if (on == on_) return;
    on_ = on;
    QSettings().setValue(QLatin1String(on_key), on);
    change();
}

std::vector<ColorRule> PacketColoring::rules(bool dark) const {
    return own_ ? own_rules_ : default_color_rules(dark);
}

void PacketColoring::set_rules(const std::vector<ColorRule>& rules) {
    own_ = true;
    own_rules_ = rules;
    QSettings().setValue(QLatin1String(rules_key), write_colorfilters(rules));
    change();
}

void PacketColoring::set_first_rules() {
    own_ = false;
    own_rules_.clear();
    QSettings().remove(QLatin1String(rules_key));
    change();
}

void PacketColoring::change() {
    ready_.reset();
    Q_EMIT changed();
}

ThemedRowColors PacketColoring::colors() const {
    if (!on_) return {};
    if (!ready_) {
        const auto ready = [this](bool dark) {
            return std::make_shared<const RowColors>(rules(dark), "packets");
        };
        const auto light = ready(false);
        ready_ = ThemedRowColors{light, own_ ? light : ready(true)};
    }
    return *ready_;
}

}  // namespace sanscope

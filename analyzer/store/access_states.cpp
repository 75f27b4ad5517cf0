// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/access_states.h"

#include <algorithm>

namespace sanscope {
namespace {

template <class Groups>
auto by_number(Groups& groups, uint16_t number) {
    return std::ranges::find_if(groups, [=](const auto& group) { return group.told.number == number; });
}

}  // namespace

void AccessStates::on_tpgs(const Path& path, uint8_t tpgs) {
    if (Known* const of = known(path)) of->tpgs = tpgs;
}

void AccessStates::on_port(const Path& path, const TargetPort& port) {
    if (!port.relative && !port.group) return;
    if (Known* const of = known(path)) of->port = port;
}

void AccessStates::on_groups(const Path& path, const std::vector<TargetPortGroup>& groups, const Place& at) {
    Known* const of = known(path);
    if (of == nullptr) return;
    size_t ports = 0;
    for (const TargetPortGroup& group : groups) ports += group.ports.size();
    std::vector<Group> now;
    if (groups.size() <= most_groups && ports <= most_ports) {
        for (const TargetPortGroup& group : groups) now.push_back(read(*of, group, at));
    }
    of->groups = std::move(now);
}

AccessStates::Group AccessStates::read(const Known& before, const TargetPortGroup& group, const Place& at) {
    Group now{group, {}};
    AccessReading& reading = now.reading;
    reading.state = group.state;
    reading.preferred = group.preferred;
    reading.packet = at.packet;
    reading.time_ns = reading.since_ns = at.time_ns;
    const auto last = by_number(before.groups, group.number);
    if (last == before.groups.end()) return now;
    reading.changed_ns = last->reading.changed_ns;
    if (last->reading.state != group.state) {
        reading.changed_ns = at.time_ns;
    } else if (before.told.packet == 0 || before.told.time_ns < last->reading.since_ns) {
        reading.since_ns = last->reading.since_ns;
    }
    return now;
}

void AccessStates::on_told(const Path& path, AccessState state, const Place& at) {
    Known* const of = at.packet == 0 ? nullptr : known(path);
    if (of == nullptr) return;
    AccessReading& told = of->told;
    const bool goes_on = told.packet != 0 && told.state == state && state != AccessState::unknown;
    told = {.state = state,
            .preferred = false,
            .by_sense = true,
            .asked = false,
            .packet = at.packet,
            .time_ns = at.time_ns,
            .since_ns = goes_on ? told.since_ns : at.time_ns,
            .changed_ns = at.time_ns};
}

void AccessStates::on_asked(const Path& path, const Place& at) {
    Known* const of = at.packet == 0 ? nullptr : known(path);
    if (of == nullptr) return;
    if (!of->told.asked) {
        of->told_before_asked = of->told;
        of->requests_open = 0;
    }
    ++of->requests_open;
    of->told = {.state = AccessState::unknown,
                .preferred = false,
                .by_sense = true,
                .asked = true,
                .packet = at.packet,
                .time_ns = at.time_ns,
                .since_ns = at.time_ns,
                .changed_ns = of->told_before_asked.changed_ns};
}

void AccessStates::on_refused(const Path& path) {
    Known* const of = known(path);
    if (of == nullptr || !of->told.asked || --of->requests_open > 0) return;
    of->told = of->told_before_asked;
}

std::optional<uint8_t> AccessStates::tpgs_of(const Path& path) const {
    const Known* const of = find(path);
    return of == nullptr ? std::nullopt : of->tpgs;
}

std::optional<uint16_t> AccessStates::group_of(const Path& path) const {
    const Known* const of = find(path);
    if (of == nullptr) return {};
    std::optional<uint16_t> by_port;
    for (const Group& group : of->groups) {
        const auto& ports = group.told.ports;
        if (!of->port.relative || std::ranges::find(ports, *of->port.relative) == ports.end()) continue;
        if (by_port) return {};
        by_port = group.told.number;
    }
    if (of->port.group && by_port && *of->port.group != *by_port) return {};
    return of->port.group ? of->port.group : by_port;
}

AccessReading AccessStates::reading_of(const Path& path, uint16_t group) const {
    const Known* const of = find(path);
    if (of == nullptr) return {};
    const auto found = by_number(of->groups, group);
    return found == of->groups.end() ? AccessReading{} : found->reading;
}

AccessReading AccessStates::told_of(const Path& path) const {
    const Known* const of = find(path);
    return of == nullptr ? AccessReading{} : of->told;
}

AccessStates::Known* AccessStates::known(const Path& path) {
    if (path.session == 0 || path.lun == unknown<uint64_t>) return nullptr;
    const auto found = paths_.find(path);
    if (found != paths_.end()) return &found->second;
    return paths_.size() < most_paths ? &paths_[path] : nullptr;
}

const AccessStates::Known* AccessStates::find(const Path& path) const {
    const auto found = paths_.find(path);
    return found == paths_.end() ? nullptr : &found->second;
}

}  // namespace sanscope

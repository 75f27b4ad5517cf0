// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/vocabulary/access_state.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What is known of the asymmetric access state (ALUA) of a path to a logical unit. `packet` 0: nothing.
struct AccessReading {
    AccessState state =
        AccessState::unknown;  // the latest; unknown where it changed and to what was not told
    bool preferred = false;
    bool by_sense =
        false;           // told by sense data (or SET TARGET PORT GROUPS), else by REPORT TARGET PORT GROUPS
    bool asked = false;  // a change was asked for, and whether the target made it was not seen
    PacketNumber packet = 0;
    int64_t time_ns = no_time;
    int64_t since_ns = no_time;    // of the first reading from which on it was told to be this, and no other
    int64_t changed_ns = no_time;  // of the latest sign that it was another before, or had changed
};

// What targets told of the access states of their ports, path by path, in bounded memory: of the first paths. The target
// port group of a path and the states of the groups may come to be known in any order. What is told later counts.
class AccessStates {
  public:
    static constexpr size_t most_paths = 4096;
    static constexpr size_t most_groups =
        32;  // of a path; where a target tells of more, nothing is kept of any
    static constexpr size_t most_ports = 128;  // of all these groups, likewise

    // A logical unit in one session.
    struct Path {
        uint32_t session = 0;
        uint64_t lun = unknown<uint64_t>;
        bool operator<(const Path& other) const {
            return session != other.session ? session < other.session : lun < other.lun;
        }
    };
    struct Place {
        PacketNumber packet = 0;
        int64_t time_ns = no_time;
    };

    void on_tpgs(const Path& path, uint8_t tpgs);
    void on_port(const Path& path, const TargetPort& port);
    void on_groups(const Path& path, const std::vector<TargetPortGroup>& groups, const Place& at);
    // Of the path's own group: a state, or `unknown` for a change to one that is not told.
    void on_told(const Path& path, AccessState state, const Place& at);

    // SET TARGET PORT GROUPS was sent: until it is known to have been refused, or the state is told, it is not known. Where the
    // target did so, that is on_told().
    void on_asked(const Path& path, const Place& at);
    void on_refused(const Path& path);

    // The TPGS field of its INQUIRY data.
    std::optional<uint8_t> tpgs_of(const Path& path) const;
    // The path's own target port group: by number, else the one that has its relative target port. Empty where neither is known,
    // or they contradict each other.
    std::optional<uint16_t> group_of(const Path& path) const;
    // What the path was told of any group of its logical unit.
    AccessReading reading_of(const Path& path, uint16_t group) const;
    // What sense data told of the path itself.
    AccessReading told_of(const Path& path) const;

  private:
    struct Group {
        TargetPortGroup told;
        AccessReading reading;
    };
    struct Known {
        std::optional<uint8_t> tpgs;
        TargetPort port;
        std::vector<Group> groups;
        AccessReading told;
        AccessReading told_before_asked;
        uint32_t requests_open = 0;  // since then
    };

    Known* known(const Path& path);
    const Known* find(const Path& path) const;
    static Group read(const Known& before, const TargetPortGroup& group, const Place& at);

    std::map<Path, Known> paths_;
};

}  // namespace sanscope

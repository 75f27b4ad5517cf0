// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sanscope/v1/recording.pb.h"

namespace sanscope {

// What Wireshark reads of an external capture program (doc/extcap in its sources): a sentence a line, of words
// {key=value}.

// The interfaces that are offered, one for each that can be recorded from.
std::string extcap_interfaces(const v1::InterfaceList& list, std::string_view version);
// The interface meant by the value that stands for it in Wireshark; nothing where that is none of ours.
std::optional<std::string> interface_of(std::string_view value);
// The kind of packets on it, as far as it shows without opening it: only filters as they are typed depend on that.
std::string extcap_link_type(const std::string& interface);
// What may be chosen before a recording.
std::string extcap_options();

}  // namespace sanscope

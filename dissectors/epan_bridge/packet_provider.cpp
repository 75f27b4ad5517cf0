// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/epan_bridge/packet_provider.h"

#include <initializer_list>

const nstime_t* packet_provider_data::time_of(uint32_t number) const {
    if (number == 1) return &first_time;
    if (number == previous) return &previous_time;
    const auto found = by_number.find(number);
    return found == by_number.end() ? nullptr : &found->second->abs_ts;
}

wtap_block_t packet_provider_data::interface(uint32_t number) const {
    if (file == nullptr) return nullptr;
    wtapng_iface_descriptions_t* const described = wtap_file_get_idb_info(file);
    wtap_block_t block = nullptr;
    if (number < described->interface_data->len)
        block = g_array_index(described->interface_data, wtap_block_t, number);
    g_free(described);
    return block;
}

namespace sanscope::wireshark {
namespace {

const nstime_t* frame_time(packet_provider_data* provider, uint32_t number) {
    return provider->time_of(number);
}

const char* interface_option(wtap_block_t interface, unsigned option) {
    char* text = nullptr;
    if (interface == nullptr ||
        wtap_block_get_string_option_value(interface, option, &text) != WTAP_OPTTYPE_SUCCESS)
        return nullptr;
    return text;
}

// The section counts in the whole capture, and is the last of the slice: there it needs no telling.
const char* interface_name(packet_provider_data* provider, uint32_t number SANSCOPE_WIRESHARK_SECTION) {
    wtap_block_t interface = provider->interface(number);
    for (const unsigned option :
         std::initializer_list<unsigned>{OPT_IDB_NAME, OPT_IDB_DESCRIPTION, OPT_IDB_HARDWARE}) {
        if (const char* const text = interface_option(interface, option); text != nullptr) return text;
    }
    return "unknown";
}

const char* interface_description(packet_provider_data* provider,
                                  uint32_t number SANSCOPE_WIRESHARK_SECTION) {
    return interface_option(provider->interface(number), OPT_IDB_DESCRIPTION);
}

}  // namespace

packet_provider_funcs provider_functions() {
    packet_provider_funcs functions{};
    functions.get_frame_ts = frame_time;
    functions.get_interface_name = interface_name;
    functions.get_interface_description = interface_description;
    return functions;
}

nstime_t as_nstime(int64_t time_ns) {
    constexpr int64_t ns_per_second = 1'000'000'000;
    int64_t seconds = time_ns / ns_per_second;
    int64_t rest = time_ns % ns_per_second;
    if (rest < 0) {
        --seconds;
        rest += ns_per_second;
    }
    nstime_t time;
    time.secs = static_cast<time_t>(seconds);
    time.nsecs = static_cast<int>(rest);
    return time;
}

}  // namespace sanscope::wireshark

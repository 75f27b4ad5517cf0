// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/point_names.h"

#include <filesystem>
#include <set>

namespace sanscope {

std::vector<std::string> point_names(const std::vector<std::string>& files) {
    std::vector<std::string> names;
    for (const std::string& file : files) {
        const std::string name = std::filesystem::path(file).filename().string();
        names.push_back(file == "-" ? "standard input" : name.substr(0, name.find(".pcap")));
    }
    const std::set<std::string> different(names.begin(), names.end());
    return different.size() == names.size() && !different.contains("") ? names : files;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

namespace sanscope {

// Calls `work(part)` for each part < `parts`, which is not 0, on a thread of its own, the first on the caller's. Returns when all have
// ended; `work` may not throw.
template <class Work>
void on_threads(size_t parts, const Work& work) {
    std::vector<std::thread> others;
    for (size_t part = 1; part < parts; ++part) others.emplace_back([&work, part] { work(part); });
    work(size_t{0});
    for (std::thread& other : others) other.join();
}

}  // namespace sanscope

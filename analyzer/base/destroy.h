// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sanscope {

// A deleter of std::unique_ptr for what a C library made: by the function of it that ends its life.
template <auto destroy>
struct Destroy {
    template <class T>
    void operator()(T* object) const {
        destroy(object);
    }
};

}  // namespace sanscope

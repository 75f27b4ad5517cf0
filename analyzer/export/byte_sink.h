// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analyzer/base/result.h"

namespace sanscope {

// Where an export goes, as a stream of bytes.
class ByteSink {
  public:
    virtual ~ByteSink() = default;

    // Takes all of `bytes`, or answers false: the reader is gone, or there is an error. After that every call
    // does.
    virtual bool write(std::span<const char> bytes) = 0;

    // What went wrong; nullptr while nothing has, and where the reader merely wanted no more.
    virtual const Error* error() const = 0;
};

}  // namespace sanscope

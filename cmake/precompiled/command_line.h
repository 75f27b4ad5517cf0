// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line's sources include.
#pragma once

#include <CLI/CLI.hpp>

#include "cmake/precompiled/library.h"

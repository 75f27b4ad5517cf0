// SPDX-License-Identifier: GPL-3.0-or-later
// What the window's tests include.
#pragma once

#include <QtWidgets>

#include "cmake/precompiled/test.h"

// SPDX-License-Identifier: GPL-3.0-or-later
// What the window's sources include.
#pragma once

#include <QtWidgets>

#include "cmake/precompiled/library.h"

// SPDX-License-Identifier: GPL-3.0-or-later
// What every test includes.
#pragma once

#include <fstream>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/precompiled/library.h"

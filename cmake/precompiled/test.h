// SPDX-License-Identifier: GPL-3.0-or-later
// What every test includes.
#pragma once

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

#include "cmake/precompiled/library.h"

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace sanscope {

// The chance that a value of Student's t distribution with so many degrees of freedom, which need not be whole, exceeds `t`.
double student_t_beyond(double t, double freedom);
// The `t` that is exceeded with that chance, of (0, 0.5].
double student_t_exceeded(double chance, double freedom);

}  // namespace sanscope

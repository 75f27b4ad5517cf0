// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <functional>

namespace sanscope {

// When statistics are asked for that visit what is in sight row by row: at once where nothing has moved,
// during a movement once it rests, of a capture that grows all the time now and then. GUI thread only.
class Debounce {
  public:
    // A movement rests when nothing has changed for `rest_ms`; while the capture is loaded, `loading_rest_ms`
    // pass before each `ask`.
    Debounce(int rest_ms, std::function<void()> ask, int loading_rest_ms = 2000);

    // To be called whenever what is in sight may be another. `asked`: statistics of it were asked for.
    void look(bool loading, bool asked);
    // `ask` is still to be called.
    bool waiting() const { return timer_.isActive(); }

  private:
    int rest_ms_;
    int loading_rest_ms_;
    std::function<void()> ask_;
    QTimer timer_;
    QElapsedTimer since_movement_;
};

}  // namespace sanscope

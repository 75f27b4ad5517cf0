// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <functional>

namespace sanscope {

// When figures of a capture that is being recorded are asked for anew: while there is more, one question after the other, with a
// rest between them as long as the last answer took, so that recorder and loader have their time too. GUI thread only.
class LivePace {
  public:
    static constexpr int64_t longest_rest_ms = 25;

    explicit LivePace(std::function<void()> ask);

    // The recording has brought more.
    void on_growth();
    // To be called with each question, whoever asks it, and when its answer is there.
    void asked();
    void answered();
    // `ask` is still to be called.
    bool waiting() const { return timer_.isActive() || again_; }

  private:
    std::function<void()> ask_;
    QTimer timer_;
    QElapsedTimer since_question_;
    QElapsedTimer since_answer_;
    int64_t took_ms_ = 0;
    bool under_way_ = false;
    bool again_ = false;  // as soon as the answer is there
};

}  // namespace sanscope

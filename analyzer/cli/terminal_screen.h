// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sanscope {

// A terminal's screen that is drawn again and again in its place, and given back as it was.
class TerminalScreen {
  public:
    struct Size {
        size_t columns = 80;
        size_t lines = 24;
    };

    // Takes the screen of the terminal on this descriptor.
    explicit TerminalScreen(int descriptor);
    TerminalScreen(const TerminalScreen&) = delete;
    TerminalScreen& operator=(const TerminalScreen&) = delete;
    ~TerminalScreen();

    Size size() const;
    // From the top left; what was drawn before is gone.
    void draw(const std::vector<std::string>& lines) const;

  private:
    int descriptor_;
};

}  // namespace sanscope

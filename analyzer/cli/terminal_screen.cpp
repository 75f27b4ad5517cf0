// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/terminal_screen.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <sys/ioctl.h>

#include "analyzer/base/utf8.h"
#include "analyzer/base/write_all.h"

namespace sanscope {
namespace {

void write_text(int descriptor, std::string_view text) {
    write_all(descriptor, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace

// Control sequences of ECMA-48; the other screen (1049) and the cursor (25) are xterm's, which all know.
TerminalScreen::TerminalScreen(int descriptor) : descriptor_(descriptor) {
    write_text(descriptor_, "\x1b[?1049h\x1b[?25l\x1b[2J");
}

TerminalScreen::~TerminalScreen() {
    write_text(descriptor_, "\x1b[?25h\x1b[?1049l");
}

TerminalScreen::Size TerminalScreen::size() const {
    winsize size{};
    if (ioctl(descriptor_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
    return {size.ws_col, size.ws_row};
}

void TerminalScreen::draw(const std::vector<std::string>& lines) const {
    std::string text = "\x1b[H";
    for (size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) text += "\r\n";
        text += cleaned_line(lines[i]) + "\x1b[K";
    }
    write_text(descriptor_, text + "\x1b[J");
}

}  // namespace sanscope

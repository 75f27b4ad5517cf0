// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gui/plot/theme.h"
#include "gui/points/path_commands.h"

namespace sanscope {

enum class SplitPart : uint8_t { initiator, out, unsure_out, target, answer, unsure_back, back };
constexpr size_t split_parts = 7;

// The stretch of a bar, in pixels from its left edge, that stands for a part.
struct SplitSegment {
    SplitPart part;
    int left;
    int right;
    bool operator==(const SplitSegment&) const = default;
};
// The parts in the order in which a command passes through them, without a gap from 0 to `length`. Of the paths, what surely was out
// or back is told from what the clocks do not assign to either: half of that stands on each side.
std::vector<SplitSegment> split_segments(const SplitSums& sums, int length);

// For each two neighbouring points and kind of command a bar: whose time theirs was. As high as it needs.
class SplitBars : public QWidget {
    Q_OBJECT

  public:
    explicit SplitBars(QWidget* parent);

    // nullptr: nothing is known yet.
    void show_commands(std::shared_ptr<const PathCommands> commands);
    // What is told at a place: a part with its figures, or the legend's words.
    QString tip_at(QPoint place) const;
    size_t bars() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Line {
        const SplitSums* sums = nullptr;  // a bar; else a heading, or what is left out
        QString text;
    };
    void arrange();
    int line_height() const;
    QRect bar_of(size_t line) const;

    std::shared_ptr<const PathCommands> commands_;
    std::vector<Line> lines_;
};

}  // namespace sanscope

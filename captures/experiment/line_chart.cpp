// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/line_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <string_view>

#include "captures/experiment/markup.h"

namespace sanscope::lab {
namespace {

constexpr double panel_height = 400;
constexpr double head_height = 44;
constexpr double plot_left = 72;
constexpr double plot_top = 40;
constexpr double plot_width = 370;
constexpr double plot_height = 290;
constexpr double legend_left = plot_left + plot_width + 18;
constexpr double legend_text_left = legend_left + 33;
constexpr double legend_step = 20;
constexpr double least_panel_width = 600;
constexpr double character_width = 7.4;  // of the font at its size, on average and a little more

// From dark to light over several hues: in order also when printed without colours.
constexpr std::array<std::string_view, 10> colours{"#3b0f70", "#2c4fa0", "#1b7fb0", "#159a96", "#2f9e4f",
                                                   "#7fa51c", "#c79a00", "#e4761b", "#d1362f", "#a3195b"};

class Svg {
  public:
    template <class... Arguments>
    void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
        text_ += '\n';
    }
    void text(double x, double y, std::string_view attributes, std::string_view what) {
        add(R"(<text x="{:.1f}" y="{:.1f}" {}>{}</text>)", x, y, attributes, escape_markup(what));
    }
    void line(double x1, double y1, double x2, double y2, std::string_view attributes) {
        add(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" {}/>)", x1, y1, x2, y2, attributes);
    }
    std::string take() { return std::move(text_); }

  private:
    std::string text_;
};

// One of a few shapes: lines can be distinguished without colours too.
void add_marker(Svg& svg, size_t shape, double x, double y, std::string_view colour) {
    constexpr double r = 3.6;
    switch (shape % 5) {
        case 0:
            svg.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}"/>)", x, y, r, colour);
            break;
        case 1:
            svg.add(R"(<rect x="{:.1f}" y="{:.1f}" width="6.4" height="6.4" fill="{}"/>)", x - 3.2, y - 3.2,
                    colour);
            break;
        case 2:
            svg.add(R"(<path d="M{:.1f} {:.1f}l4.2 7.4h-8.4z" fill="{}"/>)", x, y - 4.6, colour);
            break;
        case 3:
            svg.add(R"(<path d="M{:.1f} {:.1f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z" fill="{}"/>)", x, y - 4.6,
                    colour);
            break;
        default:
            svg.add(
                R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.2" fill="white" stroke="{}" stroke-width="1.6"/>)", x,
                y, colour);
    }
}

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void take(double value, AxisScale::Kind kind) {
        if (!std::isfinite(value) || (kind != AxisScale::Kind::linear && value <= 0)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool any() const { return low <= high; }
};

AxisScale axis_of(const Range& range, AxisScale::Kind kind) {
    switch (kind) {
        case AxisScale::Kind::logarithmic:
            return logarithmic_axis(range.low, range.high);
        case AxisScale::Kind::sizes:
            return sizes_axis(range.low, range.high);
        case AxisScale::Kind::linear:
            break;
    }
    return linear_axis(range.low, range.high);
}

class PanelDrawing {
  public:
    PanelDrawing(Svg& svg, const ChartPanel& panel) : svg_(svg), panel_(panel) {}

    void draw() {
        svg_.text(plot_left, plot_top - 16, R"(class="title")", panel_.title);
        Range x_range;
        Range y_range;
        for (const ChartLine& line : panel_.lines) {
            for (const ChartPoint& point : line.points) {
                if (!shown(point)) continue;
                x_range.take(point.x, panel_.x_axis);
                y_range.take(point.y, panel_.y_axis);
                y_range.take(point.lowest, panel_.y_axis);
                y_range.take(point.highest, panel_.y_axis);
            }
        }
        if (!x_range.any() || !y_range.any()) {
            svg_.text(plot_left + plot_width / 2, plot_top + plot_height / 2, R"(text-anchor="middle")",
                      "nothing was measured yet");
            return;
        }
        x_ = axis_of(x_range, panel_.x_axis);
        // Lines go across the whole panel, whether or not they end at a mark.
        if (panel_.x_axis == AxisScale::Kind::linear && x_range.high > x_.low) {
            x_.high = x_range.high;
            std::erase_if(x_.ticks, [&](const Tick& tick) { return tick.value > x_.high; });
        }
        y_ = axis_of(y_range, panel_.y_axis);
        draw_axes();
        size_t ordinary = 0;
        size_t ordinary_lines = 0;
        for (const ChartLine& line : panel_.lines) ordinary_lines += line.reference ? 0 : 1;
        for (size_t i = 0; i < panel_.lines.size(); ++i) {
            const ChartLine& line = panel_.lines[i];
            std::string_view colour = "black";
            if (!line.reference) {
                // Few lines take colours far from each other.
                const size_t stride =
                    std::max<size_t>(1, colours.size() / std::max<size_t>(1, ordinary_lines));
                colour = colours[ordinary++ * stride % colours.size()];
            }
            draw_line(line, i, colour);
            draw_legend(line, i, colour);
        }
    }

  private:
    bool shown(const ChartPoint& point) const {
        return std::isfinite(point.x) && std::isfinite(point.y) &&
               (panel_.x_axis == AxisScale::Kind::linear || point.x > 0) &&
               (panel_.y_axis == AxisScale::Kind::linear || point.y > 0);
    }
    double at_x(double value) const { return plot_left + plot_width * x_.place(value); }
    // Whiskers may go down to zero, which a logarithmic axis has not.
    double at_y(double value) const {
        return plot_top + plot_height * (1 - y_.place(std::clamp(value, y_.low, y_.high)));
    }

    void draw_axes() {
        const double bottom = plot_top + plot_height;
        for (const Tick& tick : y_.ticks) {
            const double y = at_y(tick.value);
            svg_.line(plot_left, y, plot_left + plot_width, y, R"(class="grid")");
            svg_.text(plot_left - 8, y + 4, R"(text-anchor="end")", tick.label);
        }
        for (const Tick& tick : x_.ticks) {
            const double x = at_x(tick.value);
            svg_.line(x, plot_top, x, bottom, R"(class="grid")");
            svg_.line(x, bottom, x, bottom + 5, R"(class="axis")");
            svg_.text(x, bottom + 19, R"(text-anchor="middle")", tick.label);
        }
        svg_.line(plot_left, plot_top, plot_left, bottom, R"(class="axis")");
        svg_.line(plot_left, bottom, plot_left + plot_width, bottom, R"(class="axis")");
        svg_.text(plot_left + plot_width / 2, bottom + 42, R"(text-anchor="middle")", panel_.x_heading);
        const double middle = plot_top + plot_height / 2;
        svg_.add(
            R"svg(<text x="18" y="{0:.1f}" text-anchor="middle" transform="rotate(-90 18 {0:.1f})">{1}</text>)svg",
            middle, escape_markup(panel_.y_heading));
    }

    void draw_line(const ChartLine& line, size_t number, std::string_view colour) {
        std::string places;
        for (const ChartPoint& point : line.points) {
            if (!shown(point)) continue;
            fmt::format_to(std::back_inserter(places), "{}{:.1f},{:.1f}", places.empty() ? "" : " ",
                           at_x(point.x), at_y(point.y));
        }
        if (places.empty()) return;
        svg_.add(R"(<polyline points="{}" fill="none" stroke="{}" {}/>)", places, colour, stroke(line));
        for (const ChartPoint& point : line.points) {
            if (!line.markers || !shown(point)) continue;
            const double x = at_x(point.x);
            const std::string whisker = fmt::format(R"(stroke="{}" stroke-width="1" opacity="0.7")", colour);
            const double low = at_y(point.lowest);
            const double high = at_y(point.highest);
            if (low - high > 2) {
                svg_.line(x, low, x, high, whisker);
                svg_.line(x - 3, low, x + 3, low, whisker);
                svg_.line(x - 3, high, x + 3, high, whisker);
            }
            add_marker(svg_, number, x, at_y(point.y), colour);
        }
    }

    void draw_legend(const ChartLine& line, size_t number, std::string_view colour) {
        const double y = plot_top + 8 + legend_step * static_cast<double>(number);
        svg_.line(legend_left, y, legend_left + 26, y,
                  fmt::format(R"(stroke="{}" {})", colour, stroke(line)));
        if (line.markers) add_marker(svg_, number, legend_left + 13, y, colour);
        svg_.text(legend_text_left, y + 4, "", line.label);
    }

    static std::string_view stroke(const ChartLine& line) {
        return line.reference ? R"(stroke-width="2" stroke-dasharray="6 3")" : R"(stroke-width="1.6")";
    }

    Svg& svg_;
    const ChartPanel& panel_;
    AxisScale x_;
    AxisScale y_;
};

// So that the longest legend has room, and the next panel some distance.
double width_of(const std::vector<ChartPanel>& panels) {
    constexpr double distance = 20;
    double width = least_panel_width;
    for (const ChartPanel& panel : panels) {
        for (const ChartLine& line : panel.lines) {
            const auto characters =
                std::ranges::count_if(line.label, [](char c) { return (c & 0xc0) != 0x80; });
            width = std::max(width,
                             legend_text_left + character_width * static_cast<double>(characters) + distance);
        }
    }
    return std::ceil(width);
}

}  // namespace

std::string chart_svg(const std::string& title, const std::vector<ChartPanel>& panels) {
    const size_t across = std::clamp<size_t>(panels.size(), 1, 2);
    const size_t down = std::max<size_t>(1, (panels.size() + across - 1) / across);
    const double panel_width = width_of(panels);
    const double width = panel_width * static_cast<double>(across);
    const double height = head_height + panel_height * static_cast<double>(down);
    Svg svg;
    svg.add(R"(<?xml version="1.0" encoding="UTF-8"?>)");
    svg.add(
        R"(<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
        R"(font-family="'DejaVu Sans', Helvetica, Arial, sans-serif" font-size="12">)",
        width, height);
    svg.add("<title>{}</title>", escape_markup(title));
    svg.add(
        "<style>.grid{{stroke:#dddddd;stroke-width:1}} .axis{{stroke:#333333;stroke-width:1.2}} "
        ".title{{font-size:13px;font-weight:bold}} .head{{font-size:16px;font-weight:bold}}</style>");
    svg.add(R"(<rect width="{}" height="{}" fill="white"/>)", width, height);
    svg.text(plot_left, 28, R"(class="head")", title);
    for (size_t i = 0; i < panels.size(); ++i) {
        const size_t row = i / across;
        const size_t column = i % across;
        svg.add(R"svg(<g transform="translate({},{})">)svg", panel_width * static_cast<double>(column),
                head_height + panel_height * static_cast<double>(row));
        PanelDrawing(svg, panels[i]).draw();
        svg.add("</g>");
    }
    svg.add("</svg>");
    return svg.take();
}

}  // namespace sanscope::lab

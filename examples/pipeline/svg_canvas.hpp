// SPDX-License-Identifier: Apache-2.0
// Just enough SVG for a diagram over time.
#pragma once

#include <string>
#include <vector>

namespace pipeline {

// Maps [0, end_ms] to pixels from left on.
struct TimeScale {
    double left;
    double width;
    double end_ms;

    double x(double ms) const { return left + width * ms / end_ms; }
};

// Round values from 0 to at most `end`, no more than `most` + 1 of them.
std::vector<double> round_ticks(double end, int most);

class SvgCanvas {
public:
    SvgCanvas(double width, double height, const std::string &title);

    enum class Anchor { kStart, kMiddle, kEnd };
    // style: attributes of the element, for instance fill="#123456".
    void text(double x, double y, const std::string &words, const std::string &style, Anchor anchor = Anchor::kStart);
    // tooltip: what a viewer shows under the pointer; empty for none.
    void rect(double x, double y, double width, double height, const std::string &style,
              const std::string &tooltip = "");
    void line(double x1, double y1, double x2, double y2, const std::string &style);
    // Grid lines from top to bottom, the ticks' values and the unit below.
    void time_axis(const TimeScale &scale, double top, double bottom);

    // The whole document.
    std::string finish() const { return content_ + "</svg>\n"; }

private:
    std::string content_;
};

} // namespace pipeline

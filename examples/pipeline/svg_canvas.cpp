// SPDX-License-Identifier: Apache-2.0
#include "svg_canvas.hpp"

#include <cmath>

#include "text.hpp"

namespace pipeline {

std::vector<double> round_ticks(double end, int most) {
    if (!(end > 0)) return {0};
    const double power = std::pow(10, std::floor(std::log10(end / most)));
    double step = power;
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
        step = power * factor;
        // A small tolerance, so that 10 steps of 0.1 fit into 1.
        if (end / step <= most * (1 + 1e-9)) break;
    }
    std::vector<double> ticks;
    for (int i = 0; step * i <= end * (1 + 1e-9); ++i) ticks.push_back(step * i);
    return ticks;
}

SvgCanvas::SvgCanvas(double width, double height, const std::string &title) {
    content_ =
        format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
               "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\">\n<title>%s</title>\n",
               width, height, width, height, xml_escape(title).c_str());
    rect(0, 0, width, height, "fill=\"#ffffff\"");
}

void SvgCanvas::text(double x, double y, const std::string &words, const std::string &style, Anchor anchor) {
    static const char *const kAnchors[] = {"start", "middle", "end"};
    content_ += format("<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" %s>%s</text>\n", x, y,
                       kAnchors[static_cast<size_t>(anchor)], style.c_str(), xml_escape(words).c_str());
}

void SvgCanvas::rect(double x, double y, double width, double height, const std::string &style,
                     const std::string &tooltip) {
    content_ +=
        format("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" %s", x, y, width, height, style.c_str());
    content_ += tooltip.empty() ? "/>\n" : "><title>" + xml_escape(tooltip) + "</title></rect>\n";
}

void SvgCanvas::line(double x1, double y1, double x2, double y2, const std::string &style) {
    content_ += format("<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" %s/>\n", x1, y1, x2, y2, style.c_str());
}

void SvgCanvas::time_axis(const TimeScale &scale, double top, double bottom) {
    for (const double tick : round_ticks(scale.end_ms, 10)) {
        const double x = scale.x(tick);
        line(x, top, x, bottom + 4, "stroke=\"#d0d4d9\" stroke-width=\"1\"");
        text(x, bottom + 18, format("%g", tick), "fill=\"#4a4f57\"", Anchor::kMiddle);
    }
    line(scale.left, bottom, scale.left + scale.width, bottom, "stroke=\"#4a4f57\" stroke-width=\"1\"");
    text(scale.left + scale.width / 2, bottom + 36, "time since the first stage began, ms", "fill=\"#4a4f57\"",
         Anchor::kMiddle);
}

} // namespace pipeline

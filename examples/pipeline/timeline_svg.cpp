// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cmath>

#include "svg_canvas.hpp"
#include "text.hpp"
#include "timeline.hpp"

namespace pipeline {
namespace {

constexpr double kWidth = 1280;
constexpr double kLeft = 210;
constexpr double kRight = 36;
constexpr double kRow = 26;
constexpr double kRowGap = 6;
constexpr double kLaneGap = 10;
constexpr double kRowsTop = 132;
constexpr double kAxis = 48;      // below a panel, for the axis
constexpr double kPanelGap = 44;  // between the panels, for the lower one's heading
constexpr double kOverview = 120; // height of the lower panel
constexpr size_t kOverviewBins = 240;
using Load = std::array<double, kOverviewBins>; // average number of operations in flight in each interval
constexpr size_t kChunksInDetail = 8;           // per lane

constexpr const char *kColours[kStages] = {"#4e79a7", "#f28e2b", "#3f8f4f"};
constexpr const char *kGrey = "fill=\"#4a4f57\"";
constexpr const char *kHeading = "fill=\"#1d2127\" font-weight=\"bold\" font-size=\"13\"";

class Drawing {
public:
    explicit Drawing(const Timeline &timeline)
        : timeline_(timeline), run_(timeline.run), canvas_(kWidth, height(), timeline.title) {}

    std::string draw() {
        header();
        detail();
        overview();
        return canvas_.finish();
    }

private:
    double rows_bottom() const {
        double bottom = kRowsTop;
        for (const LanePlan &lane : run_.lanes) bottom += lane.streams * (kRow + kRowGap) + kLaneGap;
        return bottom;
    }
    double overview_top() const { return rows_bottom() + kAxis + kPanelGap; }
    double height() const { return overview_top() + kOverview + kAxis; }
    double row_top(int stream) const {
        double top = kRowsTop + kLaneGap / 2;
        for (const LanePlan &lane : run_.lanes) {
            if (stream < lane.first_stream + lane.streams) return top + (stream - lane.first_stream) * (kRow + kRowGap);
            top += lane.streams * (kRow + kRowGap) + kLaneGap;
        }
        return top;
    }
    double wall_ms() const { return std::max(run_.wall_ms(), 1e-6); }

    void header() {
        canvas_.text(24, 32, timeline_.title, "fill=\"#1d2127\" font-weight=\"bold\" font-size=\"17\"");
        canvas_.text(24, 54, timeline_.subtitle, kGrey);
        double x = 24;
        for (size_t stage = 0; stage < kStages; ++stage) {
            canvas_.rect(x, 68, 14, 14, format("fill=\"%s\"", kColours[stage]));
            canvas_.text(x + 20, 80, kStageNames[stage], kGrey);
            x += 100;
        }
        canvas_.text(x, 80, "Gaps: waiting, also for the worker that reads the file", kGrey);
    }

    // Time until the first chunks are through, so that their bars are wide enough to be read.
    double detail_end_ms() const {
        std::vector<double> ends;
        for (const Span &span : run_.spans) {
            if (span.stage == kCopyOut) ends.push_back(span.end_ms() - run_.first_ms);
        }
        const size_t shown = kChunksInDetail * run_.lanes.size();
        if (ends.size() <= shown + shown / 4) return wall_ms();
        std::nth_element(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(shown) - 1, ends.end());
        return std::max(ends[shown - 1], 1e-6);
    }

    void detail() {
        const TimeScale scale{kLeft, kWidth - kLeft - kRight, detail_end_ms()};
        const bool whole = scale.end_ms >= wall_ms();
        canvas_.text(24, kRowsTop - 16,
                     whole ? "The streams, whole run; numbers are chunks"
                           : format("The streams, first %.3g of %.4g ms; numbers are chunks", scale.end_ms, wall_ms()),
                     kHeading);
        const double bottom = rows_bottom();
        bool shaded = true;
        for (const LanePlan &lane : run_.lanes) {
            const double lane_height = lane.streams * (kRow + kRowGap) + kLaneGap;
            const double top = row_top(lane.first_stream) - kLaneGap / 2;
            if (shaded) canvas_.rect(24, top, kWidth - 24 - kRight, lane_height, "fill=\"#f4f6f8\"");
            shaded = !shaded;
        }
        canvas_.time_axis(scale, kRowsTop, bottom);
        const std::vector<std::string> names = stream_names(run_.lanes);
        for (size_t i = 0; i < names.size(); ++i) {
            canvas_.text(32, row_top(static_cast<int>(i)) + kRow - 9, names[i], kGrey);
        }
        for (const Span &span : run_.spans) bar(scale, span);
    }

    void bar(const TimeScale &scale, const Span &span) {
        const double start = span.start_ms - run_.first_ms;
        if (start >= scale.end_ms) return;
        const double x = scale.x(start);
        const double width = std::max(scale.x(std::min(start + span.duration_ms, scale.end_ms)) - x, 0.8);
        const double y = row_top(span.stream);
        const auto stage = static_cast<size_t>(span.stage);
        canvas_.rect(
            x, y, width, kRow,
            format("fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"%.1f\"", kColours[stage], width > 3 ? 0.6 : 0.0),
            format("%s of chunk %" PRIu64 ": %.3f ms from %.3f ms, %" PRIu64 " bytes", kStageNames[stage], span.chunk,
                   span.duration_ms, start, span.bytes));
        const std::string number = std::to_string(span.chunk);
        if (width < 6.8 * static_cast<double>(number.size()) + 3) return;
        canvas_.text(x + width / 2, y + kRow - 9, number, "fill=\"#ffffff\" font-size=\"11\"",
                     SvgCanvas::Anchor::kMiddle);
    }

    // How many operations of each stage were in flight, averaged over short intervals and stacked.
    void overview() {
        double end_ms = 1e-6;
        for (const Span &span : run_.spans) end_ms = std::max(end_ms, span.end_ms() - run_.first_ms);
        const TimeScale scale{kLeft, kWidth - kLeft - kRight, end_ms};
        const double top = overview_top();
        const bool cut = run_.spans.size() / kStages < run_.chunks;
        canvas_.text(24, top - 14,
                     std::string("Stages under way at a time, ") + (cut ? "as far as recorded" : "whole run"),
                     kHeading);
        const double bin_ms = end_ms / kOverviewBins;
        std::array<Load, kStages> loads{};
        Load sum{};
        for (const Span &span : run_.spans) {
            spread(span, bin_ms, loads[static_cast<size_t>(span.stage)]);
            spread(span, bin_ms, sum);
        }
        const double most = std::max(std::ceil(*std::max_element(sum.begin(), sum.end())), 1.0);
        for (const double tick : round_ticks(most, 4)) {
            const double y = top + kOverview * (1 - tick / most);
            canvas_.line(kLeft, y, kWidth - kRight, y, "stroke=\"#e3e6ea\" stroke-width=\"1\"");
            canvas_.text(kLeft - 8, y + 4, format("%g", tick), kGrey, SvgCanvas::Anchor::kEnd);
        }
        canvas_.time_axis(scale, top, top + kOverview);
        Load base{};
        for (const Stage stage : {kKernel, kCopyIn, kCopyOut}) {
            stack(scale, top, kOverview / most, stage, loads[static_cast<size_t>(stage)], base);
        }
    }

    // Adds the share of each bin that the span covers.
    void spread(const Span &span, double bin_ms, Load &load) const {
        const double start = std::max((span.start_ms - run_.first_ms) / bin_ms, 0.0);
        const double end = std::min(start + span.duration_ms / bin_ms, static_cast<double>(load.size()));
        for (auto bin = static_cast<size_t>(start); static_cast<double>(bin) < end; ++bin) {
            const auto left = static_cast<double>(bin);
            load[bin] += std::min(end, left + 1) - std::max(start, left);
        }
    }

    void stack(const TimeScale &scale, double top, double unit, Stage stage, const Load &load, Load &base) {
        const double width = scale.width / static_cast<double>(load.size());
        for (size_t bin = 0; bin < load.size(); ++bin) {
            if (load[bin] <= 0) continue;
            base[bin] += load[bin];
            canvas_.rect(scale.left + width * static_cast<double>(bin), top + kOverview - unit * base[bin], width,
                         unit * load[bin],
                         format("fill=\"%s\" shape-rendering=\"crispEdges\"", kColours[static_cast<size_t>(stage)]));
        }
    }

    const Timeline &timeline_;
    const RunResult &run_;
    SvgCanvas canvas_;
};

} // namespace

std::string timeline_svg(const Timeline &timeline) { return Drawing(timeline).draw(); }

} // namespace pipeline

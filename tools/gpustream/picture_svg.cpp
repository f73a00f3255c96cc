// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

#include "explain_picture.hpp"
#include "table.hpp"

namespace command {
namespace {

constexpr size_t kLeft = 190, kTop = 52, kBoxWidth = 256, kBoxHeight = 40, kColumn = 306, kLane = 64, kLine = 18;
constexpr size_t kInBox = kBoxWidth - 14, kInLane = kLeft - 26, kInLine = 920;

// How wide a text is, in hundredths of a pixel, with the widest of common fonts.
size_t width_of(const std::string &text, size_t font) {
    size_t width = 0;
    for (const char one : text) {
        const auto byte = static_cast<unsigned char>(one);
        if ((byte & 0xC0) == 0x80) continue; // the character goes on
        const bool wide = byte >= 0xE2 || std::strchr("mwMW@%", one) != nullptr;
        const bool narrow = std::strchr("iljft.,:;'|()[]! ", one) != nullptr;
        width += (wide ? 105 : narrow ? 38 : one >= 'A' && one <= 'Z' ? 74 : 64) * font;
    }
    return width;
}

// Cut to so many pixels, between its characters.
std::string shortened(const std::string &text, size_t pixels, size_t font) {
    if (width_of(text, font) <= 100 * pixels) return text;
    size_t kept = text.size();
    do --kept;
    while (kept != 0 && ((text[kept] & 0xC0) == 0x80 || width_of(text.substr(0, kept) + "…", font) > 100 * pixels));
    return text.substr(0, kept) + "…";
}

std::string escaped(const std::string &text) {
    std::string out;
    for (const char one : text) {
        if (one == '&' || one == '<' || one == '"')
            out += one == '&' ? "&amp;" : one == '<' ? "&lt;" : "&quot;";
        else
            out += static_cast<unsigned char>(one) < 0x20 ? ' ' : one;
    }
    return printable(out); // beside a dump there may be any bytes of the program's
}

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines(1, text.substr(0, text.find_first_not_of(' ')));
    for (size_t at = lines[0].size(); at < text.size();) {
        const size_t end = std::min(text.find(' ', at), text.size());
        if (!lines.back().empty() && width_of(lines.back() + ' ' + text.substr(at, end - at), 12) > 100 * kInLine)
            lines.emplace_back("    ");
        if (!lines.back().empty() && lines.back().back() != ' ') lines.back() += ' ';
        lines.back() += text.substr(at, end - at);
        at = end + 1;
    }
    for (std::string &line : lines) line = shortened(line, kInLine, 12);
    return lines;
}

void write_text(std::string &out, size_t x, size_t y, const char *how, const std::string &text) {
    if (text.empty()) return;
    out += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" xml:space=\"preserve\" " + how + ">" +
           escaped(text) + "</text>\n";
}

// Is there a way from one box to another, along lanes and arrows that are no circle?
bool leads(const Picture &picture, size_t from, size_t to, std::vector<bool> &seen) {
    if (from == to) return true;
    if (seen[from]) return false;
    seen[from] = true;
    const std::vector<size_t> &lane = picture.lanes[picture.boxes[from].lane].boxes;
    const auto next = std::next(std::find(lane.begin(), lane.end(), from));
    if (next != lane.end() && leads(picture, *next, to, seen)) return true;
    return std::any_of(picture.arrows.begin(), picture.arrows.end(), [&](const Picture::Arrow &arrow) {
        return !arrow.back && arrow.from == from && leads(picture, arrow.to, to, seen);
    });
}

// Each box is right of what comes before it.
void place(Picture &picture) {
    for (Picture::Arrow &arrow : picture.arrows) arrow.back = true;
    for (Picture::Arrow &arrow : picture.arrows) {
        std::vector<bool> seen(picture.boxes.size());
        arrow.back = leads(picture, arrow.to, arrow.from, seen);
    }
    for (bool moved = true; moved;) {
        moved = false;
        const auto after = [&](size_t first, size_t second) {
            if (picture.boxes[second].column > picture.boxes[first].column) return;
            picture.boxes[second].column = picture.boxes[first].column + 1;
            moved = true;
        };
        for (const Picture::Lane &lane : picture.lanes)
            for (size_t i = 1; i < lane.boxes.size(); ++i) after(lane.boxes[i - 1], lane.boxes[i]);
        for (const Picture::Arrow &arrow : picture.arrows)
            if (!arrow.back) after(arrow.from, arrow.to);
    }
}

size_t x_of(const Picture::Box &box) { return kLeft + box.column * kColumn; }
size_t y_of(const Picture::Box &box) { return kTop + box.lane * kLane; }

void draw_arrow(std::string &out, const Picture &picture, const Picture::Arrow &arrow) {
    const Picture::Box &from = picture.boxes[arrow.from], &to = picture.boxes[arrow.to];
    const bool red = to.stuck || arrow.missing;
    const long x1 = static_cast<long>(x_of(from) + kBoxWidth), y1 = static_cast<long>(y_of(from) + kBoxHeight / 2);
    const long x2 = static_cast<long>(x_of(to)) - 4, y2 = static_cast<long>(y_of(to) + kBoxHeight / 2);
    // One that closes a circle goes below the boxes.
    const long bend = arrow.back ? 60 : std::max(20L, (x2 - x1) / 2), down = arrow.back ? std::max(y1, y2) + 70 : 0;
    const long down1 = std::max(y1, down), down2 = std::max(y2, down);
    char path[256];
    std::snprintf(path, sizeof path,
                  "<path d=\"M%ld,%ld C%ld,%ld %ld,%ld %ld,%ld\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s "
                  "marker-end=\"url(#%s)\"/>\n",
                  x1, y1, x1 + bend, down1, x2 - bend, down2, x2, y2, red ? "#b42318" : "#5b616a",
                  arrow.missing ? " stroke-dasharray=\"6 5\"" : "", red ? "red" : "tip");
    out += path;
}

void draw_box(std::string &out, const Picture::Box &box) {
    const size_t x = x_of(box), y = y_of(box);
    out +=
        "<g><title>" + escaped(box.about) + "</title><rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
        "\" width=\"" + std::to_string(kBoxWidth) + "\" height=\"" + std::to_string(kBoxHeight) + "\" rx=\"5\" " +
        (box.stuck ? "fill=\"#fdecea\" stroke=\"#b42318\" stroke-width=\"2\"" : "fill=\"#eef4f4\" stroke=\"#0b7a75\"") +
        "/>\n";
    write_text(out, x + 10, y + 17, "font-size=\"12\" font-weight=\"600\"", shortened(box.title, kInBox, 13));
    write_text(out, x + 10, y + 32, "font-size=\"11\" fill=\"#5b616a\"", shortened(box.detail, kInBox, 11));
    out += "</g>\n";
}

// Returns its height; *width grows to what it needs.
size_t draw(std::string &out, Picture &picture, size_t *width) {
    place(picture);
    size_t columns = 1;
    for (const Picture::Box &box : picture.boxes) columns = std::max(columns, box.column + 1);
    const size_t right = kLeft + columns * kColumn;
    *width = std::max(*width, right);
    write_text(out, 16, 26, "font-size=\"15\" font-weight=\"600\"", shortened(picture.title, kInLine, 17));
    for (size_t i = 0; i < picture.lanes.size(); ++i) {
        const size_t y = kTop + i * kLane + kBoxHeight / 2;
        out += "<path d=\"M" + std::to_string(kLeft) + "," + std::to_string(y) + " H" + std::to_string(right - 20) +
               "\" stroke=\"#d5d8dc\"/>\n";
        write_text(out, 16, y + 4, "font-size=\"13\"", shortened(picture.lanes[i].name, kInLane, 13));
    }
    for (const Picture::Box &box : picture.boxes) draw_box(out, box);
    for (const Picture::Arrow &arrow : picture.arrows) draw_arrow(out, picture, arrow);
    const bool circle =
        std::any_of(picture.arrows.begin(), picture.arrows.end(), [](const auto &one) { return one.back; });
    size_t y = kTop + picture.lanes.size() * kLane + (circle ? 32 : 8);
    for (const std::string &note : picture.notes)
        for (const std::string &line : lines_of(note)) {
            write_text(out, 16, y, "font-size=\"12\"", line);
            y += kLine;
        }
    return y + 8;
}

} // namespace

std::string svg_of(std::vector<Picture> pictures) {
    std::string body;
    size_t width = 960, y = 0;
    for (Picture &picture : pictures) {
        body += "<g transform=\"translate(0," + std::to_string(y) + ")\">\n";
        y += draw(body, picture, &width);
        body += "</g>\n";
    }
    const std::string size = std::to_string(width) + "\" height=\"" + std::to_string(y);
    std::string out =
        "<!-- SPDX-License-Identifier: Apache-2.0 -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size +
        "\" viewBox=\"0 0 " + std::to_string(width) + " " + std::to_string(y) +
        "\" font-family=\"system-ui, sans-serif\" fill=\"#1c2024\">\n<defs>";
    for (const auto &[name, colour] : {std::pair{"tip", "#5b616a"}, {"red", "#b42318"}})
        out += std::string("<marker id=\"") + name +
               "\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
               "<path d=\"M0,0 L8,4 L0,8 z\" fill=\"" +
               colour + "\"/></marker>";
    return out + "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + body + "</svg>\n";
}

} // namespace command

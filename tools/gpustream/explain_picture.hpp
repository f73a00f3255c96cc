// SPDX-License-Identifier: Apache-2.0
// What a dump and the ordering checker's reports say, as a picture: a lane for each stream, with arrows for order.
#pragma once

#include <string>
#include <vector>

namespace command {

struct Picture {
    struct Box {
        size_t lane = 0;
        std::string title, detail, about; // about: when the mouse is on it
        bool stuck = false;
        size_t column = 0;
    };
    struct Arrow {
        size_t from = 0, to = 0; // boxes
        bool missing = false;    // the order is not there
        bool back = false;       // it closes a circle
    };
    struct Lane {
        std::string name;
        std::vector<size_t> boxes; // in their order
    };
    std::string title;
    std::vector<Lane> lanes;
    std::vector<Box> boxes;
    std::vector<Arrow> arrows;
    std::vector<std::string> notes;
};

// One below the other, as one SVG. The columns of the boxes are set.
std::string svg_of(std::vector<Picture> pictures);

// A picture for each dump, log and race in a text; other lines of it are left out.
std::vector<Picture> pictures_of(const std::string &text);

} // namespace command

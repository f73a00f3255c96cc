// SPDX-License-Identifier: Apache-2.0
// The texts are those of gs_dump(), gs_dump_log() and the checker; names in them are quoted and may have any letters.
#include "explain_picture.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

namespace command {
namespace {

constexpr size_t kShownFrames = 5;                             // of each side of a race
constexpr double kBefore = std::numeric_limits<double>::max(); // ms ago: of what the text does not date

// Reads a line from its beginning.
struct Cursor {
    explicit Cursor(const std::string &of) : text(of) {}

    const std::string &text;
    size_t at = 0;

    bool take(const std::string &wanted) {
        if (text.compare(at, wanted.size(), wanted) != 0) return false;
        at += wanted.size();
        return true;
    }
    bool skip_to(const std::string &wanted) {
        const size_t found = text.find(wanted, at);
        if (found != std::string::npos) at = found + wanted.size();
        return found != std::string::npos;
    }
    std::string rest() const { return text.substr(at); }
};

// A handle, and its name in quotation marks if it has one. Without a name the last digits, the others being mostly the same.
struct Object {
    std::string handle, name;
    std::string shown() const {
        return !name.empty() ? name : handle.size() < 16 ? handle : "…" + handle.substr(handle.size() - 7);
    }
};
Object take_object(Cursor &from) {
    Object object;
    const size_t end = std::min(from.text.find_first_not_of("0123456789abcdefx", from.at), from.text.size());
    object.handle = from.text.substr(from.at, end - from.at);
    from.at = end;
    const size_t close = from.text.find("\")", end);
    if (from.take(" (\"") && close != std::string::npos) {
        object.name = from.text.substr(from.at, close - from.at);
        from.at = close + 2;
    }
    return object;
}

// With names, or the last digits, in place of handles.
std::string readable(const std::string &text) {
    std::string out;
    for (Cursor from(text); from.at < text.size();) {
        if (text.compare(from.at, 2, "0x") == 0) {
            const Object object = take_object(from);
            out += object.name.empty() ? object.shown() : '"' + object.name + '"';
        } else {
            out += text[from.at++];
        }
    }
    return out;
}

class Dump {
public:
    explicit Dump(Picture &picture) : picture_(picture) {}

    void read(const std::string &line) {
        Cursor from(line);
        if (from.take("stream 0x")) {
            from.at -= 2;
            const Object stream = take_object(from);
            lane_ = lane_of(stream);
            from.take(" ");
            sentences_.emplace_back(lane_, from.rest());
            if (line.find("waits for ") < line.find("may wait for ")) picture_.notes.push_back(readable(line));
        } else if (!sentences_.empty() && from.take("    ") && from.skip_to(" ms ago, thread ") && from.skip_to(": ")) {
            add_front(lane_, from.rest(), std::strtod(line.c_str(), nullptr), line.substr(4, line.find(',') - 4));
        } else {
            picture_.notes.push_back(readable(line));
        }
    }

    // What the first line of each stream says is drawn once all streams are known.
    void finish() {
        for (const auto &[lane, sentence] : sentences_) draw_way(lane, sentence);
        if (picture_.arrows.empty()) picture_.notes.emplace_back("No stream is known to wait for another one.");
    }

private:
    struct Operation {
        std::string text;
        double ago;
    };

    size_t lane_of(const Object &stream) {
        const auto [found, is_new] = lanes_.try_emplace(stream.handle, picture_.lanes.size());
        if (is_new) picture_.lanes.push_back({stream.shown(), {}});
        return found->second;
    }

    size_t add_front(size_t lane, const std::string &text, double ago, const std::string &detail) {
        picture_.boxes.push_back({lane, readable(text), detail, text + "; " + detail, false, 0});
        operations_.push_back({text, ago});
        std::vector<size_t> &boxes = picture_.lanes[lane].boxes;
        boxes.insert(boxes.begin(), picture_.boxes.size() - 1);
        return boxes.front();
    }

    // The newest operation of the lane that begins with the text; else one is added that is older than all.
    size_t find_or_add(size_t lane, const std::string &text) {
        const std::vector<size_t> &boxes = picture_.lanes[lane].boxes;
        for (auto box = boxes.rbegin(); box != boxes.rend(); ++box)
            if (operations_[*box].text.compare(0, text.size(), text) == 0) return *box;
        return add_front(lane, text, kBefore, "before what is listed");
    }

    // The newest operation of the lane at that time.
    size_t newest_at(size_t lane, double ago) {
        const std::vector<size_t> &boxes = picture_.lanes[lane].boxes;
        for (auto box = boxes.rbegin(); box != boxes.rend(); ++box)
            if (operations_[*box].ago >= ago) return *box;
        return add_front(lane, "its work so far", kBefore, "before what is listed");
    }

    void add_arrow(size_t from, size_t to, bool missing) {
        const auto same = [&](const Picture::Arrow &one) { return one.from == from && one.to == to; };
        if (std::none_of(picture_.arrows.begin(), picture_.arrows.end(), same))
            picture_.arrows.push_back({from, to, missing, false});
    }

    void draw_way(size_t lane, const std::string &sentence) {
        Cursor from(sentence);
        const bool circle = sentence.find(", which waits for the above: a circle") != std::string::npos;
        size_t last = picture_.boxes.size();
        while (from.take("waits for ") || from.take("may wait for ")) {
            const size_t kind = from.at;
            if (sentence.compare(kind, 9, "the above") == 0 || !from.skip_to(" 0x")) return; // or a word of memory
            from.at -= 2;
            const std::string what = sentence.substr(kind, from.at - kind);
            const Object object = take_object(from);
            const std::string begin = "waits for " + what + object.handle;
            std::string value;
            if (from.take(" to reach ")) value = std::to_string(std::strtoull(from.rest().c_str(), nullptr, 10));
            const bool is_timeline = !value.empty();
            const std::string wanted = begin + (is_timeline ? " at " + value : "");
            const size_t wait = find_or_add(lane, wanted);
            picture_.boxes[wait].stuck |= circle;
            const std::string rest = from.rest();
            const size_t next_in = std::min(rest.find("ed in stream "), rest.find(", which"));
            if (what == "stream ") {
                lane = lane_of(object);
                last = newest_at(lane, operations_[wait].ago);
            } else if (next_in != std::string::npos && rest.compare(next_in, 7, ", which") != 0) {
                from.skip_to("ed in stream ");
                lane = lane_of(take_object(from));
                const std::string verb = (is_timeline ? "signals timeline " : "records event ") + object.handle;
                last = find_or_add(lane, verb);
            } else {
                picture_.boxes[wait].stuck = true;
                if (is_timeline) add_arrow(unmet(object, value, rest), wait, true);
                return;
            }
            add_arrow(last, wait, false);
            if (!from.skip_to(", which ")) return;
        }
        if (from.take("has no known wait") && last < picture_.boxes.size()) picture_.boxes[last].stuck = true;
    }

    // In a lane of its own: the value that the timeline has not reached.
    size_t unmet(const Object &timeline, const std::string &value, const std::string &rest) {
        const size_t lane =
            lane_of({"", rest.find("nothing in the log") != std::string::npos ? "no stream" : "not known"});
        const std::string wanted = "timeline " + timeline.handle + " at " + value;
        const size_t is_at = rest.find("(it is at "), end = rest.find(')');
        const size_t box = find_or_add(lane, wanted);
        picture_.boxes[box].stuck = true;
        picture_.boxes[box].detail = is_at < end && end != std::string::npos ? rest.substr(is_at + 1, end - is_at - 1)
                                                                             : "its value is not known";
        return box;
    }

    Picture &picture_;
    size_t lane_ = 0;
    std::map<std::string, size_t> lanes_; // by handle
    std::vector<Operation> operations_;   // of the boxes
    std::vector<std::pair<size_t, std::string>> sentences_;
};

// Of each side where the call was made: the call, and what has a source line; the first frames if none has one.
void add_frames(Picture &picture, const std::vector<std::string> &frames) {
    const auto has_line = [](const std::string &frame) {
        const size_t in = frame.find(" in ");
        return in != std::string::npos && in > 0 && std::isdigit(static_cast<unsigned char>(frame[in - 1])) != 0;
    };
    const bool any = std::any_of(frames.begin(), frames.end(), has_line);
    size_t shown = 0;
    for (const std::string &frame : frames)
        if (shown < kShownFrames && (!any || shown == 0 || has_line(frame))) {
            picture.notes.push_back(readable(frame));
            ++shown;
        }
}

// "read of 64 bytes at 0x10, "label", stream 0x1 ("name"), submitted by thread 1, access number 2"
void add_side(Picture &picture, const std::string &line) {
    const std::string access = line.substr(0, line.find(" at "));
    std::string queue = "the host thread";
    const size_t stream = line.rfind("stream 0x"), label = line.find(", \""), end = line.find("\", ", label + 1);
    if (stream != std::string::npos) {
        Cursor from(line);
        from.at = stream + 7;
        queue = take_object(from).shown();
    }
    size_t lane = 0;
    while (lane < picture.lanes.size() && picture.lanes[lane].name != queue) ++lane;
    if (lane == picture.lanes.size()) picture.lanes.push_back({queue, {}});
    picture.lanes[lane].boxes.push_back(picture.boxes.size());
    const bool labelled = label != std::string::npos && end != std::string::npos && end < stream;
    picture.boxes.push_back({lane, access, labelled ? line.substr(label + 3, end - label - 3) : "", line, true, 0});
}

} // namespace

std::vector<Picture> pictures_of(const std::string &text) {
    std::vector<Picture> pictures;
    std::istringstream lines(text);
    std::string line;
    bool more = static_cast<bool>(std::getline(lines, line));
    while (more) {
        const std::string content = line.compare(0, 11, "gpustream: ") == 0 ? line.substr(11) : line;
        if (content.compare(0, 5, "dump ") == 0 || content.compare(0, 15, "log of process ") == 0) {
            pictures.push_back({content, {}, {}, {}, {}});
            Dump dump(pictures.back());
            while (more = static_cast<bool>(std::getline(lines, line)), more && line.compare(0, 11, "gpustream: ") != 0)
                dump.read(line);
            dump.finish();
        } else if (content.compare(0, 8, "race on ") == 0) {
            Picture &race = pictures.emplace_back();
            race.title = content.substr(0, content.find(':'));
            race.notes.push_back(readable(content));
            std::string earlier, later;
            std::vector<std::string> frames;
            while (more = static_cast<bool>(std::getline(lines, line)), more && line.compare(0, 2, "  ") == 0) {
                if (line.compare(0, 9, "  later: ") == 0) later = line.substr(9);
                if (line.compare(0, 11, "  earlier: ") == 0) earlier = line.substr(11);
                if (line.compare(0, 7, "      #") == 0) {
                    frames.push_back(line);
                    continue;
                }
                add_frames(race, frames);
                frames.clear();
                race.notes.push_back(readable(line));
            }
            add_frames(race, frames);
            for (const std::string *side : {&earlier, &later})
                if (!side->empty()) add_side(race, *side);
            if (race.boxes.size() == 2) race.arrows.push_back({0, 1, true, false});
        } else {
            more = static_cast<bool>(std::getline(lines, line));
        }
    }
    return pictures;
}

} // namespace command

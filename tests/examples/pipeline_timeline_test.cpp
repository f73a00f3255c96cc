// SPDX-License-Identifier: Apache-2.0
// The texts that the pipeline example writes: table, picture, trace, and their escapes. Parsers in pipeline_timelines.py
// check that the files are well-formed; these tests check their contents.
#include <gtest/gtest.h>

#include <string>

#include "report.hpp"
#include "svg_canvas.hpp"
#include "text.hpp"
#include "timeline.hpp"

namespace pipeline {
namespace {

size_t count(const std::string &text, const std::string &piece) {
    size_t found = 0;
    for (size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + piece.size())) ++found;
    return found;
}

// Two chunks of 1000 bytes on three streams: each stage takes 2 ms, the second chunk follows 2 ms behind.
RunResult two_chunks() {
    RunResult run;
    const std::string data(2000, 'x');
    run.digest.update(reinterpret_cast<const unsigned char *>(data.data()), data.size());
    run.lanes = plan_lanes(3);
    run.chunks = 2;
    run.first_ms = 10;
    run.last_ms = 18;
    for (uint64_t chunk = 0; chunk < 2; ++chunk) {
        for (const Stage stage : {kCopyIn, kKernel, kCopyOut}) {
            const double start = 10 + 2.0 * static_cast<double>(chunk + static_cast<uint64_t>(stage));
            run.spans.push_back({stage, stage, chunk, 1000, start, 2});
            run.stages[static_cast<size_t>(stage)].bytes += 1000;
            run.stages[static_cast<size_t>(stage)].ms += 2;
        }
    }
    return run;
}

TEST(Report, SaysWhatWasMeasured) {
    const RunResult run = two_chunks();
    RunResult one_stream = run;
    one_stream.last_ms = one_stream.first_ms + 12;
    EXPECT_DOUBLE_EQ(overlap_factor(run, one_stream), 1.5);
    EXPECT_DOUBLE_EQ(gigabytes_per_second(8'000'000, 2), 4.0);
    EXPECT_EQ(gigabytes_per_second(5, 0), 0.0);
    const Report report{"f", "host (cpu)", 3, 1000, run, one_stream};
    EXPECT_EQ(report.headline(), "f, 2.0 KiB in 2 chunks of 1000 bytes, 3 streams on host (cpu)");
    EXPECT_NE(report.speed().find("8.00 ms"), std::string::npos);
    EXPECT_NE(report.speed().find("overlap factor 1.50"), std::string::npos);
    EXPECT_EQ(count(report.table(), "\n"), 7u);
    EXPECT_NE(report.table().find("copy-out               2000        4.000      0.00       0.50"), std::string::npos)
        << report.table();
}

TEST(Report, WritesSizesForPeople) {
    EXPECT_EQ(human_bytes(1), "1 byte");
    EXPECT_EQ(human_bytes(1023), "1023 bytes");
    EXPECT_EQ(human_bytes(4u << 20), "4 MiB");
    EXPECT_EQ(human_bytes(3u << 19), "1.5 MiB");
    EXPECT_EQ(human_bytes(uint64_t{5} << 40), "5 TiB");
}

TEST(Svg, ShowsEachStageOfEachChunk) {
    const std::string svg = timeline_svg({"title <&>", "subtitle", two_chunks()});
    EXPECT_NE(svg.find("title &lt;&amp;&gt;"), std::string::npos);
    for (const char *stage : {"copy-in", "kernel", "copy-out"}) {
        EXPECT_EQ(count(svg, std::string("<title>") + stage + " of chunk 0: 2.000 ms"), 1u) << stage;
        EXPECT_EQ(count(svg, std::string("<title>") + stage + " of chunk 1: 2.000 ms"), 1u) << stage;
    }
    EXPECT_EQ(count(svg, "stream 2, kernel"), 1u);
    EXPECT_NE(svg.find("ms</text>"), std::string::npos);
}

TEST(Trace, CountsMicrosecondsFromTheFirstStage) {
    const std::string json = trace_json({"t", "s", two_chunks()});
    EXPECT_EQ(count(json, "\"ph\": \"X\""), 6u);
    EXPECT_EQ(count(json, "\"thread_name\""), 3u);
    EXPECT_NE(
        json.find("\"tid\": 2, \"name\": \"kernel\", \"ts\": 2000.000, \"dur\": 2000.000, \"args\": {\"chunk\": 0"),
        std::string::npos);
}

TEST(Ticks, AreRoundAndFew) {
    EXPECT_EQ(round_ticks(10, 10), (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(round_ticks(11, 10), (std::vector<double>{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(round_ticks(0, 10), std::vector<double>{0});
    for (double end = 1e-5; end < 1e7; end *= 1.37) {
        const auto ticks = round_ticks(end, 10);
        EXPECT_GE(ticks.size(), 4u) << end;
        EXPECT_LE(ticks.size(), 11u) << end;
        EXPECT_LE(ticks.back(), end * 1.000001);
    }
}

TEST(Text, IsEscapedAndValidUtf8) {
    EXPECT_EQ(xml_escape("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
    EXPECT_EQ(json_escape("a\"b\\c\n\x01"), "a\\\"b\\\\c\\u000a\\u0001");
    EXPECT_EQ(json_escape("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
    const std::string bad = "\xEF\xBF\xBD";
    EXPECT_EQ(json_escape("\xFFx"), bad + "x");
    EXPECT_EQ(xml_escape("\xC3"), bad);
    EXPECT_EQ(xml_escape("\x02"), bad);
    EXPECT_EQ(json_escape("\xC0\xAF"), bad + bad);
    EXPECT_EQ(json_escape("\xED\xA0\x80"), bad + bad + bad);
}

} // namespace
} // namespace pipeline

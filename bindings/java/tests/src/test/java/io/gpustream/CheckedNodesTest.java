// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What nodes of graphs are declared to access. */
class CheckedNodesTest {
    /** A launch in which two nodes race, and one in which an edge orders them. */
    static final class Nodes {
        public static void main(String[] arguments) {
            OrderingChecker.start();
            try (Stream stream = Stream.create();
                    HostMemory memory = HostMemory.allocate(64)) {
                for (boolean edge : new boolean[] {true, false}) {
                    try (Graph graph = Graph.create()) {
                        GraphNode first = graph.addEmpty();
                        GraphNode second = edge ? graph.addEmpty(first) : graph.addEmpty();
                        first.checkWrite(memory, edge ? "ordered" : "producer");
                        second.checkRead(memory.slice(0, 8), "consumer");
                        assertThrows(IllegalArgumentException.class, () -> first.checkWrite(memory, "a\0b"));
                        try (GraphExec exec = graph.instantiate()) {
                            exec.launch(stream);
                            stream.synchronize();
                        }
                        graph.close();
                        assertThrows(IllegalStateException.class, () -> first.checkRead(memory, "x"));
                    }
                }
            }
            OrderingChecker.stop();
        }
    }

    @Test
    void nodesOfGraphsDeclareWhatTheyAccess(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("reports.jsonl");
        new Child(Nodes.class)
                .environment("GPUSTREAM_CHECK_JSON", file.toString())
                .run()
                .succeeded();
        List<String> lines = Files.readAllLines(file);
        assertEquals(1, lines.size(), () -> String.join("\n", lines));
        JsonObject report = JsonParser.parseString(lines.get(0)).getAsJsonObject();
        assertEquals("producer", report.getAsJsonObject("earlier").get("label").getAsString());
        assertEquals("consumer", report.getAsJsonObject("later").get("label").getAsString());
    }
}

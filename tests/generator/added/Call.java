// SPDX-License-Identifier: Apache-2.0

import io.gpustream.internal.Calls;
import io.gpustream.internal.Constants;
import io.gpustream.internal.Layer;
import io.gpustream.internal.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** Calls the made-up functions through both forms of the flat layer. */
final class Call {
    static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    static MemorySegment struct(Arena arena, io.gpustream.internal.Struct layout) {
        MemorySegment memory = arena.allocate(layout.size(), 8);
        memory.set(ValueLayout.JAVA_INT, 0, layout.size());
        return memory;
    }

    static void through(String layer, SymbolLookup natives) {
        Calls calls = Layer.create(layer).calls();
        MemorySegment seen = natives.find("made_sum_seen").orElseThrow().reinterpret(8);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment weight = struct(arena, Layouts.MADE_WEIGHT);
            weight.set(ValueLayout.JAVA_INT, Layouts.MADE_WEIGHT.fields().get("mode").offset(), Constants.MADE_DOUBLED);
            weight.set(ValueLayout.JAVA_DOUBLE, Layouts.MADE_WEIGHT.fields().get("factor").offset(), 0.5);
            MemorySegment values = arena.allocateFrom(ValueLayout.JAVA_LONG, 3, 4, 5);
            MemorySegment total = struct(arena, Layouts.MADE_TOTAL);
            MemorySegment event = arena.allocate(8, 8);
            MemorySegment flags = arena.allocate(4, 4);
            seen.set(ValueLayout.JAVA_LONG, 0, 0);
            int status = calls.madeSum(
                    weight.address(), values.address(), 3, natives.find("made_seen").orElseThrow().address(), 0,
                    total.address(), event.address());
            require(status == Constants.OK, "status " + status);
            require(seen.get(ValueLayout.JAVA_LONG, 0) == 12, "the function saw all numbers");
            int sum = Layouts.MADE_TOTAL.fields().get("sum").offset();
            require(total.get(ValueLayout.JAVA_DOUBLE, sum) == 12.0, "the sum");
            long handle = event.get(ValueLayout.JAVA_LONG, 0);
            require(calls.madeDoubledFlags(handle, flags.address()) == Constants.OK, "the event lives");
            require(flags.get(ValueLayout.JAVA_INT, 0) == 2 * Constants.EVENT_TIMING, "its flags");
            MemorySegment squares = arena.allocate(24, 8);
            require(calls.madeSquares(20, squares.address(), 3, event.address()) == Constants.OK, "squares");
            require(squares.getAtIndex(ValueLayout.JAVA_LONG, 2) == 4, "the third square");
            require(event.get(ValueLayout.JAVA_LONG, 0) == 5, "the number of squares");
            require(calls.eventDestroy(handle) == Constants.OK, "the event is ours");
            require(calls.madeDoubledFlags(handle, flags.address()) == Constants.ERROR_INVALID_HANDLE, "it is gone");
        }
        System.out.println(layer + ": 12");
    }

    public static void main(String[] arguments) {
        SymbolLookup natives = SymbolLookup.libraryLookup(Path.of(arguments[0]), Arena.global());
        through("jni", natives);
        through("ffm", natives);
    }
}

// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.gpustream.Range")
@Label("Range")
@Category("gpustream")
@Description("A part of the program that it has given a name")
@StackTrace(false)
final class RangeEvent extends Event implements Recorder.Span {
    @Label("Name")
    String name;

    @Override
    public void done() {
        commit();
    }
}

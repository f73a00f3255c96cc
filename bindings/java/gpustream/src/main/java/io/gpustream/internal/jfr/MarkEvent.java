// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.gpustream.Mark")
@Label("Mark")
@Category("gpustream")
@Description("A moment that the program has marked")
@StackTrace(false)
final class MarkEvent extends Event {
    @Label("Text")
    String text;
}

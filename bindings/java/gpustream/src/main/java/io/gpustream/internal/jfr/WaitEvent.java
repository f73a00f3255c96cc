// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Unsigned;

@Name("io.gpustream.Wait")
@Label("Wait")
@Category("gpustream")
@Description("A thread waited for device work, or for entries of a queue")
final class WaitEvent extends Event implements Recorder.Span {
    @Label("Method")
    String method;

    @Label("Handle")
    @Description("The number of the object that was waited for, as in error texts and dumps; 0: several")
    @Unsigned
    long handle;

    @Override
    public void done() {
        commit();
    }
}

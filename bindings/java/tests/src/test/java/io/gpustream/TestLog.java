// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Collects what gpustream logs while it is open. */
final class TestLog extends Handler implements AutoCloseable {
    final List<LogRecord> records = Collections.synchronizedList(new ArrayList<>());

    private final Logger logger = Logger.getLogger("io.gpustream");
    private final SimpleFormatter formatter = new SimpleFormatter();

    TestLog() {
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
        setLevel(Level.ALL);
    }

    /** The messages so far. */
    List<String> messages() {
        synchronized (records) {
            return records.stream().map(formatter::formatMessage).toList();
        }
    }

    @Override
    public void publish(LogRecord record) {
        records.add(record);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}

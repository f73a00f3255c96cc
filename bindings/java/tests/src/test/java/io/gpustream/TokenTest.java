// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.Support.assertStatus;
import static org.junit.jupiter.api.Assertions.*;

import java.io.*;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokens: waits and queries, wrong bytes, serialized ones, other processes. */
class TokenTest {
    private final Stream produces = Stream.create();
    private final Stream consumes = Stream.create();

    @AfterEach
    void ends() {
        produces.close();
        consumes.close();
    }

    static byte[] serialized(Object object) {
        try (ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                ObjectOutputStream output = new ObjectOutputStream(bytes)) {
            output.writeObject(object);
            output.flush();
            return bytes.toByteArray();
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    static Object deserialized(byte[] bytes) throws IOException {
        try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return input.readObject();
        } catch (ClassNotFoundException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    void streamsWaitForThePoint() {
        try (Support.Gate gate = new Support.Gate(produces);
                StreamScope scope = produces.scope();
                Stream other = Stream.create()) {
            assertTrue(scope.isOpen());
            Token token = Token.ofCurrentStream();
            try (StreamScope inner = consumes.scope()) {
                token.makeWait();
                assertTrue(inner.isOpen());
            }
            Token.of(produces).makeWait(other);
            assertFalse(token.query() || consumes.query() || other.query());
            gate.open();
            consumes.synchronize();
            other.synchronize();
            assertTrue(token.query());
        }
    }

    @Test
    void bytesAreTheToken() {
        Token token = Token.of(produces);
        Token copy = Token.of(token.toByteArray());
        assertEquals(token, copy);
        assertEquals(token.hashCode(), copy.hashCode());
        assertEquals(token.toString(), copy.toString());
        assertNotEquals(token, Token.of(produces));
        token.toByteArray()[0] ^= 1; // a copy
        copy.makeWait(consumes);
        byte[] wrong = token.toByteArray();
        wrong[70] ^= 1;
        assertStatus(Status.INVALID_ARGUMENT, () -> Token.of(wrong).query());
        assertStatus(Status.INVALID_ARGUMENT, () -> Token.of(new byte[Token.BYTES]).makeWait(consumes));
        assertThrows(IllegalArgumentException.class, () -> Token.of(new byte[Token.BYTES - 1]));
    }

    @Test
    void serializedTokensAreEqual() throws IOException {
        Token token = Token.of(produces);
        Token copy = (Token) deserialized(serialized(token));
        assertEquals(token, copy);
        copy.makeWait(consumes);
        consumes.synchronize();
    }

    /** Another number of bytes in the stream is refused. */
    @Test
    void serializedBytesAreNotTrusted() {
        byte[] good = serialized(Token.of(new byte[Token.BYTES]));
        int length = good.length - Token.BYTES - 4; // the array comes last: its length, its elements
        byte[] shorter = java.util.Arrays.copyOf(good, good.length - 1);
        shorter[length + 3] = (byte) (Token.BYTES - 1);
        assertThrows(InvalidObjectException.class, () -> deserialized(shorter));
    }

    /** Waits for a token that it has read. */
    static final class Reader {
        public static void main(String[] arguments) throws IOException {
            Token token = (Token) deserialized(HexFormat.of().parseHex(arguments[0]));
            try (Stream stream = Stream.create()) {
                token.makeWait(stream);
                stream.synchronize();
                System.out.println("reached " + token.query());
            }
        }
    }

    @Test
    @Tag("processes")
    void anotherProcessWaits() {
        produces.sleep(20_000_000);
        String read = HexFormat.of().formatHex(serialized(Token.of(produces)));
        Child.Result result = new Child(Reader.class, read).run().succeeded();
        assertTrue(result.output().contains("reached true"), result.output());
    }
}

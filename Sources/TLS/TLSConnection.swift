import COpenSSL
import NIOCore

/// The state of one TLS connection in OpenSSL. It reads and writes memory, so nothing in it waits for the network.
struct TLSConnection: ~Copyable {
    enum Outcome {
        case done
        /// The peer must send more.
        case waiting
        /// The peer has ended its half of the connection.
        case ended
        case failed(TLSError)
    }

    private let connection: OpaquePointer
    /// A record of TLS has at most 16 KiB of text.
    private static let recordSize = 16 << 10
    /// In bytes. OpenSSL's memory grows and never shrinks, so larger one is exchanged.
    private static let keptMemory = 4 << 10
    /// The most bytes that a record adds to its text.
    private static let overhead = 64

    init(_ context: TLSContext) throws(TLSError) {
        guard let connection = SSL_new(context.context) else { throw TLSError("SSL_new") }
        self.connection = connection
        SSL_set_bio(connection, Self.memory(), Self.memory())
        SSL_set_accept_state(connection)
    }

    private static func memory() -> OpaquePointer {
        guard let memory = BIO_new(BIO_s_mem()) else { preconditionFailure("no memory for TLS") }
        return memory
    }

    deinit { SSL_free(connection) }

    /// Takes what came from the network.
    mutating func receive(_ buffer: ByteBuffer) {
        buffer.withUnsafeReadableBytes { bytes in
            _ = BIO_write(SSL_get_rbio(connection), bytes.baseAddress, CInt(bytes.count))
        }
    }

    /// Frees the memory for what came from the network, unless some of it waits to be read.
    mutating func releaseMemory() {
        if BIO_ctrl_pending(SSL_get_rbio(connection)) == 0 { SSL_set0_rbio(connection, Self.memory()) }
    }

    mutating func handshake() -> Outcome { outcome { SSL_do_handshake(connection) } }

    /// The protocol that was negotiated by ALPN.
    var negotiatedProtocol: String? {
        var (name, length): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
        SSL_get0_alpn_selected(connection, &name, &length)
        return name.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self) }
    }

    /// Decrypts at most one record and appends its text.
    mutating func read(into buffer: inout ByteBuffer) -> Outcome {
        var result = Outcome.waiting
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.recordSize) { bytes in
            var count = 0
            result = outcome { SSL_read_ex(connection, bytes.baseAddress, bytes.count, &count) }
            return count
        }
        return result
    }

    /// Encrypts a text and appends it to what is to be sent.
    mutating func write(_ text: ByteBuffer, to output: inout ByteBuffer) -> Outcome {
        let records = text.readableBytes / Self.recordSize + 1
        output.reserveCapacity(minimumWritableBytes: text.readableBytes + records * Self.overhead)
        var text = text
        while let part = text.readSlice(length: min(text.readableBytes, Self.recordSize)), part.readableBytes > 0 {
            var count = 0
            let result = part.withUnsafeReadableBytes { bytes in
                outcome { SSL_write_ex(connection, bytes.baseAddress, bytes.count, &count) }
            }
            guard case .done = result else { return result }
            takeOutput(&output)
        }
        return .done
    }

    /// Says that nothing more will be written.
    mutating func end() {
        // The result tells only whether the peer has ended, too.
        SSL_shutdown(connection)
        ERR_clear_error()
    }

    /// Appends what OpenSSL wants to send.
    mutating func takeOutput(_ output: inout ByteBuffer) {
        let memory = SSL_get_wbio(connection)
        let count = BIO_ctrl_pending(memory)
        guard count > 0 else { return }
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            max(0, Int(BIO_read(memory, bytes.baseAddress, CInt(count))))
        }
        if count > Self.keptMemory { SSL_set0_wbio(connection, Self.memory()) }
    }

    /// OpenSSL reports errors in a queue of the thread, which an earlier connection may have left.
    private func outcome(_ operation: () -> CInt) -> Outcome {
        ERR_clear_error()
        let result = operation()
        guard result != 1 else { return .done }
        return switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: .waiting
        case SSL_ERROR_ZERO_RETURN: .ended
        default: .failed(TLSError("TLS"))
        }
    }
}

/// An error of OpenSSL on a connection, usually one of the peer.
package struct TLSError: Error, CustomStringConvertible {
    package let description: String

    /// Takes the reason from OpenSSL's queue of this thread.
    init(_ operation: String) {
        let reason = ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) }
        description = [operation, reason].compactMap(\.self).joined(separator: ": ")
        ERR_clear_error()
    }
}

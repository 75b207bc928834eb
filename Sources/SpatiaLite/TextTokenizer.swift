import CSpatiaLite
package import SQL

/// A tokenizer of full-text indexes, to find out which words an index must contain.
package final class TextTokenizer {
    private let tokenizer: OpaquePointer

    /// - Parameters:
    ///   - option: an option of `unicode61`.
    ///   - db: any connection.
    package init(option: String, _ value: String, _ db: SQLConnection) throws {
        guard let connection = db.sqlite.handle,
            let tokenizer = text_tokenizer_create(connection, option, value)
        else { throw UnreadableRow("there is no tokenizer unicode61 with \(option) \(value)") }
        self.tokenizer = tokenizer
    }

    deinit { text_tokenizer_free(tokenizer) }

    /// Inserts the hash of each token of a text into a set. The hashes are the same only within this process.
    package func insertTokens(of text: UnsafeBufferPointer<UInt8>, into hashes: inout Set<UInt64>) {
        withUnsafeMutablePointer(to: &hashes) { hashes in
            text.withMemoryRebound(to: CChar.self) { text in
                _ = text_tokenizer_run(tokenizer, text.baseAddress, CInt(text.count), hashes) {
                    context,
                    token,
                    length in
                    let bytes = UnsafeRawBufferPointer(start: token, count: Int(length))
                    context?.assumingMemoryBound(to: Set<UInt64>.self).pointee.insert(TextTokenizer.hash(bytes))
                }
            }
        }
    }

    package static func hash(_ token: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: token)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

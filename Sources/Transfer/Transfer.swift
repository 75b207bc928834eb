package import CCurl

/// One transfer by libcurl, used on the thread of its `TransferQueue`.
package final class Transfer {
    let handle: UnsafeMutableRawPointer
    private var attempt: Attempt
    /// The number of tasks that have used this transfer.
    private(set) var uses = 1
    private var lists: [UnsafeMutablePointer<curl_slist>?] = []

    init(_ attempt: Attempt) throws(TransferFailure) {
        guard let handle = curl_easy_init() else { throw TransferFailure(code: CURLE_FAILED_INIT, reply: 0) }
        self.handle = handle
        self.attempt = attempt
        prepare()
    }

    deinit {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
    }

    private func prepare() {
        set(CURLOPT_NOSIGNAL, 1)
        curl_leave_resolving(handle)
    }

    /// Prepares the transfer for another task. Only its connection remains.
    func renew(_ attempt: Attempt) {
        curl_easy_reset(handle)
        for list in lists { curl_slist_free_all(list) }
        lists = []
        self.attempt = attempt
        uses += 1
        prepare()
    }

    package func set(_ option: CURLoption, _ value: Int) { curl_set_number(handle, option, value) }

    package func set(_ option: CURLoption, _ text: String) { curl_set_text(handle, option, text) }

    package func set(_ option: CURLoption, _ lines: [String]) {
        let list = lines.reduce(nil) { curl_slist_append($0, $1) }
        lists.append(list)
        curl_set_list(handle, option, list)
    }

    /// Sets the time limits in milliseconds.
    package func limitTime(toConnect connection: Int, whole: Int) {
        set(CURLOPT_CONNECTTIMEOUT_MS, connection)
        set(CURLOPT_TIMEOUT_MS, whole)
    }

    /// Sends the bytes. Throws `CancellationError` if the task was cancelled, otherwise `TransferFailure`.
    package func send(_ bytes: [UInt8]) throws {
        set(CURLOPT_UPLOAD, 1)
        var rest = bytes[...]
        let code = withUnsafeMutablePointer(to: &rest) { source in
            curl_set_source(handle, Self.read, source)
            return perform()
        }
        try check(code)
    }

    /// Returns the reply code and the body, which must not be longer than the limit. Throws `CancellationError` if the
    /// task was cancelled, otherwise `TransferFailure`.
    package func receive(atMost limit: Int) throws -> (reply: Int, body: [UInt8]) {
        var sink = Sink(limit: limit)
        let code = withUnsafeMutablePointer(to: &sink) { pointer in
            curl_set_sink(handle, Self.write, pointer)
            return perform()
        }
        if sink.isFull { throw TransferFailure(code: CURLE_FILESIZE_EXCEEDED, reply: curl_get_reply(handle)) }
        try check(code)
        return (curl_get_reply(handle), sink.bytes)
    }

    func perform() -> CURLcode {
        curl_set_watch(handle, Self.watch, Unmanaged.passUnretained(attempt).toOpaque())
        return withExtendedLifetime(attempt) { curl_easy_perform(handle) }
    }

    func check(_ code: CURLcode) throws {
        guard code != CURLE_OK else { return }
        guard code != CURLE_ABORTED_BY_CALLBACK else { throw CancellationError() }
        throw TransferFailure(code: code, reply: curl_get_reply(handle))
    }

    // MARK: - Calls by libcurl

    private struct Sink {
        let limit: Int
        var bytes: [UInt8] = []
        var isFull = false
    }

    /// libcurl calls this at least once a second. A result other than 0 stops the transfer.
    private static let watch: curl_xferinfo_callback = { attempt, _, _, _, _ in
        guard let attempt else { return 0 }
        return Unmanaged<Attempt>.fromOpaque(attempt).takeUnretainedValue().isCancelled ? 1 : 0
    }

    /// libcurl calls this for the next bytes.
    private static let read: curl_read_callback = { buffer, size, count, source in
        guard let buffer, let rest = source?.assumingMemoryBound(to: ArraySlice<UInt8>.self) else { return 0 }
        let piece = rest.pointee.prefix(size * count)
        piece.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress {
                buffer.withMemoryRebound(to: UInt8.self, capacity: bytes.count) {
                    UnsafeMutableRawPointer($0).copyMemory(from: start, byteCount: bytes.count)
                }
            }
        }
        rest.pointee = rest.pointee.dropFirst(piece.count)
        return piece.count
    }

    /// libcurl calls this with received bytes. A result other than their number stops the transfer.
    private static let write: curl_write_callback = { buffer, size, count, sink in
        guard let buffer, let sink = sink?.assumingMemoryBound(to: Sink.self) else { return 0 }
        guard sink.pointee.bytes.count + size * count <= sink.pointee.limit else {
            sink.pointee.isFull = true
            return 0
        }
        sink.pointee.bytes.append(contentsOf: UnsafeRawBufferPointer(start: buffer, count: size * count))
        return size * count
    }
}

package struct TransferFailure: Error, CustomStringConvertible {
    package let code: CURLcode
    /// The last reply code of the server; 0 if there was none.
    package let reply: Int

    package var description: String { "\(String(cString: curl_easy_strerror(code))), reply \(reply)" }
}

package import CCurl
import Foundation

/// A transfer by libcurl that is prepared by one task and then done on the thread of a `TransferQueue`.
package final class Transfer {
    let handle: UnsafeMutableRawPointer
    private(set) var received: ReceivedReply
    private var lists: [UnsafeMutablePointer<curl_slist>?] = []
    private var source: ArraySlice<UInt8> = []
    private var permits: ((String) -> Bool)?
    /// Counts the transfers by each connection, if a connection may do a limited number of them.
    var uses: ConnectionUses?
    /// Whether the transfer may share a connection by HTTP/2. A reply then counts although the server closes the connection
    /// behind its status; it is not complete.
    package var mayShareConnection = false
    /// Whether libcurl chose a kept connection to an address that this transfer may not use.
    private(set) var hasForeignConnection = false
    /// Whether the transfer has been done once more, on another connection.
    private(set) var isRepeated = false

    init() throws(TransferFailure) {
        guard let handle = curl_easy_init() else { throw TransferFailure(code: CURLE_FAILED_INIT, reply: 0) }
        self.handle = handle
        received = ReceivedReply()
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_NOSIGNAL, 1)
        curl_leave_resolving(handle)
        curl_set_header_sink(handle, Self.readHeader, pointer)
        curl_set_sink(handle, Self.readBody, pointer)
        curl_set_socket_opener(handle, Self.open, pointer)
        curl_set_prerequisite(handle, Self.isReady, pointer)
    }

    deinit {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
    }

    // MARK: - What is sent

    package func set(_ option: CURLoption, _ value: Int) { curl_set_number(handle, option, value) }

    package func set(_ option: CURLoption, _ text: String) { curl_set_text(handle, option, text) }

    package func set(_ option: CURLoption, _ lines: [String]) {
        let list = lines.reduce(nil) { curl_slist_append($0, $1) }
        lists.append(list)
        curl_set_list(handle, option, list)
    }

    /// Trusts the authorities in a PEM file in place of those of the system.
    package func trust(_ path: String) {
        set(CURLOPT_CAINFO, path)
        // Debian's libcurl reads the system's folder as well, some hundred files for each connection.
        curl_set_text(handle, CURLOPT_CAPATH, nil)
    }

    /// Sets the time limits in milliseconds. They begin when the transfer begins, not while it waits for others.
    package func limitTime(toConnect connection: Int, whole: Int) {
        set(CURLOPT_CONNECTTIMEOUT_MS, connection)
        set(CURLOPT_TIMEOUT_MS, whole)
    }

    /// Sets the body of a POST request.
    package func post(_ body: [UInt8]) {
        body.withUnsafeBytes { bytes in
            _ = curl_set_body(handle, bytes.baseAddress, curl_off_t(bytes.count))
        }
    }

    /// Sets what is uploaded.
    package func upload(_ bytes: [UInt8]) {
        source = bytes[...]
        set(CURLOPT_UPLOAD, 1)
        curl_set_source(handle, Self.read, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Connections, new and kept ones, may go only to addresses for which `permits` returns true. It gets them as text
    /// and is called on the thread of all transfers.
    package func restrictAddresses(_ permits: @escaping (String) -> Bool) { self.permits = permits }

    // MARK: - What is received

    /// Sets the maximum numbers of bytes. Reading stops at the limit of the body. Longer headers are a failure, because
    /// they may go on without end.
    package func limitReply(headers: Int, body: Int) { received = ReceivedReply(headerLimit: headers, bodyLimit: body) }

    func reply(_ code: CURLcode) throws(TransferFailure) -> HTTPReply {
        let status = curl_get_reply(handle)
        if received.hasLongHeaders { throw TransferFailure(code: CURLE_FILESIZE_EXCEEDED, reply: 0) }
        // A server that closes the connection behind its answer (GOAWAY) has answered.
        let isCut = mayShareConnection && code == CURLE_HTTP2 && status >= 200
        guard code == CURLE_OK || received.isFull || isCut else {
            throw TransferFailure(code: hasForeignConnection ? CURLE_COULDNT_CONNECT : code, reply: status)
        }
        return HTTPReply(status: status, headers: received.headers, body: received.body, isComplete: code == CURLE_OK)
    }

    /// Prepares the same transfer for another connection, if that is the way to do it: the kept one was to another address,
    /// or the server closed it (GOAWAY, or just the socket) without an answer.
    func canRepeat(_ code: CURLcode) -> Bool {
        let isClosed =
            code == CURLE_HTTP2
            || [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING].contains(code)
                && curl_used_kept_connection(handle) != 0
        guard !isRepeated, hasForeignConnection || isClosed && received.headers.isEmpty else { return false }
        // The transfers of a connection that was closed share the next one.
        if hasForeignConnection { set(CURLOPT_FRESH_CONNECT, 1) }
        isRepeated = true
        hasForeignConnection = false
        return true
    }

    /// Lets libcurl look for what it has read of the connection already. Version 7.88 forgets that if an answer begins before
    /// the request is sent whole, and would wait for more until the time limit.
    func lookForAnswer() {
        guard mayShareConnection else { return }
        curl_easy_pause(handle, CURLPAUSE_RECV)
        curl_easy_pause(handle, CURLPAUSE_CONT)
    }

    // MARK: - Calls by libcurl

    private static func transfer(_ pointer: UnsafeMutableRawPointer?) -> Transfer? {
        pointer.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// A result other than the number of bytes stops the transfer, also in `readBody`.
    private static let readHeader: curl_write_callback = { buffer, size, count, pointer in
        let bytes = UnsafeRawBufferPointer(start: buffer, count: size * count)
        return transfer(pointer)?.received.takeHeader(bytes) == true ? bytes.count : 0
    }

    private static let readBody: curl_write_callback = { buffer, size, count, pointer in
        let bytes = UnsafeRawBufferPointer(start: buffer, count: size * count)
        return transfer(pointer)?.received.takeBody(bytes) == true ? bytes.count : 0
    }

    private static let read: curl_read_callback = { buffer, size, count, pointer in
        guard let buffer, let transfer = transfer(pointer) else { return 0 }
        let piece = transfer.source.prefix(size * count)
        piece.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: buffer, count: $0.count).copyMemory(from: $0) }
        transfer.source = transfer.source.dropFirst(piece.count)
        return piece.count
    }

    private static let open: curl_opensocket_callback = { pointer, _, address in
        guard let address, let transfer = transfer(pointer) else { return curl_no_socket() }
        if let permits = transfer.permits {
            guard let text = text(of: curl_socket_address(address)), permits(text) else { return curl_no_socket() }
        }
        return curl_open_socket(address)
    }

    /// libcurl chooses among the kept connections by name and port. The name may have another address meanwhile.
    private static let isReady: curl_prereq_callback = { pointer, remote, _, _, localPort in
        guard let transfer = transfer(pointer), let remote else { return CURL_PREREQFUNC_ABORT }
        if let permits = transfer.permits, !permits(String(cString: remote)) {
            transfer.hasForeignConnection = true
            return CURL_PREREQFUNC_ABORT
        }
        if transfer.uses?.isLast(at: localPort) == true { transfer.set(CURLOPT_FORBID_REUSE, 1) }
        return CURL_PREREQFUNC_OK
    }

    private static func text(of address: UnsafePointer<sockaddr>) -> String? {
        let isLong = Int32(address.pointee.sa_family) == AF_INET6
        let length = isLong ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        return code == 0 ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}

package struct TransferFailure: Error, CustomStringConvertible {
    package let code: CURLcode
    /// The last reply code of the server; 0 if there was none.
    package let reply: Int

    package init(code: CURLcode, reply: Int) { (self.code, self.reply) = (code, reply) }

    package var description: String { "\(String(cString: curl_easy_strerror(code))), reply \(reply)" }
}

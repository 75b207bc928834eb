import CCurl

extension Transfer {
    /// Prepares a GET request whose whole answer is read.
    ///
    /// - Parameters:
    ///   - address: a URL; it must be https unless the host is a loopback address.
    ///   - host: the host of the address.
    ///   - milliseconds: the time limit for the whole request.
    package func get(_ address: String, host: String, headers: [String], within milliseconds: Int) {
        set(CURLOPT_URL, address)
        set(CURLOPT_PROTOCOLS_STR, host.isLoopbackHost ? "http,https" : "https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_USERAGENT, "DoggoFinder")
        set(CURLOPT_HTTPHEADER, headers)
        // The proxies in the environment are for other machines.
        if host.isLoopbackHost { set(CURLOPT_PROXY, "") }
        limitTime(toConnect: milliseconds, whole: milliseconds)
    }
}

extension HTTPReply {
    /// The whole body of an answer with the status 200. Everything else, also a redirect, is a failure.
    package func content() throws(TransferFailure) -> [UInt8] {
        guard isComplete else { throw TransferFailure(code: CURLE_FILESIZE_EXCEEDED, reply: status) }
        guard status == 200 else { throw TransferFailure(code: CURLE_HTTP_RETURNED_ERROR, reply: status) }
        return body
    }
}

extension String {
    /// Whether a host, as it is written in a URL, is a loopback address.
    package var isLoopbackHost: Bool {
        self == "localhost" || self == "[::1]" || wholeMatch(of: #/127(\.\d{1,3}){3}/#) != nil
    }
}

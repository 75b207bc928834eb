import CCurl

extension Transfer {
    /// Returns the body of the answer to a GET request. An answer with another status than 200, also a redirect, is a
    /// failure.
    ///
    /// - Parameters:
    ///   - address: a URL; it must be https unless the host is a loopback address.
    ///   - host: the host of the address.
    ///   - milliseconds: the time limit for the whole request.
    ///   - limit: the maximum size of the body in bytes.
    package func get(
        _ address: String,
        host: String,
        headers: [String],
        within milliseconds: Int,
        atMost limit: Int
    ) throws -> [UInt8] {
        set(CURLOPT_URL, address)
        set(CURLOPT_PROTOCOLS_STR, host.isLoopbackHost ? "http,https" : "https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_USERAGENT, "DoggoFinder")
        set(CURLOPT_HTTPHEADER, headers)
        // The proxies in the environment are for other machines.
        if host.isLoopbackHost { set(CURLOPT_PROXY, "") }
        limitTime(toConnect: milliseconds, whole: milliseconds)
        let (reply, body) = try receive(atMost: limit)
        guard reply == 200 else { throw TransferFailure(code: CURLE_HTTP_RETURNED_ERROR, reply: reply) }
        return body
    }
}

extension String {
    /// Whether a host, as it is written in a URL, is a loopback address.
    package var isLoopbackHost: Bool {
        self == "localhost" || self == "[::1]" || wholeMatch(of: #/127(\.\d{1,3}){3}/#) != nil
    }
}

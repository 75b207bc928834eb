import CCurl
import Cryptography
import Foundation
import Transfer

/// A request to a bucket.
struct BucketRequest: Sendable {
    let operation: BucketFigures.Operation
    let url: String
    var headers: [String] = []
    var body: [UInt8]?
    /// The greatest size of the answer, in bytes.
    var maxAnswer = 64 << 10

    /// The most bytes of the headers of an answer.
    private static let maxHeaders = 32 << 10

    /// Prepares the request, signed with Signature Version 4.
    ///
    /// libcurl signs the host, the time and all headers that are set here. Addresses consist of characters that need no
    /// escaping, and their parameters are sorted, because libcurl 7.88 signs them as they are written.
    func prepare(_ transfer: Transfer, to address: BucketAddress, _ keys: AccessKeys, milliseconds: Int) {
        let isLoopback = address.host.isLoopbackHost
        transfer.set(CURLOPT_URL, url)
        transfer.set(CURLOPT_PATH_AS_IS, 1)
        transfer.set(CURLOPT_PROTOCOLS_STR, url.hasPrefix("https:") ? "https" : "http")
        transfer.set(CURLOPT_FOLLOWLOCATION, 0)
        // The proxies in the environment are for other machines.
        if isLoopback { transfer.set(CURLOPT_PROXY, "") }
        transfer.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        transfer.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let authorities = address.authorities { transfer.trust(authorities.path) }
        transfer.set(CURLOPT_USERAGENT, "DoggoFinder")
        transfer.set(CURLOPT_AWS_SIGV4, "aws:amz:\(address.region):s3")
        transfer.set(CURLOPT_USERNAME, keys.id)
        transfer.set(CURLOPT_PASSWORD, keys.secret)
        transfer.set(CURLOPT_HTTPHEADER, lines(keys))
        transfer.set(CURLOPT_CUSTOMREQUEST, method)
        transfer.limitTime(toConnect: milliseconds, whole: milliseconds)
        transfer.limitReply(headers: Self.maxHeaders, body: maxAnswer)
        if let body { transfer.post(body) }
    }

    private var method: String {
        switch operation {
        case .put: "PUT"
        case .get, .list: "GET"
        case .delete: "DELETE"
        }
    }

    private func lines(_ keys: AccessKeys) -> [String] {
        headers + ["x-amz-content-sha256: \(Data.sha256(body ?? []).hexadecimal)"]
            + (keys.sessionToken.map { ["x-amz-security-token: \($0)"] } ?? [])
    }
}

extension HTTPReply {
    func header(_ name: String) -> String? {
        headers.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
}

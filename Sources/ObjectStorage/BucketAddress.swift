package import Domain
package import Foundation
import Transfer

/// Where a bucket is: its name, the beginning of the names of its objects, and the service that has it.
package struct BucketAddress: Equatable, Sendable, CustomStringConvertible {
    package static let defaultRegion = "us-east-1"

    /// `s3://BUCKET/PREFIX`, for messages.
    package let description: String
    /// The URL of the bucket.
    let url: String
    /// The beginning of the name of every object: empty, or with a slash at its end.
    let prefix: String
    let region: String
    let host: String
    /// The certificates to trust in place of those of the system, as PEM.
    package var authorities: URL?

    /// - Parameters:
    ///   - text: `s3://BUCKET` or `s3://BUCKET/PREFIX`.
    ///   - endpoint: the URL of the service. Nil is AWS, where the name of the bucket is part of the host. Services of
    ///     others have it in the path, because few have certificates for the names of all buckets.
    ///   - region: nil for `defaultRegion`.
    package init(parsing text: String, endpoint: String? = nil, region: String? = nil) throws(ServiceError) {
        let (bucket, prefix) = try Self.split(text)
        self.region = region ?? Self.defaultRegion
        guard self.region.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,62}/) != nil else {
            throw .invalid("photos-region", "expected a name like eu-south-1, got '\(self.region)'")
        }
        description = text
        self.prefix = prefix
        if let endpoint {
            let service = try Endpoint(parsing: endpoint)
            host = service.host
            url = "\(service.url)/\(bucket)"
        } else if bucket.contains(".") {
            // The certificates of AWS are for names with one label before the service.
            host = "s3.\(self.region).amazonaws.com"
            url = "https://\(host)/\(bucket)"
        } else {
            host = "\(bucket).s3.\(self.region).amazonaws.com"
            url = "https://\(host)/"
        }
    }

    func url(of name: String) -> String { (url.hasSuffix("/") ? url : url + "/") + prefix + name }

    /// The characters of prefixes are those that neither a URL nor a signature has to escape.
    private static func split(_ text: String) throws(ServiceError) -> (bucket: String, prefix: String) {
        let form = /s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?<prefix>(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)\/?/
        guard let parts = text.wholeMatch(of: form), text.utf8.count <= 300, !text.contains("..") else {
            throw .invalid(
                "photos",
                "expected a folder, or s3://BUCKET or s3://BUCKET/PREFIX of letters, digits, '-', '_' and '.', got '\(text)'"
            )
        }
        let prefix = parts.prefix.dropFirst()
        return (String(parts.bucket), prefix.isEmpty ? "" : "\(prefix)/")
    }

    /// A service that has buckets.
    private struct Endpoint {
        let url: String
        let host: String

        init(parsing text: String) throws(ServiceError) {
            // The message does not repeat the text, because it may contain a password.
            guard !text.contains("@") else {
                throw .invalid("photos-endpoint", "expected no name or password: keys are in photos-keys-file")
            }
            guard let parts = URLComponents(string: text), let scheme = parts.scheme,
                ["https", "http"].contains(scheme), let host = parts.host,
                host.wholeMatch(of: /[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]/) != nil,
                parts.path.wholeMatch(of: /(\/[A-Za-z0-9._-]+)*\/?/) != nil, parts.fragment == nil,
                parts.query == nil || parts.query == "tls=none"
            else {
                throw .invalid("photos-endpoint", "expected an address like https://s3.example.org, got '\(text)'")
            }
            guard scheme == "https" || host.isLoopbackHost || parts.query != nil else {
                throw .invalid(
                    "photos-endpoint",
                    "expected https://...; http://...?tls=none sends photos without encryption to another machine"
                )
            }
            let path = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
            self.host = host
            url = "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")\(path)"
        }
    }
}

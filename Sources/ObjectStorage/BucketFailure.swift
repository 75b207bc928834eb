import CCurl
package import Domain
import Transfer

/// Why a request to a bucket failed.
package enum BucketFailure: Error, Equatable, CustomStringConvertible {
    /// There is no object of this name.
    case missing
    /// The content is not what was written.
    case damaged
    /// The store does not do it, and will not until something is changed: keys, permissions, the bucket, the region or
    /// a clock.
    case refused(String)
    /// Another attempt may succeed.
    case unavailable(String)

    package var description: String {
        switch self {
        case .missing: "there is no such object"
        case .damaged: "the content is not what was written"
        case .refused(let reason), .unavailable(let reason): reason
        }
    }

    /// The error for the client, who learns nothing about the store.
    package var serviceError: ServiceError {
        switch self {
        case .missing: ServiceError(.notFound, "no such photo")
        case .damaged, .refused, .unavailable:
            ServiceError(.unavailable, "photos cannot be stored or read now: try again in a moment", retryAfter: 10)
        }
    }

    init(_ failure: TransferFailure) {
        switch failure.code {
        case CURLE_SSL_CACERT_BADFILE, CURLE_PEER_FAILED_VERIFICATION, CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
            self = .refused(failure.description)
        default: self = .unavailable(failure.description)
        }
    }

    /// - Parameters:
    ///   - body: an XML document with a code, if the store wrote the answer. A HEAD or a proxy gives none.
    ///   - region: the region that the store tells.
    init(status: Int, body: [UInt8], region: String?) {
        let code = ErrorDocument.code(in: body)
        let answer = "the store answers \(status)" + (code.map { " \($0)" } ?? "")
        switch (status, code) {
        case (404, "NoSuchBucket"): self = .refused("\(answer): the bucket does not exist")
        case (404, _): self = .missing
        case (_, "RequestTimeTooSkewed"):
            self = .refused("\(answer): the clocks of this machine and of the store differ by more than 15 minutes")
        case (_, "InvalidAccessKeyId"), (_, "SignatureDoesNotMatch"):
            self = .refused("\(answer): the keys of photos-keys-file are not the store's")
        case (_, "ExpiredToken"): self = .refused("\(answer): the temporary keys have expired")
        case (_, "XAmzContentSHA256Mismatch"), (_, "BadDigest"), (_, "RequestTimeout"), (_, "IncompleteBody"):
            self = .unavailable("\(answer): the file did not arrive as it was sent")
        case (300...399, _), (_, "AuthorizationHeaderMalformed"):
            let told = region.map { ": the bucket is in the region \($0), see photos-region" }
            self = .refused(answer + (told ?? ": expected the endpoint and region of the bucket"))
        case (403, _): self = .refused("\(answer): the keys do not permit it")
        case (408, _), (429, _), (500..., _): self = .unavailable(answer)
        default: self = .refused(answer)
        }
    }
}

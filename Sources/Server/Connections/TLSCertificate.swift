package import Domain
import Foundation
package import Logging
import Synchronization
import TLS

/// The certificate and the key with which the service speaks TLS. They can be read again while it runs.
package final class TLSCertificate: Sendable {
    private let certificateFile: String
    private let keyFile: String
    private let logger: Logger
    private let current: Mutex<TLSContext>

    /// - Parameters:
    ///   - certificateFile: the certificate of the service in PEM format, followed by those that lead to the authority.
    ///   - keyFile: its private key in PEM format, without a passphrase.
    package init(certificateFile: String, keyFile: String, logger: Logger) throws(ServiceError) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.logger = logger
        current = Mutex(try Self.read(certificateFile, keyFile, logger))
    }

    /// For new connections.
    var context: TLSContext { current.withLock(\.self) }

    /// Reads the files again. Open connections keep the certificate that they began with. If the files are not valid,
    /// the former certificate stays.
    func reload() {
        do {
            let context = try Self.read(certificateFile, keyFile, logger)
            current.withLock { $0 = context }
        } catch {
            logger.error("the TLS certificate was not replaced: \(error.message)")
        }
    }

    private static func read(
        _ certificateFile: String,
        _ keyFile: String,
        _ logger: Logger
    ) throws(ServiceError) -> TLSContext {
        let context = try open(certificateFile, keyFile)
        guard let end = context.validUntil else { return context }
        let level: Logger.Level = end < .now ? .error : .notice
        logger.log(level: level, "the TLS certificate was read", metadata: ["valid_until": "\(Timestamp(end).text)"])
        return context
    }

    private static func open(_ certificateFile: String, _ keyFile: String) throws(ServiceError) -> TLSContext {
        do { return try TLSContext(certificateFile: certificateFile, keyFile: keyFile) } catch {
            throw switch error {
            case .certificate:
                .invalid("tls-certificate", "expected certificates in PEM format in \(certificateFile)")
            case .key: .invalid("tls-key", "expected a private key in PEM format, without a passphrase, in \(keyFile)")
            case .keyOfAnotherCertificate:
                .invalid("tls-key", "expected the key of the certificate in \(certificateFile)")
            }
        }
    }
}

package import Domain
import Foundation
package import Logging
import NIOSSL
import Synchronization

/// The certificate and the key with which the service speaks TLS. They can be read again while it runs.
package final class TLSCertificate: Sendable {
    private let certificateFile: String
    private let keyFile: String
    private let logger: Logger
    private let current: Mutex<NIOSSLContext>

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
    var context: NIOSSLContext { current.withLock(\.self) }

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
    ) throws(ServiceError) -> NIOSSLContext {
        guard let chain = try? NIOSSLCertificate.fromPEMFile(certificateFile), let certificate = chain.first else {
            throw .invalid("tls-certificate", "expected certificates in PEM format in \(certificateFile)")
        }
        guard let key = try? NIOSSLPrivateKey(file: keyFile, format: .pem) else {
            throw .invalid("tls-key", "expected a private key in PEM format, without a passphrase, in \(keyFile)")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        guard let context = try? NIOSSLContext(configuration: configuration) else {
            throw .invalid("tls-key", "expected the key of the certificate in \(certificateFile)")
        }
        let end = Date(timeIntervalSince1970: TimeInterval(certificate.notValidAfter))
        let level: Logger.Level = end < .now ? .error : .notice
        logger.log(level: level, "the TLS certificate was read", metadata: ["valid_until": "\(Timestamp(end).text)"])
        return context
    }
}

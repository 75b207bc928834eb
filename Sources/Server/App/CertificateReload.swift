import ServiceLifecycle
import UnixSignals

/// Reads the TLS certificate again at SIGHUP.
struct CertificateReload: ServiceLifecycle.Service {
    let certificate: TLSCertificate
    let manager: ServiceManager?

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            manager?.tell(.reloading)
            certificate.reload()
            manager?.tell(.ready)
        }
    }
}

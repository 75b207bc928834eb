import COpenSSL
package import Foundation

/// A certificate, its key and the settings of TLS connections of a server, by OpenSSL.
package final class TLSContext: @unchecked Sendable {
    package enum Failure: Error {
        case certificate
        case key
        case keyOfAnotherCertificate
    }

    // OpenSSL's contexts do not change after they were set up, and all threads may use them.
    let context: OpaquePointer

    /// - Parameters:
    ///   - certificateFile: the certificate of the service in PEM format, followed by those that lead to the authority.
    ///   - keyFile: its private key in PEM format, without a passphrase.
    package init(certificateFile: String, keyFile: String) throws(Failure) {
        guard let context = SSL_CTX_new(TLS_server_method()) else { preconditionFailure("no memory for TLS") }
        self.context = context
        // Without this function, OpenSSL would ask for a passphrase at the terminal.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
        defer { ERR_clear_error() }
        guard SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else { throw .certificate }
        // OpenSSL checks a key against the certificate when it reads the key, and reports both errors alike.
        guard Self.isKey(keyFile) else { throw .key }
        guard SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1 else {
            throw .keyOfAnotherCertificate
        }
        configure()
    }

    deinit { SSL_CTX_free(context) }

    private static func isKey(_ file: String) -> Bool {
        guard let input = BIO_new_file(file, "r") else { return false }
        defer { BIO_free(input) }
        let key = PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in 0 }, nil)
        defer { EVP_PKEY_free(key) }
        return key != nil
    }

    private func configure() {
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        // TLS 1.2 with forward secrecy and authenticated encryption only, as HTTP/2 demands (RFC 9113, 9.2.2).
        SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20")
        SSL_CTX_set_options(context, tls_server_options)
        // Sessions continue by tickets, which clients keep; a cache would grow with the number of clients.
        SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        // An idle connection needs no buffers.
        SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, length, offered, count, _ in
                guard let name = TLSContext.choose(UnsafeBufferPointer(start: offered, count: Int(count))) else {
                    return SSL_TLSEXT_ERR_NOACK
                }
                chosen?.pointee = name.baseAddress
                length?.pointee = UInt8(name.count)
                return SSL_TLSEXT_ERR_OK
            },
            nil
        )
    }

    /// Returns where the best protocol is named in a list of names, each of which follows its length (RFC 7301, section
    /// 3.1). A client that offers none of the protocols gets HTTP/1.1.
    private static func choose(_ offered: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        var names: [UnsafeBufferPointer<UInt8>] = []
        var rest = offered[...]
        while let length = rest.popFirst().map(Int.init), length <= rest.count {
            names.append(UnsafeBufferPointer(rebasing: rest.prefix(length)))
            rest.removeFirst(length)
        }
        return ["h2", "http/1.1"].lazy.compactMap { known in names.first { $0.elementsEqual(known.utf8) } }.first
    }

    /// The end of the certificate's validity; nil if it cannot be read.
    package var validUntil: Date? {
        var time = tm()
        guard let certificate = SSL_CTX_get0_certificate(context),
            ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1
        else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(timegm(&time)))
    }
}

import ArgumentParser
import Credentials
import Domain
import Formats
import Foundation
import Hummingbird
import Logging
import Matching
import NIOCore
import Pages
import Photos
import Server
import Storage
import SystemPackage

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run the HTTP server until SIGTERM or SIGINT.")

    @OptionGroup var dataOptions: DataOptions
    @OptionGroup var mailOptions: MailOptions
    @OptionGroup var channelOptions: ChannelOptions
    @OptionGroup var siteOptions: SiteOptions
    @OptionGroup var telegramOption: TelegramOption

    @OptionGroup var secondFactorOptions: SecondFactorOptions
    @OptionGroup var matchWeights: MatchWeightsOptions

    @Option(help: "The port to listen on; 0 takes a free one. (default: 8080)")
    var port: Int?

    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "Where the service is reached from outside, for links. (default: http://HOST:PORT, https with TLS)")
    var baseURL: String?

    @Option(
        help: ArgumentHelp(
            "The certificate for TLS, and those that lead to its authority, as PEM; SIGHUP reads it again. (default: none: plain HTTP)",
            valueName: "file"
        )
    )
    var tlsCertificate: String?

    @Option(
        help: ArgumentHelp("The key of the certificate, as PEM; expected with --tls-certificate.", valueName: "file")
    )
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "Standbys of the PostgreSQL database, which answer visitors without an account. (default: none)",
            valueName: "address"
        )
    )
    var databaseRead: String?

    @Option(
        help: ArgumentHelp(
            "A server of map tiles, which learns what readers look at; none shows the map that the service draws. (default: none)",
            valueName: "template"
        )
    )
    var tiles: String?

    @Option(help: "The attribution that the map shows for these tiles; expected with --tiles.")
    var tilesAttribution: String?

    @Option(
        help: ArgumentHelp(
            "Proxies that tell where requests come from: loopback, or ranges like 10.0.0.0/8, with commas. (default: none)",
            valueName: "ranges"
        )
    )
    var trustedProxies: String?

    @Option(
        help: ArgumentHelp(
            "The header in which these proxies write the client's address: x-forwarded-for or forwarded. (default: x-forwarded-for)",
            valueName: "name"
        )
    )
    var proxyHeader: String?

    @Option(help: "How much one caller may ask for: on, off, or a factor, like 2 for twice as much. (default: on)")
    var rateLimit: String?

    @Option(
        help:
            "How many may watch the board live at once; others are told to try later. (default: 10000, or half of the connections)"
    )
    var watchers: Int?

    @Option(
        help:
            "How many listings and photos an account may keep: on, off, or a factor, like 2 for twice as many. (default: on)"
    )
    var quota: String?

    @Option(
        help: ArgumentHelp(
            "How many connections one address may have; behind a trusted proxy, requests at once. (default: 256, or a quarter of all)",
            valueName: "number"
        )
    )
    var connectionsPerAddress: Int?

    @Option(
        help: ArgumentHelp(
            "A file with a token, of at least 16 characters, that opens /metrics. (default: none: admins' tokens alone)",
            valueName: "file"
        )
    )
    var metricsTokenFile: String?

    @Option(help: "Hide a listing that so many registered accounts report, until a moderator looks. (default: never)")
    var hideAfter: Int?

    @Option(
        help: ArgumentHelp(
            "How much of the disk photos leave free, in MB. (default: 1000, or 5 % of the disk if that is more)",
            valueName: "megabytes"
        )
    )
    var diskReserve: Int?

    @Option(help: "The id of the model that recognises breeds in photos; see model list. (default: dog-breeds)")
    var model: String?

    @Flag(help: "Take the clock for right although it is far ahead of the last known time. For one start.")
    var acceptClock = false

    @Option(help: "How much to log: trace, debug, info, notice, warning, error, critical. (default: info)")
    var logLevel: String?

    @Option(help: "How a line of the log is written: text, or json for one JSON object. (default: text)")
    var logFormat: String?

    func run() async throws {
        let port = try Environment.number("port", port, in: 0...65_535, "0 to 65535") ?? 8080
        let host = host ?? Environment.text("host") ?? "127.0.0.1"
        let tlsFiles = try tlsFiles()
        let told = baseURL ?? Environment.text("base-url")
        let hostInURL = Self.hostInURL(host)
        let scheme = tlsFiles == nil ? "http" : "https"
        let address = told ?? "\(scheme)://\(hostInURL):\(port)"
        guard let baseURL = BaseURL(address) else {
            throw ValidationError("base-url: expected an address like https://dogs.example.org, got '\(address)'")
        }
        var site = try siteOptions.settings()
        let home = try dataOptions.home(of: site)
        site.mapArea = try dataOptions.mapArea(of: site)
        let output = LogOutput(.standardError, try format())
        defer { output.flush(withinSeconds: 1) }
        let logger = try makeLogger(output)
        let certificate = try tlsFiles.map { files in
            try TLSCertificate(certificateFile: files.certificate, keyFile: files.key, logger: logger)
        }
        if address.hasPrefix("https:"), proxies == nil, certificate == nil {
            logger.warning("no --trusted-proxies: what a proxy on this machine passes on is not limited")
        }
        // The server goes on when the terminal that started it is closed.
        signal(SIGHUP, SIG_IGN)
        // The model is read and tried while the database is opened.
        async let breedModel = dataOptions.breedModel(model ?? Environment.text("model"), logger)
        let database = try await dataOptions.openOrCreateDatabase(maxReadDuration: .seconds(10), standby: databaseRead)
        let manager = try ServiceManager(environment: ProcessInfo.processInfo.environment, logger: logger)
        let lock = try FolderLock.server(dataOptions.directory)
        defer { withExtendedLifetime(lock) {} }
        try database.renewLeadership()
        let clockGuard = ClockGuard(folder: dataOptions.directory, logger: logger)
        clockGuard.begin(isAccepted: acceptClock)
        try (database as? DatabaseFile)?.removePlaceCopies()
        let breachedPasswords = BreachedPasswords(folder: dataOptions.directory)
        do {
            try BreachedPasswordWriter.removeUnfinished(breachedPasswords)
        } catch {
            // For example of an import by another user. The service does not need the space.
            logger.warning("an unfinished import of passwords stays: \(error)")
        }
        // A damaged list would refuse every new password.
        _ = try breachedPasswords.count()
        let quota = Quota(factor: try factor("quota", quota))
        let breeds = try dataOptions.breeds()
        let photoFiles = try dataOptions.photoFiles()
        try await dataOptions.photoOptions.checkStart(photoFiles, PhotoStore(database), logger)
        let matchReader = MatchReader(breeds: breeds)
        let photoService = try dataOptions.photoService(
            database,
            files: photoFiles,
            model: try await breedModel,
            breeds: breeds,
            matchReader: matchReader,
            quota: quota,
            reserve: try reserve()
        )
        // The other file descriptors are reserved for the database, the photos and the photo workers.
        let maxConnections = max(OpenFiles.raiseLimit() - 256, 16)
        await photoService.removeDeletedFiles()
        let mailer = try mailOptions.mailer(hasBaseURL: told != nil, database, logger)
        for message in try await MissingSetup.messages(database, hasMail: mailer != nil, site) {
            logger.notice("\(message)")
        }
        let channels = try channelOptions.settings(dataOptions.directory, logger)
        let secondFactorKey = try await secondFactorOptions.key(dataOptions.directory, database, logger)
        try await database.agree(on: [
            "second-factor-key-file": secondFactorKey.fingerprint, "vapid-key-file": channels.key.publicKey,
            "base-url": baseURL.text,
        ])
        let service = try await WebService(
            database: database,
            gazetteer: try dataOptions.gazetteer(database, home: home),
            breeds: breeds,
            matchReader: matchReader,
            matchWeights: try matchWeights.weights(),
            passwords: dataOptions.passwordHasher,
            baseURL: baseURL,
            photoService: photoService,
            site: site,
            tiles: try tileSource(),
            limits: try rateLimits(),
            connections: try connectionLimits(of: maxConnections),
            quota: quota,
            metrics: MetricsSettings(token: try metricsToken(), version: DoggoFinder.programVersion),
            hideAfter: try Environment.number("hide-after", hideAfter, in: 1..., "1 or more"),
            mailer: mailer,
            channels: channels,
            telegramServer: try telegramOption.origin(try channelOptions.outgoingOptions.settings()),
            streetPictures: try siteOptions.streetPictures(logger),
            secondFactorKey: secondFactorKey,
            secondFactorRequirement: try secondFactorOptions.requirement(),
            clockGuard: clockGuard
        )
        let server = service.serviceGroup(
            host: host,
            port: port,
            maxConnections: maxConnections,
            maxSubscribers: try maxSubscribers(of: maxConnections),
            certificate: certificate,
            stoppedBy: [.sigterm, .sigint],
            manager: manager,
            logger: logger
        ) { port in
            try? lock.write(
                ServerRecord(
                    pid: getpid(),
                    version: DoggoFinder.programVersion,
                    startedAt: .now,
                    address: "\(scheme)://\(Self.hostInURL(Self.localHost(host))):\(port)"
                )
            )
            // A parent process may wait for this line. If standard output is closed, the server continues anyway.
            _ = try? FileDescriptor.standardOutput.writeAll(
                "DoggoFinder answers at \(scheme)://\(hostInURL):\(port)\n".utf8
            )
            manager?.tell(.ready)
        }
        do {
            try await server.run()
        } catch let error as IOError {
            throw ServiceError.invalid("port", "\(hostInURL):\(port) cannot be listened on: \(error.errnoText)")
        }
        try database.close()
    }

    /// The host by which this machine reaches a server that listens on an address.
    private static func localHost(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: host
        }
    }

    /// An IPv6 address is written in brackets (RFC 3986, 3.2.2).
    private static func hostInURL(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    private func tlsFiles() throws -> (certificate: String, key: String)? {
        switch (tlsCertificate ?? Environment.text("tls-certificate"), tlsKey ?? Environment.text("tls-key")) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return (try inputFile(certificate).path, try inputFile(key).path)
        case (_?, nil): throw ValidationError("tls-key: expected with tls-certificate")
        case (nil, _?): throw ValidationError("tls-certificate: expected with tls-key")
        }
    }

    /// The remaining connections are for ordinary requests.
    private func maxSubscribers(of connections: Int) throws -> Int {
        let expectation = "less than \(connections), the connections that the system allows (ulimit -n)"
        return try Environment.number("watchers", watchers, in: 0..<connections, expectation)
            ?? min(10_000, connections / 2)
    }

    private func reserve() throws -> DiskReserve {
        let expectation = "a number of megabytes, 0 or more"
        let megabytes = try Environment.number("disk-reserve", diskReserve, in: 0...1_000_000_000, expectation)
        return DiskReserve(of: dataOptions.photoDisk, bytes: megabytes.map { $0 * 1_000_000 })
    }

    private func connectionLimits(of connections: Int) throws -> ConnectionLimits {
        let wanted = try Environment.number("connections-per-address", connectionsPerAddress, in: 1..., "at least 1")
        return ConnectionLimits(perAddress: wanted ?? min(256, connections / 4))
    }

    private func tileSource() throws -> TileSource? {
        guard let template = tiles ?? Environment.text("tiles"), template != "none" else { return nil }
        guard ["https://", "http://"].contains(where: template.hasPrefix),
            ["{z}", "{x}", "{y}"].allSatisfy(template.contains)
        else {
            throw ValidationError("tiles: expected none or an address with {z}, {x} and {y}, got '\(template)'")
        }
        guard let attribution = tilesAttribution ?? Environment.text("tiles-attribution") else {
            throw ValidationError("tiles-attribution: expected with tiles, such as '© OpenStreetMap contributors'")
        }
        return TileSource(template: template, attribution: attribution)
    }

    private var proxies: String? { trustedProxies ?? Environment.text("trusted-proxies") }

    private func rateLimits() throws -> RateLimits {
        let header = try Environment.choice("proxy-header", proxyHeader, default: TrustedProxies.Header.xForwardedFor)
        let proxies = try TrustedProxies(parsing: proxies ?? "none", header: header)
        return RateLimits(factor: try factor("rate-limit", rateLimit), proxies: proxies)
    }

    private func factor(_ name: String, _ given: String?) throws -> Double {
        let text = given ?? Environment.text(name) ?? "on"
        let factor = ["on": 1, "off": 0][text] ?? Double(text)
        guard let factor, (0...1e6).contains(factor) else {
            throw ValidationError("\(name): expected on, off or a factor like 2, of at most a million, got '\(text)'")
        }
        return factor
    }

    private func metricsToken() throws -> Token? {
        guard let path = metricsTokenFile ?? Environment.text("metrics-token-file") else { return nil }
        let file = try inputFile(path)
        let text = try? String(contentsOf: file, encoding: .utf8)
        guard let text = text.map({ $0.trimmingCharacters(in: .whitespacesAndNewlines) }), text.utf8.count >= 16 else {
            throw ValidationError("metrics-token-file: expected a token of at least 16 characters in \(path)")
        }
        return Token(text)
    }

    private func makeLogger(_ output: LogOutput) throws -> Logger {
        var logger = Logger(label: "doggofinder") { LineLogHandler(label: $0, output: output) }
        logger.logLevel = try Environment.choice("log-level", logLevel, default: .info)
        return logger
    }

    private func format() throws -> LogFormat {
        let style = try Environment.choice("log-format", logFormat, default: LogFormat.Style.text)
        let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"]
        return LogFormat(style, hasPriority: LogFormat.isJournal(STDERR_FILENO, stream: stream))
    }
}

extension IOError {
    fileprivate var errnoText: String { String(cString: strerror(errnoCode)) }
}

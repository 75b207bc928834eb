import ArgumentParser
import Domain
import Foundation
import Logging
import Mapillary

/// The options for what the pages say about the site and its operator.
struct SiteOptions: ParsableArguments {
    @Option(help: "The name of the site, on all pages and mails. (default: DoggoFinder)")
    var siteName: String?

    @Option(help: "The region that the site is for, such as \"Provincia di Salerno\". (default: not shown)")
    var region: String?

    @Option(help: ArgumentHelp("How to reach the operator. (default: not shown)", valueName: "e-mail address or URL"))
    var contact: String?

    @Option(
        help: ArgumentHelp(
            "The legal notice: a plain text, or a page elsewhere. (default: none)",
            valueName: "file or URL"
        )
    )
    var imprint: String?

    @Option(
        help: ArgumentHelp(
            "The privacy statement: a plain text, or a page elsewhere. (default: none)",
            valueName: "file or URL"
        )
    )
    var privacy: String?

    @Option(
        help: ArgumentHelp(
            "Where maps start, in degrees, such as 14.3,39.9,15.9,41.1. (default: the region, otherwise the country of the reader's language)",
            valueName: "west,south,east,north"
        )
    )
    var mapArea: String?

    @Option(
        help: ArgumentHelp(
            "A file with a token for Mapillary, to tell where it has street pictures. (default: Mapillary is not asked)",
            valueName: "file"
        )
    )
    var mapillaryTokenFile: String?

    private static let maxStatementBytes = 100_000

    func settings() throws -> SiteSettings {
        var settings = SiteSettings()
        settings.name = try text("site-name", siteName, atMost: 40) ?? SiteSettings.softwareName
        settings.region = try text("region", region, atMost: 80)
        settings.contact = try contactAddress()
        settings.imprint = try statement("imprint", imprint)
        settings.privacy = try statement("privacy", privacy)
        settings.mapArea = try Self.area(mapArea)
        return settings
    }

    /// Returns nil if the operator names no token.
    func streetPictures(_ logger: Logger) throws -> StreetPictures? {
        let option = "mapillary-token-file"
        guard let path = mapillaryTokenFile ?? Environment.text(option) else { return nil }
        let kind = "a token of Mapillary, without spaces,"
        guard let pictures = StreetPictures(token: try secret(in: path, option: option, kind), logger: logger) else {
            throw ValidationError("\(option): expected \(kind) in \(path)")
        }
        return pictures
    }

    private func text(_ name: String, _ given: String?, atMost length: Int) throws -> String? {
        guard let text = (given ?? Environment.text(name))?.trimmed else { return nil }
        let isControl = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard (1...length).contains(text.count), !isControl else {
            throw ValidationError("\(name): expected a line of 1 to \(length) characters")
        }
        return String(text)
    }

    private func contactAddress() throws -> String? {
        guard let text = contact ?? Environment.text("contact") else { return nil }
        if Self.isWebAddress(text) { return text }
        guard let email = try? Field("contact", .string(text)).email() else {
            throw ValidationError(
                "contact: expected an e-mail address, or a URL like https://example.org/contact, got '\(text)'"
            )
        }
        return email
    }

    private func statement(_ name: String, _ given: String?) throws -> SiteSettings.Statement? {
        guard let value = given ?? Environment.text(name) else { return nil }
        if value.contains("://") {
            guard Self.isWebAddress(value) else {
                throw ValidationError(
                    "\(name): expected a file, or a URL like https://example.org/page, got '\(value)'"
                )
            }
            return .link(value)
        }
        let handle: FileHandle
        do { handle = try FileHandle(forReadingFrom: inputFile(value)) } catch let error as ServiceError {
            throw ValidationError("\(name): \(error.message)")
        }
        let data = try handle.read(upToCount: Self.maxStatementBytes + 1) ?? Data()
        guard data.count <= Self.maxStatementBytes, let text = String(validating: data, as: UTF8.self)?.trimmed,
            !text.isEmpty
        else {
            throw ValidationError("\(name): expected a text in UTF-8 of at most 100 kB in \(value)")
        }
        return .text(String(text))
    }

    private static func isWebAddress(_ text: String) -> Bool {
        guard let url = URL(string: text) else { return false }
        return ["http", "https"].contains(url.scheme) && url.host()?.isEmpty == false
    }

    /// Returns the area of the site that the option states, or else the environment; nil if neither does.
    static func area(_ option: String? = nil) throws -> BoundingBox? {
        guard let text = option ?? Environment.text("map-area") else { return nil }
        guard let box = try? BoundingBox(parsing: text), box.southWest.lat < box.northEast.lat,
            box.southWest.lon != box.northEast.lon
        else {
            throw ValidationError(
                "map-area: expected west,south,east,north in degrees, such as 14.3,39.9,15.9,41.1, got '\(text)'"
            )
        }
        return box
    }
}

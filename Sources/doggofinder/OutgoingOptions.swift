import ArgumentParser
import Foundation
import OutgoingHTTP

/// Permissions for requests to servers that users name.
struct OutgoingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The ports of servers that users may name, with commas. (default: 443)", valueName: "ports")
    )
    var outgoingPorts: String?

    @Option(
        help: ArgumentHelp(
            "Networks like 10.1.0.0/16 that users may name although they are not public, with commas. (default: none)",
            valueName: "networks"
        )
    )
    var outgoingNetworks: String?

    @Option(
        help: ArgumentHelp(
            "Certificates to trust of servers that users name, as PEM. (default: the system's)",
            valueName: "file"
        )
    )
    var outgoingCaFile: String?

    func settings() throws -> OutgoingSettings {
        var settings = OutgoingSettings()
        if let text = outgoingPorts ?? Environment.text("outgoing-ports") {
            let ports = Self.parts(text).map { part in Int(part).flatMap { (1...65_535).contains($0) ? $0 : nil } }
            guard !ports.isEmpty, !ports.contains(nil) else {
                throw ValidationError("outgoing-ports: expected ports like 443,8443, got '\(text)'")
            }
            settings.ports = Set(ports.compactMap(\.self))
        }
        if let text = outgoingNetworks ?? Environment.text("outgoing-networks") {
            let networks = Self.parts(text).map { IPNetwork($0) }
            guard !networks.isEmpty, !networks.contains(nil) else {
                throw ValidationError("outgoing-networks: expected networks like 10.1.0.0/16, got '\(text)'")
            }
            settings.allowedNetworks = networks.compactMap(\.self)
        }
        settings.authorities = try (outgoingCaFile ?? Environment.text("outgoing-ca-file")).map(inputFile)
        return settings
    }

    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

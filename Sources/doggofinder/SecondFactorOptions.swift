import ArgumentParser
import Credentials
import Domain
import Foundation
import Logging
import Storage

/// The options for second factors.
struct SecondFactorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Who needs a second factor: none or admins. Admins without one can only set it up. (default: none)",
            valueName: "who"
        )
    )
    var requireSecondFactor: String?

    @OptionGroup var keyOptions: SecondFactorKeyOptions

    /// Returns the key. Logs an error if it is not the one that encrypted the secrets in the database.
    func key(_ data: URL, _ database: any Database, _ logger: Logger) async throws -> SecondFactorKey {
        let key = try keyOptions.key(data)
        if let (secret, account) = try await SecondFactorStore(database).oldestSecret(),
            key.open(secret, for: .secret(account)) == nil
        {
            logger.error(
                """
                the key of second factors is not the one that encrypted their secrets, so only recovery codes work: \
                bring the earlier file \(SecondFactorKey.fileName) back
                """
            )
        }
        return key
    }

    func requirement() throws -> SecondFactor.Requirement {
        try Environment.choice("require-second-factor", requireSecondFactor, default: .none)
    }
}

/// The key that encrypts the secrets of second factors and the tokens of social accounts.
struct SecondFactorKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The key that encrypts the secrets of second factors. (default: second-factor-key in the data folder, made \
            once)
            """,
            valueName: "file"
        )
    )
    var secondFactorKeyFile: String?

    func key(_ data: URL) throws -> SecondFactorKey {
        guard let path = secondFactorKeyFile ?? Environment.text("second-factor-key-file") else {
            return try SecondFactorKey.readOrCreate(in: data)
        }
        return try SecondFactorKey.read(try inputFile(path))
    }
}

import ArgumentParser
import Domain
import Storage

extension AccountsCommand {
    struct SecondFactorCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "second-factor",
            abstract: "Show whether signing in takes a code, or remove the second factor of a locked-out person.",
            discussion: """
                Make sure first that the person is the owner of the account: whoever has the password can sign in \
                then. The removal is in the audit log.
                """
        )

        @OptionGroup var target: AccountTarget
        @Flag(help: "Remove the second factor and its recovery codes.") var remove = false

        func run() async throws {
            let account = try await target.find().account
            let store = SecondFactorStore(try await target.dataOptions.openDatabase())
            if remove {
                try await store.remove(of: account, by: .commandLine)
                return print("removed")
            }
            guard let factor = try await store.find(of: account), let since = factor.confirmedAt else {
                return print("none")
            }
            print("since \(since.text), \(counted(factor.recoveryCodesLeft, "recovery code")) left")
        }
    }
}

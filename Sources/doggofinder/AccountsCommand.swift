import ArgumentParser
import Credentials
import Domain
import Foundation
import Storage

struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List and maintain accounts; `moderation ban` shuts one out.",
        subcommands: [
            List.self, Show.self, Add.self, MakeAdmin.self, ResetPassword.self, SecondFactorCommand.self,
            Passwords.self, Remove.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List accounts, newest first.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Option(help: "Only guest, user, admin or organisation.") var role: String?
        @OptionGroup var limits: LimitOption

        func run() async throws {
            let wanted = try Field("role", role.map(JSONValue.string) ?? .null).choice(Account.Role.self)
            let store = AccountStore(try await dataOptions.openDatabase())
            let accounts = try await store.findAccounts(role: wanted, limit: limits.limit ?? 100)
            printAccounts(accounts, output)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one account.")

        @OptionGroup var target: AccountTarget
        @OptionGroup var output: OutputOptions

        func run() async throws {
            printAccounts([try await target.find().account], output)
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register an account; prints its password unless one is given by file."
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var password: PasswordOptions
        @Argument(help: "The e-mail address.") var email: String
        @Flag(help: "As admin.") var admin = false

        func run() async throws {
            guard let email = try Field("email", .string(email)).email() else {
                throw ValidationError("email: expected an address like anna@example.org")
            }
            let accounts = AccountStore(try await dataOptions.openOrCreateDatabase())
            let (secret, isNew) = try password.read(for: email)
            let registration = AccountStore.Registration(
                email: email,
                passwordHash: try await dataOptions.passwordHasher.hash(new: secret),
                profile: Profile()
            )
            let account = try await accounts.register(registration, upgrading: nil, tokenHash: nil)
            if admin { try await accounts.setRole(account, .admin) }
            if isNew { printPassword(secret, of: email) } else { print("added") }
        }
    }

    struct MakeAdmin: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make a registered account an admin.")

        @OptionGroup var target: AccountTarget
        @Flag(help: "Take the rights of an admin back: it is an ordinary user again.") var undo = false

        func run() async throws {
            let (store, account) = try await target.find()
            guard account.email != nil else {
                throw ServiceError(.conflict, "a guest or organisation cannot be admin: it has no password")
            }
            try await store.setRole(account, undo ? .user : .admin)
            print(undo ? "user" : "admin")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an account for good, with its listings, photos, messages and reports."
        )

        @OptionGroup var target: AccountTarget
        @OptionGroup var confirmation: ConfirmationOption

        func run() async throws {
            let (store, account) = try await target.find()
            let name = account.email ?? "the guest \(account.id.uuidString.lowercased())"
            try confirmation.ask("Delete \(name) with all listings, photos and messages for good?")
            try await store.remove(account, by: .commandLine)
            try await target.dataOptions.sweepPhotos()
            print("removed")
        }
    }

    struct ResetPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give an account a new password and end its sessions; prints it unless given by file."
        )

        @OptionGroup var target: AccountTarget
        @OptionGroup var password: PasswordOptions

        func run() async throws {
            let (store, account) = try await target.find()
            let (secret, isNew) = try password.read(for: account.email)
            let hash = try await target.dataOptions.passwordHasher.hash(new: secret)
            try await store.setPassword(account, hash: hash, keeping: nil, by: .commandLine)
            if isNew { printPassword(secret, of: target.account) } else { print("changed") }
        }
    }
}

/// The account that is the subject of a command.
struct AccountTarget: ParsableArguments {
    @OptionGroup var dataOptions: DataOptions
    @Argument(help: "Its e-mail address, or its id.") var account: String

    func find() async throws -> (store: AccountStore, account: Account) {
        let store = AccountStore(try await dataOptions.openDatabase())
        return (store, try await store.account(account))
    }
}

extension AccountStore {
    /// Returns the account with an e-mail address or an id.
    func account(_ name: String) async throws -> Account {
        let found =
            if let id = UUID(uuidString: name) {
                try await findAccount(id: id)
            } else {
                try await findAccount(email: name)
            }
        guard let found else { throw ServiceError(.notFound, "no such account: \(name)") }
        return found
    }
}

/// Reads passwords from files and not from arguments, which are visible to every process on the machine.
struct PasswordOptions: ParsableArguments {
    @Option(help: "A file with the password in its first line; - for standard input. Without it one is made up.")
    var passwordFile: String?

    /// Returns the password, and whether it was generated.
    func read(for email: String?) throws -> (String, isNew: Bool) {
        guard let passwordFile else { return (Token.password(), true) }
        let data =
            passwordFile == "-"
            ? FileHandle.standardInput.readDataToEndOfFile() : try Data(contentsOf: inputFile(passwordFile))
        let line = String(decoding: data, as: UTF8.self).firstLine ?? ""
        return (try Field("password", .string(line)).password(for: email), false)
    }
}

/// Prints a generated password alone, so that scripts can read it; people are told what it is.
private func printPassword(_ password: String, of account: String) {
    if isatty(STDOUT_FILENO) == 1 { printError("The generated password of \(account):") }
    print(password)
}

private func printAccounts(_ accounts: [Account], _ output: OutputOptions) {
    if output.json {
        for account in accounts { printJSON { $0.account(account, in: nil, base: "") } }
        return
    }
    let rows = accounts.map { account in
        [
            account.id.uuidString.lowercased(), account.role.rawValue, account.email ?? "-",
            account.profile.fullName ?? "-", account.disabled ? "banned" : "", account.createdAt.text,
        ]
    }
    printTable([["id", "role", "email", "name", "state", "created"]] + rows)
}

import ArgumentParser
import Domain
import Foundation
import Photos
import Storage

struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy all data into a new data folder or PostgreSQL database from another, and compare the rows.",
        discussion: """
            Copies the database, photos, keys, models and files of imports. Stop the servers of both databases before; \
            none can start on the target until the copy is complete. The target must be empty or new; the \
            command makes its tables. After an interruption, the same command goes on. It ends with 1 if rows differ, or \
            if photos are missing or damaged.
            """
    )

    @OptionGroup var dataOptions: DataOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "What to copy: a data folder, or an address like postgresql://user@host/doggofinder. (default: the configured database)",
            valueName: "place"
        )
    )
    var from: String?

    @Option(
        help: ArgumentHelp(
            "Where to copy: a data folder or an address. --data is the data folder of an address. (default: the configured database)",
            valueName: "place"
        )
    )
    var to: String?

    @Option(
        help: ArgumentHelp(
            "Where the photos to copy are, like --photos, which is where they go. (default: in the data folder that is copied)",
            valueName: "folder or bucket"
        )
    )
    var fromPhotos: String?

    func validate() throws {
        guard from != nil || to != nil else { throw ValidationError("to: expected a data folder or an address") }
    }

    func run() async throws {
        let (source, target) = (try dataOptions.place(from, "from"), try dataOptions.place(to, "to"))
        guard source != target else { throw ValidationError("to: expected another place than the one to copy from") }
        let progress = dataOptions.makeProgress()
        defer { progress.end() }
        try await DataOptions.mappingFaults(target.folder) {
            let files = DataFolderCopy(from: source.folder, to: target.folder)
            try files.throwIfOtherKeys()
            let (original, copy) = (try dataOptions.openExisting(source), try dataOptions.open(target))
            // A database with an older schema is not empty, and remains as it is.
            if try copy.schemaAge() == .foreign { _ = try dataOptions.migrate(copy, keepingCopy: false) }
            let locks = try [original.lockAgainstServers(), copy.lockAgainstServers()]
            defer { withExtendedLifetime(locks) {} }
            try DatabaseCopy.begin(from: original, to: copy)
            try files.copy(progress)
            try ImportFileCopy.write(from: original, to: files.imports)
            let ids = try PhotoStore(original).ids()
            let problems = try await copyPhotos(ids, from: source.folder, to: target.folder, progress)
            let tables = try DatabaseCopy.run(from: original, to: copy, progress: progress.stepsOfCopy()) { db in
                try ImportFileCopy.insert(from: files.imports, db)
            }
            try DatabaseCopy.arrangeIndexes(of: copy, progress.stepsOfCopy())
            try original.close()
            try copy.close()
            progress.end()
            tell(tables, photos: ids.count, problems)
            guard problems.isEmpty else {
                printError("\(counted(problems.count, "problem")) of photos: the rest is copied; run check")
                throw ExitCode(1)
            }
        }
    }

    /// Copies the photos that the target does not have, and returns what is wrong with those of the target.
    private func copyPhotos(
        _ ids: [UUID],
        from source: URL,
        to target: URL,
        _ progress: ProgressReporter
    ) async throws -> [PhotoFileProblem] {
        let original = try dataOptions.photoOptions.files(data: source, at: fromPhotos)
        let copy = try dataOptions.photoOptions.files(data: target)
        try await copy.check()
        if original.description != copy.description {
            progress.begin("copying photos to \(copy)", total: ids.count)
            if let folder = original as? PhotoFolder {
                try await copy.restore(ids.filter { folder.missing($0).isEmpty }, from: folder) { progress.update($0) }
            } else if let folder = copy as? PhotoFolder {
                try await original.copy(ids, to: folder, previous: nil) { progress.update($0) }
            } else {
                throw ValidationError("photos: expected a folder, or the bucket that --from-photos names")
            }
        }
        progress.begin("checking photos", total: ids.count)
        return try await copy.problems(of: ids) { progress.update($0) }
    }

    private func tell(_ tables: [DatabaseCopy.Table], photos: Int, _ problems: [PhotoFileProblem]) {
        guard output.json else {
            for table in tables { print("\(table.name): \(table.digest.rows) rows, SHA-256 \(table.digest.digest)") }
            for problem in problems.prefix(20) { printError(problem.text) }
            print("all rows are the same in both databases; \(counted(photos, "photo"))")
            return
        }
        for table in tables {
            printJSONObject { json in
                json.field("table", table.name)
                json.field("rows", table.digest.rows)
                json.field("sha256", table.digest.digest)
            }
        }
        printJSONObject { json in
            json.field("photos", photos)
            json.array("problems", problems) { $0.string($1.text) }
        }
    }
}

extension ProgressReporter {
    /// Returns a function that shows how far the copy of a database is.
    func stepsOfCopy() -> (DatabaseCopy.Step, TaskProgress) -> Void {
        var present: DatabaseCopy.Step?
        return { [self] step, part in
            if step != present { begin(step.description) }
            present = step
            update(part.finished, of: part.total, part: part.name)
        }
    }
}

extension DatabaseCopy.Step {
    fileprivate var description: String {
        switch self {
        case .copying: "copying rows"
        case .comparing: "comparing rows"
        case .arranging: "arranging the indexes"
        }
    }
}

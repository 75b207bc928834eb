import Domain
package import SQL

/// Copies a database into another one, of any engine. An interrupted copy can be continued, and all rows are compared
/// at the end.
///
/// Rows are inserted in the order of their keys, so the greatest key of each table of the target tells where to go on.
package struct DatabaseCopy {
    package enum Step: Sendable {
        case copying
        case comparing
        case arranging
    }

    /// The rows of a table, which are the same in both databases.
    package struct Table: Sendable {
        package let name: String
        package let digest: TableDigest
    }

    let source: SQLConnection
    let target: SQLConnection
    let tables: [(table: CopiedTable, columns: TableLayout)]
    /// The number of rows of each table in the source.
    let counts: [Int]
    private let progress: (Step, TaskProgress) -> Void

    /// Marks the target as an unfinished copy, which no server uses. Throws `conflict` if the target is not empty, or is an
    /// unfinished copy of another source.
    package static func begin(from source: any Database, to target: any Database) throws {
        try source.readSnapshot { from in
            try target.writeCopy { to in try DatabaseCopy(from, to).begin() }
        }
    }

    /// Copies one snapshot of the source, which servers may use meanwhile. An interrupted copy can be continued only if
    /// nothing has changed the source since.
    ///
    /// - Parameters:
    ///   - progress: is called with the number of rows, and with the table as the name.
    ///   - finish: runs on the target in the transaction that ends the copy.
    package static func run(
        from source: any Database,
        to target: any Database,
        progress: @escaping (Step, TaskProgress) -> Void = { _, _ in },
        finish: (SQLConnection) throws -> Void = { _ in }
    ) throws -> [Table] {
        try source.readSnapshot { from in
            try target.writeCopy { to in
                let copy = try DatabaseCopy(from, to, progress)
                try copy.begin()
                try copy.copyRows()
                let copied = try copy.compare()
                try copy.end(finish)
                return copied
            }
        }
    }

    /// Puts the indexes of searches in order, which takes minutes for a large copy.
    package static func arrangeIndexes(of target: any Database, _ progress: (Step, TaskProgress) -> Void) throws {
        try target.writeCopy { db in
            let steps = db.searchEngine.optimizations
            for (number, (name, script)) in steps.enumerated() {
                progress(.arranging, TaskProgress(name: name, finished: number, total: steps.count))
                try write(db) { try db.run(script: script) }
            }
        }
    }

    private init(
        _ source: SQLConnection,
        _ target: SQLConnection,
        _ progress: @escaping (Step, TaskProgress) -> Void = { _, _ in }
    ) throws {
        self.source = source
        self.target = target
        self.progress = progress
        try UnfinishedCopy.throwIfPresent(source)
        try Self.throwIfOther(try source.schemaAge, "source")
        try Self.throwIfOther(try target.schemaAge, "target")
        tables = try CopiedTable.all.map { table in
            let columns = try TableLayout(table.name, source)
            guard try columns == TableLayout(table.name, target) else {
                throw ServiceError(.conflict, "the table \(table.name) has other columns in the target: run check")
            }
            return (table, columns)
        }
        counts = try CopiedTable.all.map { try source.count($0.name) }
    }

    private static func throwIfOther(_ age: SchemaAge, _ end: ErrorMessage) throws {
        switch age {
        case .current: return
        case .newer: throw ServiceError(.conflict, "the \(end) was made by a newer program: use that one")
        case .older, .foreign:
            throw ServiceError(.conflict, "the \(end) has an older schema: run doggofinder migrate on it before")
        }
    }

    /// Runs `body` in a transaction of the target.
    func write(_ body: () throws -> Void) throws { try Self.write(target, body) }

    private static func write(_ db: SQLConnection, _ body: () throws -> Void) throws {
        try db.run(script: db.engine == .spatiaLite ? "BEGIN IMMEDIATE" : "BEGIN")
        do {
            try body()
            try db.run(script: "COMMIT")
        } catch {
            // A lost connection cannot be rolled back, and the server does it.
            try? db.run(script: "ROLLBACK")
            throw error
        }
    }

    // MARK: - Rows

    private func copyRows() throws {
        var done = 0
        for (table, columns) in tables {
            try target.useTriggers(table.keepsTriggers)
            done += try target.count(table.name)
            var last = try target.lastKey(in: columns)
            repeat {
                report(.copying, table, done)
                var rows: [[SQLValue]] = []
                last = try source.readRows(of: columns, after: last, limit: table.rowsAtOnce) { row in
                    rows.append((0..<row.columnCount).map(row.value))
                }
                if !rows.isEmpty { try write { try insert(rows, columns) } }
                done += rows.count
            } while last != nil
        }
    }

    private func insert(_ rows: [[SQLValue]], _ columns: TableLayout) throws {
        try target.insert(rows, into: columns)
        guard columns.name == "listing", let place = columns.columns.firstIndex(where: { $0.name == "id" }),
            case .integer(let first)? = rows.first?[place], case .integer(let last)? = rows.last?[place]
        else { return }
        try ListingDerivation.writeSearchEntries(of: first...last, target)
    }

    private func report(_ step: Step, _ table: CopiedTable, _ done: Int) {
        progress(step, TaskProgress(name: table.name, finished: done, total: counts.reduce(0, +)))
    }

    // MARK: - Comparison

    private func compare() throws -> [Table] {
        var (done, equal, different): (Int, [Table], [String]) = (0, [], [])
        for (number, (table, columns)) in tables.enumerated() {
            let compared = table.comparedColumns.map(columns.keeping) ?? columns
            let there = try TableDigest(source, compared) { report(.comparing, table, done + $0) }
            let here = try TableDigest(target, compared)
            done += counts[number]
            equal.append(Table(name: table.name, digest: here))
            if there != here { different.append("\(table.name) (\(there.rows) rows in the source, \(here.rows) here)") }
        }
        guard different.isEmpty else {
            throw ServiceError(
                .conflict,
                """
                the copy differs from the source in \(different.joined(separator: ", ")): it remains unfinished; \
                make the target empty, and repeat the copy while nothing writes to the source
                """
            )
        }
        return equal
    }
}

import Domain
import Foundation

/// Writes a list of breached passwords from a text with one digest or password a line.
///
/// A list in order is written as it is read. Of other lists, parts are sorted in memory and merged at the end.
package final class BreachedPasswordWriter {
    /// The number of entries that are sorted in memory: 32 MB.
    private let maxPartLength: Int

    /// The maximum number of bytes of a line, so that a file without lines does not fill the memory.
    private static let maxLineLength = 4096

    private let target: BreachedPasswords
    private let format: BreachedPasswordFormat
    private let partial: URL
    private let handle: FileHandle
    /// The beginning of a line whose end was not added yet.
    private var rest: [UInt8] = []
    private var lineNumber = 0
    /// The number of lines that are not UTF-8.
    package private(set) var skippedCount = 0
    private var part: [UInt64] = []
    /// The numbers of entries of the sorted runs in the file.
    private var runs: [Int] = []
    private var last: UInt64?

    /// Throws if the file cannot be written.
    package init(_ target: BreachedPasswords, _ format: BreachedPasswordFormat, maxPartLength: Int = 1 << 22) throws {
        (self.target, self.format, self.maxPartLength) = (target, format, maxPartLength)
        partial = Self.unfinished(target)[0]
        handle = try Self.newFile(partial)
        try handle.write(contentsOf: Data(count: BreachedPasswords.headerLength))
    }

    /// The files of an import that has not ended: what was read, and what was merged of it.
    private static func unfinished(_ target: BreachedPasswords) -> [URL] {
        ["part", "merged"].map { target.file.appendingPathExtension($0) }
    }

    /// Removes the files of an import that was killed. Those of a running import stay.
    package static func removeUnfinished(_ target: BreachedPasswords) throws {
        for file in unfinished(target) {
            let descriptor = open(file.path, O_RDWR | O_CLOEXEC)
            if descriptor < 0, errno == ENOENT { continue }
            guard descriptor >= 0 else { throw failure(file, .opened) }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
            guard unlink(file.path) == 0 else { throw failure(file, .removed) }
        }
    }

    private enum Action { case opened, written, removed }

    private static func failure(_ file: URL, _ action: Action) -> ServiceError {
        let reason = String(cString: strerror(errno))
        return switch action {
        case .opened: ServiceError(.diskFailing, "\(file.path) cannot be opened: \(reason)")
        case .written: ServiceError(.diskFailing, "\(file.path) cannot be written: \(reason)")
        case .removed: ServiceError(.diskFailing, "\(file.path) cannot be removed: \(reason)")
        }
    }

    /// Opens an empty file that no other process writes at the same time.
    private static func newFile(_ url: URL) throws -> FileHandle {
        let descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(url, .written) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var (own, named) = (stat(), stat())
        // The other process may have renamed the file after it was opened here.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &own) == 0, stat(url.path, &named) == 0,
            own.st_ino == named.st_ino
        else { throw ServiceError(.conflict, "another import of passwords is running") }
        try handle.truncate(atOffset: 0)
        return handle
    }

    /// Adds the next bytes of the text, which may end within a line. Throws `invalid`, which names the line, if a line
    /// does not have the form of the list.
    package func add(_ bytes: [UInt8]) throws {
        let text = rest + bytes
        var start = 0
        while let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) {
            try add(line: text[start..<end])
            start = end + 1
        }
        rest = Array(text[start...])
        guard rest.count <= Self.maxLineLength else {
            throw ServiceError.invalid("line \(lineNumber + 1)", "expected at most \(Self.maxLineLength) bytes")
        }
    }

    private func add(line: ArraySlice<UInt8>) throws {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        lineNumber += 1
        guard !line.isEmpty else { return }
        guard let entry = try format.entry(of: line, number: lineNumber) else {
            skippedCount += 1
            return
        }
        part.append(entry)
        if part.count >= maxPartLength { try writePart() }
    }

    private func writePart() throws {
        guard !part.isEmpty else { return }
        part.sort()
        if let last, let run = runs.last, part[0] >= last {
            runs[runs.count - 1] = run + (try write(part, to: handle, after: last))
        } else {
            runs.append(try write(part, to: handle, after: nil))
        }
        last = part.last
        part.removeAll(keepingCapacity: true)
    }

    /// Writes sorted entries without repetitions, and returns their number.
    private func write(_ entries: [UInt64], to handle: FileHandle, after last: UInt64?) throws -> Int {
        var last = last
        var data = Data(capacity: entries.count * BreachedPasswords.entryLength)
        for entry in entries where entry != last {
            withUnsafeBytes(of: entry.bigEndian) { data.append(contentsOf: $0) }
            last = entry
        }
        try handle.write(contentsOf: data)
        return data.count / BreachedPasswords.entryLength
    }

    /// Puts the list in the place of the earlier one, and returns the number of its entries.
    ///
    /// - Parameter progress: receives the part of the merging that is done, from 0 to 1.
    package func finish(_ progress: (Double) -> Void = { _ in }) throws -> Int {
        try add(line: rest[...])
        try writePart()
        guard !runs.isEmpty else { throw ServiceError.invalid("file", "expected at least one password or digest") }
        let count: Int
        if runs.count == 1 {
            count = runs[0]
            try install(handle, partial, count)
        } else {
            let merged = Self.unfinished(target)[1]
            defer { try? FileManager.default.removeItem(at: merged) }
            let output = try Self.newFile(merged)
            count = try merge(to: output, progress)
            try install(output, merged, count)
            discard()
        }
        return count
    }

    /// Removes what was written. The earlier list stays.
    package func discard() {
        try? FileManager.default.removeItem(at: partial)
        try? handle.close()
    }

    /// Writes the header and renames the file. The file is closed, which ends its lock, when it has its new name.
    private func install(_ handle: FileHandle, _ file: URL, _ count: Int) throws {
        try handle.seek(toOffset: 0)
        try handle.write(
            contentsOf: BreachedPasswords.magic + withUnsafeBytes(of: UInt64(count).bigEndian) { Data($0) }
        )
        try handle.synchronize()
        guard rename(file.path, target.file.path) == 0 else {
            throw ServiceError(.diskFailing, "\(target.file.path): \(String(cString: strerror(errno)))")
        }
        try handle.close()
    }

    private func merge(to output: FileHandle, _ progress: (Double) -> Void) throws -> Int {
        try output.write(contentsOf: Data(count: BreachedPasswords.headerLength))
        var offset = BreachedPasswords.headerLength
        var readers = runs.map { count in
            defer { offset += count * BreachedPasswords.entryLength }
            return SortedRunReader(offset: offset, count: count)
        }
        let total = runs.reduce(0, +)
        var (count, read, last) = (0, 0, UInt64?.none)
        var entries: [UInt64] = []
        // One pass over the readers finds a block of entries that are below all that are not in memory.
        while readers.contains(where: { !$0.isAtEnd }) {
            for index in readers.indices { try readers[index].fill(from: handle) }
            let bound = readers.compactMap(\.boundOfBuffer).min()
            for index in readers.indices { entries += readers[index].take(through: bound) }
            entries.sort()
            read += entries.count
            count += try write(entries, to: output, after: last)
            last = entries.last ?? last
            entries.removeAll(keepingCapacity: true)
            progress(Double(read) / Double(total))
        }
        return count
    }
}

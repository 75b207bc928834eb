import Cryptography
import Domain
package import Foundation
import SystemPackage

/// A list of passwords that are known from data breaches, installed by the operator. Nobody can choose one of them.
///
/// The file contains the first 64 bits of the SHA-1 digest of each password, sorted. A lookup is a binary search: it
/// reads at most 64 times 8 bytes, whatever the length of the list. A password that is not in a list of 1,000,000,000
/// is refused with a probability of 5e-11. The search reads instead of mapping the file into memory, because a disk
/// that fails while mapped memory is read ends the process (SIGBUS).
package struct BreachedPasswords: Sendable {
    /// The name of the file in the data folder.
    package static let fileName = "breached-passwords.bin"

    static let magic = Data("DGFBPW01".utf8)
    static let headerLength = 16
    static let entryLength = 8

    package let file: URL

    package init(folder: URL) {
        file = folder.appending(path: Self.fileName)
    }

    /// The first 64 bits of the SHA-1 digest. The public lists contain SHA-1 digests, so no other function is possible.
    static func prefix(of password: String) -> UInt64 {
        HashFunction.sha1.digest(Array(password.utf8)).prefix(entryLength).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the number of entries, or nil if no list is installed. Throws if the file is not a complete list.
    package func count() throws -> Int? {
        try withFile { try count($0) }
    }

    /// Returns whether the list contains the password as typed or in NFC. Without a list, it contains nothing.
    ///
    /// The file is opened for each lookup, so that a list that is installed or removed counts at once.
    package func contains(_ password: String) throws -> Bool {
        try withFile { descriptor in
            let count = try count(descriptor)
            let forms = Set([password, password.precomposedStringWithCanonicalMapping].map(Self.prefix))
            return try forms.contains { try contains($0, descriptor, count) }
        } ?? false
    }

    private func withFile<Value>(_ body: (FileDescriptor) throws -> Value) throws -> Value? {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(FilePath(file.path), .readOnly, options: .closeOnExec)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        }
        return try descriptor.closeAfter { try body(descriptor) }
    }

    private func contains(_ prefix: UInt64, _ descriptor: FileDescriptor, _ count: Int) throws -> Bool {
        func entry(_ index: Int) throws -> UInt64 {
            try number(descriptor, at: Self.headerLength + index * Self.entryLength)
        }
        let index = try (0..<count).partitioningIndex { try entry($0) >= prefix }
        return try index < count && entry(index) == prefix
    }

    private func count(_ descriptor: FileDescriptor) throws -> Int {
        let magic = try number(descriptor, at: 0)
        guard magic == Self.magic.reduce(0, { $0 << 8 | UInt64($1) }) else { throw damaged }
        let count = Int(clamping: try number(descriptor, at: 8))
        let (length, isTooLong) = count.multipliedReportingOverflow(by: Self.entryLength)
        guard !isTooLong, Int64(length + Self.headerLength) == (try descriptor.seek(offset: 0, from: .end)) else {
            throw damaged
        }
        return count
    }

    /// Reads eight bytes, the most significant first.
    private func number(_ descriptor: FileDescriptor, at offset: Int) throws -> UInt64 {
        var number: UInt64 = 0
        let count = try withUnsafeMutableBytes(of: &number) { bytes in
            try descriptor.read(fromAbsoluteOffset: Int64(offset), into: bytes)
        }
        guard count == Self.entryLength else { throw damaged }
        return UInt64(bigEndian: number)
    }

    private var damaged: ServiceError {
        ServiceError(.unavailable, "\(file.path) is not a complete list of passwords: import it again, or remove it")
    }

    /// Removes the list. Returns false if there is none.
    package func remove() throws -> Bool {
        guard FileManager.default.fileExists(atPath: file.path) else { return false }
        try FileManager.default.removeItem(at: file)
        return true
    }
}

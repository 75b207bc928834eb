import CStemmer
import Synchronization

/// Finds the stems of words: the English stem of the Italian one, by the algorithms of Snowball (https://snowballstem.org).
/// Both apply to all words, because a text does not say in which language a word is. The English one would cut more from short
/// Italian stems: "persiano" would have the same stem as "per".
///
/// Text indexes contain stems. They have to be filled again if a newer libstemmer forms other ones.
package struct Stemmer: @unchecked Sendable {
    /// Only one thread at a time may use a handle, so each call takes a pair of its own.
    private static let unused = Mutex<[Stemmer]>([])

    private let italian = Self.handle("italian")
    private let english = Self.handle("english")

    /// In letters: Italian stems that are not stemmed again.
    private static let maxShort = 4

    private init() {}

    private static func handle(_ language: String) -> OpaquePointer {
        guard let handle = sb_stemmer_new(language, "UTF_8") else { preconditionFailure("no stemmer: \(language)") }
        return handle
    }

    /// - Parameter body: must not keep the stemmer.
    package static func with<Value>(_ body: (Stemmer) throws -> Value) rethrows -> Value {
        let stemmer = unused.withLock { $0.popLast() } ?? Stemmer()
        defer { unused.withLock { $0.append(stemmer) } }
        return try body(stemmer)
    }

    /// Returns the stem of a folded word. It is valid until the next call.
    ///
    /// - Parameter word: in UTF-8.
    /// - Returns: nil if the word contains other signs than the letters a to z.
    package func stem(of word: some Collection<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        guard word.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains) else { return nil }
        let word = ContiguousArray(word)
        return word.withUnsafeBufferPointer { word in
            guard let stem = apply(italian, word) else { return nil }
            let isShort = stem.count <= Self.maxShort && stem.count < word.count
            return isShort ? stem : apply(english, stem)
        }
    }

    /// Returns false for most words that do not have the stem: a word begins with the first two letters of its stem, or its
    /// second letter is a y, as in "dying".
    @inlinable package static func mayBeStem(_ stem: some Collection<UInt8>, of word: some Collection<UInt8>) -> Bool {
        guard stem.first == word.first, let letter = word.dropFirst().first else { return stem.elementsEqual(word) }
        return letter == UInt8(ascii: "y") || letter == stem.dropFirst().first
    }

    /// Returns nil if there is no memory.
    private func apply(_ handle: OpaquePointer, _ word: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        sb_stemmer_stem(handle, word.baseAddress, CInt(word.count)).map {
            UnsafeBufferPointer(start: $0, count: Int(sb_stemmer_length(handle)))
        }
    }
}

extension StringProtocol {
    /// The stem of a folded word; nil if the word contains other signs than the letters a to z.
    package var stem: String? {
        Stemmer.with { stemmer in stemmer.stem(of: utf8).map { String(decoding: $0, as: UTF8.self) } }
    }

    /// The different stems of the words of a folded text, without those that are the word itself, in the order of the
    /// alphabet.
    package var stems: [String] {
        Stemmer.with { stemmer in
            let stems = Set(split(separator: " ")).compactMap { word -> String? in
                guard let stem = stemmer.stem(of: word.utf8), !stem.elementsEqual(word.utf8) else { return nil }
                return String(decoding: stem, as: UTF8.self)
            }
            return Set(stems).sorted()
        }
    }
}

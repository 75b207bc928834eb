package import Foundation
import Synchronization

/// The folder of map databases, one for each extract, `NAME.sqlite`.
///
/// Files may be added, replaced and removed while the service runs: each is opened again when it has changed.
package final class MapFolder: Sendable {
    private struct State {
        var files: [String: (version: Version, map: MapDatabase?)] = [:]
        var checked: ContinuousClock.Instant?
    }

    private struct Version: Hashable {
        let inode: UInt64
        let size: UInt64
        let changed: Date
    }

    /// The name of the folder in the data folder.
    package static let name = "maps"
    private static let ending = "sqlite"

    private let folder: URL
    private let interval: Duration
    private let state = Mutex(State())

    /// - Parameter interval: how long the folder is not looked at again.
    package init(_ folder: URL, interval: Duration = .seconds(2)) { (self.folder, self.interval) = (folder, interval) }

    package static func file(_ name: String, in folder: URL) -> URL {
        folder.appendingPathComponent(name).appendingPathExtension(ending)
    }

    /// The databases that can be read, in the order of their names. Files that are no map databases of this version are
    /// left out.
    package var maps: [MapDatabase] {
        state.withLock { state in
            let now = ContinuousClock.now
            if state.checked.map({ now - $0 >= interval }) ?? true {
                update(&state)
                state.checked = now
            }
            return state.files.sorted { $0.key < $1.key }.compactMap(\.value.map)
        }
    }

    /// Differs whenever a file has been added, replaced or removed.
    package var version: Int {
        _ = maps
        return state.withLock { state in
            let files = state.files.sorted { $0.key < $1.key }.map { name, file in
                "\(name) \(file.version.inode) \(file.version.size) \(file.version.changed.timeIntervalSince1970)"
            }
            // FNV-1a, which is the same in all processes.
            let hash = files.joined().utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
                ($0 ^ UInt64($1)) &* 0x100_0000_01B3
            }
            return Int(hash & 0xFFFF_FFFF)
        }
    }

    package var names: [String] { Self.names(in: folder) }

    private static func names(in folder: URL) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix("." + ending) }.map { String($0.dropLast(ending.count + 1)) }.sorted()
    }

    private func update(_ state: inout State) {
        var files: [String: (version: Version, map: MapDatabase?)] = [:]
        for name in names {
            let file = Self.file(name, in: folder)
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path) else { continue }
            let version = Version(
                inode: (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0,
                size: (attributes[.size] as? NSNumber)?.uint64Value ?? 0,
                changed: attributes[.modificationDate] as? Date ?? .distantPast
            )
            if let known = state.files[name], known.version == version {
                files[name] = known
            } else {
                files[name] = (version, try? MapDatabase(file))
            }
        }
        state.files = files
    }

    /// Puts a complete file in the place of another one: readers have the old or the new one.
    static func replace(_ file: URL, by draft: URL) throws {
        let handle = try FileHandle(forUpdating: draft)
        try handle.synchronize()
        try handle.close()
        guard rename(draft.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}

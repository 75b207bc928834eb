import Domain
import Foundation

/// The positions of all nodes of an extract in a temporary file, with a few of its pages in memory.
///
/// A record has 16 bytes: the id, and longitude and latitude in units of 10^-7 degrees, which are those of
/// OpenStreetMap.
final class NodeLocations {
    private struct Record {
        var id: Int64
        var lon, lat: Int32
    }

    private static let pageSize = 512
    /// 16 MB. The nodes of a way are mostly near each other in the file.
    private static let cachedPages = 2_048
    private static let unit = 1e-7

    private let file: FileHandle
    /// The first id of each page.
    private var firstIDs: [Int64] = []
    private var page: [Record] = []
    private var last = Int64.min
    private var cache: [(number: Int, records: [Record])]

    init(in folder: URL) throws {
        var template = Array(folder.appendingPathComponent("nodes.XXXXXX").path.utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw Malformed("cannot be read: no temporary file in \(folder.path): \(String(cString: strerror(errno)))")
        }
        // The file has no name from now on, so that it is gone when the process ends, whatever happens.
        unlink(template)
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        cache = Array(repeating: (-1, []), count: Self.cachedPages)
        page.reserveCapacity(Self.pageSize)
    }

    /// - Parameter id: greater than that of the node before.
    func add(_ id: Int64, at point: Coordinate) throws {
        guard id > last else { throw MapExtraction.unsorted }
        last = id
        if page.isEmpty { firstIDs.append(id) }
        page.append(
            Record(id: id, lon: Int32((point.lon / Self.unit).rounded()), lat: Int32((point.lat / Self.unit).rounded()))
        )
        if page.count == Self.pageSize { try writePage() }
    }

    /// Ends the writing; afterwards, nodes can be found.
    func finish() throws {
        if !page.isEmpty { try writePage() }
    }

    private func writePage() throws {
        let bytes = page.withUnsafeBytes { Data($0) }
        do { try file.write(contentsOf: bytes) } catch {
            throw Malformed("cannot be read: the temporary file of nodes: \(error.localizedDescription)")
        }
        page.removeAll(keepingCapacity: true)
    }

    subscript(id: Int64) -> Coordinate? {
        get throws {
            let pages = firstIDs.partitioningIndex { $0 > id }
            guard pages > 0 else { return nil }
            let records = try records(ofPage: pages - 1)
            let number = records.partitioningIndex { $0.id >= id }
            guard number < records.count, records[number].id == id else { return nil }
            return Coordinate(
                lon: Double(records[number].lon) * Self.unit, lat: Double(records[number].lat) * Self.unit
            )
        }
    }

    private func records(ofPage number: Int) throws -> [Record] {
        let slot = number % Self.cachedPages
        if cache[slot].number == number { return cache[slot].records }
        let size = Self.pageSize * MemoryLayout<Record>.stride
        let records = try [Record](unsafeUninitializedCapacity: Self.pageSize) { buffer, count in
            let read = pread(file.fileDescriptor, buffer.baseAddress, size, off_t(number * size))
            guard read >= 0 else { throw Malformed("cannot be read: the temporary file of nodes") }
            count = read / MemoryLayout<Record>.stride
        }
        cache[slot] = (number, records)
        return records
    }
}

import Foundation

/// A file that is mapped read-only while the object exists.
///
/// The pages are shared and read on demand. The file must be replaced by renaming and never truncated in place.
final class MappedFile: @unchecked Sendable {
    let path: String
    let bytes: UnsafeRawBufferPointer

    init(url: URL) throws(GazetteerError) {
        path = url.path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(path) }
        guard status.st_size > 0 else { throw .foreign(path: path) }
        let size = Int(status.st_size)
        let address = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else { throw Self.failure(path) }
        bytes = UnsafeRawBufferPointer(start: address, count: size)
    }

    deinit {
        munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }

    private static func failure(_ path: String) -> GazetteerError {
        .unreadable(path: path, reason: String(cString: strerror(errno)))
    }
}

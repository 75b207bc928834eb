import Foundation

/// A file mapped into memory, read where it lies.
final class MappedFile: @unchecked Sendable {
    // Unchecked: the bytes are read-only and live as long as the object.
    let bytes: UnsafeRawBufferPointer

    init(_ url: URL) throws {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw GazetteerError("\(url.path): cannot be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else {
            throw GazetteerError("\(url.path): is empty")
        }
        let size = Int(status.st_size)
        guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw GazetteerError("\(url.path): cannot be mapped: \(String(cString: strerror(errno)))")
        }
        bytes = UnsafeRawBufferPointer(start: start, count: size)
    }

    deinit {
        munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }
}

/// Why a gazetteer cannot be read.
public struct GazetteerError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

package import Foundation

/// The files of a target, which are part of the program. Without them the program is not complete, so it ends.
extension Bundle {
    package func bytes(of file: String) -> [UInt8] {
        guard let bytes = bytesIfThere(of: file) else {
            preconditionFailure("the program is not complete: \(folder.path)/\(file) cannot be read")
        }
        return bytes
    }

    func bytesIfThere(of file: String) -> [UInt8]? {
        (try? Data(contentsOf: folder.appending(path: file))).map { [UInt8]($0) }
    }

    /// Returns the names of the files in a folder, sorted.
    package func fileNames(in name: String) -> [String] {
        let path = folder.appending(path: name).path
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            preconditionFailure("the program is not complete: \(path) cannot be read")
        }
        return names.sorted()
    }

    private var folder: URL { resourceURL ?? bundleURL }
}

import Foundation

extension URL {
    /// The reason why the file cannot be read, or nil. This is checked before opening, because opening a pipe would
    /// block.
    var obstacleToReading: String? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return errno == EACCES ? "may not be read by this user" : "does not exist"
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return "is a folder"
        case S_IFREG where access(path, R_OK) != 0: return "may not be read by this user"
        case S_IFREG: return status.st_size == 0 ? "is empty" : nil
        default: return "is a pipe or a device"
        }
    }

    /// - Parameter expected: A description of the expected file.
    func requireReadable(_ expected: String) throws(PlaceFileError) {
        if let obstacleToReading { throw PlaceFileError(self, "\(obstacleToReading): expected \(expected)") }
    }
}

import ArgumentParser
import Domain
import Foundation
import Logging
import ObjectStorage
import Photos
import Storage
import SystemPackage

/// The options for where the files of photos are.
struct PhotoOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where photos are: a folder, or s3://BUCKET/PREFIX; several servers can share them. (default: in the data folder)",
            valueName: "folder or bucket"
        )
    )
    var photos: String?

    @Option(
        help: ArgumentHelp(
            "The address of the object store; http needs this machine, or ?tls=none. (default: AWS)",
            valueName: "URL"
        )
    )
    var photosEndpoint: String?

    @Option(help: "The region of the bucket. (default: \(BucketAddress.defaultRegion))")
    var photosRegion: String?

    @Option(
        help: ArgumentHelp(
            "A file with the keys of the object store, as AWS's file of credentials, that others cannot read.",
            valueName: "file"
        )
    )
    var photosKeysFile: String?

    @Option(
        help: ArgumentHelp(
            "Certificates to trust of the object store, as PEM. (default: the system's)",
            valueName: "file"
        )
    )
    var photosCaFile: String?

    private var place: String? { photos ?? Environment.text("photos") }

    private var isBucket: Bool { place?.hasPrefix("s3:") == true }

    /// The folder of the photos, if they are in one outside of the data folder.
    var folder: URL? { isBucket ? nil : place.map { URL(filePath: $0) } }

    /// Whether the files are beside the database, where one server uses them.
    func isInDataFolder(_ data: URL) throws -> Bool {
        guard let place else { return true }
        return !isBucket && PhotoFolder(data: data).isFolder(URL(filePath: place))
    }

    /// - Parameters:
    ///   - data: the data folder, which contains the photos unless another place is told.
    ///   - other: where the photos are, in place of the option.
    func files(data: URL, at other: String?) throws -> any PhotoFiles {
        guard let other else { return PhotoFolder(data: data) }
        var options = self
        options.photos = other
        return try options.files(data: data)
    }

    func files(data: URL) throws -> any PhotoFiles {
        if isBucket { return PhotoBucket(try bucket()) }
        for (name, value) in objectStoreOptions where value != nil {
            throw ValidationError("\(name): expected with photos = s3://BUCKET")
        }
        guard let folder, try !isInDataFolder(data) else { return PhotoFolder(data: data) }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw ValidationError("photos: expected a folder that exists, or s3://BUCKET, got '\(place ?? "")'")
        }
        return PhotoFolder(shared: folder)
    }

    /// Refuses a start where the options are wrong. A store that does not answer now may do so later.
    func checkStart(_ files: any PhotoFiles, _ photos: PhotoStore, _ logger: Logger) async throws {
        do {
            try await files.check()
        } catch BucketFailure.unavailable(let reason) {
            logger.error("photos cannot be stored or read until the store answers", metadata: ["reason": "\(reason)"])
        } catch let failure as BucketFailure {
            throw ServiceError.invalid("photos", "\(files) cannot be used: \(failure)")
        } catch let error as Errno {
            throw ServiceError.invalid("photos", "\(files) cannot be used as a folder: \(error)")
        }
        guard let folder = files as? PhotoFolder, folder.isShared, try folder.isEmpty(), try !photos.isEmpty() else {
            return
        }
        throw ServiceError.invalid(
            "photos",
            "\(files) is empty, but the database knows photos: expected the folder that holds them, mounted"
        )
    }

    private var objectStoreOptions: [(name: String, value: String?)] {
        [
            ("photos-endpoint", photosEndpoint), ("photos-region", photosRegion), ("photos-keys-file", photosKeysFile),
            ("photos-ca-file", photosCaFile),
        ].map { ($0, $1 ?? Environment.text($0)) }
    }

    private func bucket() throws -> Bucket {
        let values = objectStoreOptions.reduce(into: [String: String]()) { $0[$1.name] = $1.value }
        var address = try BucketAddress(
            parsing: place ?? "",
            endpoint: values["photos-endpoint"],
            region: values["photos-region"]
        )
        address.authorities = try values["photos-ca-file"].map(inputFile)
        return Bucket(address, try keys(in: values["photos-keys-file"]))
    }

    private func keys(in path: String?) throws -> AccessKeys {
        let option = "photos-keys-file"
        guard let path else { throw ValidationError("\(option): \(AccessKeys.expectation)") }
        let file = try inputFile(path)
        var entry = stat()
        guard stat(path, &entry) == 0, entry.st_mode & 0o007 == 0 else {
            throw ValidationError("\(option): expected a file that others cannot read: chmod o= \(path)")
        }
        guard let text = try? String(contentsOf: file, encoding: .utf8), text.utf8.count <= 64 << 10 else {
            throw ValidationError("\(option): expected a text of at most 64 kB in \(path)")
        }
        return try AccessKeys(parsing: text, field: option)
    }
}

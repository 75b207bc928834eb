import Foundation

/// A reason for which data cannot be read or written at present: a fault of the disk or of the database server, or a lack
/// of memory, not an error in the request.
package enum StorageFault: String, CaseIterable, Error, Sendable {
    case full
    case readOnly = "read-only"
    case failing
    case damaged
    case outOfMemory = "out-of-memory"
    /// The database server does not answer, or no server accepts writes.
    case unreachable

    /// Returns nil for other error codes, such as that of a missing file.
    package init?(errno code: Int32) {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: self = .full
        case EROFS, EACCES, EPERM: self = .readOnly
        case EIO, ENXIO, ENODEV, ESTALE, EMFILE, ENFILE: self = .failing
        case ENOMEM: self = .outOfMemory
        default: return nil
        }
    }

    /// The error with a message for the client.
    package var serviceError: ServiceError {
        switch self {
        case .full: ServiceError(.diskFull, "the disk is full: nothing was saved")
        case .readOnly: ServiceError(.diskFailing, "the disk cannot be written to: nothing was saved")
        case .failing: ServiceError(.diskFailing, "the disk fails: nothing can be read or saved for now")
        case .damaged: ServiceError(.diskFailing, "the database is damaged: who runs this service must mend it")
        case .outOfMemory: ServiceError(.diskFailing, "there is not enough memory for this now")
        case .unreachable:
            ServiceError(.unavailable, "the database does not answer: try again in a moment", retryAfter: 5)
        }
    }
}

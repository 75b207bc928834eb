import Foundation

/// Why what is kept can be neither written nor read for now: a disk or the memory, and no mistake of who asked.
package enum StorageFault: String, CaseIterable, Error, Sendable {
    case full
    case readOnly = "read-only"
    case failing
    case damaged
    case outOfMemory = "out-of-memory"

    /// Nil for what is none of it, such as a file that is not there.
    package init?(errno code: Int32) {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: self = .full
        case EROFS, EACCES, EPERM: self = .readOnly
        case EIO, ENXIO, ENODEV, ESTALE, EMFILE, ENFILE: self = .failing
        case ENOMEM: self = .outOfMemory
        default: return nil
        }
    }

    /// In words for the one who asked.
    package var serviceError: ServiceError {
        switch self {
        case .full: ServiceError(.diskFull, "the disk is full: nothing was saved")
        case .readOnly: ServiceError(.diskFailing, "the disk cannot be written to: nothing was saved")
        case .failing: ServiceError(.diskFailing, "the disk fails: nothing can be read or saved for now")
        case .damaged: ServiceError(.diskFailing, "the database is damaged: who runs this service must mend it")
        case .outOfMemory: ServiceError(.diskFailing, "there is not enough memory for this now")
        }
    }
}

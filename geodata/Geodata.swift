public import Foundation

/// The tables bundled with the service; `README.md` beside this file describes their contents and sources.
public enum Geodata {
    /// The folder that contains `gazetteer.bin`, `points.bin` and `sea.bin`.
    public static var directory: URL { Bundle.module.resourceURL ?? Bundle.module.bundleURL }
}

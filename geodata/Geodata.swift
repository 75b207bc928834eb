public import Foundation

/// The tables bundled with the service; `README.md` beside this file says what each is and where it is from.
public enum Geodata {
    /// The folder that holds `gazetteer.bin` and `points.bin`.
    public static var directory: URL { Bundle.module.resourceURL ?? Bundle.module.bundleURL }
}

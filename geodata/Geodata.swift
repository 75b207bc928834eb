package import Foundation

/// The bundled files, found beside the program or where it was built.
package enum Geodata {
    /// The folder with `gazetteer.bin` and `breeds.tsv`.
    package static var directory: URL { Bundle.module.resourceURL ?? Bundle.module.bundleURL }
}

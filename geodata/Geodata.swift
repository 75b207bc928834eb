public import Foundation

/// The tables bundled with the service; `README.md` beside this file describes their contents and sources.
public enum Geodata {
    /// The folder that contains `gazetteer.bin`, `points.bin`, `sea.bin`, `breeds.tsv` and `valletta.osm.pbf`.
    public static var directory: URL { Bundle.module.resourceURL ?? Bundle.module.bundleURL }
}

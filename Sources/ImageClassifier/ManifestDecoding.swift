public import Foundation

extension ModelManifest {
    /// - Throws: `ModelError` with the first field that does not have the expected form.
    public init(json: Data) throws(ModelError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: json)
        } catch let error as ModelError {
            throw error
        } catch DecodingError.dataCorrupted(let context) {
            throw .notJSON(reason: context.underlyingError.map { "\($0)" } ?? context.debugDescription)
        } catch {
            throw .notJSON(reason: "\(error)")
        }
    }
}

extension ModelManifest: Decodable {
    private enum Key: String, CodingKey {
        case id, version, name, licence, input, output, temperature, threshold, subject, labels, features, sha256,
            dataset, date
        case testVector = "test_vector"
    }

    public init(from decoder: any Decoder) throws {
        let fields = try Fields<Key>(decoder)
        id = try fields.read(.id, ModelID.form, where: ModelID.isValid)
        version = try fields.read(.version, "a text", where: isText)
        name = try fields.read(.name, "a text", where: isText)
        licence = try fields.read(.licence, "a text", where: isText)
        input = try fields.read(.input, "an object")
        output = try fields.choice(.output)
        temperature = try fields.read(.temperature, "a number from 0.01 to 100") { (0.01...100).contains($0) }
        threshold = try fields.read(.threshold, "a number from 0 to 1") { (0...1).contains($0) }
        subject = try fields.readIfThere(.subject, "a text", where: isText)
        labels = try fields.read(.labels, "an array of labels, or an object that names a label map")
        features =
            input.views == .subject
            ? try fields.read(.features, "an object, as \"input.subject_view\" is true")
            : try fields.readIfThere(.features, "an object")
        sha256 = try fields.read(.sha256, Digest.form, where: Digest.isValid)
        testVector = try fields.read(.testVector, "an object")
        dataset = try fields.readIfThere(.dataset, "a text", where: isText)
        date = try fields.readIfThere(.date, "a text", where: isText)
    }
}

extension ModelManifest.Input: Decodable {
    private enum Key: String, CodingKey {
        case width, height, resize, crop, mean, std, mirror
        case subjectView = "subject_view"
    }

    public init(from decoder: any Decoder) throws {
        let fields = try Fields<Key>(decoder)
        width = try fields.read(.width, "pixels from 1 to 2048") { (1...2048).contains($0) }
        height = try fields.read(.height, "pixels from 1 to 2048") { (1...2048).contains($0) }
        resize = try fields.choice(.resize)
        crop = try fields.readIfThere(.crop, "a number from 0.1 to 1") { (0.1...1).contains($0) } ?? 1
        mean = try fields.read(.mean, "three numbers from 0 to 1") { (mean: [Double]) in
            mean.count == 3 && mean.allSatisfy((0...1).contains)
        }
        std = try fields.read(.std, "three numbers from 0.001 to 1000") { (std: [Double]) in
            std.count == 3 && std.allSatisfy((0.001...1000).contains)
        }
        views = try Self.views(fields, resize)
    }

    private static func views(_ fields: Fields<Key>, _ resize: Resize) throws -> Views {
        let isMirrored = try fields.readIfThere(.mirror, "true or false") ?? false
        // The cells of the activity are those of the whole picture.
        let form = "true or false; true only with \"resize\": \"stretch\" and without \"mirror\""
        let seesSubject =
            try fields.readIfThere(.subjectView, form) { !$0 || (resize == .stretch && !isMirrored) } ?? false
        return seesSubject ? .subject : isMirrored ? .mirror : .one
    }
}

extension ModelManifest.Labels: Decodable {
    private enum Key: String, CodingKey {
        case map
    }

    public init(from decoder: any Decoder) throws {
        guard let list = try? decoder.unkeyedContainer() else {
            self = .map(try Fields<Key>(decoder).read(.map, ModelID.form, where: ModelID.isValid))
            return
        }
        guard let count = list.count, count > 0 else {
            throw ModelError.manifest(field: list.codingPath.dotted, expected: "at least one label", found: "none")
        }
        self = .list(try [ModelManifest.Label](from: decoder))
    }
}

extension ModelManifest.Label: Decodable {
    private enum Key: String, CodingKey {
        case id, key, names, subject, named
    }

    public init(from decoder: any Decoder) throws {
        let fields = try Fields<Key>(decoder)
        id = try fields.read(.id, "a text", where: isText)
        key = try fields.readIfThere(.key, "a text", where: isText)
        names = try fields.readIfThere(.names, "an object of texts by language") ?? [:]
        isSubject = try fields.readIfThere(.subject, "true or false") ?? false
        isNamed = try fields.readIfThere(.named, "true or false") ?? true
    }
}

extension ModelManifest.TestVector: Decodable {
    private enum Key: String, CodingKey {
        case top, tolerance
    }

    public init(from decoder: any Decoder) throws {
        let fields = try Fields<Key>(decoder)
        let form = "at least one pair of an output's index and its value"
        let pairs: [[Double]] = try fields.read(.top, form) { !$0.isEmpty && $0.allSatisfy(Output.isPair) }
        top = pairs.map { Output(index: Int($0[0]), value: $0[1]) }
        tolerance = try fields.read(.tolerance, "a number of 0 or more") { $0 >= 0 }
    }
}

extension ModelManifest.TestVector.Output {
    fileprivate static func isPair(_ numbers: [Double]) -> Bool {
        numbers.count == 2 && numbers[0] >= 0 && Int(exactly: numbers[0]) != nil && numbers[1].isFinite
    }
}

extension ModelManifest.Features: Decodable {
    private enum Key: String, CodingKey {
        case node, projection
    }

    public init(from decoder: any Decoder) throws {
        let fields = try Fields<Key>(decoder)
        node = try fields.read(.node, "the name of a node of the network", where: isText)
        projection = try fields.readIfThere(.projection, "an object")
    }
}

extension ModelManifest.Projection: Decodable {
    private enum Key: String, CodingKey {
        case dimensions, scale, sha256
    }

    public init(from decoder: any Decoder) throws {
        let fields = try Fields<Key>(decoder)
        dimensions = try fields.read(.dimensions, "bytes from 1 to 1024") { (1...1024).contains($0) }
        scale = try fields.read(.scale, "a number from 1 to 10000") { (1...10_000).contains($0) }
        sha256 = try fields.read(.sha256, Digest.form, where: Digest.isValid)
    }
}

/// The form of checksums.
private enum Digest {
    static let form = "64 lower-case hex digits"

    static func isValid(_ text: String) -> Bool { text.wholeMatch(of: /[0-9a-f]{64}/) != nil }
}

private func isText(_ text: String) -> Bool { !text.isEmpty }

/// The form of model ids and label map names, which are used as file names.
enum ModelID {
    static let form = "1 to 64 of a-z, 0-9, '-', '_' and '.', the first a letter or digit"

    static func isValid(_ id: String) -> Bool {
        id.wholeMatch(of: /[a-z0-9][a-z0-9_.\-]{0,63}/) != nil
    }
}

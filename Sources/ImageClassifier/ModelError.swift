/// An error that occurs when a model is looked up, read, verified, installed or run.
public enum ModelError: Error, Equatable, CustomStringConvertible {
    /// A file or folder cannot be used; the reason is the system's message or describes the problem.
    case file(path: String, reason: String)
    /// The manifest is not a JSON object; the reason contains the position of the error.
    case notJSON(reason: String)
    /// A field of the manifest, given by its path ("input.width", "labels[3].id"), does not have the expected form.
    case manifest(field: String, expected: String, found: String)
    /// The SHA-256 checksum of a file (hex digits) differs from the one in the manifest.
    case checksum(file: String, expected: String, found: String)
    /// OpenCV cannot read the network or cannot run it on this input; the reason is OpenCV's message.
    case network(reason: String)
    /// The number of the network's outputs differs from the number of labels in the manifest.
    case outputs(expected: String, found: Int)
    /// An output is infinite or not a number.
    case notFinite(output: Int)
    /// An output for the test picture differs from the manifest's value by more than the tolerance.
    case testVector(output: Int, expected: Double, found: Double)
    /// A label map is missing or does not have the expected form.
    case labelMap(name: String, reason: String)
    /// No model has the id; nil if no model is installed.
    case unknown(id: String?)

    public var description: String {
        switch self {
        case .file(let path, let reason): "\(path): \(reason)"
        case .notJSON(let reason): "manifest.json: expected a JSON object, found something else: \(reason)"
        case .manifest(let field, let expected, let found):
            "manifest.json: \(field): expected \(expected), found \(found)"
        case .checksum(let file, let expected, let found): "\(file): expected SHA-256 \(expected), found \(found)"
        case .network(let reason): "model.onnx: \(reason)"
        case .outputs(let expected, let found): "model.onnx: expected \(expected) outputs, found \(found)"
        case .notFinite(let output): "model.onnx: output \(output): expected a finite number, found none"
        case .testVector(let output, let expected, let found):
            "test_vector: output \(output): expected \(expected), found \(found)"
        case .labelMap(let name, let reason): "label map \(name): \(reason)"
        case .unknown(let id?): "no model \(id) is installed"
        case .unknown(nil): "no model is installed"
        }
    }
}

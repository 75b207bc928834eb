/// Why a model could not be found, read, verified, installed or run.
public enum ModelError: Error, Equatable, CustomStringConvertible {
    /// The system refused a file or folder; the reason is its own text, or says what is wrong with it.
    case file(path: String, reason: String)
    /// The manifest is not a JSON object; the reason says where it stops being one.
    case notJSON(reason: String)
    /// A field of the manifest, with the way to it ("input.width", "labels[3].id"), is not in the form expected.
    case manifest(field: String, expected: String, found: String)
    /// `model.onnx` is not the file the manifest was written for (hex digits of SHA-256).
    case checksum(expected: String, found: String)
    /// OpenCV cannot read the network, or cannot run it on this input; the reason is its own text.
    case network(reason: String)
    /// The network has another number of outputs than the manifest has labels.
    case outputs(expected: String, found: Int)
    /// An output is infinite or not a number.
    case notFinite(output: Int)
    /// An output for the test picture is farther from the manifest's than its tolerance.
    case testVector(output: Int, expected: Double, found: Double)
    /// A label map is not there or not in the form expected.
    case labelMap(name: String, reason: String)
    /// No model has that id; nil where there is none at all.
    case unknown(id: String?)

    public var description: String {
        switch self {
        case .file(let path, let reason): "\(path): \(reason)"
        case .notJSON(let reason): "manifest.json: expected a JSON object, found something else: \(reason)"
        case .manifest(let field, let expected, let found):
            "manifest.json: \(field): expected \(expected), found \(found)"
        case .checksum(let expected, let found): "model.onnx: expected SHA-256 \(expected), found \(found)"
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

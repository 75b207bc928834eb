import Foundation

/// A form with files (`multipart/form-data`).
struct Form {
    private let boundary = UUID().uuidString
    private var parts = Data()

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }
    var body: Data { parts + Data("--\(boundary)--\r\n".utf8) }

    mutating func add(_ name: String, _ value: String) {
        add("name=\"\(name)\"", Data(value.utf8))
    }

    mutating func add(_ name: String, _ file: Data, fileName: String) {
        add("name=\"\(name)\"; filename=\"\(fileName)\"", file)
    }

    private mutating func add(_ parameters: String, _ content: Data) {
        parts += Data("--\(boundary)\r\nContent-Disposition: form-data; \(parameters)\r\n\r\n".utf8)
        parts += content + Data("\r\n".utf8)
    }
}

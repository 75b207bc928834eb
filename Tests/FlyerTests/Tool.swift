import Foundation

/// Programs of poppler-utils and zbar-tools that read PDF files and QR codes.
enum Tool: String, CaseIterable {
    case pdfimages
    case pdfinfo
    case pdftohtml
    case pdftoppm
    case pdftotext
    case zbarimg

    static let areAvailable = allCases.allSatisfy { FileManager.default.isExecutableFile(atPath: $0.url.path) }

    private var url: URL { URL(filePath: "/usr/bin/\(rawValue)") }

    /// Runs the program and returns its standard output.
    func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = url
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return data
    }
}

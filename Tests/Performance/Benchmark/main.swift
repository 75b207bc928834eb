import Domain
import Formats
import Foundation
import SQL
import Storage

// Measures parts of the service within one process and prints tables; see ../README.md. It asserts no times. The numbers
// are meaningful only in a release build.

let usage = """
    usage: benchmark search FOLDER...    folders with databases, the smallest first
           benchmark gazetteer
           benchmark multipart
           benchmark messages
           benchmark texts [FOLDER]     with the words of the board in a folder

    """
let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "search" where arguments.count > 1:
    let only = ProcessInfo.processInfo.environment["ONLY"]
    for folder in arguments.dropFirst() {
        let bench = try await SearchBench(URL(filePath: folder))
        if only == nil || only == "floor" {
            try bench.floor()
            try bench.searches()
            try bench.textbook()
        }
        try await bench.selective(only: only)
        if only == nil { try bench.commits() }
    }
case "gazetteer":
    let bench = try GazetteerBench()
    try bench.opening()
    try bench.reverseGeocoding()
    try bench.searches()
case "multipart": try await MultipartBench().files()
case "messages": for count in [10_000, 1_000_000] { try await MessageBench().messages(count) }
case "texts":
    let bench = TextBench()
    bench.texts()
    try bench.searches()
    try await bench.matches()
    for folder in arguments.dropFirst() { try bench.words(URL(filePath: folder)) }
default:
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}

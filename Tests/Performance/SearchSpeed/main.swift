import Domain
import Formats
import Foundation
import SpatiaLite
import Storage

// Measures searches within the process against the cost of the tree walk alone. Prints tables; see ../README.md.
//
//     search-speed FOLDER...      folders with databases, the smallest first

let folders = CommandLine.arguments.dropFirst().map { URL(filePath: $0) }
guard !folders.isEmpty else {
    FileHandle.standardError.write(Data("usage: search-speed FOLDER...\n".utf8))
    exit(64)
}
let only = ProcessInfo.processInfo.environment["ONLY"]
for folder in folders {
    let bench = try await SearchBench(folder)
    if only == nil || only == "floor" {
        try bench.floor()
        try bench.searches()
        try bench.textbook()
    }
    try await bench.selective(only: only)
    if only == nil { try bench.commits() }
}

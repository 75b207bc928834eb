import Foundation

struct ServerSentEvent: Equatable {
    var name = "message"
    var data = ""
}

/// Divides a stream of Server-Sent Events, which arrives in pieces of any length.
struct EventParser {
    /// The id of the last complete event, with which a stream continues after an interruption.
    private(set) var lastID: String?
    private(set) var retryMilliseconds: UInt64 = 3000
    private var line: [UInt8] = []
    private var name: String?
    private var data: [String] = []
    private var id: String?

    /// Forgets an incomplete event.
    mutating func interrupt() {
        line = []
        name = nil
        data = []
        id = nil
    }

    mutating func read(_ bytes: Data) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if let event = read(line: String(decoding: line, as: UTF8.self)) { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    private mutating func read(line: String) -> ServerSentEvent? {
        if line.isEmpty { return finish() }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count > 1 ? parts[1] : ""
        if value.first == " " { value = value.dropFirst() }
        switch parts[0] {
        case "event": name = String(value)
        case "data": data.append(String(value))
        case "id": id = String(value)
        case "retry": retryMilliseconds = UInt64(value) ?? retryMilliseconds
        // A comment begins with a colon.
        default: break
        }
        return nil
    }

    private mutating func finish() -> ServerSentEvent? {
        defer { interrupt() }
        lastID = id ?? lastID
        return data.isEmpty ? nil : ServerSentEvent(name: name ?? "message", data: data.joined(separator: "\n"))
    }
}

import Domain
import Formats
import Foundation
import Glibc
package import Logging

/// How an event of the log becomes a line.
package struct LogFormat: Sendable {
    package enum Style: String, CaseIterable, Sendable {
        case text, json
    }

    private let style: Style
    /// Whether each line begins with a priority such as `<4>`, which journald takes off (sd-daemon(3)).
    private let hasPriority: Bool

    package init(_ style: Style = .text, hasPriority: Bool = false) {
        self.style = style
        self.hasPriority = hasPriority
    }

    /// Whether a file is the stream that systemd connected to the journal: it names the device and inode of the stream
    /// in the variable `JOURNAL_STREAM` (systemd.exec(5)).
    package static func isJournal(_ file: Int32, stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(file, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    func line(
        _ level: Logger.Level,
        _ message: String,
        _ metadata: Logger.Metadata = [:],
        label: String = "doggofinder",
        source: String? = nil,
        time: Date = .now
    ) -> String {
        let time = Timestamp(time).text
        let line =
            switch style {
            case .text: Self.text(time, level, message, metadata, label, source)
            case .json: Self.json(time, level, message, metadata, label, source)
            }
        return (hasPriority ? "<\(level.syslogPriority)>" : "") + line + "\n"
    }

    private static func text(
        _ time: String,
        _ level: Logger.Level,
        _ message: String,
        _ metadata: Logger.Metadata,
        _ label: String,
        _ source: String?
    ) -> String {
        let fields = metadata.sorted { $0.key < $1.key }.map { " \($0)=\($1)" }.joined()
        return "\(time) \(level) \(label):\(fields)\(source.map { " [\($0)]" } ?? "") \(message)"
    }

    private static func json(
        _ time: String,
        _ level: Logger.Level,
        _ message: String,
        _ metadata: Logger.Metadata,
        _ label: String,
        _ source: String?
    ) -> String {
        var json = JSONWriter(capacity: 256)
        json.object { json in
            json.field("time", time)
            json.field("level", level.rawValue)
            json.field("label", label)
            if let source { json.field("source", source) }
            json.field("message", message)
            if !metadata.isEmpty { json.object("metadata") { $0.fields(metadata) } }
        }
        return json.text
    }
}

extension JSONWriter {
    fileprivate mutating func fields(_ metadata: Logger.Metadata) {
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
            if case .dictionary(let fields) = value {
                object(named: name) { $0.fields(fields) }
            } else {
                field(named: name, "\(value)")
            }
        }
    }
}

extension Logger.Level {
    /// The priority of syslog(3).
    fileprivate var syslogPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

/// Writes each event of the log as one line.
package struct LineLogHandler: LogHandler {
    private let label: String
    private let output: LogOutput
    package var logLevel = Logger.Level.info
    package var metadata = Logger.Metadata()
    package var metadataProvider: Logger.MetadataProvider?

    package init(label: String, output: LogOutput) {
        self.label = label
        self.output = output
    }

    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var fields = metadata
        for more in [metadataProvider?.get(), event.metadata] {
            if let more { fields.merge(more) { $1 } }
        }
        if let error = event.error { fields["error"] = "\(error)" }
        output.write(event.level, "\(event.message)", fields, label: label, source: event.source)
    }
}

import Domain
import Foundation

extension Browser {
    /// Emulated network conditions.
    struct Network: Sendable {
        /// Milliseconds.
        var latency = 0.0
        /// Bytes per second; 0 means unlimited.
        var download = 0.0
        var upload = 0.0
        var isOffline = false

        static let fine = Network()
        static let offline = Network(isOffline: true)
        /// The values of the presets in Chrome's developer tools.
        static let slow3G = Network(latency: 2000, download: 50_000, upload: 50_000)
        static let fast3G = Network(latency: 562.5, download: 180_000, upload: 84_375)

        fileprivate func conditions(_ download: String, _ upload: String) -> JSONValue {
            [
                "offline": .bool(isOffline), "latency": .number(latency),
                download: .number(self.download > 0 ? self.download : -1),
                upload: .number(self.upload > 0 ? self.upload : -1),
            ]
        }
    }

    /// Applies the conditions to the page and to its service workers, whose requests are limited separately.
    func be(_ network: Network) async throws {
        try await forgetWorkers()
        try await session.post(
            "/chromium/network_conditions",
            ["network_conditions": network.conditions("download_throughput", "upload_throughput")]
        )
        for target in try await session.devTools("Target.getTargets")["targetInfos"].items
        where target["type"] == "service_worker" {
            try await limit(target, to: network)
        }
    }

    private func limit(_ worker: JSONValue, to network: Network) async throws {
        let answer = try await session.devTools(
            "Target.attachToTarget",
            ["targetId": worker["targetId"], "flatten": false]
        )
        guard let id = answer["sessionId"].text else { return }
        workers.withLock { $0.append(id) }
        let conditions = network.conditions("downloadThroughput", "uploadThroughput")
        try await tell(id, ["id": 1, "method": "Network.enable"])
        try await tell(id, ["id": 2, "method": "Network.emulateNetworkConditions", "params": conditions])
    }

    /// Ends the DevTools sessions with service workers, which also ends the conditions that they set.
    private func forgetWorkers() async throws {
        let sessions = workers.withLock { workers in
            defer { workers = [] }
            return workers
        }
        for id in sessions { try await session.devTools("Target.detachFromTarget", ["sessionId": .string(id)]) }
    }

    private func tell(_ worker: String, _ command: JSONValue) async throws {
        let message = String(decoding: try JSONEncoder().encode(command), as: UTF8.self)
        try await session.devTools(
            "Target.sendMessageToTarget",
            ["sessionId": .string(worker), "message": .string(message)]
        )
    }
}

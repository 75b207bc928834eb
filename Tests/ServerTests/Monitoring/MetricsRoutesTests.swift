import Credentials
import Domain
import Foundation
import Server
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Prometheus metrics")
struct MetricsRoutesTests {
    private static let token = "figures-0123456789"
    private static let settings = MetricsSettings(token: Token(token), version: "1.2.3")

    /// The samples by name and labels, without comment lines.
    private static func figures(_ service: RunningService) async throws -> [String: Double] {
        let answer = try await service.send("GET", "/metrics", token: token)
        #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store")
        #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return lines.reduce(into: [:]) { figures, line in
            let end = line.lastIndex(of: " ") ?? line.endIndex
            figures[String(line[..<end])] = Double(line[end...].dropFirst())
        }
    }

    @Test("Metrics are available to admins and with the operator's token")
    func access() async throws {
        try await RunningService.with(hasModel: false, metrics: Self.settings) { service in
            let admin = try await service.register("admin@example.org")
            let account = try #require(try await service.board.accounts.findAccount(email: "admin@example.org"))
            try await service.board.accounts.setRole(account, .admin)
            for (token, status) in [
                (nil, 401), ("nonsense", 401), (try await service.guest(), 403),
                (try await service.register("b@example.org"), 403), (admin, 200), (Self.token, 200),
            ] {
                #expect(try await service.send("GET", "/metrics", token: token).status == status)
            }
            // The token is not valid for other routes.
            #expect(try await service.send("GET", "/v1/me", token: Self.token).status == 401)
        }
        try await RunningService.with(hasModel: false) { service in
            let refused = try await service.send("GET", "/metrics", token: Self.token)
            #expect(refused.status == 401)
        }
    }

    @Test("Everybody can read the version of the program in /healthz")
    func version() async throws {
        try await RunningService.with(hasModel: false, metrics: Self.settings) { service in
            let answer = try await service.send("GET", "/healthz")
            #expect(answer.text("version") == "1.2.3")
        }
    }

    @Test(
        "Requests are counted by route, method and status class, and unknown paths add no further series"
    )
    func requests() async throws {
        try await RunningService.with(hasModel: false, metrics: Self.settings) { service in
            let token = try await service.guest()
            for _ in 0..<3 { try await service.send("GET", "/v1/listings") }
            try await service.send("GET", "/v1/listings?limit=0")
            try await service.send("HEAD", "/v1/breeds")
            let id = try await service.post(#"{"status": "lost", "lon": 10, "lat": 45}"#, token)
            try await service.send("GET", "/v1/listings/\(id)")
            let before = try await Self.figures(service)
            func count(_ labels: String) -> Double? {
                before["doggofinder_http_request_duration_seconds_count{\(labels)}"]
            }
            #expect(count(#"route="/v1/listings",method="GET",status="2xx""#) == 3)
            #expect(count(#"route="/v1/listings",method="GET",status="4xx""#) == 1)
            #expect(count(#"route="/v1/listings",method="POST",status="2xx""#) == 1)
            #expect(count(#"route="/v1/listings/{id}",method="GET",status="2xx""#) == 1)
            #expect(count(#"route="/v1/breeds",method="HEAD",status="2xx""#) == 1)
            let buckets = before.filter {
                $0.key.hasPrefix(
                    "doggofinder_http_request_duration_seconds_bucket{route=\"/v1/listings\",method=\"GET\",status=\"2xx\""
                )
            }
            #expect(buckets.values.max() == 3)
            for number in 0..<50 {
                try await service.send("GET", "/nowhere/\(number)")
                try await service.send("PROPFIND", "/v1/\(number)")
            }
            let after = try await Self.figures(service)
            let grown = Set(after.keys).subtracting(before.keys).filter { $0.contains("_seconds_count{") }
            #expect(
                grown == [
                    #"doggofinder_http_request_duration_seconds_count{route="none",method="GET",status="4xx"}"#,
                    #"doggofinder_http_request_duration_seconds_count{route="none",method="other",status="4xx"}"#,
                    #"doggofinder_http_request_duration_seconds_count{route="/metrics",method="GET",status="2xx"}"#,
                ]
            )
            #expect(after["doggofinder_http_requests_in_flight"] == 1)
        }
    }

    @Test("Listings, queues and refusals are counted")
    func contents() async throws {
        let limits = RateLimits(factor: 1.0 / 60, proxies: try TrustedProxies(parsing: "loopback"))
        try await RunningService.with(limits: limits, metrics: Self.settings) { service in
            let token = try await service.guest()
            _ = try await service.post(#"{"status": "lost", "lon": 10, "lat": 45}"#, token)
            _ = try await service.post(#"{"status": "lost", "lon": 90, "lat": 45}"#, token)
            _ = try await service.post(#"{"status": "found", "species": "cat", "lon": 10, "lat": 45}"#, token)
            for _ in 0..<2 { try await service.send("POST", "/v1/guests", headers: ["X-Forwarded-For": "1.1.1.1"]) }
            let cat = try await service.post(#"{"status": "sighted", "species": "cat", "lon": 11, "lat": 45}"#, token)
            let report = #"{"subject": "listing", "id": "\#(cat)", "reason": "spam"}"#
            let bruno = try await service.guest()
            #expect(try await service.send("POST", "/v1/reports", report, token: bruno).status < 300)
            let figures = try await Self.figures(service)
            #expect(figures["doggofinder_open_reports"] == 1)
            #expect(figures[#"doggofinder_listings{status="lost",species="dog"}"#] == 2)
            #expect(figures[#"doggofinder_listings{status="found",species="cat"}"#] == 1)
            #expect(figures["doggofinder_accounts"] == 3)
            #expect(figures["doggofinder_events_total"] == 7)
            #expect(figures[#"doggofinder_rate_limited_requests_total{policy="sign-in"}"#] == 1)
            #expect(figures[#"doggofinder_build_info{version="1.2.3"}"#] == 1)
            #expect(figures.keys.contains { $0.hasPrefix("doggofinder_model_info{id=") })
            for name in ["doggofinder_stream_subscribers", "doggofinder_photos_waiting"] {
                #expect(figures[name] == 0, "\(name)")
            }
            // Periodic jobs may write at this moment.
            #expect(figures["doggofinder_writes_waiting"] != nil)
            for name in [
                "doggofinder_database_size_bytes", "doggofinder_schema_version", "process_cpu_seconds_total",
                "process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds",
            ] {
                #expect(figures[name].map { $0 > 0 } == true, "\(name)")
            }
            #expect(figures["doggofinder_backup_last_success_timestamp_seconds"] == nil)
            let begin = Timestamp.now
            try service.board.database.recordBackup(begunAt: begin)
            let later = try await Self.figures(service)
            #expect(
                later["doggofinder_backup_last_success_timestamp_seconds"] == Double(begin.milliseconds) / 1000
            )
        }
    }
}

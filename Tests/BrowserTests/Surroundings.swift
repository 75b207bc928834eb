import Domain

extension Browser {
    /// Changes the size of the window, as when a phone is rotated.
    func resize(to screen: Visitor.Screen) async throws {
        try await session.devTools(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(Double(screen.width)), "height": .number(Double(screen.height)),
                "deviceScaleFactor": .number(Double(screen.density)), "mobile": .bool(screen.isMobile),
            ]
        )
        try await session.devTools("Emulation.setTouchEmulationEnabled", ["enabled": .bool(screen.isMobile)])
    }

    /// Emulates the visitor's preferences for the colour scheme and for reduced motion.
    func prefer(_ scheme: Visitor.ColourScheme, lessMotion: Bool = false) async throws {
        try await session.devTools(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": .string(scheme.rawValue)],
                    ["name": "prefers-reduced-motion", "value": lessMotion ? "reduce" : "no-preference"],
                ]
            ]
        )
    }

    /// Sets the position that pages can read, or denies them permission to read it.
    func move(to whereabouts: Visitor.Whereabouts) async throws {
        switch whereabouts {
        case .secret: try await permit("geolocation", "denied")
        case .told(let point):
            try await permit("geolocation", "granted")
            try await session.devTools(
                "Emulation.setGeolocationOverride",
                ["latitude": .number(point.lat), "longitude": .number(point.lon), "accuracy": 10]
            )
        }
    }

    private func permit(_ name: String, _ setting: String) async throws {
        try await session.devTools(
            "Browser.setPermission",
            ["permission": ["name": .string(name)], "setting": .string(setting)]
        )
    }
}

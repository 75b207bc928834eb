import Domain

/// Who looks at the pages, and through what.
struct Visitor: Sendable {
    /// What pages are laid out in, CSS pixels.
    struct Screen: Sendable {
        var width: Int
        var height: Int
        /// Pixels of a picture to one of CSS.
        var density = 1
        /// Whether it is a phone's, touched by fingers.
        var isMobile = false

        static let phone = Screen(width: 390, height: 844, density: 2, isMobile: true)
        static let narrow = Screen(width: 320, height: 640, density: 2, isMobile: true)
        static let desktop = Screen(width: 1280, height: 900)
    }

    enum ColourScheme: String, Sendable, CaseIterable {
        case light
        case dark
    }

    /// What may be known of where they are.
    enum Whereabouts: Sendable {
        case secret
        case told(Coordinate)
    }

    var screen = Screen.desktop
    var scheme = ColourScheme.light
    /// Like `it` or `en-GB`: what pages are asked for in, and how the browser writes dates.
    var language = "en"
    var timeZone = "Europe/Rome"
    var whereabouts = Whereabouts.secret
    var runsScripts = true

    static let phone = Visitor(screen: .phone)
    static let narrow = Visitor(screen: .narrow)
    static let desktop = Visitor()

    /// For a session of WebDriver.
    var capabilities: JSONValue {
        var preferences: [String: JSONValue] = ["intl.accept_languages": .string(language)]
        if !runsScripts { preferences["profile.managed_default_content_settings.javascript"] = 2 }
        return [
            "browserName": "chrome",
            "unhandledPromptBehavior": "ignore",
            "timeouts": ["script": 300_000, "pageLoad": 300_000],
            "goog:loggingPrefs": ["browser": "ALL"],
            "goog:chromeOptions": ["args": .array(switches.map(JSONValue.string)), "prefs": .object(preferences)],
        ]
    }

    private var switches: [String] {
        [
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--lang=\(language)",
            // Browsers end with chromedriver, even where that is killed.
            "--remote-debugging-pipe",
            // Tests ask nobody outside, nor does the browser.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", "--no-proxy-server",
            "--disable-background-networking", "--disable-component-update", "--no-first-run",
        ]
    }
}

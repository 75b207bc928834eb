import Domain

/// The device and the preferences that a browser emulates.
struct Visitor: Sendable {
    /// A screen, with its size in CSS pixels.
    struct Screen: Sendable {
        var width: Int
        var height: Int
        /// Device pixels per CSS pixel.
        var density = 1
        /// Whether the device is a phone with a touch screen.
        var isMobile = false

        static let phone = Screen(width: 390, height: 844, density: 2, isMobile: true)
        static let narrow = Screen(width: 320, height: 640, density: 2, isMobile: true)
        static let desktop = Screen(width: 1280, height: 900)
    }

    enum ColourScheme: String, Sendable, CaseIterable {
        case light
        case dark
    }

    /// The position that pages can read.
    enum Whereabouts: Sendable {
        case secret
        case told(Coordinate)
    }

    var screen = Screen.desktop
    var scheme = ColourScheme.light
    /// The preferred language, such as `it` or `en-GB`: sent with requests and used to format dates.
    var language = "en"
    var timeZone = "Europe/Rome"
    var whereabouts = Whereabouts.secret
    var runsScripts = true

    static let phone = Visitor(screen: .phone)
    static let narrow = Visitor(screen: .narrow)
    static let desktop = Visitor()

    /// The capabilities for a new WebDriver session.
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
            // With a pipe, browsers exit with chromedriver even if it is killed.
            "--remote-debugging-pipe",
            // Tests must work without Internet access, and so must the browser.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", "--no-proxy-server",
            "--disable-background-networking", "--disable-component-update", "--no-first-run",
        ]
    }
}

import Domain
import Localization
import Pages

/// The manifest that makes the site installable as an app (W3C Web Application Manifest).
struct WebManifest: Encodable {
    struct Image: Encodable {
        let src: String
        let sizes: String
        let type: String
        var purpose: String?
        var formFactor: String?
        var label: String?
    }

    struct Shortcut: Encodable {
        let name: String
        let url: String
    }

    /// The form that other apps share photos with (W3C Web Share Target).
    struct ShareTarget: Encodable {
        struct Parameters: Encodable {
            let files: [File]
        }

        struct File: Encodable {
            let name: String
            let accept: [String]
        }

        let action: String
        let method = "POST"
        let enctype = "multipart/form-data"
        let params = Parameters(
            files: [
                File(
                    name: "photo",
                    accept: ["image/jpeg", "image/png", "image/webp", "image/heic", "image/heif", "image/avif"]
                )
            ]
        )
    }

    let id: String
    let name: String
    let shortName: String
    let description: String
    let lang: String
    let startUrl: String
    let scope: String
    let display = "standalone"
    let backgroundColor = "#fbf8f4"
    let themeColor = "#fbf8f4"
    let categories = ["utilities", "social"]
    let icons: [Image]
    let screenshots: [Image]
    let shortcuts: [Shortcut]
    let shareTarget: ShareTarget

    /// - Parameters:
    ///   - assets: the path of the folder of assets.
    ///   - hasAsset: tells which files are in it.
    init(name: String, base: String, assets: String, localizer: Localizer, hasAsset: (String) -> Bool) {
        self.name = name
        shortName = name
        id = base + "/"
        startUrl = base + "/board"
        scope = base + "/"
        description = localizer("board.description")
        lang = localizer.language.rawValue
        icons = [
            Image(src: assets + "/icon-192.png", sizes: "192x192", type: "image/png", purpose: "any"),
            Image(src: assets + "/icon-512.png", sizes: "512x512", type: "image/png", purpose: "any"),
            Image(src: assets + "/icon-maskable.png", sizes: "512x512", type: "image/png", purpose: "maskable"),
        ]
        screenshots = [("narrow", "540x1080"), ("wide", "1280x800")].map { form, size in
            let files = [localizer.language, .english].map { "board-\(form)-\($0.code).jpg" }
            return Image(
                src: "\(assets)/\(files.first(where: hasAsset) ?? "")", sizes: size, type: "image/jpeg",
                formFactor: form, label: localizer("nav.board"))
        }
        shortcuts = Listing.Status.open.map { status in
            Shortcut(
                name: localizer("shortcut.\(status.rawValue)"),
                url: "\(base)/post?status=\(status.rawValue)")
        }
        shareTarget = ShareTarget(action: base + "/photo-search?shared")
    }
}

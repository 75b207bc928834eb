import OutgoingHTTP

extension OutgoingSettings {
    /// Returns the settings for files, also at http addresses, which shelters have. What is fetched there is public, and whoever
    /// changes it on the way could as well post it here.
    ///
    /// - Parameters:
    ///   - time: in milliseconds.
    ///   - size: in bytes. One byte more is read, which tells that a file is too large.
    func forFiles(within time: Int, size: Int, atOnce: Int) -> OutgoingSettings {
        var settings = self
        settings.schemes = [.https, .http]
        settings.ports.insert(OutgoingURL.Scheme.http.port)
        (settings.time, settings.maxBody, settings.atOnce) = (time, size + 1, atOnce)
        return settings
    }
}

import ServerSupport

/// The expected answer for each caller and route. A line contains a method, a path, one status for each `Caller` in the
/// order of declaration, and the body. Names in braces are replaced by objects of the scene.
struct AuthorisationMatrix {
    struct Row {
        let method: String
        let path: String
        let statuses: [Int]
        /// Nil for no body; `@photo` is a photo, text that begins with a brace is JSON, and other text is a form.
        let body: String?
    }

    static let rows: [Row] = text.split(separator: "\n").map { line in
        let words = line.split(
            separator: " ",
            maxSplits: 2 + Caller.allCases.count - 1,
            omittingEmptySubsequences: true
        )
        let last = words.last.map { $0.split(separator: " ", maxSplits: 1) } ?? []
        return Row(
            method: String(words[0]),
            path: String(words[1]),
            statuses: (words.dropFirst(2).dropLast() + last.prefix(1)).compactMap { Int($0) },
            body: last.count > 1 ? String(last[1]) : nil
        )
    }

    /// The route that answers the row: the most specific of those that match.
    static func route(of row: Row, _ routes: [String]) -> String? {
        let own = row.path.split(separator: "?")[0].split(separator: "/", omittingEmptySubsequences: false)
        return routes.filter { $0.hasPrefix(row.method + " ") }.filter { route in
            let theirs = route.dropFirst(row.method.count + 1).split(separator: "/", omittingEmptySubsequences: false)
            return theirs.count == own.count && zip(theirs, own).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }.min { $0.count { $0 == "{" } < $1.count { $0 == "{" } }
    }

    private static let text = """
        GET    /                                                              200 200 200 200 200 200 403 401
        GET    /about                                                         200 200 200 200 200 200 403 401
        GET    /account                                                       200 200 200 200 200 200 403 401
        GET    /account/delete                                                401 200 200 200 200 200 403 401
        GET    /account/export                                                401 200 200 200 200 200 403 401
        GET    /account/new-password                                          200 200 200 200 200 200 403 401
        GET    /account/organisations/{organisation}                         401 403 200 403 403 403 403 401
        GET    /account/organisations/{organisation}/actions                 401 403 200 403 403 403 403 401
        GET    /account/organisations/{organisation}/matches                 401 403 200 403 403 403 403 401
        GET    /account/organisations/{organisation}/social                 401 403 200 403 403 403 403 401
        GET    /account/organisations                                        401 200 200 200 200 200 403 401
        GET    /account/reset                                                 404 404 404 404 404 404 403 401
        GET    /account/second-factor                                         401 303 200 200 200 200 403 401
        GET    /account/verify                                                404 404 404 404 404 404 403 401
        GET    /api                                                           200 200 200 200 200 200 403 401
        GET    /assets/x/app.js                                               200 200 200 200 200 200 403 401
        GET    /basemap/8/138/95.png                                          200 200 200 200 200 200 403 401
        GET    /board?status=lost,found,sighted,reunited,closed               200 200 200 200 200 200 403 401
        GET    /board?lon=14.79&lat=40.77&radius=20000                        200 200 200 200 200 200 403 401
        GET    /collections                                                   200 200 200 200 200 200 403 401
        GET    /collections/listings                                          200 200 200 200 200 200 403 401
        GET    /collections/listings/items?bbox=14,40,15,41                   200 200 200 200 200 200 403 401
        GET    /collections/listings/items/{open}                             200 200 200 200 200 200 403 401
        GET    /collections/listings/items/{hidden}                           404 404 404 404 404 404 403 401
        GET    /collections/listings/queryables                               200 200 200 200 200 200 403 401
        GET    /collections/listings/schema                                   200 200 200 200 200 200 403 401
        GET    /collections/pois                                              200 200 200 200 200 200 403 401
        GET    /collections/pois/items?limit=2                                200 200 200 200 200 200 403 401
        GET    /collections/pois/items/1                                      404 404 404 404 404 404 403 401
        GET    /collections/pois/queryables                                   200 200 200 200 200 200 403 401
        GET    /collections/pois/schema                                       200 200 200 200 200 200 403 401
        GET    /conformance                                                   200 200 200 200 200 200 403 401
        GET    /embed?place=Salerno                                           200 200 200 200 200 200 403 401
        GET    /feeds/listings.atom                                           200 200 200 200 200 200 403 401
        GET    /feeds/listings.rss                                            200 200 200 200 200 200 403 401
        GET    /healthz                                                       200 200 200 200 200 200 403 401
        GET    /imprint                                                       200 200 200 200 200 200 403 401
        GET    /inbox                                                         200 200 200 200 200 200 403 401
        GET    /inbox?listing={open}                                          200 200 200 200 200 200 403 401
        GET    /inbox/{conversation}                                          401 404 200 200 404 404 403 401
        GET    /inbox/{none}                                                  401 404 404 404 404 404 403 401
        GET    /l/{openCode}                                                  303 303 303 303 303 303 403 401
        GET    /l/{hiddenCode}                                                404 404 303 404 404 303 403 401
        GET    /l/{none}                                                      404 404 404 404 404 404 403 401
        GET    /leaflet/leaflet.js                                            200 200 200 200 200 200 403 401
        GET    /listings/{open}                                               200 200 200 200 200 200 403 401
        GET    /listings/{hidden}                                             404 404 200 404 404 200 403 401
        GET    /listings/{outlawed}                                           404 404 404 404 404 200 403 401
        GET    /listings/{none}                                               404 404 404 404 404 404 403 401
        GET    /listings/{open}/animal                                       303 303 303 303 303 303 403 401
        GET    /listings/{hidden}/animal                                     404 404 303 404 404 303 403 401
        GET    /listings/{open}/card                                          200 200 200 200 200 200 403 401
        GET    /listings/{hidden}/card                                        404 404 200 404 404 200 403 401
        GET    /favicon.ico                                                   200 200 200 200 200 200 403 401
        GET    /listings/{open}/delete                                        401 403 200 403 403 403 403 401
        GET    /listings/{hidden}/delete                                      401 404 200 404 404 403 403 401
        GET    /listings/{open}/edit                                          401 403 200 403 403 403 403 401
        GET    /listings/{hidden}/edit                                        401 404 200 404 404 403 403 401
        GET    /listings/{open}/flyer.pdf                                     200 200 200 200 200 200 403 401
        GET    /listings/{hidden}/flyer.pdf                                   404 404 200 404 404 200 403 401
        GET    /listings/{open}/kennel-sheet.pdf                             401 403 200 403 403 403 403 401
        GET    /listings/{hidden}/kennel-sheet.pdf                           401 404 200 404 404 403 403 401
        GET    /listings/{open}/home                                          401 403 303 403 403 403 403 401
        GET    /listings/{open}/matches/{none}                                401 403 404 403 403 403 403 401
        GET    /listings/{open}/matches                                       200 200 200 200 200 200 403 401
        GET    /listings/{hidden}/matches                                     404 404 200 404 404 200 403 401
        GET    /listings/{open}/picture.jpg                                   200 200 200 200 200 200 403 401
        GET    /listings/{hidden}/picture.jpg                                 404 404 200 404 404 200 403 401
        GET    /listings/{open}/record                                       401 403 200 403 403 403 403 401
        GET    /listings/{hidden}/record                                     401 404 200 404 404 403 403 401
        GET    /listings/{open}/write                                         200 200 303 303 200 200 403 401
        GET    /listings/{hidden}/write                                       404 404 303 404 404 200 403 401
        GET    /listings/{open}/sightings/{sighting}/write                    401 403 200 403 403 403 403 401
        GET    /listings/{open}/sightings/{none}/write                        401 403 404 403 403 403 403 401
        GET    /listings/{open}/sighting                                      200 200 200 200 200 200 403 401
        GET    /listings/{hidden}/sighting                                    404 404 303 404 404 303 403 401
        GET    /listings/{open}/tracks                                       401 403 200 403 403 403 403 401
        GET    /listings/{hidden}/tracks                                     401 404 200 404 404 403 403 401
        GET    /manifest.webmanifest                                          200 200 200 200 200 200 403 401
        GET    /map?lon=14.79&lat=40.77&zoom=15                               200 200 200 200 200 200 403 401
        GET    /map/cards?bbox=14,40,15,41                                    200 200 200 200 200 200 403 401
        GET    /map/outlines?bbox=14,40,15,41                                 200 200 200 200 200 200 403 401
        GET    /map/settings                                                  200 200 200 200 200 200 403 401
        GET    /metrics                                                       401 403 403 403 403 200 401 401
        GET    /microchip                                                     200 200 200 200 200 200 403 401
        GET    /moderation                                                    401 403 403 403 403 200 403 401
        GET    /moderation?status=upheld                                      401 403 403 403 403 200 403 401
        GET    /moderation/audit                                              401 403 403 403 403 200 403 401
        GET    /moderation/social                                           401 403 403 403 403 200 403 401
        GET    /my                                                            200 200 200 200 200 200 403 401
        GET    /my/alerts                                                     200 200 200 200 200 200 403 401
        GET    /unsubscribe/none                                              404 404 404 404 404 404 403 401
        GET    /my/table                                                     401 200 200 200 200 200 403 401
        GET    /my/table?organisation={organisation}                         401 403 200 403 403 403 403 401
        GET    /my/imports                                                    401 200 200 200 200 200 403 401
        GET    /my/imports/{none}                                             401 404 404 404 404 404 403 401
        GET    /nominatim/reverse?lon=14.793&lat=40.772                       200 200 200 200 200 200 403 401
        GET    /nominatim/search?q=Roma                                       200 200 200 200 200 200 403 401
        GET    /nominatim/status                                              200 200 200 200 200 200 403 401
        GET    /offline                                                       200 200 200 200 200 200 403 401
        GET    /openapi.json                                                  200 200 200 200 200 200 403 401
        GET    /organisations/{organisation}                                 200 200 200 200 200 200 403 401
        GET    /organisations/{organisation}/embed                           200 200 200 200 200 200 403 401
        GET    /organisations/{none}                                         404 404 404 404 404 404 403 401
        GET    /picture.jpg                                                   200 200 200 200 200 200 403 401
        GET    /photo-search                                                  200 200 200 200 200 200 403 401
        GET    /photon/api?q=Roma                                             200 200 200 200 200 200 403 401
        GET    /photon/reverse?lon=14.793&lat=40.772                          200 200 200 200 200 200 403 401
        GET    /photos/{photo}-1600.jpg                                       200 200 200 200 200 200 403 401
        GET    /photos/{hiddenPhoto}-1600.jpg                                 404 404 200 404 404 200 403 401
        GET    /photos/{picture}-1600.jpg                                     200 200 200 200 200 200 403 401
        GET    /post                                                          200 200 200 200 200 200 403 401
        GET    /readyz                                                        200 200 200 200 200 200 403 401
        GET    /report?subject=listing&id={open}                              200 200 200 200 200 200 403 401
        GET    /report?subject=listing&id={hidden}                            404 404 200 404 404 200 403 401
        GET    /report?subject=photo&id={hiddenPhoto}                         404 404 200 404 404 200 403 401
        GET    /report?subject=message&id={message}                           404 404 200 200 404 404 403 401
        GET    /report?subject=sighting&id={sighting}                         404 404 200 200 404 404 403 401
        GET    /robots.txt                                                    200 200 200 200 200 200 403 401
        GET    /sitemap.xml                                                   200 200 200 200 200 200 403 401
        GET    /sitemap/lost/0                                                200 200 200 200 200 200 403 401
        GET    /sw.js                                                         200 200 200 200 200 200 403 401
        GET    /statistics                                                    200 200 200 200 200 200 403 401
        GET    /statistics/missing.svg                                        200 200 200 200 200 200 403 401
        GET    /tiles/listings.json                                           200 200 200 200 200 200 403 401
        GET    /tiles/listings/0/0/0.pbf                                      200 200 200 200 200 200 403 401
        GET    /tiles/listings/14/8865/6156.pbf                               200 200 200 200 200 200 403 401
        GET    /tiles/pois.json                                               200 200 200 200 200 200 403 401
        GET    /tiles/pois/0/0/0.pbf                                          204 204 204 204 204 204 403 401
        GET    /privacy                                                       200 200 200 200 200 200 403 401
        GET    /v1/admin/audit                                                401 403 403 403 403 200 403 401
        GET    /v1/admin/microchips/380260000000042                           401 403 403 403 403 200 403 401
        GET    /v1/admin/reports                                              401 403 403 403 403 200 403 401
        GET    /v1/admin/reports/{report}                                     401 403 403 403 403 200 403 401
        GET    /v1/admin/reports/{none}                                       401 403 403 403 403 404 403 401
        GET    /v1/breeds                                                     200 200 200 200 200 200 403 401
        GET    /v1/search/suggestions?q=lab                                   200 200 200 200 200 200 403 401
        GET    /v1/classifications/{none}                                     404 404 404 404 404 404 403 401
        GET    /v1/listings?status=lost,found,sighted,reunited,closed         200 200 200 200 200 200 403 401
        GET    /v1/listings?lon=14.79&lat=40.77&radius=20000                  200 200 200 200 200 200 403 401
        GET    /v1/listings?q=zerbinotto                                      200 200 200 200 200 200 403 401
        GET    /v1/listings.csv?status=lost,found,sighted,reunited,closed     200 200 200 200 200 200 403 401
        GET    /v1/listings.geojson?status=lost,found,sighted,reunited,closed 200 200 200 200 200 200 403 401
        GET    /v1/listings/{open}                                            200 200 200 200 200 200 403 401
        GET    /v1/listings/{hidden}                                          404 404 200 404 404 200 403 401
        GET    /v1/listings/{outlawed}                                        404 404 404 404 404 200 403 401
        GET    /v1/listings/{open}/search-area                                200 200 200 200 200 200 403 401
        GET    /v1/listings/{hidden}/search-area                              404 404 409 404 404 409 403 401
        GET    /v1/listings/{none}                                            404 404 404 404 404 404 403 401
        GET    /v1/listings/{open}/animal                                    404 404 404 404 404 404 403 401
        GET    /v1/listings/{open}/matches                                    200 200 200 200 200 200 403 401
        GET    /v1/listings/{hidden}/matches                                  404 404 200 404 404 200 403 401
        GET    /v1/listings/{none}/matches                                    404 404 404 404 404 404 403 401
        GET    /v1/listings/{open}/matches/{none}                             401 403 404 403 403 403 403 401
        GET    /v1/listings/{open}/messages                                   401 403 200 200 403 403 403 401
        GET    /v1/listings/{hidden}/messages                                 401 404 200 404 404 403 403 401
        GET    /v1/listings/{none}/messages                                   401 404 404 404 404 404 403 401
        GET    /v1/listings/{open}/sightings                                  200 200 200 200 200 200 403 401
        GET    /v1/listings/{hidden}/sightings                                404 404 200 404 404 200 403 401
        GET    /v1/listings/{none}/sightings                                  404 404 404 404 404 404 403 401
        GET    /v1/listings/{open}/timeline                                   200 200 200 200 200 200 403 401
        GET    /v1/listings/{hidden}/timeline                                 404 404 200 404 404 200 403 401
        GET    /v1/listings/{none}/timeline                                   404 404 404 404 404 404 403 401
        GET    /v1/listings/{open}/record                                    401 403 200 403 403 403 403 401
        GET    /v1/listings/{hidden}/record                                  401 404 200 404 404 403 403 401
        GET    /v1/import-feeds                                               401 200 200 200 200 200 403 401
        GET    /v1/imports                                                    401 200 200 200 200 200 403 401
        GET    /v1/imports/{none}                                             401 404 404 404 404 404 403 401
        GET    /v1/imports/{none}/rows                                        401 404 404 404 404 404 403 401
        GET    /v1/listings/{open}/tracks                                    200 200 200 200 200 200 403 401
        GET    /v1/listings/{hidden}/tracks                                  404 404 200 404 404 200 403 401
        GET    /v1/listings/{open}/tracks/1                                  404 404 200 404 404 404 403 401
        GET    /v1/listings/{open}/searched-area                             200 200 200 200 200 200 403 401
        GET    /v1/listings/{hidden}/searched-area                           404 404 409 404 404 409 403 401
        GET    /v1/listings/{open}/photos/1                                   303 303 303 303 303 303 403 401
        GET    /v1/listings/{hidden}/photos/1                                 404 404 303 404 404 303 403 401
        GET    /v1/listings/clusters?lon=14.79&lat=40.77&radius=20000&zoom=22 200 200 200 200 200 200 403 401
        GET    /v1/listings/count?lon=14.79&lat=40.77&radius=20000            200 200 200 200 200 200 403 401
        GET    /v1/listings/stream?lon=x                                      400 400 400 400 400 400 403 401
        GET    /v1/me                                                         401 200 200 200 200 200 403 401
        GET    /v1/me/alerts                                                  401 200 200 200 200 200 403 401
        GET    /v1/me/alerts/{none}                                           401 404 404 404 404 404 403 401
        GET    /v1/me/alerts/{none}/listings                                  401 404 404 404 404 404 403 401
        GET    /v1/me/notifications                                           401 200 200 200 200 200 403 401
        GET    /v1/me/blocks                                                  401 200 200 200 200 200 403 401
        GET    /v1/me/conversations                                           401 200 200 200 200 200 403 401
        GET    /v1/me/conversations/{conversation}                            401 404 200 200 404 404 403 401
        GET    /v1/me/conversations/{none}                                    401 404 404 404 404 404 403 401
        GET    /v1/me/export                                                  401 200 200 200 200 200 403 401
        GET    /v1/me/listings                                                401 200 200 200 200 200 403 401
        GET    /v1/me/second-factor                                           401 200 200 200 200 200 403 401
        GET    /v1/me/push-subscriptions                                      401 200 200 200 200 200 403 401
        GET    /v1/me/webhooks                                                401 403 200 200 200 200 403 401
        GET    /v1/me/webhooks/{none}                                         401 403 404 404 404 404 403 401
        GET    /v1/push/key                                                   200 200 200 200 200 200 403 401
        GET    /v1/me/listings?organisation={organisation}                   401 403 200 403 403 403 403 401
        GET    /v1/me/organisations                                          401 200 200 200 200 200 403 401
        GET    /v1/me/invitations                                            401 200 200 200 200 200 403 401
        GET    /v1/me/sessions                                                401 200 200 200 200 200 403 401
        GET    /v1/microchip-registries?prefix=380                            200 200 200 200 200 200 403 401
        GET    /v1/places?q=Roma                                              200 200 200 200 200 200 403 401
        GET    /v1/places/reverse?lon=14.793&lat=40.772                       200 200 200 200 200 200 403 401
        GET    /v1/statistics?by=month                                        200 200 200 200 200 200 403 401
        GET    /v1/organisations/{organisation}                              200 200 200 200 200 200 403 401
        GET    /v1/organisations/{organisation}/animals/A-1                  401 403 404 403 403 403 403 401
        GET    /v1/organisations/{organisation}/actions                      401 403 200 403 403 403 403 401
        GET    /v1/organisations/{organisation}/animals.csv?format=asm3      401 403 200 403 403 403 403 401
        GET    /v1/organisations/{organisation}/matches                      401 403 200 403 403 403 403 401
        GET    /v1/organisations/{organisation}/members                      401 403 200 403 403 403 403 401
        GET    /v1/organisations/{organisation}/invitations                  401 403 200 403 403 403 403 401
        GET    /v1/organisations/{organisation}/keys                         401 403 200 403 403 403 403 401
        GET    /v1/organisations/{organisation}/social-accounts             401 403 200 403 403 403 403 401
        GET    /v1/pois?lon=14.79&lat=40.77                                   200 200 200 200 200 200 403 401
        GET    /v1/pois/1                                                     404 404 404 404 404 404 403 401
        GET    /v1/pois/1/street-pictures                                     404 404 404 404 404 404 403 401
        POST   /account/delete                                                401 303 303 303 303 409 403 401 confirmed=yes
        POST   /account/email                                                 401 409 303 303 303 303 403 401 current_password=correct+horse&email={fresh}@example.org
        POST   /account/link                                                  401 404 404 404 404 404 403 401 email={fresh}@example.org
        POST   /account/new-password                                          404 404 404 404 404 404 403 401 token=x&password=battery+staple
        POST   /account/organisations/{organisation}                         401 403 400 403 403 403 403 401 action=x
        POST   /account/organisations/{organisation}/social                 401 403 400 403 403 403 403 401 action=x
        POST   /account/organisations                                        401 403 303 303 303 303 403 401 name=Rifugio
        POST   /account/invitations                                          401 404 404 404 404 404 403 401 id={none}
        POST   /account/password                                              401 409 303 303 303 303 403 401 current_password=correct+horse&password=battery+staple
        POST   /account/picture                                               401 303 303 303 303 303 403 401 remove=yes
        POST   /account/profile                                               401 303 303 303 303 303 403 401 first_name=Eva
        POST   /account/register                                              303 303 303 303 303 303 403 401 email={fresh}@example.org&password=battery+staple
        POST   /account/reset                                                 404 404 404 404 404 404 403 401 email=olga@example.org
        POST   /account/second-factor                                         401 409 200 200 200 200 403 401 current_password=correct+horse
        POST   /account/second-factor/codes                                   401 409 409 409 409 409 403 401 current_password=correct+horse&code=123456
        POST   /account/second-factor/confirm                                 401 409 409 409 409 409 403 401 code=123456
        POST   /account/second-factor/remove                                  401 409 409 409 409 409 403 401 current_password=correct+horse&code=123456
        POST   /account/sessions                                              401 404 303 404 404 404 403 401 id={session}
        POST   /account/sign-in                                               303 303 303 303 303 303 403 401 email=olga@example.org&password=correct+horse
        POST   /account/sign-in/code                                          400 400 400 400 400 400 403 401 ticket=x&code=123456
        POST   /account/sign-out                                              303 303 303 303 303 303 403 401 sure=yes
        POST   /account/verify                                                404 404 404 404 404 404 403 401 token=x
        POST   /inbox/{conversation}                                          401 404 303 303 404 404 403 401 text=Dove
        POST   /my/alerts                                                     303 303 303 303 303 303 403 401 place=Fisciano
        POST   /my/alerts/settings                                            401 303 303 303 303 303 403 401 frequency=daily
        POST   /my/alerts/{none}                                              401 404 404 404 404 404 403 401 action=pause
        POST   /unsubscribe/none                                              404 404 404 404 404 404 403 401 x=y
        POST   /inbox/{none}                                                  401 404 404 404 404 404 403 401 text=Dove
        POST   /inbox/{conversation}/block                                    401 404 303 303 404 404 403 401 x=y
        POST   /inbox/{conversation}/delete                                   401 404 303 303 404 404 403 401 confirmed=yes
        POST   /inbox/{conversation}/unblock                                  401 404 303 303 404 404 403 401 x=y
        POST   /inbox/{conversation}/report                                   401 404 409 303 404 404 403 401 message={message}
        POST   /listings/{open}/delete                                        401 403 303 403 403 403 403 401 confirmed=yes
        POST   /listings/{hidden}/delete                                      401 404 303 404 404 403 403 401 confirmed=yes
        POST   /listings/{open}/edit                                          401 403 303 403 403 403 403 401 status=lost&name=Eva&place=Salerno
        POST   /listings/{hidden}/edit                                        401 404 303 404 404 403 403 401 status=lost&name=Eva&place=Salerno
        POST   /listings/{open}/animal                                       401 403 409 403 403 409 403 401 parted=yes
        POST   /listings/{open}/matches/{none}                                401 403 404 403 403 403 403 401 answer=yes
        POST   /listings/{open}/home                                          401 403 303 403 403 403 403 401 shown=yes
        POST   /listings/{open}/record                                       401 403 303 403 403 403 403 401 kennel=B12
        POST   /listings/{hidden}/record                                     401 404 303 404 404 403 403 401 kennel=B12
        POST   /listings/{open}/matches/{none}/home                           401 403 404 403 403 403 403 401 home=yes
        POST   /listings/{open}/renew                                         401 403 303 403 403 403 403 401 x=y
        POST   /listings/{hidden}/renew                                       401 404 303 404 404 403 403 401 x=y
        POST   /listings/{open}/status                                        401 403 303 403 403 403 403 401 status=closed
        POST   /listings/{hidden}/status                                      401 404 303 404 404 403 403 401 status=closed
        POST   /listings/{open}/write                                         303 303 403 303 303 303 403 401 text=Visto&mark=boh
        POST   /listings/{hidden}/write                                       404 404 404 404 404 404 403 401 text=Visto
        POST   /listings/{open}/sighting                                      303 303 303 303 303 303 403 401 place=Fisciano
        POST   /listings/{hidden}/sighting                                    404 404 409 404 404 409 403 401 place=Fisciano
        POST   /listings/{open}/sightings                                     401 403 303 403 403 403 403 401 listing={seen}
        POST   /listings/{hidden}/sightings                                   401 404 409 404 404 403 403 401 listing={seen}
        POST   /listings/{open}/sightings/{sighting}                          401 404 303 403 404 404 403 401 state=confirmed
        POST   /listings/{open}/sightings/{none}                              401 404 404 404 404 404 403 401 state=confirmed
        POST   /listings/{open}/sightings/{sighting}/write                    401 403 303 403 403 403 403 401 text=Dove
        POST   /listings/{open}/sightings/{none}/write                        401 403 404 403 403 403 403 401 text=Dove
        POST   /listings/{open}/sightings/{sighting}/block                    401 403 303 403 403 403 403 401
        POST   /listings/{open}/sightings/{none}/block                        401 403 404 403 403 403 403 401
        POST   /listings/{open}/tracks                                       401 403 400 403 403 403 403 401 kind=collar
        POST   /my/imports                                                    401 403 400 400 400 400 403 401 action=try
        POST   /my/import-feeds                                               401 403 400 400 400 400 403 401 url=x
        POST   /my/import-feeds/{none}                                        401 404 404 404 404 404 403 401 action=remove
        POST   /my/imports/{none}                                             401 403 404 404 404 404 403 401 action=import
        POST   /listings/{open}/tracks/9                                     401 403 404 403 403 403 403 401 action=delete
        POST   /microchip                                                     200 200 200 200 200 200 403 401 number=380260000000099
        POST   /microchip/message                                             404 404 404 404 404 404 403 401 number=380260000000099&text=Visto
        POST   /moderation/reports/{report}                                   401 403 403 403 403 303 403 401 action=dismiss
        POST   /moderation/reports/{none}                                     401 403 403 403 403 404 403 401 action=dismiss
        POST   /moderation/social                                           401 403 403 403 403 400 403 401 action=x
        POST   /my/table                                                     401 303 303 303 303 303 403 401 action=renew&ids={open}
        POST   /my/table/microchip                                           401 400 400 400 400 400 403 401 number=1
        POST   /photo-search                                                  400 400 400 400 400 400 403 401 x=y
        POST   /post                                                          303 303 303 303 303 303 403 401 status=lost&place=Salerno
        POST   /report                                                        303 303 409 303 303 303 403 401 subject=listing&id={open}&reason=scam
        POST   /report                                                        404 404 409 404 404 303 403 401 subject=listing&id={hidden}&reason=scam
        POST   /report                                                        404 404 409 303 404 404 403 401 subject=message&id={message}&reason=scam
        POST   /v1/accounts                                                   201 201 201 201 201 201 403 201 {"email": "{fresh}@example.org", "password": "battery staple"}
        POST   /v1/admin/accounts/{account}/ban                               401 403 403 403 403 204 403 401 {"reason": "spam"}
        POST   /v1/admin/accounts/{outlaw}/unban                              401 403 403 403 403 204 403 401 {}
        POST   /v1/admin/listings/{open}/hide                                 401 403 403 403 403 204 403 401 {"reason": "spam"}
        POST   /v1/admin/listings/{open}/join                                401 403 403 403 403 404 403 401 {"listing": "{none}"}
        POST   /v1/admin/listings/{open}/part                                401 403 403 403 403 409 403 401 {}
        POST   /v1/admin/listings/{hidden}/restore                            401 403 403 403 403 204 403 401 {}
        POST   /v1/admin/organisations/{organisation}/verify                 401 403 403 403 403 204 403 401 {}
        POST   /v1/admin/organisations/{organisation}/unverify               401 403 403 403 403 204 403 401 {}
        POST   /v1/admin/photos/{photo}/remove                                401 403 403 403 403 204 403 401 {"reason": "spam"}
        POST   /v1/admin/sightings/{sighting}/remove                          401 403 403 403 403 204 403 401 {"reason": "spam"}
        POST   /v1/classifications                                            503 503 503 503 503 503 403 401 @photo
        POST   /v1/guests                                                     201 201 201 201 201 201 403 201
        POST   /v1/listings                                                   401 201 201 201 201 201 403 401 {"status": "lost", "place": "Salerno"}
        POST   /v1/listings                                                  401 403 201 403 403 403 403 401 {"status": "lost", "place": "Salerno", "organisation": "{organisation}"}
        POST   /v1/listings/bulk                                             401 200 200 200 200 200 403 401 {"action": "renew", "ids": ["{open}"]}
        POST   /v1/listings/{open}/messages                                   401 201 403 201 201 201 403 401 {"text": "Visto", "mark": "boh"}
        POST   /v1/listings/{hidden}/messages                                 401 404 404 404 404 404 403 401 {"text": "Visto"}
        POST   /v1/listings/{none}/messages                                   401 404 404 404 404 404 403 401 {"text": "Visto"}
        POST   /v1/listings/{open}/sightings                                  401 201 201 201 201 201 403 401 {"place": "Fisciano"}
        POST   /v1/listings/{open}/sightings                                  401 403 201 403 403 403 403 401 {"listing": "{seen}"}
        POST   /v1/listings/{hidden}/sightings                                401 404 409 404 404 404 403 401 {"place": "Fisciano"}
        POST   /v1/listings/{none}/sightings                                  401 404 404 404 404 404 403 401 {"place": "Fisciano"}
        POST   /v1/listings/{open}/sightings/{sighting}/messages              401 404 201 404 404 404 403 401 {"text": "Dove"}
        POST   /v1/listings/{hidden}/sightings/{sighting}/messages            401 404 404 404 404 404 403 401 {"text": "Dove"}
        POST   /v1/listings/{open}/sightings/{none}/messages                  401 404 404 404 404 404 403 401 {"text": "Dove"}
        POST   /v1/listings/{open}/sightings/{sighting}/block                 401 404 204 404 404 404 403 401
        POST   /v1/listings/{open}/sightings/{none}/block                     401 404 404 404 404 404 403 401
        POST   /v1/listings/{open}/renewal                                    401 403 200 403 403 403 403 401
        POST   /v1/listings/{hidden}/renewal                                  401 404 200 404 404 403 403 401
        POST   /v1/listings/{open}/tracks/1/device-token                     401 403 201 403 403 403 403 401
        POST   /v1/listings/{hidden}/tracks/1/device-token                   401 404 404 404 404 403 403 401
        POST   /v1/listings/{open}/tracks/1/points                           401 403 400 403 403 403 403 401 {}
        POST   /v1/listings/{hidden}/tracks/1/points                         401 404 400 404 404 403 403 401 {}
        POST   /v1/me/alerts                                                  401 201 201 201 201 201 403 401 {"search": {"place": "Fisciano"}}
        POST   /v1/import-feeds                                               401 403 400 400 400 400 403 401 {"url": "ftp://example.org/"}
        POST   /v1/import-feeds/{none}/run                                    401 404 404 404 404 404 403 401
        POST   /v1/imports                                                    401 403 202 202 202 202 403 401 {}
        POST   /v1/me/blocks                                                  401 404 204 204 404 404 403 401 {"conversation": "{conversation}"}
        POST   /v1/me/conversations/{conversation}/messages                   401 404 201 201 404 404 403 401 {"text": "Dove"}
        POST   /v1/me/conversations/{conversation}/read                       401 404 204 204 404 404 403 401 {}
        POST   /v1/me/push-subscriptions                                      401 400 400 400 400 400 403 401 {"endpoint": "https://push.example.org/a"}
        POST   /v1/me/second-factor                                           401 409 201 201 201 201 403 401 {"current_password": "correct horse"}
        POST   /v1/me/second-factor/recovery-codes                            401 409 409 409 409 409 403 401 {"current_password": "correct horse", "code": "123456"}
        POST   /v1/me/second-factor/removal                                   401 409 409 409 409 409 403 401 {"current_password": "correct horse", "code": "123456"}
        POST   /v1/me/webhooks                                                401 403 201 201 201 201 403 401 {"url": "https://example.org/dogs"}
        POST   /v1/me/webhooks/{none}/rotation                                401 403 404 404 404 404 403 401
        POST   /v1/me/webhooks/{none}/test                                    401 403 404 404 404 404 403 401
        POST   /v1/me/invitations/{none}                                     401 404 404 404 404 404 403 401
        POST   /v1/microchip-lookups                                          200 200 200 200 200 200 403 401 {"number": "380260000000042"}
        POST   /v1/microchip-messages                                         401 204 404 204 204 204 403 401 {"number": "380260000000042", "text": "Visto"}
        POST   /v1/organisations                                             401 403 201 201 201 201 403 401 {"name": "Rifugio"}
        POST   /v1/organisations/{organisation}/invitations                  401 403 201 403 403 403 403 401 {"email": "otto@example.org"}
        POST   /v1/organisations/{organisation}/keys                         401 403 201 403 403 403 403 401 {"name": "software", "scopes": ["listings:read"]}
        POST   /v1/organisations/{organisation}/social-accounts             401 403 400 403 403 403 403 401 {"service": "telegram", "token": "x"}
        POST   /v1/organisations/{organisation}/social-accounts/{none}/test 401 403 404 403 403 403 403 401
        POST   /v1/password-resets                                            404 404 404 404 404 404 403 404 {"email": "olga@example.org"}
        POST   /v1/reports                                                    401 202 409 202 202 202 403 401 {"subject": "listing", "id": "{open}", "reason": "scam"}
        POST   /v1/reports                                                    401 404 409 404 404 202 403 401 {"subject": "listing", "id": "{hidden}", "reason": "scam"}
        POST   /v1/reports                                                    401 404 409 404 404 202 403 401 {"subject": "photo", "id": "{hiddenPhoto}", "reason": "scam"}
        POST   /v1/reports                                                    401 404 409 202 404 404 403 401 {"subject": "message", "id": "{message}", "reason": "scam"}
        POST   /v1/reports                                                    401 404 202 409 404 404 403 401 {"subject": "sighting", "id": "{sighting}", "reason": "scam"}
        POST   /v1/sessions                                                   201 201 201 201 201 201 403 201 {"email": "olga@example.org", "password": "correct horse"}
        POST   /v1/verifications                                              404 404 404 404 404 404 403 404 {"token": "x"}
        PUT    /v1/listings/{open}/matches/{none}                             401 403 404 403 403 403 403 401 {"answer": "yes"}
        PUT    /v1/listings/{hidden}/matches/{open}                           401 404 409 404 404 403 403 401 {"answer": "yes"}
        PUT    /v1/listings/{open}/matches/{none}/home                        401 403 404 403 403 403 403 401
        PUT    /v1/listings/{open}/photos/2                                   401 403 201 403 403 403 403 401 @photo
        PUT    /v1/listings/{hidden}/photos/2                                 401 404 201 404 404 403 403 401 @photo
        PUT    /v1/listings/{open}/photos/order                               401 403 200 403 403 403 403 401 {"numbers": [1]}
        PUT    /v1/listings/{hidden}/photos/order                             401 404 200 404 404 403 403 401 {"numbers": [1]}
        PUT    /v1/listings/{open}/record                                    401 403 200 403 403 403 403 401 {"kennel": "B12"}
        PUT    /v1/listings/{hidden}/record                                  401 404 200 404 404 403 403 401 {"kennel": "B12"}
        PUT    /v1/listings/{open}/tracks/2                                  401 403 201 403 403 403 403 401 {"kind": "collar", "device": "phone"}
        PUT    /v1/listings/{hidden}/tracks/2                                401 404 409 404 404 403 403 401 {"kind": "collar", "device": "phone"}
        PUT    /v1/me/picture                                                 401 201 200 201 201 201 403 401 @photo
        PUT    /v1/me/second-factor                                           401 409 409 409 409 409 403 401 {"code": "123456"}
        PUT    /v1/me/link                                                    401 404 404 404 404 404 403 401 {"email": "olga@example.org"}
        DELETE /v1/me/link                                                    401 404 404 404 404 404 403 401
        PUT    /v1/organisations/{organisation}/second-factor                401 403 204 403 403 403 403 401 {"required": false}
        PUT    /v1/organisations/{organisation}/animals/A-1                  401 403 201 403 403 403 403 401 {"status": "found", "place": "Salerno"}
        PUT    /v1/password-resets                                            404 404 404 404 404 404 403 404 {"token": "x", "password": "battery staple"}
        PATCH  /v1/admin/reports/{report}                                     401 403 403 403 403 200 403 401 {"status": "dismissed"}
        PATCH  /v1/admin/reports/{none}                                       401 403 403 403 403 404 403 401 {"status": "dismissed"}
        PATCH  /v1/listings/{open}                                            401 403 200 403 403 403 403 401 {"name": "Eva"}
        PATCH  /v1/listings/{hidden}                                          401 404 200 404 404 403 403 401 {"name": "Eva"}
        PATCH  /v1/listings/{none}                                            401 404 404 404 404 404 403 401 {"name": "Eva"}
        PATCH  /v1/listings/{open}/sightings/{sighting}                       401 404 200 403 404 404 403 401 {"state": "dismissed"}
        PATCH  /v1/listings/{hidden}/sightings/{sighting}                     401 404 404 404 404 404 403 401 {"state": "dismissed"}
        PATCH  /v1/listings/{open}/tracks/1                                  401 403 200 403 403 403 403 401 {"name": "Eva"}
        PATCH  /v1/listings/{hidden}/tracks/1                                401 404 404 404 404 403 403 401 {"name": "Eva"}
        PATCH  /v1/me/notifications                                           401 200 200 200 200 200 403 401 {"frequency": "daily"}
        PATCH  /v1/me/alerts/{none}                                           401 404 404 404 404 404 403 401 {"paused": true}
        PATCH  /v1/me/webhooks/{none}                                         401 403 404 404 404 404 403 401 {"enabled": true}
        PATCH  /v1/organisations/{organisation}                              401 403 200 403 403 403 403 401 {"about": "Cani"}
        PATCH  /v1/organisations/{organisation}/members/{none}               401 403 404 403 403 403 403 401 {"role": "manager"}
        PATCH  /v1/organisations/{organisation}/social-accounts/{none}      401 403 404 403 403 403 403 401 {"paused": true}
        PATCH  /v1/me                                                         401 200 200 200 200 200 403 401 {"first_name": "Eva"}
        DELETE /v1/listings/{open}/animal                                    401 403 409 403 403 403 403 401
        DELETE /v1/listings/{open}                                            401 403 204 403 403 403 403 401
        DELETE /v1/listings/{hidden}                                          401 404 204 404 404 403 403 401
        DELETE /v1/listings/{none}                                            401 404 404 404 404 404 403 401
        DELETE /v1/listings/{open}/matches/{none}                             401 403 404 403 403 403 403 401
        DELETE /v1/listings/{open}/matches/{none}/home                        401 403 404 403 403 403 403 401
        DELETE /v1/listings/{open}/photos/1                                   401 403 204 403 403 403 403 401
        DELETE /v1/listings/{hidden}/photos/1                                 401 404 204 404 404 403 403 401
        DELETE /v1/listings/{open}/tracks/1                                  401 403 204 403 403 403 403 401
        DELETE /v1/listings/{hidden}/tracks/1                                401 404 404 404 404 403 403 401
        DELETE /v1/me                                                         401 204 204 204 204 409 403 401
        DELETE /v1/import-feeds/{none}                                        401 404 404 404 404 404 403 401
        DELETE /v1/imports/{none}                                             401 404 404 404 404 404 403 401
        DELETE /v1/me/alerts/{none}                                           401 404 404 404 404 404 403 401
        DELETE /v1/me/push-subscriptions/{none}                               401 404 404 404 404 404 403 401
        DELETE /v1/me/webhooks/{none}                                         401 403 404 404 404 404 403 401
        DELETE /v1/me/blocks/{conversation}                                   401 404 204 204 404 404 403 401
        DELETE /v1/me/conversations/{conversation}                            401 404 204 204 404 404 403 401
        DELETE /v1/me/invitations/{none}                                     401 404 404 404 404 404 403 401
        DELETE /v1/me/picture                                                 401 404 204 404 404 404 403 401
        DELETE /v1/me/sessions                                                401 204 204 204 204 204 403 401
        DELETE /v1/me/sessions/{session}                                      401 404 204 404 404 404 403 401
        DELETE /v1/organisations/{organisation}                              401 403 204 403 403 403 403 401
        DELETE /v1/organisations/{organisation}/animals/A-1                  401 403 404 403 403 403 403 401
        DELETE /v1/organisations/{organisation}/members/{none}               401 403 404 403 403 403 403 401
        DELETE /v1/organisations/{organisation}/invitations/{none}           401 403 404 403 403 403 403 401
        DELETE /v1/organisations/{organisation}/keys/{none}                  401 403 404 403 403 403 403 401
        DELETE /v1/organisations/{organisation}/social-accounts/{none}      401 403 404 403 403 403 403 401
        DELETE /v1/sessions                                                   401 204 204 204 204 204 403 401
        """
}

extension AuthorisationMatrix.Row {
    /// Whether browsers display the answer and send forms to it.
    var isPage: Bool { !path.hasPrefix("/v1/") && path != "/metrics" }

    func refuses(_ caller: Caller) -> Bool { statuses(caller, byCookie: false).allSatisfy { $0 >= 400 } }

    /// The possible statuses. A browser with the cookie of an ended session counts as anonymous or gets an explanation.
    func statuses(_ caller: Caller, byCookie: Bool) -> [Int] {
        let listed = Dictionary(zip(Caller.allCases, statuses)) { $1 }
        let status = listed[byCookie && [.banned, .gone].contains(caller) ? .nobody : caller] ?? 0
        return byCookie && caller == .banned ? [status, 403] : [status]
    }
}

import Domain
import HTTP
import OpenAPI
import SearchAreas

extension Operation {
    static let tracks = tagged(.tracks) {
        get("/v1/listings/{id}/tracks", "listTracks", "Where a collar or search parties were")
            .known.taking(.id, .ifNoneMatch)
            .described(
                """
                The owner of the listing gets the points. Others get the tracks that the owner shows to everyone: the centres of the \
                cells of 500 m in the order of the first visits, with the hours of these visits.
                """
            )
            .answering(.geoJSON("The tracks.", .named("TrackList"), headers: [.link]))
        get("/v1/listings/{id}/tracks/{number}", "getTrack", "One track")
            .known.taking(.id, .trackNumber, .ifNoneMatch)
            .answering(.geoJSON("The track.", .named("Track")))
        put("/v1/listings/{id}/tracks/{number}", "putTrack", "Upload a GPX file, or open a track for a device")
            .signedIn
            .taking(
                .id, .trackNumber,
                .query("kind", .choice(Track.Kind.self), "For a file, where it is required.", example: "search_party"),
                .query("name", .plainText(Track.maxNameLength), "For a file; its own name where it is left out.")
                    .allowingEmpty,
                .query("visibility", .choice(Track.Visibility.self), "For a file; `owner` where it is left out."),
                .ifMatch, .ifNoneMatch
            )
            .described(
                """
                A GPX file of at most \(TrackService.maxFileSize >> 20) MiB, in UTF-8 or ISO-8859-1: its tracks and routes replace the \
                closed track of this number. `kind`, `name` and `visibility` are in the query. Points whose position or time cannot \
                be are left out and counted in `left_out`. Above \(Track.maxPoints) points, those close to others are left out. A JSON \
                body opens a track for a device, which has one open track at a time.
                """
            )
            .sending(
                RequestBodyDescription([
                    ("application/gpx+xml", .text(), nil), ("application/xml", .text(), nil),
                    ("text/xml", .text(), nil),
                    (
                        "application/json", .named("NewTrack"),
                        ["kind": "collar", "device": "Argo's collar", "visibility": "owner"]
                    ),
                ])
            )
            .answering(
                .geoJSON("The track was changed.", .named("Track"), headers: [.eTag]),
                .geoJSON(status: 201, "The track is new.", .named("Track"), headers: [.eTag, .location])
            )
            .failing(.conflict)
        patch(
            "/v1/listings/{id}/tracks/{number}", "editTrack",
            "Change the name of a track and who sees it, or close it"
        )
        .signedIn.taking(.id, .trackNumber, .ifMatch)
        .described("Fields that are absent or null stay as they are.")
        .sending(.mergePatch(.named("TrackChange"), example: ["visibility": "everyone"]))
        .answering(.geoJSON("The track as it is now.", .named("Track")))
        delete("/v1/listings/{id}/tracks/{number}", "deleteTrack", "Delete a track with its points")
            .signedIn.taking(.id, .trackNumber, .ifMatch)
        post("/v1/listings/{id}/tracks/{number}/points", "addTrackPoints", "Send points of a device")
            .signedIn.taking(.id, .trackNumber)
            .described(
                """
                In any order, also late. Points of a time that the track has already are ignored, so that points can be sent again. \
                The bearer token is that of the device, or one of the owner.
                """
            )
            .sending(
                .json(
                    .named("NewTrackPoints"),
                    example: ["points": [["time": "2026-11-01T12:30:00Z", "lon": 14.79, "lat": 40.77]]]
                )
            )
            .answering(.json("What was stored.", .named("ReceivedPoints")))
            .failing(.conflict)
        post(
            "/v1/listings/{id}/tracks/{number}/device-token", "issueDeviceToken",
            "Get a token with which a device sends points to an open track"
        )
        .signedIn.taking(.id, .trackNumber)
        .described("It replaces the former token of the track, and nobody can read it again.")
        .answering(.json(status: 201, "The token.", .named("DeviceToken")))
        .failing(.conflict)
        get(
            "/v1/listings/{id}/searched-area", "getSearchedArea",
            "The parts of the search area that search parties have searched"
        )
        .known.taking(.id, .ifNoneMatch)
        .described(
            """
            For the owner, what is within \(Int(SearchedArea.reachMetres)) m of the tracks of search parties (an assumption), and \
            how much of the circles that is. For others, the cells of the tracks that the owner shows to everyone.
            """
        )
        .answering(.geoJSON("The area.", .named("SearchedArea")))
        .failing(.conflict)
    }
}

extension Parameter {
    fileprivate static let trackNumber = path(
        "number",
        .integer(Track.numbers),
        "The number of a track, chosen by the owner.",
        example: 1
    )
}

extension Schema {
    static let tracks: [String: Schema] = [
        "TrackList": .object([
            "type": .choice(["FeatureCollection"]), "features": .list(of: .named("Track")),
            "numberReturned": .integer(atLeast: 0), "links": .list(of: .named("Link")),
        ]),
        "Track": .object([
            "type": .choice(["Feature"]), "id": .text(),
            "geometry": .object([
                "type": .choice(["LineString", "MultiLineString"]),
                "coordinates": .list(of: Schema(["type": "array", "items": [:]])).described("As RFC 7946 says."),
            ]).orNull.described("Null without points. A single point is there twice."),
            "properties": .object(
                [
                    "number": .integer(Track.numbers), "kind": .choice(Track.Kind.self), "name": .text().orNull,
                    "device": .text().orNull.described("For the owner; null for a file."),
                    "visibility": .choice(Track.Visibility.self),
                    "open": .flag.described("Whether a device may send points."), "opened_at": .timestamp,
                    "closed_at": .timestamp.orNull, "points": .integer(atLeast: 0),
                    "exact": .flag.described("Whether the points are those of the device, and no cells."),
                    "coordTimes": .list(of: Schema([:])).described(
                        "The time of each position, or null; lists of them for a MultiLineString."
                    ),
                ],
                optional: [
                    "left_out": .integer(atLeast: 0).described(
                        "After an upload: the number of points whose position or time cannot be."
                    )
                ]),
        ]),
        "NewTrack": .request(
            ["kind": .choice(Track.Kind.self), "device": .plainText(Track.maxDeviceLength)],
            optional: [
                "name": .plainText(Track.maxNameLength).orNull, "visibility": .choice(Track.Visibility.self).orNull,
            ]
        ),
        "TrackChange": .request(optional: [
            "name": .plainText(Track.maxNameLength).orNull, "visibility": .choice(Track.Visibility.self).orNull,
            "closed": Schema.flag.with("enum", [true]).described("The device sends no more points."),
        ]),
        "NewTrackPoints": .request(["points": .list(of: .named("NewTrackPoint"), 1...Track.maxPointsAtOnce)]),
        "NewTrackPoint": .request([
            "time": .timestampOrDay.described("Not in the future."), "lon": .longitude, "lat": .latitude,
        ]),
        "ReceivedPoints": .object([
            "added": .integer(atLeast: 0).described("Without those that were there."),
            "points": .integer(atLeast: 0).described("Of the whole track."),
        ]),
        "DeviceToken": .object(["token": .text(), "url": .address.described("Where the device sends its points.")]),
        "SearchedArea": .object([
            "type": .choice(["Feature"]),
            "geometry": .object([
                "type": .choice(["MultiPolygon"]),
                "coordinates": .list(of: Schema(["type": "array", "items": [:]])),
            ]),
            "properties": .object([
                "exact": .flag.described("Whether it is a buffer around points, and no cells."),
                "reach_m": .integer(atLeast: 1).orNull.described("The width of the buffer, in metres."),
                "shares": .list(
                    of: .object(["probability": .number(0...1), "searched": .number(0...1)])
                ).described("How much of the circles of each probability is searched; empty for cells."),
            ]),
        ]),
    ]
}

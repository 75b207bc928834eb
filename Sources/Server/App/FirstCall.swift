import Formats

/// The call that the API reference begins with, and the answer to it.
enum FirstCall {
    static let address = "/v1/listings?status=lost&limit=1"

    static func command(_ baseURL: BaseURL) -> String { "curl \"\(baseURL.link(address))\"" }

    static func tokenCommand(_ baseURL: BaseURL) -> String {
        #"TOKEN=$(curl -s -X POST "\#(baseURL.link("/v1/guests"))" | sed 's/.*"token":"\([^"]*\)".*/\1/')"#
    }

    /// The answer of a board with the listing in the example of `postListing`. A test compares it with a real answer.
    static func answer(_ baseURL: BaseURL) -> String {
        """
        {
          "type": "FeatureCollection",
          "features": [{
            "type": "Feature",
            "id": "3f8e2c1a-9d4b-4c6e-8f70-1b2a3c4d5e6f",
            "geometry": {"type": "Point", "coordinates": [14.789799, 40.77225]},
            "properties": {
              "code": "7KF3M2Q", "status": "lost", "species": "dog", "name": "Argo",
              "breed": "Pastore tedesco", "breed_key": "german_shepherd", "breed_source": "owner",
              "breed_keys": ["german_shepherd"], "mixed": false,
              "sex": null, "size": null, "colour": null, "age": null, "reward": null,
              "marks": null, "collar": null, "description": "Red collar, shy",
              "whereabouts": null, "last_seen_at": "2026-11-20T07:30:00.000Z",
              "contact_name": null, "contact_phone": "+39 333 1234567",
              "contact_phone_e164": "+393331234567", "contact_email": null,
              "place": "Fisciano", "locality": null, "province": "Salerno", "province_code": "SA",
              "region": "Campania", "country": "Italy", "country_code": "IT", "postal_code": "84084",
              "approximate": true, "location_precision": "approximate",
              "created_at": "2026-11-20T07:30:00.000Z", "updated_at": "2026-11-20T07:30:00.000Z",
              "photos": [], "title": "Lost: Pastore tedesco in Fisciano (SA)"
            }
          }],
          "numberReturned": 1,
          "links": [{
            "rel": "self",
            "href": "\(baseURL.link(address))",
            "type": "application/geo+json"
          }]
        }
        """
    }
}

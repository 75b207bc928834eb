public import Foundation

extension DoggoFinder {
    /// Adds or replaces a photo of a listing. A dog without a breed gets the one that the service is sure of.
    ///
    /// - Parameters:
    ///   - photo: A JPEG, PNG, WebP, HEIC or AVIF of at most 16 MB.
    ///   - number: Its place, 1 to 6.
    ///   - listing: The listing.
    public func set(_ photo: Data, as number: Int = 1, of listing: UUID) async throws -> ReceivedPhoto {
        var call = Call("PUT", "/v1/listings/\(listing)/photos/\(number)")
        call.attach(photo)
        return try await send(call)
    }

    public func deletePhoto(_ number: Int, of listing: UUID) async throws {
        try await send(Call("DELETE", "/v1/listings/\(listing)/photos/\(number)"))
    }

    /// Recognises the breed of the dog in a photo. The service keeps the answer for a day, and not the photo.
    public func recognise(_ photo: Data) async throws -> Recognised {
        var call = Call("POST", "/v1/classifications")
        call.attach(photo)
        return try await send(call)
    }

    /// The breeds whose names begin with some words, in any language.
    ///
    /// - Parameters:
    ///   - words: The beginnings of a name; nil for all breeds.
    ///   - species: The kind of animal.
    ///   - limit: How many at most.
    public func breeds(
        beginning words: String? = nil,
        of species: Species? = nil,
        limit: Int? = nil
    ) async throws -> [Breed] {
        var query: [URLQueryItem] = []
        query.add("q", words)
        query.add("species", species)
        query.add("limit", limit)
        let list: BreedList = try await send(Call("GET", "/v1/breeds", query: query))
        return list.breeds
    }
}

extension Call {
    /// The service finds out the format of a picture itself.
    mutating func attach(_ photo: Data) {
        headers["Content-Type"] = "application/octet-stream"
        body = photo
    }
}

/// A photo that the service has stored.
public struct ReceivedPhoto: Codable, Sendable {
    public let number: Int
    public let url: URL
    public let medium: URL
    public let thumbnail: URL
    /// In pixels, of the largest size.
    public let width: Int
    public let height: Int
    public let classification: Summary?
    /// A photo of this or another open listing of the account, of which this one is a copy.
    public let copyOf: Original?

    /// The breeds that the photo may show.
    public struct Summary: Codable, Sendable {
        public let id: UUID
        public let label: String?
        public let outcome: Recognition
    }

    public struct Original: Codable, Sendable {
        public let listing: UUID
        public let number: Int
    }
}

/// The breeds that a photo may show.
public struct Recognised: Codable, Sendable {
    /// For searches by the photo.
    public let id: UUID
    public let outcome: Recognition
    /// The likeliest first.
    public let predictions: [Prediction]
    public let model: String
    public let modelVersion: String

    public struct Prediction: Codable, Sendable {
        /// The key in the list of breeds.
        public let key: String
        public let label: String
        /// In the language of the request.
        public let name: String
        /// From 0 to 1.
        public let confidence: Double
    }
}

public struct Breed: Codable, Sendable {
    public let key: String
    public let species: Species
    /// In the language of the request.
    public let name: String
    public let nameEn: String
    public let nameIt: String
    public let synonyms: [String]
    public let fciGroup: Int?
    public let fciNumber: Int?
    /// Whether the service recognises it in photos.
    public let recognised: Bool
}

struct BreedList: Codable {
    let breeds: [Breed]
}

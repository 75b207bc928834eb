import DoggoFinderClient
import Foundation

/// Tells the breed of the dog in a photo and the town of a point, and what is lost around the point: `Example PHOTO LON LAT
/// [SERVICE]`.
@main
struct Example {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count >= 4, let lon = Double(words[2]), let lat = Double(words[3]) else {
            fatalError("expected PHOTO LON LAT [SERVICE]")
        }
        print(try await breed(in: URL(filePath: words[1])) ?? "no dog")
        print(try town(lon: lon, lat: lat) ?? "the open sea")
        guard words.count > 4, let server = URL(string: words[4]) else { return }
        let around = Search.Area.circle(Coordinate(lon: lon, lat: lat), radius: 10_000)
        for dog in try await DoggoFinder(at: server).listings(Search(.lost, in: around)).features {
            print(dog.title ?? dog.code)
        }
    }
}

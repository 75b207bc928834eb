import SQL

extension SQLConnection {
    var searchEngine: any SearchEngine {
        switch engine {
        case .spatiaLite: SpatiaLiteSearch()
        case .postGIS: PostGISSearch()
        }
    }
}

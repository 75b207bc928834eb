import Domain

extension Operation {
    /// For the page in a language; the document speaks English.
    func summary(in language: Language) -> String {
        language == .italian ? Self.italian[id] ?? summary : summary
    }

    /// By the operation's id.
    static let italian = [
        "becomeGuest": "Un token da ospite", "register": "Registrarsi", "signIn": "Accedere",
        "signOut": "Uscire: il token non vale più", "getProfile": "Il profilo",
        "editProfile": "Cambiare il profilo o la password",
        "deleteAccount": "Eliminare l'account e tutto ciò che contiene",
        "putPicture": "Impostare la foto del profilo", "deletePicture": "Togliere la foto del profilo",
        "searchListings": "Cercare nella bacheca", "postListing": "Pubblicare un annuncio", "getListing": "Un annuncio",
        "editListing": "Cambiare un annuncio", "deleteListing": "Eliminare un annuncio e le sue foto",
        "listOwnListings": "I propri annunci", "countListings": "Quanti ne troverebbe una ricerca",
        "clusterListings": "Quanti e dove, per una mappa", "watchListings": "Ciò che accade in bacheca, mentre accade",
        "exportListingsAsCSV": "Tutto ciò che una ricerca trova, come CSV",
        "exportListingsAsGeoJSON": "Tutto ciò che una ricerca trova, come GeoJSON",
        "getListingPhoto": "Porta alla foto nella misura più grande", "putListingPhoto": "Inviare una foto",
        "deleteListingPhoto": "Togliere una foto", "getPhoto": "Un'immagine, in una delle sue misure",
        "classify": "Le razze probabili in una foto", "getClassification": "Una classificazione dell'ultimo giorno",
        "searchPointsOfInterest": "Veterinari, negozi e rifugi vicini", "getPointOfInterest": "Un luogo d'aiuto",
        "searchPlaces": "Luoghi per nome", "reverseGeocode": "Il luogo di un punto",
        "searchBreeds": "L'elenco delle razze, intero o cercato",
        "nominatimSearch": "Luoghi per nome, per client di Nominatim",
        "nominatimReverse": "Il luogo di un punto, per client di Nominatim",
        "nominatimStatus": "Se funziona, per client di Nominatim",
        "photonSearch": "Luoghi per nome, per client di Photon",
        "photonReverse": "I luoghi di un punto, per client di Photon",
        "getListingsTile": "Un tassello vettoriale della bacheca",
        "describeListingsTiles": "Ciò che le mappe chiedono dei tasselli della bacheca",
        "getPoisTile": "Un tassello vettoriale dell'aiuto vicino",
        "describePoisTiles": "Ciò che le mappe chiedono dei tasselli dell'aiuto",
        "getAtomFeed": "La bacheca per lettori di feed, come Atom",
        "getRSSFeed": "La bacheca per lettori di feed, come RSS 2.0", "getLanding": "Da dove cominciare",
        "getOpenAPIDocument": "Questo documento", "getHealth": "Se è vivo",
        "getReadiness": "Se è pronto: la base di dati risponde", "getBoardPage": "La bacheca",
        "getEmbeddedBoard": "La bacheca dentro un altro sito", "getMapPage": "La mappa",
        "getPhotoSearchPage": "Il modulo per cercare con una foto",
        "getPostPage": "Il modulo per pubblicare un annuncio",
        "getOwnListingsPage": "I propri annunci", "getListingPage": "Un annuncio da condividere",
        "getListingCard": "Un annuncio come scheda", "getEditPage": "Il modulo per cambiare un annuncio",
        "getDeletePage": "Se un annuncio va eliminato", "getAccountPage": "Il profilo, o i modi per entrare",
        "getAccountDeletePage": "Se l'account va eliminato", "getInterfacePage": "Questo documento per le persone",
        "getOfflinePage": "Ciò che si vede senza connessione", "submitPhotoSearch": "Cercare con una foto",
        "submitPost": "Pubblicare un annuncio", "submitEdit": "Cambiare un annuncio",
        "submitStatus": "Dire com'è andata", "submitRenewal": "Dire che un annuncio vale ancora",
        "submitDeletion": "Eliminare un annuncio", "submitRegistration": "Registrarsi", "submitSignIn": "Accedere",
        "submitSignOut": "Uscire", "submitProfile": "Cambiare il profilo",
        "submitPicture": "Impostare o togliere la foto", "submitPassword": "Cambiare la password",
        "submitAccountDeletion": "Eliminare l'account", "getFlyer": "Un volantino A4 da stampare",
        "getMapSettings": "Da dove vengono le immagini della mappa",
        "getMapOutlines": "I contorni inclusi, fini quanto li mostra una mappa",
        "getServiceWorker": "Il service worker",
        "getManifest": "Ciò che rende le pagine un'app", "getAsset": "Stili, script e icone",
        "getLeafletFile": "Leaflet, com'è installato nel sistema",
    ]
}

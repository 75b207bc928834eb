"""Adds rules to schemathesis that OpenAPI 3.0 cannot express.

Some parameters depend on each other or on existing data. Valid requests are changed to satisfy such rules; invalid
requests are sent unchanged.
"""

import datetime
import os
import pathlib
import uuid

import requests
import schemathesis
from hypothesis import strategies

ADDRESS = os.environ["DOGGOFINDER_ADDRESS"]
PHOTOS = pathlib.Path(os.environ["DOGGOFINDER_PHOTOS"])
LISTING = {"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}
# Operations that end a token or move its account to another caller. They use a new token instead of the shared one.
ENDING = {
    ("DELETE", "/v1/me"), ("DELETE", "/v1/sessions"), ("POST", "/v1/accounts"), ("POST", "/v1/sessions"),
}


CALLER = os.environ["DOGGOFINDER_CALLER"]
PASSWORD = os.environ["DOGGOFINDER_PASSWORD"]


def post(path, fields=None, token=None):
    headers = {"Authorization": "Bearer " + token} if token else {}
    answer = requests.post(ADDRESS + path, json=fields or {}, headers=headers, timeout=300)
    answer.raise_for_status()
    return answer.json() if answer.content else {}


def token():
    if CALLER == "admin":
        return post("/v1/sessions", {"email": "admin@example.org", "password": PASSWORD})["token"]
    return post("/v1/accounts", {"email": uuid.uuid4().hex + "@example.org", "password": PASSWORD})["token"]


def newcomer():
    return post("/v1/guests")["token"]


def post_listing():
    return post("/v1/listings", LISTING, TOKEN)["id"]


TOKEN = newcomer() if CALLER == "nobody" else token()


def converse():
    """Creates a conversation about a listing of the caller."""
    return post(f"/v1/listings/{post_listing()}/messages", {"text": "I saw him"}, newcomer())["conversation"]


def report():
    """Creates a report about a new listing and returns the id of its moderation case."""
    listing = post_listing()
    post("/v1/reports", {"subject": "listing", "id": listing, "reason": "spam"}, newcomer())
    headers = {"Authorization": "Bearer " + TOKEN}
    found = requests.get(ADDRESS + "/v1/admin/reports?limit=100", headers=headers, timeout=300).json()["reports"]
    return next(one["id"] for one in found if one["subject_id"] == listing)


def save_search():
    """Creates an alert. An account has at most 20 searches, so another one is deleted first."""
    headers = {"Authorization": "Bearer " + TOKEN}
    found = requests.get(ADDRESS + "/v1/me/alerts", headers=headers, timeout=300).json()["alerts"]
    found = [alert for alert in found if alert.get("search")]
    if len(found) >= 20:
        requests.delete(f"{ADDRESS}/v1/me/alerts/{found[0]['id']}", headers=headers, timeout=300).raise_for_status()
    return post("/v1/me/alerts", {"search": {"place": "Fisciano"}}, TOKEN)["id"]


def banished():
    """Creates an account that can be banned."""
    return post("/v1/guests")["account"]["id"]


# Functions that create the object to which `{id}` refers, by path prefix. Every second request uses an existing id.
THERE = {"/v1/listings/{id}": post_listing}
if CALLER != "nobody":
    THERE |= {"/v1/me/alerts/{id}": save_search, "/v1/me/conversations/{id}": converse, "/v1/me/blocks/{id}": converse}
if CALLER == "admin":
    THERE |= {
        "/v1/admin/reports/{id}": report, "/v1/admin/listings/{id}": post_listing, "/v1/admin/accounts/{id}": banished,
    }

# Random bytes are not valid photos, so real photos are sent.
for kind, name in (("image/jpeg", "grey.jpg"), ("image/png", "clear.png"), ("image/webp", "clear.webp"),
                   ("image/heic", "plain.heic"), ("image/heif", "plain.heic"), ("image/avif", "plain.avif"),
                   ("application/octet-stream", "grey.jpg")):
    schemathesis.openapi.media_type(kind, strategies.just((PHOTOS / name).read_bytes()))

# Random texts are not GPX either.
GPX = b'<gpx><trk><trkseg><trkpt lat="40.77" lon="14.79"/><trkpt lat="40.78" lon="14.79"/></trkseg></trk></gpx>'
for kind in ("application/gpx+xml", "application/xml", "text/xml"):
    schemathesis.openapi.media_type(kind, strategies.just(GPX))


@schemathesis.auth(refresh_interval=None)
class Caller:
    def get(self, case, context):
        if CALLER == "nobody":
            return None
        return newcomer() if (case.operation.method.upper(), case.operation.path) in ENDING else TOKEN

    def set(self, case, data, context):
        if data:
            case.headers = {**(case.headers or {}), "Authorization": "Bearer " + data}


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.headers:
        # A value that is not a valid entity tag is rejected before anything else is checked.
        case.headers.pop("If-Match", None)
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    path = case.operation.path
    if case.headers:
        # Random values of these headers would cause refusals because of existing versions and earlier posts.
        case.headers.pop("If-None-Match", None)
        if "Idempotency-Key" in case.headers:
            case.headers["Idempotency-Key"] = str(uuid.uuid4())
    make = next((make for start, make in THERE.items() if path.startswith(start)), None)
    if make and uuid.UUID(case.path_parameters["id"]).int % 2:
        case.path_parameters["id"] = make()
    if path.startswith("/tiles/") and "{z}" in path:
        mend_tile(case.path_parameters)
    case.query = case.query or {}
    mend_query(path, case.query)
    if path == "/v1/listings/{id}/tracks/{number}" and case.method.upper() == "PUT":
        if not isinstance(case.body, dict):
            # OpenAPI cannot require a parameter for some media types only.
            case.query.setdefault("kind", "collar")
        elif not (case.body.get("device") or "").strip():
            case.body["device"] = uuid.uuid4().hex
    if path.endswith("/points") and isinstance(case.body, dict):
        for point in case.body["points"]:
            point["time"] = past(point["time"])
    if isinstance(case.body, dict):
        mend_fields(path, case)
        if case.media_type == "multipart/form-data":
            mend_form(case)


def mend_form(case):
    # A form cannot say null.
    for name in [name for name, value in case.body.items() if value is None]:
        del case.body[name]
    # schemathesis 4.32.5 takes every changed form with a photo for invalid, when the metadata are read next.
    case.meta.generation.mode = schemathesis.GenerationMode.POSITIVE


def mend_tile(parameters):
    # The placeholders of an address from a TileJSON document are not numbers.
    z, x, y = (int(parameters[name]) if str(parameters[name]).isdigit() else 0 for name in "zxy")
    parameters.update(z=z, x=x % 2**z, y=y % 2**z)


def mend_query(path, query):
    # Only the service can create valid values of these parameters.
    for name in ("cursor", "classification", "organisation"):
        query.pop(name, None)
    if ("lon" in query) != ("lat" in query) or query.get("lon") == "" or query.get("lat") == "":
        query["lon"], query["lat"] = 14.79, 40.77
    if path == "/v1/pois" and "lon" not in query and "bbox" not in query:
        query["lon"], query["lat"] = 14.79, 40.77
    if "lon" not in query:
        query.pop("radius", None)
        if query.get("sort") == "distance":
            query.pop("sort")
    if query.get("bbox") and not path.startswith("/collections/"):
        box = query["bbox"]
        west, south, east, north = [float(side) for side in (box.split(",") if isinstance(box, str) else box)]
        south, north = sorted((max(-90, min(90, south)), max(-90, min(90, north))))
        query["bbox"] = ",".join(map(str, (max(-180, min(180, west)), south, max(-180, min(180, east)), north)))
    if path.startswith("/collections/"):
        mend_features(path, query)
    for name in ("q", "breed"):
        if query.get(name) and not any(letter.isascii() and letter.isalnum() for letter in query[name]):
            query[name] = "a"
    mend_breed(query)
    if path == "/v1/statistics":
        mend_statistics(query)
    if path == "/v1/places" and not query["q"].strip():
        query["q"] = "Roma"
    if path == "/nominatim/search":
        mend_nominatim(query)


def mend_statistics(query):
    # Breeds and regions have to be known, and periods in order.
    if query.get("breed"):
        query["breed"] = "beagle"
        query.pop("species", None)
    if query.get("region"):
        query["region"] = "Campania"
    for name in ("since", "until"):
        query.pop(name, None)


def mend_breed(values):
    # A breed belongs to one species, and the examples are breeds of dogs.
    if values.get("breed") and values.get("species") not in (None, "", "dog"):
        values["breed"] = "a"


def mend_features(path, query):
    if query.get("datetime"):
        query["datetime"] = ("2026-05-01", "../2026-05-01T00:00:00Z", "2026-01-01T00:00:00+01:00/..")[len(query["datetime"]) % 3]
    if query.get("filter"):
        is_json = query.get("filter-lang") == "cql2-json"
        query["filter"] = '{"op": "isNull", "args": [{"property": "name"}]}' if is_json else "name IS NOT NULL"
    if query.get("bbox"):
        # Longitudes may cross the antimeridian, but the southern edge must not lie north of the northern one.
        box = query["bbox"]
        sides = [float(side) for side in (box.split(",") if isinstance(box, str) else box)]
        half = len(sides) // 2
        sides[1], sides[half + 1] = sorted((sides[1], sides[half + 1]))
        query["bbox"] = ",".join(map(str, sides))


def mend_nominatim(query):
    parts = ("street", "city", "county", "state", "country", "postalcode")
    if (query.get("q") or "").strip():
        for name in parts:
            query.pop(name, None)
    elif not any((query.get(name) or "").strip() for name in parts):
        query["q"] = "Roma"


def mend_fields(path, case):
    if path.endswith("/social-accounts"):
        # The service decides which fields there are, and which form the token has.
        case.body = {**case.body, "service": "telegram", "chat": "@lostdogs", "place": "Fisciano", "token": "123456:" + 35 * "A"}
        case.body.pop("server", None)
    body = case.body
    if path == "/v1/me":
        # These fields are valid only in combination, and changing them would invalidate the login of later requests.
        for name in ("current_password", "password", "email"):
            body.pop(name, None)
    # Owners need no mark, and generated ids of earlier messages do not exist.
    if path == "/v1/listings/{id}/sightings/{sighting}/messages":
        body.pop("mark", None)
    if path.startswith("/v1/me/conversations/"):
        body.pop("mark", None)
        body.pop("message", None)
    # Other requests may create listings that require a mark.
    if path == "/v1/listings/{id}/messages" and not (body.get("mark") or "").strip():
        body["mark"] = "a white paw"
    mend_breed(body)
    # The possible lengths of telephone numbers differ by country.
    for name in ("phone", "contact_phone"):
        if body.get(name):
            body[name] = "+39 089 123456"
    if body.get("until"):
        body["until"] = "2100-01-01T00:00:00Z"
    if body.get("place") or "place" in body and body.get("lon") is None or "lon" in body and body["lon"] is None:
        body["place"] = "Fisciano"
    if ("lon" in body) != ("lat" in body) or (body.get("lon") in (None, "")) != (body.get("lat") in (None, "")):
        body["lon"], body["lat"] = 14.79, 40.77
    mend_point(body)
    if body.get("last_seen_at"):
        body["last_seen_at"] = past(body["last_seen_at"])
    if path == "/v1/listings/{id}/sightings":
        # A sighting has a point or a town; only the owner's own listings can be attached instead.
        is_attached = body.pop("listing", None)
        if is_attached or body.get("lon") in (None, "") and not body.get("place"):
            body["lon"], body["lat"] = 14.79, 40.77
        if body.get("lon") not in (None, ""):
            body.pop("place", None)
    if path.endswith("/messages"):
        # A message tells a point and no town.
        body.pop("place", None)
    if path == "/v1/me/alerts":
        # An alert is of a search or of a listing of one's own.
        if isinstance(body.get("matches"), dict):
            body.pop("search", None)
            body["matches"]["listing"] = post_listing()
        else:
            body.setdefault("search", {})
    if path.startswith("/v1/me/alerts") and isinstance(body.get("search"), dict):
        mend_search(body["search"])
    if path == "/v1/me/alerts/{id}":
        # Only alerts of listings have a probability, and these have no search.
        body.pop("minimum_probability", None)
        case.path_parameters["id"] = save_search()
    if path.startswith("/v1/organisations"):
        mend_organisation(body)
    if path.startswith("/v1/listings"):
        # Organisations of a caller are not among what is generated.
        body.pop("organisation", None)
    if "photo" in body:
        body["photo"] = (PHOTOS / "grey.jpg").read_bytes()


def mend_point(body):
    # Points on the open sea or far from the listing's town, Fisciano, are refused, which a schema of single fields cannot say.
    try:
        lon, lat = float(body["lon"]), float(body["lat"])
    except (KeyError, TypeError, ValueError):
        return
    body["lon"], body["lat"] = 14.77 + lon % 4 / 100, 40.75 + lat % 4 / 100


def mend_organisation(body):
    # Names need a letter, and keys end within a year.
    if "name" in body:
        body["name"] = "Rifugio"
    if body.get("expires_at"):
        body["expires_at"] = (datetime.date.today() + datetime.timedelta(days=30)).isoformat()


def mend_search(search):
    # An alert needs an area.
    for name in ("lon", "lat", "radius", "bbox", "polygon"):
        search.pop(name, None)
    search["place"] = "Fisciano"
    for name in ("q", "breed"):
        if name in search and not any(letter.isascii() and letter.isalnum() for letter in search[name]):
            search[name] = "a"
    mend_breed(search)


def past(text):
    limit = datetime.datetime.now(datetime.timezone.utc).isoformat()
    return text if text[:4] < limit[:4] and text[:4] > "0001" else "2026-05-01T12:30:00Z"

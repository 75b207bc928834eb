"""Writes that both engines must accept, or refuse for the same reason.

They fill every table and run every trigger. Each is the outcome, the statement and its values; the outcome is None, the
kind of a constraint, or the message of a trigger.
"""

TIME = "2026-02-02T03:20:00.000Z"
LATER = "2026-02-03T03:20:00.000Z"
END = "2099-01-01T00:00:00.000Z"
HASH = "$argon2id$x"


def uuid(kind, number):
    return f"{kind:0<8}-0000-0000-0000-{number:012d}"


def digest(number):
    return bytes([number]) * 32


def key(number):
    return (1770000000000 + number) << 15


def account(id, role="user", email="", hash=HASH, **columns):
    if role in ("guest", "organisation"):
        email = hash = None
    return insert("account", id=id, uuid=uuid("a", id), role=role,
                  email=f"anna{id}@example.org" if email == "" else email, password_hash=hash, **columns)


def insert(table, point=None, **columns):
    """Returns the statement and its values. `point` is what the column of the geometry contains."""
    marks = ["?"] * len(columns)
    values = list(columns.values())
    if point:
        marks.append("MakePoint(?, ?, 4326)")
        values += point
    names = [*columns] + ["geom"] * bool(point)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(marks)})", values


def listing(number, lon=10.0, lat=45.0, **columns):
    return insert("listing", (lon, lat), **{
        "id": key(number), "uuid": uuid("b", number), "account_id": 1 + number % 4, "status": "lost", "species": "dog",
        "breed_key": "beagle", "created_at": TIME, "updated_at": TIME, "last_seen_at": "2026-02-01T00:00:00.000Z",
        "approximate": 0, "name": "Argo", "breed": "Beagle", "place_names": '["roma"]', **columns,
    })


def update(table, where, *values):
    return f"UPDATE {table} SET {where}", list(values)


ACCOUNTS = [
    (None, *insert("breed", key="beagle", name_en="Beagle", name_it="Beagle")),
    (None, *insert("breed", key="boxer", name_en="Boxer", name_it="Boxer")),
    ("unique", *insert("breed", key="boxer", name_en="Boxer", name_it="Boxer")),
    *[(None, *account(id, first_name="Anna", last_name="R", phone="089 1", language="it")) for id in range(1, 5)],
    (None, *account(5, "organisation", first_name="Rifugio")),
    (None, *account(6, "guest")),
    (None, *account(7, email="zoe@example.org")),
    (None, *insert("account", id=20, uuid=uuid("a", 20), role="guest")),
    # Case does not count, but only that of A to Z; accents count.
    ("unique", *account(8, email="ANNA1@EXAMPLE.ORG")),
    (None, *account(8, email="é@example.org")),
    (None, *account(9, email="É@example.org")),
    ("check", *account(10, email="example.org")),
    ("check", *account(10, email=None)),
    ("check", *account(10, hash=None)),
    ("check", *account(10, hash="secret")),
    (None, *account(10, hash="$ARGON2ID$x")),
    ("check", *account(11, "owner")),
    ("check", *account(11, language="de")),
    ("check", *insert("account", uuid="a", role="guest")),
    ("not null", *insert("account", uuid=None, role="guest")),
    ("unique", *insert("account", id=12, uuid=uuid("a", 1), role="guest")),
    ("check", *insert("account", id=12, uuid=uuid("a", 12), role="guest", email="x@example.org", password_hash=HASH)),
    (None, *update("account", "first_name = ? WHERE email = ?", "Zoe", "ZOE@example.org")),
    (None, "DELETE FROM account WHERE id = ?", [10]),
    *[(None, *insert("session", token_hash=digest(id), uuid=uuid("e", id), account_id=id, client="Firefox",
                     created_at=TIME, last_used_at=TIME, expires_at=END, ends_at=END)) for id in (1, 2, 3)],
    ("check", *insert("session", token_hash=b"x", uuid=uuid("e", 9), account_id=1, created_at=TIME, last_used_at=TIME,
                      expires_at=END, ends_at=END)),
    ("check", *insert("session", token_hash=digest(9), uuid=uuid("e", 9), account_id=1, created_at=TIME,
                      last_used_at=TIME, expires_at=END, ends_at=TIME)),
    ("check", *insert("session", token_hash=digest(9), uuid=uuid("e", 9), account_id=1,
                      created_at="2026-02-02 03:20:00", last_used_at=TIME, expires_at=END, ends_at=END)),
    ("foreign key", *insert("session", token_hash=digest(9), uuid=uuid("e", 9), account_id=999, created_at=TIME,
                            last_used_at=TIME, expires_at=END, ends_at=END)),
    (None, *insert("pending_registration", token_hash=digest(1), email="new@example.org", password_hash=HASH,
                   language="en", first_name="Zoe", last_name="R", phone="089", picture="p", guest_id=6,
                   expires_at=END)),
    (None, *insert("password_reset", account_id=2, token_hash=digest(1), expires_at=END)),
    (None, *insert("address_change", account_id=2, token_hash=digest(1), email="other@example.org", expires_at=END)),
    (None, *insert("organisation", account_id=5, uuid=uuid("a", 5), name="Rifugio", about="Cani",
                   website="HTTPS://example.org", phone="089", email="rifugio@example.org", address="Via Roma",
                   lon=14.8, lat=40.8, verified_at=TIME, created_at=TIME)),
    ("check", *insert("organisation", account_id=1, uuid=uuid("a", 1), name="Rifugio", website="http://example.org",
                      created_at=TIME)),
    ("check", *insert("organisation", account_id=1, uuid=uuid("a", 1), name="Rifugio", lon=14.8, created_at=TIME)),
    (None, *insert("organisation_member", organisation_id=5, account_id=2, role="manager", since=TIME)),
    (None, *insert("organisation_invitation", id=1, uuid=uuid("a2", 1), organisation_id=5, email="bruno@example.org",
                   role="volunteer", invited_by=2, created_at=TIME, expires_at=END)),
    ("unique", *insert("organisation_invitation", uuid=uuid("a2", 2), organisation_id=5, email="BRUNO@example.org",
                       role="volunteer", invited_by=2, created_at=TIME, expires_at=END)),
    ("foreign key", *insert("organisation_invitation", uuid=uuid("a2", 2), organisation_id=5, email="c@example.org",
                            role="volunteer", invited_by=3, created_at=TIME, expires_at=END)),
    (None, *insert("api_key", id=1, uuid=uuid("a3", 1), account_id=5, name="software", token_hash=digest(1),
                   scopes="listings:read", created_by=2, created_at=TIME, expires_at=END, last_used_at=TIME)),
]

LISTINGS = [
    ("check", *listing(1, exact_lon=10.12, exact_lat=45.01)),
    (None, *listing(1, 10.1, sex="male", size="small", colour="bruno", age="two", microchip="380260000000001",
                    place="Ariccià", locality="Prati", province="Roma", province_code="RM", region="Lazio",
                    country="Italy", country_code="IT",
                    postal_code="00100", contact_name="Anna", contact_name_public=1, contact_phone="+39 089 1",
                    contact_email="anna@example.org", reference="row 1", marks="zampa \"bianca\"\tsinistra \x01",
                    description="Collare rosso, l'orecchio; perché no? Ελλάδα ŁÓDŹ straße 2½ 犬\n", exact_lon=10.12,
                    exact_lat=45.01, approximate=1, secret_mark="a scar", collar="red leather", reward="50 EUR",
                    place_names='["ariccia","roma"]')),
    (None, *listing(2, 10.0, reference="row 2", contact_phone="089", contact_phone_public=1)),
    (None, *listing(3, -179.99999999, -89.5, species="cat", breed_key=None, breed=None, place_names="[]", name=None)),
    (None, *listing(4, 180, 90, species="other", status="found", breed_key=None,
                    last_seen_at="0000-03-01T12:34:56.789Z")),
    (None, *listing(5, 14.123456789012345, 40.1, status="sighted", breed_key=None, breed_predicted=1)),
    (None, *listing(6, 1e-7, -1e-7, status="reunited", last_seen_at="9999-12-31T23:59:59.999Z")),
    (None, *listing(7, 10.05, status="closed", hidden=1)),
    (None, *listing(8, 0.5, 0.5)),
    (None, *listing(9, 0.1 + 0.2, 1.5, collar="blue", reference="row 9")),
    (None, *listing(10)),
    (None, *listing(11, status="found", account_id=3)),
    ("unique", *listing(11, id=key(99), uuid=uuid("b", 99), account_id=2, reference="row 9")),
    ("unique", *listing(10)),
    ("foreign key", *listing(12, breed_key="unicorn")),
    ("foreign key", *listing(12, account_id=999)),
    ("not null", *listing(12, None)),
    ("check", *listing(12, status="stolen")),
    ("check", *listing(12, species="bird")),
    ("check", *listing(12, name="x" * 81)),
    ("check", *listing(12, microchip="1")),
    ("check", *listing(12, country_code="ITA")),
    ("check", *listing(12, place_names="[")),
    ("check", *listing(12, photos="")),
    ("check", *listing(12, version=0)),
    ("check", *listing(12, exact_lat=45)),
    ("check", *listing(12, created_at="2026-02-02T03:20:00Z")),
    (None, *update("listing", "status = 'closed', updated_at = ?, version = version + 1 WHERE id = ?", LATER, key(8))),
    (None, *update("listing_renewal", "expired_from = 'lost', warned_at = ? WHERE listing_id = ?", TIME, key(8))),
    ("check", *update("listing_renewal", "expired_from = 'closed' WHERE listing_id = ?", key(8))),
    (None, *update("listing",
                   "place = 'Prati', geom = MakePoint(10.5, 45.5, 4326), version = version + 1 WHERE id = ?", key(9))),
    (None, *update("listing", "geom = MakePoint(10.5, 45.5, 4326) WHERE id = ?", key(9))),
    (None, *update("listing", "hidden = TRUE, version = version + 1 WHERE id = ?", key(10))),
    (None, *update("listing", "version = version + 1 WHERE id = ?", key(10))),
    (None, *update("listing", "species = 'cat', breed_key = NULL, version = version + 1 WHERE hidden", )),
    *[(None, *insert("listing_history", listing_id=key(2), type="renewed")) for _ in range(202)],
    ("check", *insert("listing_history", listing_id=key(2), type="status")),
    ("check", *insert("listing_history", listing_id=key(2), type="renewed", former="lost")),
    (None, "UPDATE match_candidate SET subject = ? WHERE listing_id = ?", [b"12345678", key(2)]),
    (None, *insert("match_answer", lost_id=key(2), found_id=key(11), lost_answer="yes", lost_answered_at=TIME,
                   found_answer="yes", found_answered_at=TIME, found_status="found", linked_at=TIME)),
    ("check", *insert("match_answer", lost_id=key(2), found_id=key(5))),
    ("check", *insert("match_answer", lost_id=key(2), found_id=key(5), lost_answer="yes")),
    ("check", *insert("match_answer", lost_id=key(2), found_id=key(5), lost_answer="no", lost_answered_at=TIME,
                      found_status="found", linked_at=TIME)),
]

SIGHTINGS = [
    (None, *insert("sighting", id=1, uuid=uuid("50", 1), listing_id=key(2), owner_id=3, account_id=2, lon=14.8,
                   lat=40.8, approximate=0, place="Fisciano (SA)", seen_at=TIME, text="By the river",
                   contact_phone="089",
                   state="proposed", is_delivered=1)),
    (None, *insert("sighting", id=2, uuid=uuid("50", 2), listing_id=key(2), owner_id=3, account_id=3,
                   attached_id=key(5), lon=14.8, lat=40.8, approximate=1, seen_at=TIME, state="confirmed",
                   is_delivered=1)),
    ("unique", *insert("sighting", uuid=uuid("50", 3), listing_id=key(2), owner_id=3, account_id=3, attached_id=key(5),
                       lon=14.8, lat=40.8, approximate=1, seen_at=TIME, state="confirmed", is_delivered=1)),
    ("check", *insert("sighting", uuid=uuid("50", 3), listing_id=key(2), owner_id=3, account_id=3, lon=14.8, lat=40.8,
                      approximate=1, seen_at=TIME, state="confirmed", is_delivered=0)),
    ("check", *insert("sighting", uuid=uuid("50", 3), listing_id=key(2), owner_id=3, account_id=2, attached_id=key(8),
                      lon=14.8, lat=40.8, approximate=1, seen_at=TIME, state="confirmed", is_delivered=1)),
    ("check", *insert("sighting", uuid=uuid("50", 3), listing_id=key(2), owner_id=3, account_id=2, lon=181, lat=40.8,
                      approximate=1, seen_at=TIME, state="confirmed", is_delivered=1)),
    (None, *insert("track", id=1, listing_id=key(2), number=1, kind="collar", name="Argo", device="collar",
                   visibility="owner", token_hash=digest(1), opened_at=TIME)),
    (None, *insert("track", id=2, listing_id=key(2), number=2, kind="search_party", visibility="everyone",
                   opened_at=TIME, closed_at=TIME)),
    ("check", *insert("track", id=3, listing_id=key(2), number=3, kind="collar", visibility="owner", opened_at=TIME)),
    ("unique", *insert("track", id=3, listing_id=key(2), number=2, kind="collar", visibility="owner", opened_at=TIME,
                       closed_at=TIME)),
    (None, *insert("track_point", track_id=1, segment=0, position=1770000000000, is_timed=1, lon=14.79, lat=40.77)),
    (None, *insert("track", id=4, listing_id=key(1), number=1, kind="collar", device="collar", visibility="owner",
                   opened_at=TIME)),
    (None, *update("listing", "status = 'reunited', version = version + 1 WHERE id = ?", key(1))),
]

MESSAGES = [
    (None, *insert("conversation", id=1, uuid=uuid("f0", 1), listing_id=key(2), writer_id=6)),
    (None, *insert("conversation", id=2, uuid=uuid("f0", 2), listing_id=key(2), writer_id=4)),
    ("foreign key", *insert("conversation", id=3, uuid=uuid("f0", 3), listing_id=key(2), writer_id=999)),
    (None, *insert("message", id=1, uuid=uuid("f1", 1), conversation_id=1, is_owners=0, text="I saw him",
                   contact_name="Bruno", contact_phone="089", contact_email="b@example.org", mark="a scar",
                   mark_matches=1,
                   is_delivered=1)),
    (None, *insert("message", id=2, uuid=uuid("f1", 2), conversation_id=1, is_owners=1, text="Where?",
                   contact_name="Anna", is_delivered=1)),
    (None, *insert("message", id=3, uuid=uuid("f1", 3), conversation_id=1, is_owners=0, text="There",
                   contact_name="Zoe", is_delivered=0)),
    ("check", *insert("message", id=4, uuid=uuid("f1", 4), conversation_id=1, is_owners=1, text="x", mark="a scar",
                      is_delivered=1)),
    ("check", *insert("message", id=4, uuid=uuid("f1", 4), conversation_id=1, is_owners=0, text="x", mark_matches=1,
                      is_delivered=1)),
    ("check", *insert("message", id=4, uuid=uuid("f1", 4), conversation_id=1, is_owners=0, text="", is_delivered=1)),
    ("check", *insert("message", id=4, uuid=uuid("f1", 4), conversation_id=1, is_owners=0, text="x" * 4001,
                      is_delivered=1)),
    ("check", *insert("message", id=4, uuid=uuid("f1", 4), conversation_id=1, is_owners=0, text="x", is_delivered=1,
                      lat=40)),
    ("check", *insert("message", id=4, uuid=uuid("f1", 4), conversation_id=1, is_owners=0, text="x", is_delivered=1,
                      place="Rome")),
    (None, *insert("message", id=4, uuid=uuid("f1", 4), conversation_id=2, is_owners=0, text="x" * 4000, is_delivered=1,
                   lon=14, lat=40, place="Rome")),
    (None, *update("conversation_party", "cleared_id = last_id WHERE NOT is_owner")),
    (None, *insert("block", blocker_id=3, blocked_id=2, uuid=uuid("bb", 1), about="Argo")),
    ("check", *insert("block", blocker_id=3, blocked_id=3, uuid=uuid("bb", 2))),
    # A guest becomes an account, and the listing gets another owner, who has written about it.
    (None, *update("conversation", "writer_id = 7 WHERE writer_id = 6")),
    (None, *update("listing", "account_id = 4 WHERE id = ?", key(2))),
]

PHOTOS = [
    (None, *insert("photo_leftover", uuid=uuid("c", 1), removable_at=TIME)),
    (None, *insert("photo", id=1, uuid=uuid("c", 1), listing_id=key(2), number=1, width=60, height=40)),
    (None, *insert("photo", id=2, uuid=uuid("c", 2), account_id=2, width=60, height=40)),
    (None, *insert("photo", id=3, uuid=uuid("c", 3), sighting_id=1, width=60, height=40)),
    (None, *insert("photo", id=4, uuid=uuid("c", 4), message_id=2, width=60, height=40)),
    (None, *insert("photo", id=5, uuid=uuid("c", 5), listing_id=key(2), number=3, width=60, height=40)),
    (None, *insert("photo", id=6, uuid=uuid("c", 6), listing_id=key(2), number=2, width=60, height=40)),
    ("unique", *insert("photo", id=7, uuid=uuid("c", 7), listing_id=key(2), number=2, width=60, height=40)),
    ("unique", *insert("photo", id=7, uuid=uuid("c", 7), account_id=2, width=60, height=40)),
    ("check", *insert("photo", id=7, uuid=uuid("c", 7), listing_id=key(2), number=7, width=60, height=40)),
    ("check", *insert("photo", id=7, uuid=uuid("c", 7), width=60, height=40)),
    ("check", *insert("photo", id=7, uuid=uuid("c", 7), account_id=3, message_id=1, width=60, height=40)),
    ("check", *insert("photo", id=7, uuid=uuid("c", 7), account_id=3, width=0, height=40)),
    (None, "DELETE FROM photo WHERE id = ?", [5]),
    (None, *insert("photo_leftover", uuid=uuid("c", 6), removable_at=TIME)),
    (None, "DELETE FROM photo WHERE id = ?", [6]),
    (None, *insert("photo", id=8, uuid=uuid("c", 8), account_id=3, width=60, height=40)),
    (None, *update("account", "picture = 'https://example.org/p.jpg' WHERE id = 3")),
    (None, *insert("photo", id=9, uuid=uuid("c", 9), account_id=4, width=60, height=40)),
    (None, "DELETE FROM photo WHERE id = ?", [9]),
    (None, *insert("classification", id=1, uuid=uuid("d", 1), photo_id=1, model="m", model_version="1",
                   outcome="accepted", predictions='{"beagle":0.9}')),
    (None, *insert("classification", id=2, uuid=uuid("d", 2), photo_id=None, model="m", model_version="1",
                   outcome="accepted", predictions='{}')),
    ("check", *insert("classification", uuid=uuid("d", 3), model="m", model_version="1", outcome="accepted",
                      predictions='{"beagle":}')),
]

PLACES = [
    (None, *insert("poi_source", id=1, name="osm")),
    (None, *update("poi_source", "imports = imports + 1 WHERE id = 1")),
    ("check", *insert("poi_source", id=2, name="")),
    (None, *insert("poi", (14, 40), id=1, ref="node/1", source_id=1, seen=1, category="veterinary", element_type="node",
                   element_id=1, name="Vet", street="Via Roma", house_number="1", postal_code="84084", city="Fisciano",
                   phone="089", website="https://example.org", opening_hours="Mo-Fr")),
    ("check", *insert("poi", (14, 40), ref="node/2", source_id=1, seen=1, category="veterinary", element_type="node")),
    (None, *insert("place_source", id=1, name="comuni", kind="boundaries", is_live=1, places=2)),
    (None, *insert("place_source", id=2, name="comuni", kind="boundaries", is_live=0)),
    ("unique", *insert("place_source", id=3, name="comuni", kind="boundaries", is_live=1)),
    (None, *insert("place", (14, 40), id=1, source_id=1, lon=14, lat=40, level="settlement", name="Penta",
                   name_key="penta", names="penta san biagio", population=10, locality="Penta", comune="Fisciano",
                   comune_code="065052", province="Salerno", province_code="SA", region="Campania", country_code="IT",
                   postal_code="84084")),
    (None, *insert("place", id=2, source_id=1, lon=14.5, lat=40.5, level="comune", name="Fisciano", name_key="fisciano",
                   names="fisciano नई")),
    (None, *insert("place", id=3, source_id=2, lon=14.5, lat=40.5, level="comune", name="X", name_key="x", names="x")),
    ("check", *insert("place", id=4, source_id=1, lon=14.5, lat=40.5, level="settlement", name="X", name_key="x",
                      names="x")),
    ("check", *insert("place", id=4, source_id=1, lon=14.5, lat=40.5, level="comune", name="", name_key="x",
                      names="x")),
    (None, "INSERT INTO place_area (id, place_id, geom) VALUES (1, 2,"
     " ST_GeomFromText('POLYGON((14 40, 15 40, 15 41, 14 41, 14 40))', 4326))", []),
    ("type", "INSERT INTO place_area (id, place_id, geom) VALUES (2, 2, MakePoint(14, 40, 4326))", []),
    ("type", "INSERT INTO place_area (id, place_id, geom) VALUES (2, 2,"
     " ST_GeomFromText('POLYGON((14 40, 15 40, 15 41, 14 41, 14 40))', 3857))", []),
    (None, *insert("place_word", word="fisciano")),
    (None, "DELETE FROM place_source WHERE id = ?", [2]),
]

MODERATION = [
    (None, *insert("report_case", id=1, uuid=uuid("10", 1), subject="listing", subject_uuid=uuid("b", 9), account_id=2,
                   evidence="It says", listing_id=key(9), reported_at=TIME, last_reported_at=TIME)),
    ("unique", *insert("report_case", id=2, uuid=uuid("10", 2), subject="listing", subject_uuid=uuid("b", 9),
                       account_id=2, reported_at=TIME, last_reported_at=TIME)),
    (None, *insert("report_case", id=2, uuid=uuid("10", 2), subject="listing", subject_uuid=uuid("b", 9), account_id=2,
                   reported_at=TIME, last_reported_at=TIME, status="upheld", decided_at=TIME)),
    ("check", *insert("report_case", id=3, uuid=uuid("10", 3), subject="listing", subject_uuid=uuid("b", 9),
                      account_id=2, reported_at=TIME, last_reported_at=TIME, status="upheld")),
    (None, *insert("report", id=1, case_id=1, account_id=3, reason="scam", text="Not a dog", created_at=LATER)),
    (None, *insert("report", id=2, case_id=1, account_id=7, reason="scam", text="No", created_at=LATER)),
    (None, *insert("report", id=3, case_id=1, account_id=6, reason="spam", created_at=LATER)),
    (None, *insert("report", id=4, case_id=1, account_id=None, reason="spam", created_at=LATER)),
    ("unique", *insert("report", id=5, case_id=1, account_id=3, reason="scam", created_at=LATER)),
    (None, *insert("listing_hiding", listing_id=key(9), reason="scam")),
    (None, *insert("listing_hiding", listing_id=key(5), reason="spam")),
    (None, *insert("ban", account_id=2, reason="scam", until=END)),
    (None, "DELETE FROM listing_hiding WHERE listing_id IN (?, ?)", [key(5), key(9)]),
    ("the account is banned", *listing(20, account_id=2)),
    (None, *insert("listing_hiding", listing_id=key(5), reason="spam")),
    (None, *insert("ban", account_id=1, reason="spam")),
    (None, "DELETE FROM ban WHERE account_id = ?", [2]),
    (None, *insert("audit", id=1, at=TIME, actor="service", action="ban", subject="x", note="n", previous=bytes(32),
                   digest=digest(1))),
    (None, *insert("audit", id=2, at=TIME, actor="service", action="ban", previous=digest(1), digest=digest(2))),
    ("the audit is only appended to",
     *insert("audit", id=3, at=TIME, actor="service", action="ban", previous=digest(1), digest=digest(3))),
    ("the audit is only appended to",
     *insert("audit", id=4, at=TIME, actor="service", action="ban", previous=digest(2), digest=digest(3))),
    ("the audit is only appended to",
     *insert("audit", at=TIME, actor="service", action="ban", previous=digest(2), digest=digest(3))),
    ("the audit is never changed", *update("audit", "note = NULL")),
    ("the audit is never removed", "DELETE FROM audit WHERE id = ?", [2]),
    ("events are never changed", *update("event", "type = 'account.created' WHERE id = 1")),
    ("check", *insert("event", type="listing.lost", subject="x")),
]

NOTIFICATIONS = [
    (None, *insert("outgoing_mail", id=1, uuid=uuid("70", 1), key="alert 1", account_id=2, recipient="a@example.org",
                   domain="example.org", subject="Argo", text="Text", html="<p>Text", picture=b"1",
                   picture_type="image/png",
                   picture_id="dog", language="it", unsubscribe="https://example.org/x", created_at=TIME,
                   next_attempt_at=TIME,
                   expires_at=END)),
    ("check", *insert("outgoing_mail", uuid=uuid("70", 2), recipient="a@example.org", domain="example.org",
                      subject="Argo", text="Text", picture=b"1", picture_type="image/png", picture_id="dog",
                      language="it", created_at=TIME,
                      next_attempt_at=TIME, expires_at=END)),
    (None, *insert("alert", id=1, uuid=uuid("a1", 1), account_id=3, name="Fisciano", search='{"lat":"40.77"}',
                   created_at=TIME, updated_at=TIME)),
    (None, *insert("alert", id=2, uuid=uuid("a1", 2), account_id=4, listing_id=key(2), min_probability=0.1,
                   created_at=TIME, updated_at=TIME)),
    (None, *insert("alert", id=3, uuid=uuid("a1", 3), account_id=4, search="{}", created_at=TIME, updated_at=TIME)),
    ("check", *insert("alert", id=4, uuid=uuid("a1", 4), account_id=4, created_at=TIME, updated_at=TIME)),
    ("check", *insert("alert", id=4, uuid=uuid("a1", 4), account_id=4, search="[", created_at=TIME, updated_at=TIME)),
    ("check", *insert("alert", id=4, uuid=uuid("a1", 4), account_id=4, listing_id=key(5), min_probability=0.01,
                      created_at=TIME, updated_at=TIME)),
    *[(None, *insert("alert_area", id=id, west=14, east=15, south=40, north=41)) for id in (2, 6, 7)],
    (None, "DELETE FROM alert WHERE id = ?", [3]),
    (None, *insert("alert_listing", alert_id=1, listing_id=key(2), status="lost", probability=0.3, found_at=TIME)),
    # Triggers note the listings that alerts wait for, once there are alerts.
    (None, *listing(30, 20.0, account_id=3, reference="row 30")),
    (None, *listing(31, 20.0, account_id=3, status="closed")),
    (None, *update("alert_fan_out", "turn = 3, last_alert_id = 2")),
    (None, *update("listing", "status = 'found', version = version + 1 WHERE id IN (?, ?)", key(30), key(31))),
    (None, *update("listing", "name = 'Leo', version = version + 1 WHERE id = ?", key(2))),
    (None, *insert("notification_settings", account_id=2, unsubscribe_token="0123456789abcdef0123456789abcdef",
                   told_on="2026-02-03", told=1)),
    ("check", *insert("notification_settings", account_id=3, unsubscribe_token="0123456789abcdef0123456789abcde0",
                      told_on="2026-2-03")),
    ("check", *insert("notification_settings", account_id=3, summary_hour=6,
                      unsubscribe_token="0123456789abcdef0123456789abcde0")),
    (None, *insert("notification", id=1, account_id=2, listing_id=key(2), alert_id=2, probability=0.3, in_summary=1,
                   turn=0, noted_at=TIME)),
    (None, *insert("notification_summary", account_id=2, due_at=TIME)),
    (None, *insert("push_subscription", id=1, uuid=uuid("80", 1), account_id=2, session_hash=digest(2),
                   endpoint="https://push.example.org/a", host="push.example.org", p256dh="p", auth="a", language="it",
                   created_at=TIME, failing_since=TIME)),
    (None, *insert("push_subscription", id=2, uuid=uuid("80", 3), account_id=1, session_hash=digest(1),
                   endpoint="https://push.example.org/b", host="push.example.org", p256dh="p", auth="a", language="it",
                   created_at=TIME)),
    (None, *insert("webhook", id=1, uuid=uuid("80", 2), account_id=2, url="https://example.org/a", host="example.org",
                   secret="whsec_a", previous_secret="whsec_b", previous_until=TIME, created_at=TIME,
                   failing_since=TIME,
                   disabled_at=TIME, last_outcome="refused")),
    ("check", *insert("webhook", uuid=uuid("80", 4), account_id=2, url="https://example.org/a", host="example.org",
                      secret="whsec_a", previous_secret="whsec_b", created_at=TIME)),
    *[(None, *insert("outgoing_event", id=id, uuid=uuid("81", id), push_subscription_id=push, webhook_id=hook,
                     account_id=2, host="example.org", type="message.new", key="key", payload="{}", urgency="high",
                     created_at=TIME,
                     next_attempt_at=TIME, expires_at=END)) for id, push, hook in ((1, 1, None), (2, None, 1), (3, 2,
                     None))],
    ("unique", *insert("outgoing_event", uuid=uuid("81", 9), webhook_id=1, account_id=2, host="example.org",
                       type="message.new", key="key", payload="{}", urgency="high", created_at=TIME,
                       next_attempt_at=TIME,
                       expires_at=END)),
    ("check", *insert("outgoing_event", uuid=uuid("81", 9), webhook_id=1, push_subscription_id=1, account_id=2,
                      host="example.org", type="message.new", key="other", payload="{}", urgency="high",
                      created_at=TIME,
                      next_attempt_at=TIME, expires_at=END)),
    ("check", *insert("outgoing_event", uuid=uuid("81", 9), webhook_id=1, account_id=2, host="example.org",
                      type="message.new", key="other", payload='"' + "x" * 16384 + '"', urgency="high", created_at=TIME,
                      next_attempt_at=TIME, expires_at=END)),
    # A session ends, and with it what it was to be told.
    (None, "DELETE FROM session WHERE token_hash = ?", [digest(1)]),
]

IMPORTS = [
    (None, *insert("listing_import", id=1, uuid=uuid("1a", 1), account_id=3, source="shelter", mapping="auto",
                   file_name="dogs.csv", language="it", dry_run=0, close_missing="yes", state="running", row_total=2,
                   row_position=1, created_count=1, created_at=TIME, started_at=TIME)),
    (None, *insert("listing_import", id=2, uuid=uuid("1a", 2), account_id=3, source="shelter", mapping="auto",
                   language="it", dry_run=0, close_missing="no", state="failed", problem="empty", created_at=TIME,
                   ended_at=TIME)),
    ("check", *insert("listing_import", uuid=uuid("1a", 3), account_id=3, source="shelter", mapping="auto",
                      language="it", dry_run=0, close_missing="no", state="failed", created_at=TIME, ended_at=TIME)),
    ("check", *insert("listing_import", uuid=uuid("1a", 3), account_id=3, source="shelter", mapping="auto",
                      language="it", dry_run=0, close_missing="no", state="done", created_at=TIME)),
    (None, *insert("listing_import_row", import_id=1, number=1, reference="row", outcome="created",
                   listing_uuid=uuid("b", 2), field="name", column_name="nome", message="expected text")),
    ("unique", *insert("listing_import_row", import_id=1, number=1, outcome="created")),
    (None, *insert("listing_import_key", import_id=1, row_key="reference:row", number=1)),
    (None, *insert("imported_listing", listing_id=key(2), account_id=4, source="shelter", row_key="reference:row",
                   digest=digest(5), first_import_id=1)),
    (None, *insert("import_feed", id=1, uuid=uuid("1b", 1), account_id=3, url="https://example.org/dogs.csv",
                   every_hours=24, source="shelter", mapping="auto", language="it", close_missing="yes",
                   created_at=TIME, next_at=TIME,
                   last_at=TIME, last_outcome="imported", last_import=uuid("1a", 1))),
    ("check", *insert("import_feed", uuid=uuid("1b", 2), account_id=3, url="https://example.org/dogs.csv",
                      every_hours=0, source="other", mapping="auto", language="it", close_missing="yes",
                      created_at=TIME, next_at=TIME)),
]

REMOVALS = [
    ("foreign key", "DELETE FROM breed WHERE key = ?", ["beagle"]),
    ("foreign key", "DELETE FROM facet WHERE id IN (SELECT facet_id FROM listing_facet)", []),
    (None, *listing(40, 10.01, account_id=8, reference="row 40")),
    (None, *insert("conversation", id=40, uuid=uuid("f0", 40), listing_id=key(40), writer_id=7)),
    (None, *insert("message", id=40, uuid=uuid("f1", 40), conversation_id=40, is_owners=0, text="x", is_delivered=1)),
    (None, *insert("photo", id=40, uuid=uuid("c", 40), listing_id=key(40), number=1, width=60, height=40)),
    (None, *insert("report", id=40, case_id=2, account_id=8, reason="spam", text="secret", created_at=LATER)),
    (None, *insert("ban", account_id=8, reason="spam")),
    # Everything of the account goes but the report, which loses name and text.
    (None, "DELETE FROM account WHERE id = ?", [8]),
    (None, "DELETE FROM listing WHERE id = ?", [key(4)]),
    (None, "DELETE FROM account WHERE id = ?", [6]),
]

ALL = ACCOUNTS + LISTINGS + SIGHTINGS + MESSAGES + PHOTOS + PLACES + MODERATION + NOTIFICATIONS + IMPORTS + REMOVALS

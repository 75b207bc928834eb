-- The private notes of a listing's owner, such as a shelter, about the animal. They are never public.
CREATE TABLE animal_record (
    listing_id bigint PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    intake_on text CHECK (intake_on LIKE '____-__-__'),
    -- How the animal came and left: "stray", "adopted".
    intake text CHECK (length(intake) BETWEEN 1 AND 200),
    outcome_on text CHECK (outcome_on LIKE '____-__-__'),
    outcome text CHECK (length(outcome) BETWEEN 1 AND 200),
    kennel text CHECK (length(kennel) BETWEEN 1 AND 100),
    behaviour text CHECK (length(behaviour) BETWEEN 1 AND 4000)
);

-- The organisation whose animals alone a search finds, in any place.
ALTER TABLE alert ADD COLUMN organisation_id bigint REFERENCES organisation ON DELETE CASCADE;

CREATE INDEX alert_organisation ON alert (organisation_id);

-- The name of the key with which it was done; NULL if a person did it.
ALTER TABLE organisation_action ADD COLUMN key_name text CHECK (length(key_name) BETWEEN 1 AND 80);

UPDATE schema_version SET number = 52;

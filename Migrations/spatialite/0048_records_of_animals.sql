-- The private notes of a listing's owner, such as a shelter, about the animal. They are never public.
CREATE TABLE animal_record (
    listing_id INTEGER PRIMARY KEY REFERENCES listing ON DELETE CASCADE,
    intake_on TEXT CHECK (intake_on GLOB '????-??-??'),
    -- How the animal came and left: "stray", "adopted".
    intake TEXT CHECK (length(intake) BETWEEN 1 AND 200),
    outcome_on TEXT CHECK (outcome_on GLOB '????-??-??'),
    outcome TEXT CHECK (length(outcome) BETWEEN 1 AND 200),
    kennel TEXT CHECK (length(kennel) BETWEEN 1 AND 100),
    behaviour TEXT CHECK (length(behaviour) BETWEEN 1 AND 4000)
);

-- The organisation whose animals alone a search finds, in any place.
ALTER TABLE alert ADD COLUMN organisation_id INTEGER REFERENCES organisation ON DELETE CASCADE;

CREATE INDEX alert_organisation ON alert (organisation_id);

-- The name of the key with which it was done; NULL if a person did it.
ALTER TABLE organisation_action ADD COLUMN key_name TEXT CHECK (length(key_name) BETWEEN 1 AND 80);

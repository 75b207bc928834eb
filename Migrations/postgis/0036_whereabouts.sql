-- A street or landmark in the words of the owner.

ALTER TABLE listing ADD COLUMN whereabouts text CHECK (length(whereabouts) <= 120);

CREATE OR REPLACE VIEW listing_texts AS
    SELECT id, concat_ws(',', json_member('colour', colour), json_member('age', age), json_member('reward', reward),
        json_member('marks', marks), json_member('collar', collar), json_member('description', description),
        json_member('whereabouts', whereabouts)) AS texts
    FROM listing;

CREATE OR REPLACE VIEW listing_words AS
    SELECT id, status IN ('lost', 'found', 'sighted') AND NOT hidden AS is_on_board, name, breed, colour,
        nullif(trim(coalesce(marks, '') || ' ' || coalesce(collar, '') || ' ' || coalesce(whereabouts, '')), '') AS marks,
        description, place, province
    FROM listing;

UPDATE board SET feature = listing_feature.feature FROM listing_feature WHERE listing_feature.id = board.id >> 4;

UPDATE schema_version SET number = 36;

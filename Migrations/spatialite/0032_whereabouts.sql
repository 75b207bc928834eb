-- A street or landmark in the words of the owner.

ALTER TABLE listing ADD COLUMN whereabouts TEXT CHECK (length(whereabouts) <= 120);

DROP VIEW listing_texts;
DROP VIEW listing_words;

CREATE VIEW listing_texts AS
    SELECT id, trim(json_object(
        'colour', colour, 'age', age, 'reward', reward, 'marks', marks, 'collar', collar, 'description', description,
        'whereabouts', whereabouts),
        '{}') AS texts
    FROM listing;

CREATE VIEW listing_words AS
    SELECT id, status IN ('lost', 'found', 'sighted') AND NOT hidden AS is_on_board, name, breed, colour,
        nullif(trim(coalesce(marks, '') || ' ' || coalesce(collar, '') || ' ' || coalesce(whereabouts, '')), '') AS marks,
        description, place, province
    FROM listing;

UPDATE board SET feature = (SELECT feature FROM listing_feature WHERE listing_feature.id = board.id >> 4);

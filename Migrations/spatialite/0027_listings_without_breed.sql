-- A search by photo also finds dogs of which nobody has said a breed, so their lists are readable by place, too: the facet
-- 'lost breed:', with an empty key.
DROP VIEW listing_facet_name;

CREATE VIEW listing_facet_name AS
    SELECT listing_facets.id AS listing_id, json_each.value AS name
    FROM (
        SELECT id,
            '["' || standing || '"'
            || CASE WHEN breed_key IS NOT NULL OR species = 'dog' THEN
                ',"' || standing || ' breed:' || coalesce(breed_key, '') || '"' ELSE '' END
            || CASE WHEN species <> 'dog' THEN ',"' || standing || ' species:' || species || '"' ELSE '' END
            || CASE WHEN place_names <> '[]' THEN
                ',"' || standing || ' place:'
                || replace(substr(place_names, 3, length(place_names) - 4), '","', '","' || standing || ' place:') || '"'
                ELSE '' END
            || ']' AS names
        FROM listing_standing
    ) AS listing_facets CROSS JOIN json_each(listing_facets.names);

INSERT INTO facet (name)
SELECT DISTINCT standing || ' breed:' FROM listing_standing WHERE species = 'dog' AND breed_key IS NULL;

INSERT INTO listing_facet (facet_id, zone, listing_id, lon, lat)
SELECT facet.id, zone, listing_standing.id, lon, lat
FROM listing_standing JOIN facet ON facet.name = standing || ' breed:'
    JOIN listing_zone ON listing_zone.id = listing_standing.id
WHERE species = 'dog' AND breed_key IS NULL;

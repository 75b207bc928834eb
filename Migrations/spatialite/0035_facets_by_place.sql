-- Searches for a colour, a mark or a name find the nearest listings by lists of their cells, like those of breeds.

DROP VIEW listing_facet_name;
DROP VIEW listing_standing;

CREATE VIEW listing_standing AS
    SELECT id, CASE WHEN hidden THEN 'hidden ' ELSE '' END || status AS standing, species, breed_key,
        CASE WHEN mixed THEN 'cross:' ELSE 'breed:' END AS breed_kind, breed_facets, place_names, facets
    FROM listing;

CREATE VIEW listing_facet_name AS
    SELECT listing_facets.id AS listing_id, json_each.value AS name
    FROM (
        SELECT id,
            '["' || standing || '"'
            || CASE WHEN breed_facets <> '[]' THEN
                ',"' || standing || ' ' || breed_kind
                || replace(
                    substr(breed_facets, 3, length(breed_facets) - 4), '","', '","' || standing || ' ' || breed_kind)
                || '"'
                WHEN breed_facets IS NULL AND (breed_key IS NOT NULL OR species = 'dog') THEN
                ',"' || standing || ' breed:' || coalesce(breed_key, '') || '"' ELSE '' END
            || CASE WHEN species <> 'dog' THEN ',"' || standing || ' species:' || species || '"' ELSE '' END
            || CASE WHEN place_names <> '[]' THEN
                ',"' || standing || ' place:'
                || replace(substr(place_names, 3, length(place_names) - 4), '","', '","' || standing || ' place:') || '"'
                ELSE '' END
            || CASE WHEN facets <> '[]' THEN
                ',"' || standing || ' '
                || replace(substr(facets, 3, length(facets) - 4), '","', '","' || standing || ' ') || '"'
                ELSE '' END
            || ']' AS names
        FROM listing_standing
    ) AS listing_facets CROSS JOIN json_each(listing_facets.names);

-- Listings whose facets have not been read yet get their rows when they are.
CREATE TEMP TABLE named AS
    SELECT listing_standing.id AS listing_id, standing || ' ' || value AS name
    FROM listing_standing CROSS JOIN json_each(facets);

INSERT INTO facet (name)
SELECT DISTINCT name FROM temp.named WHERE NOT EXISTS (SELECT 1 FROM facet WHERE facet.name = named.name);

-- In the order of the table: in another one, each row would change another page.
INSERT INTO listing_facet (facet_id, zone, listing_id, lon, lat)
SELECT facet.id, zone, listing_id, lon, lat
FROM temp.named CROSS JOIN facet ON facet.name = named.name CROSS JOIN listing_zone ON listing_zone.id = listing_id
ORDER BY 1, 2, 3;

DROP TABLE temp.named;

-- Searches for a colour, a mark or a name find the nearest listings by lists of their cells, like those of breeds.

DROP VIEW listing_facet_name;
DROP VIEW listing_standing;

CREATE VIEW listing_standing AS
    SELECT id, CASE WHEN hidden THEN 'hidden ' ELSE '' END || status AS standing, species, breed_key,
        CASE WHEN mixed THEN 'cross:' ELSE 'breed:' END AS breed_kind, breed_facets, place_names, facets
    FROM listing;

CREATE VIEW listing_facet_name AS
    SELECT id AS listing_id, name
    FROM listing_standing CROSS JOIN LATERAL (
        SELECT standing AS name
        UNION ALL
        SELECT standing || ' ' || breed_kind || value FROM json_array_elements_text(breed_facets::json) AS facets (value)
        UNION ALL
        SELECT standing || ' breed:' || coalesce(breed_key, '')
        WHERE breed_facets IS NULL AND (breed_key IS NOT NULL OR species = 'dog')
        UNION ALL
        SELECT standing || ' species:' || species WHERE species <> 'dog'
        UNION ALL
        SELECT standing || ' place:' || value FROM json_array_elements_text(place_names::json) AS places (value)
        UNION ALL
        SELECT standing || ' ' || value FROM json_array_elements_text(facets::json) AS others (value)
    ) AS names;

-- Listings whose facets have not been read yet get their rows when they are.
CREATE TEMPORARY TABLE named ON COMMIT DROP AS
    SELECT listing_standing.id AS listing_id, standing || ' ' || value AS name
    FROM listing_standing CROSS JOIN LATERAL json_array_elements_text(facets::json) AS others (value);

INSERT INTO facet (name) SELECT DISTINCT name FROM named ON CONFLICT (name) DO NOTHING;

INSERT INTO listing_facet (facet_id, zone, listing_id, lon, lat)
SELECT facet.id, zone, listing_id, lon, lat
FROM named JOIN facet ON facet.name = named.name JOIN listing_zone ON listing_zone.id = listing_id;

UPDATE schema_version SET number = 39;

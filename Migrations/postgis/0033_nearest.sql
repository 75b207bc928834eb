-- The point on a Mercator map in degrees. Around each point the map has the same scale in all directions, so that the order
-- of distances on it is nearly that of distances in metres. The map ends before the poles, which are infinitely far away.
CREATE FUNCTION mercator(lon double precision, lat double precision) RETURNS point
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT point(lon, degrees(asinh(tan(radians(greatest(-89.99, least(89.99, lat))))))) $$;

-- A page of the nearest takes half the time that it takes with PostGIS's geometries in degrees.
CREATE INDEX board_mercator ON board USING gist (mercator(lon, lat));

UPDATE schema_version SET number = 33;

-- The form of an address as `normalizeAddress` of kernel/src/addresses has it, as far as the domain's two spellings go: labels in punycode
-- (RFC 3492) are written in the letters that they stand for. The code normalizes what comes in; this compares what is stored, and what the
-- release before still writes. A label that is no punycode stays.
CREATE FUNCTION address_form(address text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  at integer := length(address) - position('@' in reverse(address)) + 1;
  labels text[] := '{}';
  label text;
  encoded text;
  points integer[];
  split integer;
  point integer;
  bias integer;
  delta bigint;
  before bigint;
  weight bigint;
  threshold integer;
  digit integer;
  k integer;
BEGIN
  IF address !~ '[@.]xn--[^@]*$' THEN
    RETURN address;
  END IF;
  <<each_label>>
  FOREACH label IN ARRAY string_to_array(substr(address, at + 1), '.') LOOP
    IF label !~ '^xn--[a-z0-9-]{1,59}$' THEN
      labels := labels || label;
      CONTINUE;
    END IF;
    encoded := substr(label, 5);
    split := length(encoded) - position('-' in reverse(encoded)) + 1;
    IF position('-' in encoded) = 0 THEN
      split := 0;
    END IF;
    points := ARRAY(SELECT ascii(letter) FROM unnest(string_to_array(left(encoded, greatest(split - 1, 0)), NULL)) AS letter);
    encoded := substr(encoded, split + 1);
    -- The encoding of ASCII alone, which is no name of a domain: it must not pass for one.
    IF encoded = '' THEN
      labels := labels || label;
      CONTINUE;
    END IF;
    point := 128;
    bias := 72;
    delta := 0;
    WHILE encoded <> '' LOOP
      before := delta;
      weight := 1;
      k := 36;
      LOOP
        digit := position(left(encoded, 1) in 'abcdefghijklmnopqrstuvwxyz0123456789') - 1;
        IF encoded = '' OR digit < 0 OR weight > 2147483647 THEN
          labels := labels || label;
          CONTINUE each_label;
        END IF;
        encoded := substr(encoded, 2);
        delta := delta + digit * weight;
        threshold := least(greatest(k - bias, 1), 26);
        EXIT WHEN digit < threshold;
        weight := weight * (36 - threshold);
        k := k + 36;
      END LOOP;
      split := cardinality(points) + 1;
      IF delta / split + point > 1114111 OR delta / split + point BETWEEN 55296 AND 57343 THEN
        labels := labels || label;
        CONTINUE each_label;
      END IF;
      -- RFC 3492 section 6.1.
      weight := (delta - before) / CASE WHEN before = 0 THEN 700 ELSE 2 END;
      weight := weight + weight / split;
      k := 0;
      WHILE weight > 455 LOOP
        weight := weight / 35;
        k := k + 36;
      END LOOP;
      bias := k + (36 * weight / (weight + 38))::integer;
      point := point + (delta / split)::integer;
      delta := delta % split;
      points := points[1:delta] || point || points[delta + 1:];
      delta := delta + 1;
    END LOOP;
    labels := labels || (SELECT string_agg(chr(each), '' ORDER BY place) FROM unnest(points) WITH ORDINALITY AS p (each, place));
  END LOOP;
  RETURN left(address, at) || array_to_string(labels, '.');
END $$;

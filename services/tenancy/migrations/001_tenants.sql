-- Core tables. They have no policies: scoped work reaches their rows through the pivots of 002_pivots.sql.

-- Who identity says exists. `deleted_at` is a tombstone: what is told of a deleted person later changes nothing.
CREATE TABLE people (
  user_id uuid PRIMARY KEY,
  name text COLLATE "und-x-icu" NOT NULL,
  email text COLLATE "C",
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  -- Set before the first step of closing their accounts, so that a crash finishes by itself; nothing new may begin for them meanwhile.
  closing_at timestamptz,
  closing_hard boolean NOT NULL DEFAULT false
);
CREATE INDEX people_closing ON people (closing_at) WHERE closing_at IS NOT NULL;
CREATE INDEX people_email ON people (email) WHERE deleted_at IS NULL;

CREATE TABLE accounts (
  id uuid PRIMARY KEY,
  type text NOT NULL CHECK (type IN ('personal', 'organization')),
  owner_id uuid NOT NULL REFERENCES people (user_id),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
-- At most one of each type, however many ask at once.
CREATE UNIQUE INDEX accounts_owner_type ON accounts (owner_id, type) WHERE deleted_at IS NULL;

CREATE TABLE organizations (
  id uuid PRIMARY KEY,
  name text COLLATE "und-x-icu" NOT NULL,
  slug text COLLATE "C" NOT NULL CONSTRAINT organizations_slug UNIQUE,
  metadata jsonb NOT NULL DEFAULT '{}',
  created_by uuid NOT NULL,
  -- Set while its only member closes their accounts: nobody may join meanwhile.
  closing_for uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE INDEX organizations_closing ON organizations (closing_for) WHERE closing_for IS NOT NULL;

CREATE TABLE projects (
  id uuid PRIMARY KEY,
  name text COLLATE "und-x-icu" NOT NULL,
  description text,
  metadata jsonb NOT NULL DEFAULT '{}',
  created_by uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);

-- UPDATE of the key alone: what SELECT … FOR SHARE asks for. Names and tombstones are written by the owner only.
SELECT grant_to_scoped('people', 'SELECT, UPDATE (user_id)'), grant_to_scoped('accounts', 'SELECT'), grant_to_scoped('organizations'), grant_to_scoped('projects');

-- What Tessera asked for its own operations, apart from the questions of people, apps and services. Rows from before have both in allowed and refused.
ALTER TABLE decision_counts ADD COLUMN own bigint NOT NULL DEFAULT 0;

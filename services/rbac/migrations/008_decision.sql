-- Decision:Evaluate lets a credential ask about others. A resource of a project that had this slug must not start to give it.
UPDATE project_resources SET slug = slug || '-' || right(resource_id::text, 12)
WHERE slug = 'Decision';
UPDATE resources SET slug = slug || '-' || right(id::text, 12), updated_at = now()
WHERE slug = 'Decision' AND NOT is_built_in;

INSERT INTO resources (id, name, slug, actions, is_built_in)
VALUES ('f552bc2f-2782-5ae6-b3d1-2ca8f48619c9', 'Decision', 'Decision', '{Evaluate}', true)
ON CONFLICT (id) DO NOTHING;

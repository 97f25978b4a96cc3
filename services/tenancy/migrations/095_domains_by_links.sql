-- The set-up link that has named the domain last (docs/decisions/037); identity has the links.
ALTER TABLE domains ADD COLUMN set_up_link_id uuid;

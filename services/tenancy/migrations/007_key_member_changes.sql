-- Every table has a primary key; the id is unique already. LOCK first, in the order of migration 006, so that writers of members cannot deadlock with it.
LOCK TABLE organization_users IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE organization_user_changes ADD PRIMARY KEY (id);

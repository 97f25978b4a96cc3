-- Who last said where an app's tokens go and what they may do: that person answers for it, whoever made the app.
ALTER TABLE project_apps ADD COLUMN vouched_by uuid;

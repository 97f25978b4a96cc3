-- The app in which a person requested a link, encrypted like data: the page of the link leads back to the app. NULL once sent, and outside of apps.
ALTER TABLE mail_jobs ADD COLUMN app bytea;

-- Only their triggers call them; a function that is made is PUBLIC's to run.
REVOKE ALL ON FUNCTION note_suspension_of_grant() FROM PUBLIC;
REVOKE ALL ON FUNCTION admit_sign_ups() FROM PUBLIC;

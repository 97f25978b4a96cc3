-- Creating a project holds its account (SELECT … FOR SHARE) against being closed at that moment; that asks for UPDATE of some column.
SELECT grant_to_scoped('accounts', 'UPDATE (id)');

-- Revoke everything from PUBLIC: the functions run as the schema's owner.
revoke all on all functions in schema animus from public;

-- Nothing here is for everybody: functions run as the schema's owner, so PUBLIC must not reach them.
revoke all on all functions in schema animus from public;

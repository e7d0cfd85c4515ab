import { expect, test } from 'vitest';
import { psqlEnvironment } from '../../../src/store/postgres/psql-environment.ts';

test('a connection string becomes libpq’s variables, decoded', () => {
  const url =
    'postgres://ada:p%40ss%2Fw%C3%B6rd@db.example:6543/my%20work?sslmode=verify-full&sslrootcert=/dev/null&options=-c%20x.y%3D1';
  expect(psqlEnvironment(url)).toMatchObject({
    PGHOST: 'db.example',
    PGPORT: '6543',
    PGUSER: 'ada',
    PGPASSWORD: 'p@ss/wörd',
    PGDATABASE: 'my work',
    PGSSLMODE: 'verify-full',
    PGSSLROOTCERT: '/dev/null',
    PGOPTIONS: '-c x.y=1',
  });
});

test('a socket directory is kept, and a missing password is not invented', () => {
  const variables = psqlEnvironment('postgres://ada@/work?host=/run/postgresql');
  expect(variables).toMatchObject({ PGHOST: '/run/postgresql', PGDATABASE: 'work' });
  expect(variables).not.toHaveProperty('PGPASSWORD');
});

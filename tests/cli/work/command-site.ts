import { join } from 'node:path';
import { type TestDatabase, temporaryHome } from '../../support/database.ts';
import { type Ran, type RunOptions, run } from '../run-cli.ts';

/** Commands on this database, in a directory that is removed after the tests of the file. Call it where hooks may be registered. */
export function commandSite(db: TestDatabase) {
  const directory = temporaryHome();

  const animus = (argv: readonly string[], options: RunOptions = {}): Promise<Ran> => {
    const env = { DATABASE_URL: db.connectionString, ANIMUS_HOME: join(directory, 'home'), ...options.env };
    return run(argv, { cwd: directory, ...options, env });
  };

  /** Submits work with `animus work submit` and returns its id. */
  const submit = async (faculty: string, ...options: string[]): Promise<string> => {
    const { stdout } = await animus(['work', 'submit', faculty, 'x', ...options]);
    return stdout.slice(0, 36);
  };

  return { directory, animus, submit };
}

/** Real daemons that serve the console, with its API, on a database of the file. */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { hashAccessToken, newAccessToken } from '../../src/core/secrets/access-token.ts';
import type { PersonRole } from '../../src/core/work/people.ts';
import { createLoginLink } from '../../src/features/people/store.ts';
import type { Database } from '../../src/store/sql/database.ts';
import {
  type DaemonProcess,
  LAUNCHER,
  makeSite,
  type Site,
  startDaemon,
  type WhenDone,
} from '../support/daemon-process.ts';
import type { TestDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';

export interface ConsoleSite {
  /** Of the console, with a slash at its end. */
  readonly url: string;
  readonly site: Site;
  readonly daemon: DaemonProcess;
  readonly db: Database;
  /** Starts another daemon at the same address, after the first one was killed. */
  restart(): Promise<DaemonProcess>;
  /** The address of a login link of the person, who is added with this role. */
  link(person: string, role?: PersonRole): Promise<string>;
}

export interface ConsoleSiteOptions {
  readonly faculties?: Readonly<Record<string, string>>;
  /** Other files of the directory, such as the script of a provider. */
  readonly files?: Readonly<Record<string, string>>;
  /** More of animus.toml. */
  readonly config?: string;
}

/** A faculty of the provider `play`, whose script the site has. */
export const SCRIPTED = (name: string, more = '') => `
[faculty]
name = "${name}"
description = "Plays a script"
${more}
[faculty.engage]
model = "play/any"
system_prompt = "You play."
`;

/** One for all tests of a file. Call it where hooks may be registered; returns it once the tests run. */
export function testConsole(pg: TestDatabase, options: ConsoleSiteOptions = {}): () => ConsoleSite {
  let site: ConsoleSite | null = null;
  const removals: (() => void | Promise<void>)[] = [];
  beforeAll(async () => {
    site = await startConsole(pg, options, (remove) => removals.unshift(remove));
  });
  afterAll(async () => {
    for (const remove of removals) await remove();
  });
  return () => site!;
}

/** Starts one; it is killed when the test has finished. */
export async function startConsole(
  pg: TestDatabase,
  {
    faculties = { clerk: SCRIPTED('clerk') },
    files = { 'script.toml': '[[answer]]\ntext = "All is done."\n' },
    config = '[providers.play]\nkind = "scripted"\nscript = "script.toml"\n',
  }: ConsoleSiteOptions = {},
  whenDone: WhenDone = onTestFinished,
): Promise<ConsoleSite> {
  const port = await freePort();
  const site = makeSite(
    {
      databaseUrl: pg.connectionString,
      modelUrl: null,
      config: `[daemon]\nhttp = "127.0.0.1:${port}"\n[http]\napi = true\n${config}`,
      faculties,
      files,
    },
    whenDone,
  );
  const url = `http://127.0.0.1:${port}/`;
  const start = () => startDaemon(site, [], {}, undefined, LAUNCHER, whenDone);
  return {
    url,
    site,
    db: pg.database,
    daemon: await start(),
    restart: start,
    async link(person, role = 'operator') {
      const secret = newAccessToken('link').reveal();
      await createLoginLink(pg.database, { person, role, hash: hashAccessToken(secret, 'link')! });
      return `${url}#/login/${secret}`;
    },
  };
}

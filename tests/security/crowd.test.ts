/** The promise: rights hold under load. Twenty people of two teams read everything at once, on 200 connections: each answer is its reader's. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { API_ROUTES } from '../../src/http/api/api-routes.ts';
import type { Route } from '../../src/http/route/route.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { type TestApi, testApi } from '../support/api.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';
import { ownThings, PEOPLE, secretOf, sharedOf, type Things, teamOf, teamThings, whoseWords } from './crowd-things.ts';

const CONNECTIONS = 200;

const { start, owner } = testApi();
const logins: string[] = [];
let gateway: Database;
beforeAll(async () => {
  const url = await createLogin(owner().connectionString, 'animus_gateway', logins);
  // 200 requests wait for ten connections, longer than by default on a busy machine.
  gateway = openPostgres(url, { poolSize: 10, connectTimeoutMs: 100_000 });
});
afterAll(async () => {
  await gateway.close();
  await dropLogins(logins);
});

const READS = API_ROUTES.filter(({ method }) => method === 'GET');
/** Of submitters. */
const FORBIDDEN = READS.filter(({ summary }) =>
  /for (those|people) who may see all work|; for operators/.test(summary),
);

const QUERIES: Readonly<Record<string, (things: Things) => string>> = {
  readWorkspaceFile: ({ file }) => `?path=${file}`,
  searchMemories: () => '?query=colour',
  spend: () => '?by=faculty',
};
/** What nobody here has. */
const NAMES: Readonly<Record<string, string>> = {
  name: 'x',
  version: '1',
  delivery_id: '1',
  turn: '1',
  call_id: 'toolu_1_1',
};

interface Request {
  readonly person: string;
  readonly route: Route;
  /** Whose things its path names. */
  readonly of: 'own' | 'team' | 'foreign';
  readonly path: string;
}

interface Read extends Request {
  readonly status: number;
  readonly text: string;
}

test('on every route that reads, nobody gets a word of another, and each request is answered', {
  timeout: 600_000,
}, async () => {
  const api = await start({ db: gateway });
  const requests = await allRequests(api);
  const reads = await readAll(api, requests);

  const leaked = reads.flatMap(({ person, route, of, text }) => {
    const { people, secrets, teams } = whoseWords(text);
    const wrong = [
      ...people.filter((one) => teamOf(one) !== teamOf(person)),
      ...secrets.filter((one) => one !== person),
      ...teams.filter((one) => one !== teamOf(person)),
    ];
    return wrong.length === 0 ? [] : [`${person} reads ${wrong.join(', ')} in ${route.id} (${of})`];
  });
  expect(leaked).toEqual([]);

  const statuses = (of: Request['of'], id: string) => [
    ...new Set(reads.filter((one) => one.of === of && one.route.id === id).map(({ status }) => status)),
  ];
  const table = (of: Request['of'], routes: readonly Route[]) =>
    Object.fromEntries(routes.map(({ id }) => [id, statuses(of, id)]));
  const forbidden = new Set(FORBIDDEN.map(({ id }) => id));
  const absent = new Set([
    'showFaculty',
    'showSession',
    'showSkill',
    'showSkillVersion',
    'diffSkill',
    'showDelivery',
    'readPatch',
    'readDiff',
  ]);
  const expected = (id: string) => (forbidden.has(id) ? [403] : absent.has(id) ? [404] : [200]);
  expect(table('own', READS)).toEqual(Object.fromEntries(READS.map(({ id }) => [id, expected(id)])));
  const ofThings = READS.filter(({ path }) => THING.test(path));
  expect(table('foreign', ofThings)).toEqual(Object.fromEntries(ofThings.map(({ id }) => [id, [404]])));
  const ofChats = READS.filter(isOfChats);
  expect(table('team', ofChats)).toEqual(Object.fromEntries(ofChats.map(({ id }) => [id, [200]])));

  // It looks for what is there: everybody reads their own words.
  const showing = (of: Request['of'], word: (person: string) => string) =>
    READS.filter(({ id }) => {
      const all = reads.filter((one) => one.of === of && one.route.id === id);
      return all.length > 0 && all.every(({ person, text }) => text.includes(word(person)));
    }).map(({ id }) => id);
  expect(showing('own', secretOf)).toEqual(expect.arrayContaining(SHOW_OWN));
  expect(showing('team', (person) => sharedOf(teamOf(person)))).toEqual(expect.arrayContaining(SHOW_SHARED));
});

const SHOW_SHARED =
  'exportChat readWorkspaceFile showWorkspace listChats showChat listChatMessages showChatMessage streamChatEvents'.split(
    ' ',
  );
const SHOW_OWN = [
  ...SHOW_SHARED,
  ...'readArtifact listTokens listWork showWork readLedger listTurns listToolCalls listMail listContext'.split(' '),
  ...'listArtifacts searchMemories listWorkspaces listWorkspaceFiles listChatAttachments spend listWebhooks showWebhook'.split(
    ' ',
  ),
  ...'streamWorkEvents'.split(' '),
];

const THING = /^\/(work|artifacts|workspaces|webhooks)\/\{id\}/;
const isOfChats = ({ path }: Route) => path.startsWith('/workspaces/{id}');

/** Each person asks each route for what is its own, its team's, and somebody else's: a stranger's or a teammate's. */
async function allRequests(api: TestApi): Promise<readonly Request[]> {
  const teams = { red: await teamThings(api, 'red'), blue: await teamThings(api, 'blue') };
  const things: Things[] = [];
  for (const person of PEOPLE) things.push(await ownThings(api, owner(), person));
  return PEOPLE.flatMap((person, n) => {
    // The next but one is of the same team.
    const foreign = things[(n + (n % 4 < 2 ? 1 : 2)) % PEOPLE.length]!;
    const requests = (of: Request['of'], named: Things, routes: readonly Route[]) =>
      routes.map((route) => ({ person, route, of, path: pathOf(route, named) }));
    return [
      ...requests('own', things[n]!, READS),
      ...requests('team', teams[teamOf(person)], READS.filter(isOfChats)),
      ...requests(
        'foreign',
        foreign,
        READS.filter(({ path }) => THING.test(path)),
      ),
    ];
  });
}

function pathOf({ id, path }: Route, things: Things): string {
  const [, kind] = THING.exec(path) ?? [];
  const named: Readonly<Record<string, string>> = {
    ...NAMES,
    ...things,
    ...(kind && { id: things[kind as keyof Things] }),
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (named[name] === undefined) throw new Error(`${path}: what is ${name}?`);
    return named[name];
  });
  return filled + (QUERIES[id]?.(things) ?? '');
}

/** All answers, by as many requests at once as there are connections; neighbours in time are of different people. */
async function readAll(api: TestApi, requests: readonly Request[]): Promise<readonly Read[]> {
  const perPerson = requests.length / PEOPLE.length;
  const ordered = requests.map((_, n) => requests[(n % PEOPLE.length) * perPerson + Math.floor(n / PEOPLE.length)]!);
  const reads: Read[] = [];
  let next = 0;
  const connection = async () => {
    for (let request = ordered[next++]; request; request = ordered[next++]) reads.push(await read(api, request));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  expect(reads).toHaveLength(requests.length);
  return reads;
}

/**
 * The whole answer, on a connection of its own; of a stream that does not end, until it is live. A connection that the server has cut is an answer with
 * status 0.
 */
async function read(api: TestApi, request: Request): Promise<Read> {
  const headers = { authorization: `Bearer ${await api.tokenOf(request.person)}` };
  const sent = get(`${api.url}/api/v1${request.path}`, { headers, agent: false });
  // Of one whose head has come, the loop below tells, too.
  sent.on('error', () => undefined);
  let text = '';
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    for await (const piece of response.setEncoding('utf8')) {
      text += piece as string;
      // It leaves, which destroys the response.
      if (text.includes('"live":true')) break;
    }
    return { ...request, status: response.statusCode!, text };
  } catch {
    return { ...request, status: 0, text };
  }
}

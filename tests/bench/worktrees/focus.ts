/**
 * What a worktree adds to a focus in a daemon: `npm run bench -- tests/bench/worktrees/focus.ts [--rounds 15] [--files 9]`. Items of a faculty with a worktree and of one with
 * a plain workspace take turns; measured from the insert to the first request that arrives at the model, and from the last byte of its answer to the end of the
 * item. Beside them `git worktree add` and `remove`.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { openaiChunks } from '../../support/model-server/openai.ts';
import { startBenchDaemon } from '../focus/daemon.ts';
import { openBenchServer } from '../queue/server.ts';
import { median } from '../support/bench-database.ts';
import { report } from '../support/report.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, files: { type: 'string', default: '9' } },
});
const rounds = Number(values.rounds);
const root = realpathSync(mkdtempSync(join(tmpdir(), 'bench-worktree-foci-')));
const repo = makeRepository(Number(values.files));

/** By the clock of this machine, which is also that of Postgres. */
let [askedAtMs, answeredAtMs] = [0, 0];
const model = createServer((request, response) => {
  askedAtMs = nowMs();
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunks = openaiChunks({ text: 'Nothing was to do.', calls: [], model: 'm' }, true);
    const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
    response.end(`${text}data: [DONE]\n\n`, () => (answeredAtMs = nowMs()));
  });
});
model.listen(0, '127.0.0.1');
await once(model, 'listening');

const server = await openBenchServer();
const url = await server.migrated();
const db = openPostgres(url, { poolSize: 2 });
const { port } = model.address() as AddressInfo;
const daemon = await startBenchDaemon(url, 0, {
  settings: `[providers.mock]\nkind = "openai"\nbase_url = "http://127.0.0.1:${port}/v1"\n`,
  more: {
    plain: faculty('plain', `workspace = ${JSON.stringify(repo)}`),
    tree: faculty('tree', `isolation = "worktree"\nrepo = ${JSON.stringify(repo)}`),
  },
});
try {
  const found = new Map<string, number[]>();
  const note = (what: string, ms: number): void => void found.set(what, [...(found.get(what) ?? []), ms]);
  for (let round = -1; round < rounds; round++) {
    const bare = join(root, `bare-${round}`);
    const [add, remove] = [git('worktree', 'add', '-q', '--detach', bare), git('worktree', 'remove', bare)];
    const [plain, tree] = [await focusOf('plain'), await focusOf('tree')];
    if (round < 0) continue;
    for (const [who, { first, last }] of Object.entries({ plain, tree, git: { first: add, last: remove } })) {
      note(`${who}: insert to first request`, first);
      note(`${who}: last answer to end`, last);
    }
  }
  console.log(`${values.files} files; medians of ${rounds}, in ms`);
  for (const what of ['insert to first request', 'last answer to end']) {
    const of = (who: string) => median(found.get(`${who}: ${what}`)!).toFixed(0);
    const figures = { worktree: of('tree'), 'plain workspace': of('plain'), 'git alone': of('git') };
    console.log(
      `  ${what.padEnd(25)} ${Object.entries(figures)
        .map((pair) => pair.join(' '))
        .join('   ')}`,
    );
    report({ what: `focus in a worktree: ${what}, ${values.files} files`, who: 'animus', figures });
  }
} finally {
  await daemon.stop();
  await db.close();
  await server.stop();
  model.close();
  model.closeAllConnections();
  rmSync(root, { recursive: true, force: true });
}

function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

function faculty(name: string, place: string): string {
  return `[faculty]\nname = "${name}"\ndescription = "Answers at once"\n${place}\n[faculty.engage]\nmodel = "mock/any"\ntools = ["read_file", "bash"]\nsystem_prompt = "You answer at once."\n[faculty.permissions]\nbash = "auto"\n`;
}

/** Runs an item to its end. */
async function focusOf(name: string): Promise<{ readonly first: number; readonly last: number }> {
  const [item] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, 'Look at it') returning id`,
    [name],
  );
  for (;;) {
    const [row] = await db.query<{ state: string; created: number; ended: number | null }>(
      `select state, extract(epoch from created_at)::float8 * 1000 as created, extract(epoch from resolved_at)::float8 * 1000 as ended
         from animus.work_items where id = $1`,
      [item!.id],
    );
    const { state, created, ended } = row!;
    if (ended !== null && state !== 'completed') throw new Error(`the item of ${name} is ${state}`);
    if (ended !== null) return { first: askedAtMs - created, last: ended - answeredAtMs };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Milliseconds that the command took. */
function git(...args: string[]): number {
  const startedMs = performance.now();
  execFileSync('git', ['-C', repo, ...args]);
  return performance.now() - startedMs;
}

function makeRepository(files: number): string {
  const path = join(root, 'repo');
  mkdirSync(path);
  execFileSync('git', ['-C', path, 'init', '-q', '-b', 'main']);
  for (let n = 0; n < files; n++) {
    mkdirSync(join(path, `dir-${Math.floor(n / 100)}`), { recursive: true });
    writeFileSync(join(path, `dir-${Math.floor(n / 100)}/file-${n}.txt`), `content ${n}\n`.repeat(20));
  }
  execFileSync('git', ['-C', path, 'add', '-A']);
  execFileSync('git', ['-C', path, '-c', 'user.name=b', '-c', 'user.email=b@b', 'commit', '-q', '-m', 'first']);
  return path;
}

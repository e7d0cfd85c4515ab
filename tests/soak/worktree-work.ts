/** Work in worktrees of one repository, with a person who uses `git worktree` in it, and what would be wrong about it afterwards. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../src/store/sql/database.ts';
import { type AnthropicAnswer, text, toolUse } from '../support/model-server/anthropic.ts';
import { messagesOf } from '../support/model-server/either-wire.ts';
import { KINDS } from '../support/workload/programme.ts';
import { commit, git } from '../support/worktree.ts';

/** The faculty, and the first word of its work. */
export const CRAFT = 'craft';

/** Each file and commit names its item. A stash, a park and an uncommitted file are where worktrees once took each other's work. */
const STEPS = [
  ['commit', 'i=$ANIMUS_WORK_ID; echo $i > made-$i && git add made-$i && git commit -qm "made $i"'],
  ['leave', 'i=$ANIMUS_WORK_ID; echo $i > away-$i && git stash push -qu && echo $i > left-$i'],
] as const;

/** The repository, with one commit, and the lines of its faculty. */
export function makeRepository(directory: string): { readonly repo: string; readonly faculty: string } {
  const repo = join(directory, 'a repo');
  mkdirSync(repo);
  git(repo, 'init', '-q', '-b', 'main');
  writeFileSync(join(repo, 'README'), 'ours\n');
  git(repo, 'add', '.');
  commit(repo, 'first');
  return { repo, faculty: `isolation = "worktree"\nrepo = "${repo}"\npermissions.bash = "auto"\n` };
}

/** Null: the request is for other work. */
export function craftAnswer(body: Readonly<Record<string, unknown>>): AnthropicAnswer | null {
  const messages = messagesOf(body);
  // The digest of other work names items of all kinds behind the item's own words.
  const own = new RegExp(`\\b(${[CRAFT, ...KINDS].join('|')}) [\\w-]+`).exec(String(messages[0]!.content[0]!['text']));
  if (own?.[1] !== CRAFT) return null;
  const [first, last] = STEPS.map(([id, command]) => toolUse(id, 'bash', { command }));
  const park = toolUse('park', 'wait_until', { seconds: 0.3, reason: 'a test' });
  const call = [first, park, last][messages.filter(({ role }) => role === 'assistant').length];
  return { content: [call ?? text('Crafted.')] };
}

/** A person at work in the same repository; returns how many worktrees are theirs. */
export function personAtWork(repo: string, n: number): number {
  execFileSync('git', ['-C', repo, 'worktree', 'prune'], { stdio: 'ignore' });
  if (n % 50 === 0) git(repo, 'worktree', 'add', '-q', '-b', `mine-${n}`, join(repo, '..', `mine-${n}`));
  return Math.floor(n / 50) + 1;
}

/** One sentence for each file, commit or stash that is lost or in the wrong place. */
export async function wrongWorktrees(db: Database, repo: string, persons: number): Promise<string[]> {
  const items = await db.query<Crafted>(
    `select w.id, t.branch, t.handed, r.lost,
            (select array_agg(c.call_id) from animus.all_tool_calls c join animus.foci f on f.id = c.focus_id
              where f.work_item_id = w.id and c.state = 'done') as done
       from animus.work_items w left join animus.worktrees t on t.id = w.id left join animus.worktree_results r on r.work_item_id = w.id
      where w.faculty = $1 and w.state = 'completed'`,
    [CRAFT],
  );
  const refs = new Set(git(repo, 'for-each-ref', '--format=%(refname)').split('\n'));
  const found = items.flatMap((item) => wrongsOf(item, repo, refs).map((what) => `${item.id} ${what}`));
  if (refs.has('refs/stash')) found.push('the stash of an item is in the repository');
  const worktrees = git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)!.length;
  if (worktrees !== 1 + persons) found.push(`the repository has ${worktrees} worktrees, ${persons} by a person`);
  const damage = execFileSync('git', ['-C', repo, 'fsck', '--no-dangling'], { encoding: 'utf8' });
  return /error|missing/.test(damage) ? [...found, `the repository is damaged: ${damage}`] : found;
}

interface Crafted {
  readonly id: string;
  readonly branch: string | null;
  readonly handed: boolean | null;
  readonly lost: string | null;
  /** Ids of the calls that are done. A call that a kill cut off may have done half. */
  readonly done: readonly string[] | null;
}

function wrongsOf({ id, branch, handed, lost, done }: Crafted, repo: string, refs: ReadonlySet<string>): string[] {
  if (lost !== null) return [`lost something: ${lost}`];
  if (done === null) return [];
  if (branch === null || !refs.has(`refs/heads/${branch}`)) return ['has no branch'];
  const range = `main..${branch}`;
  const subjects = git(repo, 'log', '--format=%s', range).split('\n');
  const files = git(repo, 'diff', '--name-only', `main...${branch}`).split('\n');
  const wanted = done.flatMap((call) => ({ commit: [`made-${id}`], leave: [`left-${id}`] })[call] ?? []);
  const stash = `refs/animus/handed/${id.slice(-12)}/other/stash/0`;
  return [
    ...subjects.filter((line) => ![`made ${id}`, 'Crafted.'].includes(line)).map((line) => `has the commit "${line}"`),
    ...files.filter((file) => !file.endsWith(id)).map((file) => `has the file ${file}`),
    ...wanted.filter((file) => !files.includes(file)).map((file) => `lost ${file}`),
    ...(done.includes('leave') && !refs.has(stash) ? ['lost its stash'] : []),
    ...(handed === true ? [] : ['was not handed over']),
  ];
}

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';
import { EXIT_CODES, VARIABLES } from '../../../src/cli/shell/help-topics.ts';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { EXAMPLE_KEY, exampleWebhook } from '../../features/webhooks/fixtures.ts';
import { insertWork } from '../../store/work/queue-driver.ts';
import { beginFocus, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { handOver } from '../../support/handed-over.ts';
import { tableRows } from '../../support/markdown-table.ts';
import { png } from '../../support/media-files.ts';
import { skillText } from '../../support/skill-tree.ts';
import { git } from '../../support/worktree.ts';
import { run } from '../run-cli.ts';
import { exampleChat } from './example-chat.ts';
import { exampleMemories } from './example-memories.ts';
import { exampleSkill } from './example-skill.ts';

const docs = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const program = await buildProgram(() => async () => {}, { stdout: { write: () => {} } });
const commands = leaves(program);
const target = testDatabase();
let cwd: string;
let id: string;
/** The repository of the item, for commands that need one; null: `cwd` does. */
let checkout: string | null = null;
/** That item; null: `id`. */
let result: string | null = null;
let memories: Readonly<Record<string, string>> = {};
let chat: string;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'help-'));
  const write = (name: string, text: string) => {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeFileSync(join(cwd, name), text);
  };
  const faculty = (name: string) =>
    `[faculty]\nname = "${name}"\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "p"\n`;
  for (const name of ['engineer', 'clerk']) {
    write(`faculties/${name}.toml`, faculty(name));
    write(`agents/${name}.toml`, faculty(name));
  }
  for (const name of ['fix', 'rate-limit']) write(`${name}.toml`, '[[answer]]\ntext = "Done."\n');
  for (const name of ['skills/code-review', 'my-skills/other', 'drafts/release-notes'])
    write(`${name}/SKILL.md`, skillText(basename(name)));
  write('sample/x', 'x');
  write('pull-request.json', '{"number": 17}');
  write('invoice.pdf', '%PDF-1.4');
  for (const name of ['stamp', 'picture']) writeFileSync(join(cwd, `${name}.png`), png());
  write('other.toml', '');
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('engineer') returning id`,
  );
  id = row!.id;
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('the help of every command', () => {
  test.each(commands)('$path describes each argument and option', ({ command }) => {
    for (const argument of command.registeredArguments) expect(argument.description, argument.name()).not.toBe('');
    for (const option of command.options) expect(option.description, option.flags).not.toBe('');
    expect(command.description()).not.toBe('');
  });

  test('fits the terminal', async () => {
    for (const { path } of commands) {
      const { stdout } = await run(['help', ...path.split(' ')], { terminal: 70 });
      const [text = ''] = stdout.split('\nExamples:');
      // The usage line comes from commander and is not wrapped.
      for (const line of text.split('\n').slice(1)) expect(line.length, line).toBeLessThanOrEqual(70);
    }
  });
});

describe('animus help', () => {
  test('shows the same as --help', async () => {
    const asked = await run(['help', 'work', 'submit']);
    expect(asked).toEqual(await run(['work', 'submit', '--help']));
    expect(asked.stdout).toContain('Examples:');
  });

  test('has pages with the same content as the docs', async () => {
    const rows = tableRows(docs('cli.md')).filter(([code = '']) => /^\d+$/.test(code));
    expect(Object.fromEntries(rows.map(([code, meaning]) => [code, meaning?.replaceAll('`', '')]))).toEqual(
      Object.fromEntries(Object.entries(EXIT_CODES)),
    );
    for (const name of Object.keys(VARIABLES)) {
      expect(docs('config.md')).toContain(`\`${name}\``);
      expect((await run(['help', 'environment'])).stdout).toContain(name);
    }
    const { stdout } = await run(['help']);
    for (const [, topic = ''] of docs('cli.md').matchAll(/`(exit-codes|environment|ids|states|json)`/g)) {
      expect(stdout).toContain(`  ${topic} `);
      expect((await run(['help', topic])).code).toBe(0);
    }
  });

  test('on an unknown topic names the nearest one', async () => {
    expect(await run(['help', 'exit-code'])).toMatchObject({
      code: 2,
      stderr: 'animus: no command or topic exit-code (did you mean exit-codes?); see: animus help\n',
    });
    expect((await run(['help', 'work', 'sumbit'])).stderr).toContain('did you mean submit?');
  });
});

/** They never end by themselves, need input from a person, or change something outside of this test. */
const NOT_RUN =
  /^animus (serve|demo|health|doctor --provider)|--wait|--watch|^animus chat( writer| --resume)?$|animus chat reviewer$|^animus work tail|^animus db psql|^animus sandbox (build|run)|^animus (http|mcp)|^animus console( --person|$)|^animus skill add (https:|git@)|^animus work diff .*--tool|^animus work discard \w+$|^animus models update( --check)?$/;

/** They say so with exit code 1 where no Docker engine answers, and in this test none does. */
const NEEDS_DOCKER = /^sandbox status/;

describe('the examples', () => {
  const examples = commands.flatMap(({ path, examples: lines }) => lines.map((line) => [line, path] as const));

  test.each(examples)(
    '%s',
    async (line, path) => {
      const { argv, stdin } = read(line);
      expect(argv.slice(0, path.split(' ').length).join(' ')).toBe(path);
      const parsed: string[] = [];
      const record = () => async () => void parsed.push('ran');
      const recorder = await buildProgram(record, { stdout: { write: () => {} } }, argv);
      await recorder.parseAsync(argv, { from: 'user' });
      expect(parsed).toEqual(['ran']);
      if (NOT_RUN.test(line.replace(/^\w+=\S+ /, ''))) return;
      await prepare(argv);
      const given = argv.map((word) =>
        word === '5b1f0c3de2a9'
          ? argv[0] === 'chat'
            ? chat
            : (result ?? id)
          : word === '/etc/animus.toml'
            ? 'other.toml'
            : (memories[word] ?? word),
      );
      const ran = await run(given, {
        cwd: checkout ?? cwd,
        stdin,
        env: {
          DATABASE_URL: target.connectionString,
          ANIMUS_HOME: join(cwd, 'home'),
          DOCKER_HOST: 'unix:///nowhere.sock',
          ANIMUS_WEBHOOK_KEY: EXAMPLE_KEY,
        },
      });
      expect(ran, ran.stderr + ran.stdout).toMatchObject({ code: NEEDS_DOCKER.test(given.join(' ')) ? 1 : 0 });
    },
    60_000,
  );
});

/** The files and ids that the examples assume. */
async function prepare(argv: readonly string[]): Promise<void> {
  const [group, what] = argv;
  [result, checkout] = [null, null];
  if (group === 'work' && /^(diff|apply|checkout|discard)$/.test(what ?? '')) {
    const item = await handOver(target.database);
    git(item.repo, 'clone', '-q', '--no-hardlinks', item.repo, join(item.repo, '../another-repository'));
    [result, checkout] = [item.id, item.repo];
  }
  if (group === 'memory') memories = await exampleMemories(target.database, what ?? '');
  if (group === 'schedule' && what === 'add') await target.database.query('delete from animus.schedules');
  else if (group === 'schedule') {
    await run(['schedule', 'add', 'triage', '@daily', 'engineer'], {
      cwd,
      env: { DATABASE_URL: target.connectionString },
    });
  }
  if (group === 'token') await target.database.query(`select animus.set_person('alice', 'operator')`);
  if (group === 'token' && what === 'revoke') {
    await target.database.query(
      `insert into animus.tokens (id, person, token_hash, scopes, created_by, created_at)
       values ('01900000-0000-7000-8000-00004f2a9c1d', 'alice', sha256('x'), '{read}', 'x', now())`,
    );
  }
  if (group === 'webhook' && what !== 'add') await exampleWebhook(target.database);
  if (group === 'chat') chat = await exampleChat(target.database, target.connectionString, cwd);
  if (group === 'audit' && what === 'verify') writeFileSync(join(cwd, 'decisions.jsonl'), '');
  if (group === 'work' && what === 'retry') await target.database.query('select animus.cancel_work($1, $2)', [id, 'x']);
  if (group === 'work' && what === 'change') id = await insertWork(target.database);
  if (group === 'work' && /^(approve|deny|answer)$/.test(what ?? '')) id = await asking(what === 'answer');
  if (group === 'skill' && /^(history|diff|approve|deny|archive|rollback)$/.test(what ?? ''))
    await exampleSkill(target.database, what!);
  if (group === 'work' && what === 'revoke') {
    await target.database.query(
      `insert into animus.grants overriding system value
       values (17, 'faculty', null, 'engineer', 'bash', '*', null, '', 'x', now(), now() + interval '1 day', null, null)`,
    );
  }
}

/** A new item that waits for a person. */
async function asking(question: boolean): Promise<string> {
  const work = await beginFocus(target.database);
  await recordCalls(target.database, work, 1, ['toolu_01'], 'bash');
  const asks = question
    ? ({ subject: 'question', request: { question: 'Which?' }, seconds: null } as const)
    : ({ subject: 'tool_call', request: { reason: 'a rule', gate: 'permissions' }, seconds: 60 } as const);
  await askPerson(target.database, work.key, 1, 'toolu_01', question ? 'human' : 'approval', asks);
  // The request of the examples.
  const named = `update animus.waits set ask_id = (left(gen_random_uuid()::text, 24) || '27b6c10f9d3e')::uuid`;
  await target.database.query(`${named} where work_item_id = $1`, [work.id]);
  return work.id;
}

/** The words of the animus command in a shell line, and its piped input. */
function read(line: string): { argv: string[]; stdin: string } {
  const parts = line.split(' | ');
  const index = parts.findIndex((part) => /^(\w+=\S+ )*animus /.test(part));
  const [, command = ''] = /animus (.*?)(?: > \S+)?$/.exec(parts[index] ?? '') ?? [];
  const argv = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
  return { argv, stdin: index > 0 ? 'piped in' : '' };
}

interface Leaf {
  readonly path: string;
  readonly command: Command;
  readonly examples: readonly string[];
}

function leaves(parent: Command, path: readonly string[] = []): Leaf[] {
  return parent.commands.flatMap((command) => {
    const here = [...path, command.name()];
    const below = leaves(command, here);
    // A command that only groups others has no options.
    if (command.options.length === 0) return below;
    let text = '';
    command.configureOutput({ writeOut: (piece) => void (text += piece) });
    command.outputHelp();
    const [, examples = ''] = /\nExamples:\n([\s\S]*?)\n\n/.exec(text) ?? [];
    return [{ path: here.join(' '), command, examples: examples.split('\n').map((line) => line.trim()) }, ...below];
  });
}

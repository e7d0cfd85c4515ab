import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';
import { WORK_STATES } from '../../../src/core/work/work.ts';
import { shortId } from '../../../src/terminal/view/quantities.ts';
import { newTalk } from '../../store/conversations/begun.ts';
import { testDatabase } from '../../support/database.ts';
import { run } from '../run-cli.ts';

const LAUNCHER = new URL('../../../src/animus.js', import.meta.url).pathname;
const target = testDatabase();
const program = await buildProgram(() => async () => {}, { stdout: { write: () => {} } });
let cwd: string;
let id: string;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'completion-'));
  mkdirSync(join(cwd, 'faculties'));
  mkdirSync(join(cwd, 'bin'));
  const faculty = '[faculty.engage]\nmodel = "m"\nsystem_prompt = "p"\n';
  writeFileSync(join(cwd, 'faculties/a.toml'), `[faculty]\nname = "engineer"\n${faculty}`);
  writeFileSync(join(cwd, 'bin/animus'), `#!/bin/sh\nexec '${process.execPath}' '${LAUNCHER}' "$@"\n`);
  chmodSync(join(cwd, 'bin/animus'), 0o755);
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('engineer') returning id`,
  );
  id = row!.id;
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const env = () => ({ DATABASE_URL: target.connectionString });
async function words(...line: string[]): Promise<string[]> {
  const ran = await run(['completion', 'words', '--', ...line], { cwd, env: env() });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return ran.stdout.split('\n').filter(Boolean);
}

describe('completion words', () => {
  test('include every command and every option', async () => {
    expect(await words('')).toEqual(program.commands.map((command) => command.name()));
    for (const command of program.commands) {
      if (command.commands.length > 0) {
        expect(await words(command.name(), '')).toEqual(command.commands.map((each) => each.name()));
      }
      const options = await words(command.name(), '--');
      for (const option of command.options) expect(options).toContain(option.long);
    }
  });

  test('include values: states, types, faculties, providers, ids', async () => {
    expect(await words('work', 'list', '--state', '')).toEqual([...WORK_STATES]);
    expect(await words('work', 'list', '--state', 'de')).toEqual(['dead']);
    expect(await words('work', 'submit', 'eng')).toEqual(['engineer']);
    expect(await words('work', 'list', '--faculty', '')).toEqual(['engineer']);
    expect(await words('ledger', 'append', id, 'pl')).toEqual(['plan']);
    expect(await words('models', '--provider', 'an')).toEqual(['anthropic']);
    expect(await words('work', 'cancel', '')).toEqual([shortId(id)]);
    expect(await words('work', 'retry', '')).toEqual([]);
    expect(await words('--config', 'x', 'sta')).toEqual(['status']);
    expect(await words('work', 'submit', 'engineer', 'text', '--params', '')).toEqual([]);
  });

  test('include the conversations, for chat and its commands', async () => {
    const { id: chat } = await newTalk(target.database);
    for (const line of [
      ['--resume', ''],
      ['show', ''],
      ['send', 'x', '--to', ''],
      ['export', shortId(chat).slice(0, 3)],
    ])
      expect(await words('chat', ...line)).toEqual([shortId(chat)]);
    expect(await words('chat', '--resume', '--tho')).toEqual(['--thoughts']);
    expect(await words('chat', 'eng')).toEqual(['engineer']);
  });

  test('are empty, without an error, if nothing can be read', async () => {
    const nowhere = { DATABASE_URL: 'postgres://a@127.0.0.1:1/x', LOG_LEVEL: 'nonsense' };
    const ran = await run(['completion', 'words', '--', 'work', 'show', ''], { cwd, env: nowhere });
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

/** Sources the script and asks the shell for its suggestions, one per line. */
const SHELLS = [
  [
    'bash',
    (script: string, line: readonly string[]) => `source ${script}
COMP_WORDS=(${line.map(quote).join(' ')}); COMP_CWORD=${line.length - 1}
[[ $(complete -p animus) == *_animus* ]] && _animus animus && printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  [
    'zsh',
    (script: string, line: readonly string[]) => `compdef() { registered="$*" }
compadd() { shift; print -l -- "\${(P@)1}" }
_files() { print files }
source ${script}
[[ $registered == '_animus animus' ]] || exit 1
words=(${line.map(quote).join(' ')}); CURRENT=${line.length}; _animus`,
  ],
  ['fish', (script: string, line: readonly string[]) => `source ${script}; complete -C ${quote(line.join(' '))}`],
] as const;

describe.each(SHELLS)('in %s', (shell, ask) => {
  const there = spawnSync(shell, ['-c', 'true']).status === 0;

  test.skipIf(!there)('its own script offers them', async () => {
    const script = join(cwd, `script.${shell}`);
    writeFileSync(script, (await run(['completion', shell], { cwd })).stdout);
    const offers = (...line: string[]) => {
      const { stdout, stderr } = spawnSync(shell, ['-c', ask(script, ['animus', ...line])], {
        cwd,
        encoding: 'utf8',
        env: { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`, HOME: cwd, ...env() },
      });
      expect(stderr).toBe('');
      return stdout.split('\n').filter(Boolean);
    };
    expect(offers('sch')).toEqual(['schedule']);
    expect(offers('work', 'list', '--sta')).toEqual(['--state']);
    expect(offers('work', 'list', '--state', 'can')).toEqual(['cancelled']);
    expect(offers('work', 'show', '')).toEqual([shortId(id)]);
  });
});

function quote(word: string): string {
  return `'${word}'`;
}

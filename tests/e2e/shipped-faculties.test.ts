/** The example faculties with their own scripts: run as their comments say, by SQL and by command. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { newcomer } from '../support/newcomer.ts';

const FACULTIES = new URL('../../faculties', import.meta.url).pathname;
const NAMES = ['heartbeat', 'librarian', 'reader', 'reporter', 'researcher', 'reviewer', 'scribe', 'triage'] as const;
/** It looks back on what the others did. */
const FIRST = NAMES.filter((name) => name !== 'heartbeat');
type Name = (typeof NAMES)[number];

const toml = (name: Name) => readFileSync(join(FACULTIES, `${name}.toml`), 'utf8');

describe('on a daemon, submitted by the SQL in the file', () => {
  const pg = testDatabase({ anew: true });

  test('complete their work with real tools and hooks', async () => {
    const daemon = await startTestDaemon({ databaseUrl: pg.connectionString, skills: true, ...played() });
    const repository = repositoryIn(daemon.directory);
    const items = Object.fromEntries(
      await Promise.all(FIRST.map(async (name) => [name, await submit(name, repository)] as const)),
    ) as Record<Name, Item>;

    expect(items.triage).toMatchObject({
      state: 'completed',
      turns: 2, // the first answer did not match the schema
      outcome: { category: 'bug', team: 'engineering', missing: ['Which account?'] },
    });
    expect(items.librarian).toMatchObject({ state: 'completed', outcome: { found: true } });
    expect(items.librarian.ledger).toEqual([
      expect.stringMatching(/^finding: animus\.md/),
      'note: 1 quotation(s) checked against the documents',
    ]);
    expect(items.reviewer).toMatchObject({
      state: 'completed',
      outcome: { verdict: 'changes' },
      outcome_summary: 'changes: 1 blocker(s), 1 remark(s)',
      ledger: [
        'finding: README.md:1 blocker: The first line promises what the change takes away.',
        'finding: README.md:1 remark: The title does not say what this is for.',
      ],
    });
    expect(items.reviewer.told).toContain('+The new first line.');
    expectReport(items.reporter, daemon);
    expect(items.reader).toMatchObject({ state: 'completed', outcome: { found: true } });
    expect(items.scribe.ledger).toEqual([expect.stringMatching(/^decision: Wrote the skill/)]);
    expect(await pg.database.query('select name, state from animus.skill_versions')).toHaveLength(1);
    await expectResearch(items.researcher);
    await expectMemory(await submit('heartbeat', repository));
  }, 180_000);

  interface Item {
    readonly state: string;
    readonly turns: number;
    readonly outcome: Record<string, unknown>;
    readonly outcome_summary: string;
    readonly ledger: readonly string[];
    /** The first message to the model. */
    readonly told: string;
  }

  /** One reader per document, and an answer with the sources of both. */
  async function expectResearch(item: Item): Promise<void> {
    const sources = [{ file: 'animus.md' }, { file: 'operating.md' }];
    expect(item).toMatchObject({ state: 'completed', outcome: { found: true, sources } });
    const readers = await pg.database.query(
      `select c.faculty, c.state, c.params ->> 'document' as document from animus.work_items c join animus.work_items p on p.id = c.parent_id
        where p.faculty = 'researcher' order by document`,
    );
    const reader = { faculty: 'reader', state: 'completed' };
    expect(readers).toEqual(sources.map(({ file }) => ({ ...reader, document: file })));
  }

  /** It was told what the others found, and stored a memory of it. */
  async function expectMemory(item: Item): Promise<void> {
    expect(item.state).toBe('completed');
    expect(item.told).toMatch(
      /# Other work\n[^]*\nCompleted:\n[^]*Findings:\n[^]*«May a daemon be killed at any time\?»: yes/,
    );
    expect(item.told).not.toContain('Running now');
    expect(await pg.database.query('select layer, content from animus.memories')).toEqual([
      { layer: 'global', content: expect.stringMatching(/^A daemon may be killed/) },
    ]);
  }

  function expectReport(item: Item, daemon: TestDaemon): void {
    expect(item).toMatchObject({ state: 'completed', outcome: { title: 'The week in one line' } });
    expect(item.told).toMatch(/Commits:\n[0-9a-f]+ .* Ada: Begin\n[^]*1 README\.md/);
    const [file] = readdirSync(join(daemon.directory, 'reports'));
    expect(join(daemon.directory, 'reports', file!)).toBe(item.outcome['file']);
    expect(readFileSync(join(daemon.directory, 'reports', file!), 'utf8')).toMatch(/^# The week in one line\n/);
  }

  async function submit(name: Name, repository: string): Promise<Item> {
    const [{ id } = { id: '' }] = await pg.database.query<{ id: string }>(
      `${insertOf(name).replace('/srv/app.git', repository).replace('"login"', '"change"')} returning id`,
    );
    return eventually(`${name} ends`, async () => {
      const [row] = await pg.database.query<Item>(
        `select state, turns, outcome, outcome_summary,
                (select coalesce(array_agg(entry_type || ': ' || content order by seq), '{}')
                   from animus.work_ledger where work_item_id = w.id) as ledger,
                (select content from animus.focus_messages m join animus.foci f on f.id = m.focus_id
                  where f.work_item_id = w.id and m.kind = 'orient' limit 1) as told
           from animus.work_items w where id = $1 and resolved_at is not null`,
        [id],
      );
      return row ?? null;
    });
  }
});

describe('added to a project, and run with the command that this prints', () => {
  test.each([...NAMES, 'assistant'] as const)(
    '%s completes',
    async (name) => {
      const shell = newcomer();
      const added = await shell.run(`animus faculty add ${name}`);
      expect(added.code).toBe(0);
      const repository = repositoryIn(shell.home);
      const command = /^ {2}(animus faculty test .*)$/m.exec(added.output)![1]!;
      const ran = await shell.run(command.replace('/path/to/a/repository', repository).replace('a-branch', 'change'));
      expect(ran.output).toMatch(/\ncompleted {2}\d turns?, .* in all\n$/);
      expect(ran.code).toBe(0);
    },
    120_000,
  );
});

describe('their hooks refuse', () => {
  test.each([
    ['a quotation that is not there', [{ file: 'a.md', quote: 'made up' }], 'a.md: does not say “made up”'],
    ['a document that is not there', [{ file: 'b.md', quote: 'x' }], 'b.md: there is no such document'],
    ['a document outside the library', [{ file: '../secret', quote: 'x' }], '../secret: there is no such document'],
  ])('%s', (_, sources, reason) => {
    const directory = scratch();
    mkdirSync(join(directory, 'library'));
    writeFileSync(join(directory, 'secret'), 'x');
    writeFileSync(join(directory, 'library', 'a.md'), 'What\nit says.');
    const faculty = { workspace: join(directory, 'library') };
    expect(hook('check-sources.py', { faculty, outcome: { sources } })).toEqual([2, '', `${reason}\n`]);
    const honest = [{ file: 'a.md', quote: 'What it  says.' }];
    expect(hook('check-sources.py', { faculty, outcome: { sources: honest } })[0]).toBe(0);
  });

  test('a report without a title', () => {
    const work_item = { id: '0'.repeat(32), created_at: '2026-11-22T01:00:00Z' };
    expect(hook('write-report.js', { work_item, final_text: 'I could not.' }, [scratch()])).toEqual([
      2,
      '',
      'the answer is not a report: it does not begin with a title (# …)\n',
    ]);
  });

  test('a report about a directory that is not a repository', () => {
    const [code, , reason] = hook('collect-activity.sh', {}, [scratch(), '1 day ago']);
    expect([code, reason]).toEqual([2, expect.stringContaining('not a git repository')]);
  });

  test.each([
    [{}, 'params.repository is missing'],
    [{ repository: '/nowhere', head: 'x' }, 'git clone: '],
    [{ repository: 'ext::touch /tmp/never', head: 'x' }, "transport 'ext' not allowed"],
    [{ repository: 'HERE', head: 'nothing' }, 'has no branch, tag or commit named nothing'],
    [{ repository: 'HERE', head: '--output=x' }, 'has no branch, tag or commit named --output=x'],
    [{ repository: 'HERE', head: 'main' }, 'main changes nothing against HEAD'],
  ])('a change that cannot be reviewed: %j', (params, reason) => {
    const directory = scratch();
    const given = 'repository' in params ? params.repository.replace('HERE', repositoryIn(directory)) : undefined;
    const work_item = { params: { ...params, ...(given !== undefined && { repository: given }) } };
    const [code, , said] = hook('check-out-change.js', { work_item }, [], directory);
    expect([code, said]).toEqual([2, expect.stringContaining(reason)]);
  });

  test('a finding about a line that does not exist', () => {
    const directory = scratch();
    const repository = repositoryIn(directory);
    const work_item = { params: { repository, base: 'main', head: 'change' } };
    expect(hook('check-out-change.js', { work_item }, [], directory)[0]).toBe(0);
    const finding = (file: string, line: number) => ({ file, line, severity: 'problem', problem: 'p' });
    const findings = [finding('README.md', 1), finding('README.md', 9), finding('none.md', 1), finding('gone.md', 1)];
    expect(hook('record-findings.js', { outcome: { verdict: 'changes', findings } }, [], directory)).toEqual([
      2,
      '',
      'no such place: README.md:9, none.md:1\n',
    ]);
  });
});

/** The files of a site where the model of each faculty is its script. */
function played() {
  const files = Object.fromEntries(
    readdirSync(FACULTIES, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(FACULTIES.length + 1))
      .map((path) => [`faculties/${path}`, readFileSync(join(FACULTIES, path), 'utf8')]),
  );
  const providers = NAMES.map((name) => {
    files[`faculties/${name}.toml`] = toml(name).replace(/^model = "/m, `model = "${name}/`);
    return `[providers.${name}]\nkind = "scripted"\nscript = "faculties/scripts/${name}.toml"\n`;
  });
  return { files, config: providers.join(''), script: '[[answer]]\ntext = "unused"\n' };
}

/** The statement in a file's first comment. */
function insertOf(name: Name): string {
  const comment = toml(name)
    .match(/^#.*$/gm)!
    .map((line) => line.replace(/^# */, ''));
  return /insert into animus\.work_items [^]*?;/.exec(comment.join('\n'))![0].slice(0, -1);
}

/** Makes the directory a repository with a file on main, and a branch `change` that changes it and deletes another. */
function repositoryIn(directory: string): string {
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    const env = { PATH: process.env['PATH'], HOME: directory, GIT_CONFIG_NOSYSTEM: '1' };
    execFileSync('git', ['-C', directory, ...identity, ...args], { env, stdio: 'pipe' });
  };
  git('init', '-q', '-b', 'main');
  writeFileSync(join(directory, 'README.md'), 'The first line.\n');
  writeFileSync(join(directory, 'gone.md'), 'Soon gone.\n');
  git('add', 'README.md', 'gone.md');
  git('commit', '-q', '-m', 'Begin');
  git('checkout', '-q', '-b', 'change');
  writeFileSync(join(directory, 'README.md'), 'The new first line.\n');
  git('rm', '-q', 'gone.md');
  git('commit', '-q', '-a', '-m', 'Change');
  git('checkout', '-q', 'main');
  return directory;
}

function hook(name: string, input: object, args: readonly string[] = [], focusDirectory = scratch()) {
  const env = { PATH: process.env['PATH'], HOME: focusDirectory, ANIMUS_FOCUS_DIR: focusDirectory };
  const options = { input: JSON.stringify(input), env, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(join(FACULTIES, 'hooks', name), args, options);
  return [status, stdout, stderr];
}

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'animus-example-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

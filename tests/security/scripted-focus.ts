/** A hostile agent: a focus of a real daemon, in the best isolation of this host, whose model follows the test's script. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { detectIsolation } from '../../src/process/isolation.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import type { TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

/** Most of these promises depend on namespaces. */
export const hasNamespaces = (await detectIsolation()) === 'namespace';

/** A tool and its input. */
export type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];

export interface Ended {
  /** Outputs of the calls, in order. */
  readonly outputs: readonly string[];
  readonly state: string;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface Site {
  readonly daemon: TestDaemon;
  /** Real path of the site: the workspace, which contains `home` (ANIMUS_HOME), `faculties` and `animus.toml`. */
  readonly directory: string;
  readonly db: Database;
  readonly faculty: string;
  submit(): Promise<string>;
  /** The item's state, calls and error, once it has reached `state`. */
  until(id: string, ...states: readonly string[]): Promise<Ended>;
  /** Submits one item and waits until it has ended. */
  run(): Promise<Ended>;
}

export interface SiteOptions {
  /** One call per turn, in order; then the model says that it is done. */
  readonly calls: readonly Call[];
  /** Further lines of `[faculty]`; default: the site is the workspace. */
  readonly faculty?: string;
  readonly engage?: string;
  /** In place of model, prompt and tools. */
  readonly replaceEngage?: string;
  /** Further tables. */
  readonly tables?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly tools?: readonly string[];
  /** Further text of animus.toml. */
  readonly config?: string;
  /** True: the daemon looks for skills in `skills`. */
  readonly skills?: boolean;
}

/** A bash call. */
export function bash(command: string): Call {
  return ['bash', { command }];
}

/** Starts the daemon on a new site. */
export async function startSite(target: TestDatabase, options: SiteOptions): Promise<Site> {
  const faculty = `f${crypto.randomUUID().slice(0, 8)}`;
  const tools = options.tools ?? [
    'bash',
    'read_file',
    'write_file',
    'edit_file',
    'apply_patch',
    'list_dir',
    'grep',
    'glob',
  ];
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: scriptOf(options.calls),
    config: `[daemon]\npoll_seconds = 0.2\n${options.config ?? ''}`,
    skills: options.skills ?? false,
    files: {
      ...options.files,
      [`faculties/${faculty}.toml`]: `[faculty]\nname = "${faculty}"\n${options.faculty ?? 'workspace = ".."'}
        [faculty.engage]\n${options.replaceEngage ?? `model = "play/x"\nsystem_prompt = "p"\ntools = ${JSON.stringify(tools)}\n`}${options.engage ?? ''}
        [faculty.recover]\nmax_attempts = 1\n${options.tables ?? ''}`,
    },
  });
  const db = target.database;
  const submit = async () => {
    const [row] = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ($1, 'x') returning id`,
      [faculty],
    );
    return row!.id;
  };
  const until = (id: string, ...states: readonly string[]) =>
    eventually(`${states.join(' or ')}\n${daemon.lines.join('\n')}`, async () => {
      const [item] = await db.query<Pick<Ended, 'state' | 'error'>>(
        'select state, error from animus.work_items where id = $1',
        [id],
      );
      if (!states.includes(item!.state)) return null;
      const calls = await db.query<{ output: string }>(
        `select c.output from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1 order by c.turn, c.position`,
        [id],
      );
      return { ...item!, outputs: calls.map(({ output }) => output) };
    });
  const run = async () => until(await submit(), 'completed', 'dead');
  return { daemon, directory: realpathSync(daemon.directory), db, faculty, submit, until, run };
}

function scriptOf(calls: readonly Call[]): string {
  const answers = calls.map(([tool, input], index) => {
    const value = Object.entries(input).map(([key, each]) => `${key} = ${JSON.stringify(each)}`);
    return `[[answer]]\nturn = ${index + 1}\n[[answer.call]]\ntool = "${tool}"\ninput = { ${value.join(', ')} }\n`;
  });
  return `${answers.join('')}[[answer]]\nturn = ${calls.length + 1}\ntext = "done"\n`;
}

/** A path of the site, as commands in the workspace write it. */
export function at(site: Site, ...names: readonly string[]): string {
  return join(site.directory, ...names);
}

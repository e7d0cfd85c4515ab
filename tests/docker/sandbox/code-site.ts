/** A daemon whose faculty runs code in containers of the test image. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../../src/store/sql/database.ts';
import { makeSite, type Site } from '../../support/daemon-process.ts';
import { MODEL } from '../../support/model-server/either-wire.ts';
import { docker } from '../appliance.ts';

/** The site of the faculty `smith`, with a workspace of its own. */
export function codeSite(
  image: string,
  options: {
    readonly modelUrl: string;
    readonly databaseUrl: string;
    readonly leaseSeconds?: number;
    readonly faculty?: string;
    readonly engage?: string;
  },
): Site {
  const { modelUrl, databaseUrl, leaseSeconds = 20, faculty = '', engage = '' } = options;
  const config = `[daemon]\nlease_seconds = ${leaseSeconds}\npoll_seconds = 0.5\n[sandbox]\nimage = "${image}"\npool_size = 1\n`;
  const site = makeSite({ modelUrl, databaseUrl, config, faculties: {} });
  const workspace = workspaceOf(site);
  mkdirSync(workspace);
  writeFileSync(
    join(site.directory, 'faculties', 'smith.toml'),
    `[faculty]\nname = "smith"\nworkspace = "${workspace}"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "Act."\n` +
      'tools = ["bash", "read_file", "write_file", "grep", "glob"]\nbash_isolation = "none"\nledger_nudge_interval = 0\n' +
      `code_execution = true\ncode_execution_memory = 256\n${engage}[faculty.permissions]\nbash = "auto"\n${faculty}[faculty.recover]\nmax_attempts = 100\n`,
  );
  return site;
}

export function workspaceOf(site: Site): string {
  return join(site.directory, 'workspace');
}

export async function submit(db: Database, description = 'act'): Promise<string> {
  const sql = `insert into animus.work_items (faculty, description) values ('smith', $1) returning id`;
  const [row] = await db.query<{ id: string }>(sql, [description]);
  return row!.id;
}

export interface Call {
  readonly call_id: string;
  readonly name: string;
  readonly origin: string;
  readonly state: string;
  readonly output: string;
}

/** All calls of an item; those of code in the order in which they were made. */
export function callsOf(db: Database, id: string): Promise<Call[]> {
  return db.query<Call>(
    `select call_id, name, origin, c.state, coalesce(output, '') as output from animus.tool_calls c join animus.foci f on f.id = c.focus_id
      where f.work_item_id = $1 order by f.number, turn, parent_call_id nulls first, position`,
    [id],
  );
}

/** The containers of a work item that exist, running or not. */
export async function containersOfWork(id: string): Promise<string[]> {
  const ids = await docker(['ps', '--all', '--quiet', '--filter', `label=animus.owner=${id}`]);
  return ids.split('\n').filter((line) => line !== '');
}

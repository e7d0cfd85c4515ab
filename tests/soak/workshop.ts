/** The configuration and the faculties of the soak. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSite, type Site } from '../support/daemon-process.ts';
import { MODEL } from '../support/model-server/either-wire.ts';
import { CRAFT, makeRepository } from './worktree-work.ts';

export const LEASE_SECONDS = 5;

/** Of a company, beside the others: calls that a person decides about, turns in batches, and limits of money. */
const COMPANYS = {
  careful: { permission: 'ask', more: '' },
  nightly: { permission: 'auto', more: 'batch = true\n' },
  thrifty: { permission: 'auto', more: 'max_tokens = 1000\n' },
};

export function workshop(
  modelUrl: string,
  databaseUrl: string,
  company: boolean,
): { readonly site: Site; readonly repo: string } {
  const config = `[daemon]\nlease_seconds = ${LEASE_SECONDS}\npoll_seconds = 0.3\nmax_concurrent = 6\nshutdown_grace_seconds = 2\n[batch]\ngather_seconds = 0.5\npoll_seconds = 0.5\n`;
  const site = makeSite({ modelUrl, databaseUrl, config, faculties: {} });
  const workspace = join(site.directory, 'faculties');
  const { repo, faculty } = makeRepository(site.directory);
  const shared = (permission: string) => `permissions.bash = "${permission}"\nworkspace = "${workspace}"\n`;
  const tools = 'tools = ["bash", "list_dir"]\nbash_isolation = "none"\n';
  const write = (name: string, head: string, engage: string) =>
    writeFileSync(
      join(workspace, `${name}.toml`),
      `[faculty]\nname = "${name}"\n${head}[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "Work."\n${engage}` +
        `[faculty.recover]\nmax_attempts = 100\nbase_seconds = 0.1\nmax_seconds = 1\n`,
    );
  for (const name of ['worker', 'slow']) write(name, shared('auto'), tools);
  for (const [name, { permission, more }] of company ? Object.entries(COMPANYS) : [])
    write(name, shared(permission), tools + more);
  write(CRAFT, faculty, 'tools = ["bash"]\n');
  return { site, repo };
}

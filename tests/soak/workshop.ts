/** The configuration and the faculties of the soak. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSite, type Site } from '../support/daemon-process.ts';
import { MODEL } from '../support/model-server/either-wire.ts';
import { CRAFT, makeRepository } from './worktree-work.ts';

export const LEASE_SECONDS = 5;

export function workshop(modelUrl: string, databaseUrl: string): { readonly site: Site; readonly repo: string } {
  const config = `[daemon]\nlease_seconds = ${LEASE_SECONDS}\npoll_seconds = 0.3\nmax_concurrent = 6\nshutdown_grace_seconds = 2\n`;
  const site = makeSite({ modelUrl, databaseUrl, config, faculties: {} });
  const workspace = join(site.directory, 'faculties');
  const { repo, faculty } = makeRepository(site.directory);
  const shared = `permissions.bash = "auto"\nworkspace = "${workspace}"\n`;
  const write = (name: string, head: string, tools: string) =>
    writeFileSync(
      join(workspace, `${name}.toml`),
      `[faculty]\nname = "${name}"\n${head}[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "Work."\n${tools}` +
        `[faculty.recover]\nmax_attempts = 100\nbase_seconds = 0.1\nmax_seconds = 1\n`,
    );
  for (const name of ['worker', 'slow']) write(name, shared, 'tools = ["bash", "list_dir"]\nbash_isolation = "none"\n');
  write(CRAFT, faculty, 'tools = ["bash"]\n');
  return { site, repo };
}

/** A site for the doctor to examine. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { type RunOptions, run } from '../run-cli.ts';

/** A faculty whose fallback is a model of the provider `gw`. */
export const FACULTY =
  '[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nfallback_models = ["gw/good"]\nsystem_prompt = "p"\n';

interface Found {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly remedy: string | null;
}

/** A directory for each test, and the doctor in it. Call it where hooks may be registered. */
export function examinedSite() {
  let cwd: string;
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'doctor-'));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  const env = (): Record<string, string> => ({ ANIMUS_HOME: join(cwd, 'home') });

  /** Runs the doctor and returns its exit code and findings. It prints nothing else. */
  const doctor = async (argv: readonly string[], more: { databaseUrl?: string; GW_KEY?: string } = {}) => {
    const { databaseUrl, ...rest } = more;
    const options: RunOptions = { cwd, env: { ...env(), ...(databaseUrl && { DATABASE_URL: databaseUrl }), ...rest } };
    const { code, stdout, stderr } = await run(['doctor', '--json', ...argv], options);
    expect(stderr).toBe('');
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: readonly Found[] };
    expect(ok).toBe(code === 0);
    // tests/store/migrations/restore.test.ts sets what matters to the doctor for a role of the server that all tests share.
    return { code, findings: findings.filter(({ detail }) => !/ of role shop_[0-9a-f]{8},/.test(detail)) };
  };

  const write = (files: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
  };

  return {
    /** The directory of the running test. */
    get cwd() {
      return cwd;
    },
    env,
    doctor,
    write,
  };
}

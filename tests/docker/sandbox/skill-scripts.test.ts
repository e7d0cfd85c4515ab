/** Scripts of an active skill in a real container: as they were when the skill was activated, whatever its directory has now. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { stateOf } from '../../e2e/work-state.ts';
import { startDaemon } from '../../support/daemon-process.ts';
import { testDatabase } from '../../support/database.ts';
import { text, toolUse } from '../../support/model-server/anthropic.ts';
import { messagesOf, startModelServer } from '../../support/model-server/either-wire.ts';
import { putFile, skillText } from '../../support/skill-tree.ts';
import { builtImage } from './built-image.ts';
import { callsOf, codeSite, submit } from './code-site.ts';
import { missingEngine } from './containers.ts';

const missing = missingEngine();
const CODE = 'from skills.log_report.scripts.count import errors\nreturn errors("a ERROR\\nb INFO\\nc ERROR")';
const script = (found: string) => `def errors(text):\n    return f"${found} {text.count('ERROR')} errors"\n`;

describe.skipIf(missing)(`a skill in a container${missing === null ? '' : ` (${missing})`}`, () => {
  const pg = testDatabase();
  let image: string;
  beforeAll(async () => {
    image = await builtImage();
  });

  it('gives code its scripts, in the version that was activated', async () => {
    const server = await startModelServer((body) => {
      const turn = messagesOf(body).filter(({ role }) => role === 'assistant').length;
      if (turn === 0) return { content: [toolUse('a', 'activate_skill', { name: 'log-report' })] };
      if (turn > 1) return { content: [text('Done.')] };
      putFile(scriptFile, script('changed:'));
      return { content: [toolUse('c', 'execute_code', { code: CODE })] };
    });
    onTestFinished(() => server.close());
    const site = codeSite(image, { modelUrl: server.url, databaseUrl: pg.connectionString });
    const skill = join(site.directory, 'skills', 'log-report');
    const scriptFile = join(skill, 'scripts', 'count.py');
    putFile(join(skill, 'SKILL.md'), skillText('log-report'));
    putFile(scriptFile, script('found'));
    const daemon = await startDaemon(site);
    const id = await submit(pg.database);
    await stateOf(pg.database, id, 'completed');
    const calls = await callsOf(pg.database, id);
    expect(calls.find(({ name }) => name === 'execute_code')?.output).toContain('found 2 errors');
    await daemon.kill('SIGTERM');
  });
});

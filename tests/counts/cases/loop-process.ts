/** A process that runs foci with the engage loop and its journal, one for each message with a description; it answers `ended`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLlm } from '../../../src/llm/llm.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import { startTestFocus, testTool } from '../../support/focus.ts';
import { engage } from '../../support/run-loop.ts';

const db = openPostgres(process.env['DATABASE_URL']!, { poolSize: 10 });
const baseUrl = process.env['MODEL_URL']!;
const llm = createLlm({ defaultProvider: 'p', providers: { p: { kind: 'anthropic', baseUrl, apiKey: 'k' } } });
const { client } = llm.resolve('m');
const directory = mkdtempSync(join(tmpdir(), 'animus-counts-'));
const workspace = join(directory, 'workspace');
mkdirSync(workspace);
writeFileSync(join(workspace, 'notes.txt'), 'Nothing is noted.\n'.repeat(200));
const act = testTool('act', async () => ({ content: 'done' }));
process.on('SIGTERM', () => {
  rmSync(directory, { recursive: true, force: true });
  process.exit();
});
process.on('message', (message: unknown) => {
  if (typeof message === 'object') void run((message as { readonly orient: string }).orient);
});
process.send!('ready');

async function run(orient: string): Promise<void> {
  const tools = [readFileTool, writeFileTool, act];
  const focus = await startTestFocus(db, { script: '[[answer]]', faculty: 'counted', tools, orient });
  const means = focus.means({ onEvent: () => {} });
  const model = { ...means.model, client };
  const end = await engage({ ...means, model, callScope: { ...means.callScope, workspace } });
  process.send!({ ended: end });
}

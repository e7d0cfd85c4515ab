/**
 * The recipe of docs/browser.md with a real Chromium: an agent builds a page, sees in a screenshot that a button covers another, and
 * repairs it. The model is a script, but it decides by the pixels of the pictures that it is sent.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../cli/run-cli.ts';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type AnthropicAnswer, startAnthropicServer } from '../support/model-server/anthropic.ts';
import { missingDocker, ROOT } from './appliance.ts';
import { pixelsOf } from './png-pixels.ts';

const missing = missingDocker();
const docker = async (...args: readonly string[]) => (await promisify(execFile)('docker', args)).stdout.trim();

/** Both buttons have 120 × 40 pixels, less a few of the words on them. */
const WHOLE_BUTTON = 4000;

const style = (left: number) =>
  `button{position:absolute;top:20px;width:120px;height:40px;border:0}#buy{left:20px;background:#00f}#no{left:${left}px;background:#f00}`;
const PAGE = `<!doctype html><title>Shop</title><style>${style(20)}</style>
<button id="buy" onclick="document.title = 'Bought'">Buy</button><button id="no">No</button>`;
const PROGRAM = `require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(require('node:fs').readFileSync('index.html'));
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('ready'));`;

describe.skipIf(missing !== null)(`a browser${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  const pg = testDatabase();
  const image = `animus-test-browser-${randomBytes(4).toString('hex')}`;

  beforeAll(async () => {
    const registry = `NPM_CONFIG_REGISTRY=${process.env['NPM_CONFIG_REGISTRY'] ?? ''}`;
    await docker('build', '--network', 'host', '--build-arg', registry, '--tag', image, join(ROOT, 'docker/browser'));
    return async () => void (await docker('image', 'rm', '--force', image));
  }, 400_000);

  test('shows an agent that its buttons overlap, and the agent repairs it', async () => {
    const port = await freePort();
    const model = await startAnthropicServer(tester(`http://127.0.0.1:${port}/`, port));
    onTestFinished(model.close);
    const browser = await startBrowser();
    const site = makeSite({
      databaseUrl: pg.connectionString,
      modelUrl: model.url,
      faculties: { tester: facultyOfPage().replace('localhost:8931', `localhost:${browser}`) },
    });
    const animus = (...args: readonly string[]) => run(args, { env: site.env, cwd: site.directory });
    expect(await animus('faculty', 'check', 'tester', '--pin')).toMatchObject({ code: 0 });
    await startDaemon(site);
    const submitted = await animus('work', 'submit', 'tester', 'Build the page of the shop', '--json');
    const { id } = JSON.parse(submitted.stdout) as { id: string };
    const item = await eventually('the work ends', async () => {
      const [row] = await pg.database.query<{ state: string; outcome_summary: string }>(
        'select state, outcome_summary from animus.work_items where id = $1 and resolved_at is not null',
        [id],
      );
      return row ?? null;
    });
    expect(item).toEqual({ state: 'completed', outcome_summary: 'Bought.' });
    expect(readFileSync(join(site.directory, 'index.html'), 'utf8')).toContain('left:160px');
    expect((await animus('work', 'show', id)).stdout).toMatch(/image\/png/);
  }, 120_000);

  /** Starts it as the page says, but on a free port, which is returned. */
  async function startBrowser(): Promise<number> {
    const port = await freePort();
    const [, options = ''] = /docker run (--detach .*?) animus-browser\n/s.exec(browserPage()) ?? [];
    const flags = options
      .replaceAll('\\\n', ' ')
      .replace(/--name \S+|--restart \S+/g, '')
      .split(/\s+/)
      .filter(Boolean);
    const container = await docker('run', ...flags, image, '--port', String(port));
    onTestFinished(async () => void (await docker('rm', '--force', container)));
    await eventually('the browser serves', () =>
      fetch(`http://localhost:${port}/mcp`).then(
        () => true,
        () => null,
      ),
    );
    return port;
  }
});

const browserPage = () => readFileSync(join(ROOT, 'docs/browser.md'), 'utf8');

function facultyOfPage(): string {
  const [, toml] = /```toml\n(\[faculty\]\nname = "tester"\n.*?)```/s.exec(browserPage()) ?? [];
  if (toml === undefined) throw new Error('docs/browser.md has no faculty');
  return toml;
}

/** Goes on by what the last results say and show; what it does not expect ends the work with words that say so. */
function tester(url: string, port: number): (body: object) => AnthropicAnswer {
  const open = () => [call('mcp_browser_browser_navigate', { url })];
  const look = () => [call('mcp_browser_browser_take_screenshot', { scale: 'css' })];
  const edit = {
    path: 'index.html',
    old_string: 'left:20px;background:#f00',
    new_string: 'left:160px;background:#f00',
  };
  const steps: readonly ((seen: Seen) => readonly object[] | string)[] = [
    () => [
      call('write_file', { path: 'index.html', content: PAGE }),
      call('write_file', { path: 'shop.cjs', content: PROGRAM }),
    ],
    () => [call('bash', { command: `node shop.cjs ${port}`, background: true })],
    () => [call('mcp_browser_browser_resize', { width: 400, height: 200 })],
    open,
    look,
    ({ red, blue }) =>
      red > WHOLE_BUTTON && blue === 0 ? [call('edit_file', edit)] : `Saw ${red} red and ${blue} blue pixels at first.`,
    open,
    look,
    ({ red, blue }) =>
      red > WHOLE_BUTTON && blue > WHOLE_BUTTON
        ? [call('mcp_browser_browser_click', { target: '#buy' })]
        : `Saw ${red} red and ${blue} blue pixels after the repair.`,
    () => [call('mcp_browser_browser_snapshot', {})],
    ({ text }) => (text.includes('Page Title: Bought') ? 'Bought.' : `The click did nothing: ${text}`),
  ];
  let step = 0;
  return (body) => {
    const next = steps[Math.min(step++, steps.length - 1)]!(seenIn(body));
    return typeof next === 'string' ? { content: [{ type: 'text', text: next }] } : { content: next as never };
  };
}

let calls = 0;
const call = (name: string, input: object) => ({ type: 'tool_use', id: `call_${(calls += 1)}`, name, input });

interface Seen {
  /** Texts of the last results. */
  readonly text: string;
  /** Pixels of these colours in the picture among them; -1 without a picture. */
  readonly red: number;
  readonly blue: number;
}

/** What the last message of a request shows. */
function seenIn(body: object): Seen {
  const { messages } = body as { messages: readonly { content: unknown }[] };
  const blocks = blocksOf(messages.at(-1)!.content);
  const picture = blocks.findLast(({ type }) => type === 'image');
  const data = (picture?.['source'] as { data: string } | undefined)?.data;
  const count = (colour: Parameters<typeof pixelsOf>[1]) =>
    data === undefined ? -1 : pixelsOf(Buffer.from(data, 'base64'), colour);
  return {
    text: blocks.map(({ text }) => text ?? '').join('\n'),
    red: count([255, 0, 0]),
    blue: count([0, 0, 255]),
  };
}

interface Block extends Record<string, unknown> {
  readonly type: string;
  readonly text?: string;
}

/** With the blocks inside of tool results. */
function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content as readonly Block[]).flatMap((block) =>
    block.type === 'tool_result' ? blocksOf(block['content'] ?? '') : [block],
  );
}

/** `animus memory search`, `stats`, `status` and `doctor` where an embedding model is configured, on the embedded database. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { prepareEmbeddings, storeEmbeddings, unembedded } from '../../../src/features/memory/embeddings.ts';
import { storeMemory } from '../../../src/store/memory/memories.ts';
import { run } from '../../cli/run-cli.ts';
import { embeddedDatabase } from '../../support/database.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import type { ModelServer } from '../../support/model-server/server.ts';

const target = embeddedDatabase();
const { home } = target;
const MODEL = { model: 'local/e', dimensions: 2 };
let server: ModelServer;

/** A question and a memory without a word in common point into the same direction. */
const vectorOf = (text: string) => (/vehicle|car/.test(text) ? [1, 0.1] : [0, 1]);

beforeAll(async () => {
  const { database: db } = target;
  await prepareEmbeddings(db, MODEL);
  await storeMemory(db, { content: 'The car is red' }, null);
  await storeMemory(db, { content: 'Dates are written 2026-11-22' }, null);
  const rows = await unembedded(db, MODEL, 10);
  const vectors = rows.map((row) => ({ ...row, vector: vectorOf(row.content) }));
  await storeEmbeddings(db, MODEL, vectors);
});

beforeEach(async () => {
  server = await startOpenAiServer([{}], { embed: vectorOf });
  configure();
  return server.close;
});

function configure(over: Readonly<Record<string, string | number>> = {}, kind = 'openai'): void {
  const table = { provider: 'local', model: 'e', dimensions: 2, ...over };
  const lines = Object.entries(table).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const provider = `[providers.local]\nkind = "${kind}"\nbase_url = "${server.url}/v1"\napi_key_env = "LOCAL_KEY"`;
  const price = '[models."local/e"]\nusd_per_million = { input = 1000, output = 0 }';
  writeFileSync(join(home, 'animus.toml'), `${provider}\n${price}\n[embeddings]\n${lines.join('\n')}\n`);
}

const animus = (...argv: string[]) => run(argv, { cwd: home, env: { ANIMUS_HOME: home, LOCAL_KEY: 'a-local-key' } });

describe('memory search', () => {
  test('finds by meaning, charges what the vector has cost, and says how it was searched', async () => {
    const { stdout, stderr, code } = await animus('memory', 'search', 'colour of the vehicle', '--limit', '1');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('The car is red') });
    expect(stdout).toContain('meaning #1 (1.00)');
    expect(stderr).toContain('searched by words and by meaning');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer a-local-key');
    const spent = JSON.parse((await animus('spend', '--by', 'faculty,model,operation', '--json')).stdout) as {
      rows: unknown[];
    };
    expect(JSON.stringify(spent)).toContain('"operation":"embedding"');
    expect(JSON.stringify(spent)).toContain('"(memory)"');
  });

  test.each([
    [{ model: 'f' }, 'memories have embeddings of local/e with 2 dimensions, not of local/f with 2'],
    [{ dimensions: 3 }, 'memories have embeddings of local/e with 2 dimensions, not of local/e with 3'],
  ])('with another model asks nobody, and says why it is by words: %j', async (over, reason) => {
    configure(over);
    const { stdout, code } = await animus('memory', 'search', 'car', '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      by_vectors: false,
      reason,
      memories: [{ content: 'The car is red' }],
    });
    expect(server.requests).toHaveLength(0);
  });

  test('does without the vector when the provider fails, and names the remedy', async () => {
    await server.close();
    const { stdout, code } = await animus('memory', 'search', 'car', '--json');
    const { reason, memories } = JSON.parse(stdout) as { reason: string; memories: unknown[] };
    expect(code).toBe(0);
    expect(memories).toHaveLength(1);
    expect(reason).toMatch(/^provider local: .*; check base_url of local/);
    server = await startOpenAiServer([{}]);
  });

  test('asks nobody with --words-only, without a query, and without [embeddings]', async () => {
    await animus('memory', 'search', 'car', '--words-only');
    await animus('memory', 'search');
    writeFileSync(join(home, 'animus.toml'), '');
    const { stderr } = await animus('memory', 'search', 'car');
    expect(stderr).toContain('searched by words alone: no embedding model is configured');
    expect(server.requests).toHaveLength(0);
  });
});

test('stats, status and config show the model, and what lacks an embedding', async () => {
  expect((await animus('memory', 'stats')).stdout).toContain(
    'every memory has its embedding: embeddings of local/e with 2 dimensions',
  );
  expect((await animus('status')).stdout).not.toContain('Memory');
  await animus('memory', 'add', 'not embedded yet');
  expect((await animus('memory', 'stats')).stdout).toContain('1 memory has none yet');
  expect((await animus('status')).stdout).toContain('Memory    1 without an embedding of local/e');
  const { stdout } = await animus('config');
  expect(stdout).toMatch(/embeddings\.model +e +\S*animus\.toml:\d+/);
  expect(stdout).toMatch(/embeddings\.request_dimensions +as the model needs +default/);
  expect(stdout).not.toContain('a-local-key');
});

describe('doctor', () => {
  const finding = async (...argv: string[]) => {
    const { stdout } = await animus('doctor', '--json', ...argv);
    const { findings } = JSON.parse(stdout) as {
      findings: { check: string; state: string; detail: string; remedy: string | null }[];
    };
    return findings.filter(({ check }) => check === 'memory' || check.startsWith('embeddings'));
  };

  test('says how memories are searched, and asks the model only with --provider', async () => {
    expect(await finding()).toMatchObject([
      { state: 'ok', detail: 'searched by words and by meaning (local/e, 2 dimensions)' },
    ]);
    expect(server.requests).toHaveLength(0);
    const asked = await finding('--provider', 'local/e');
    expect(asked[1]).toMatchObject({
      check: 'embeddings of local',
      state: 'ok',
      detail: expect.stringContaining('answered in'),
    });
  });

  test('names another model than that of the database, and a model that makes other vectors', async () => {
    configure({ dimensions: 3 });
    const [stored, asked] = await finding('--provider', 'local/e');
    expect(stored).toMatchObject({
      state: 'note',
      detail: expect.stringContaining('animus.toml names local/e with 3'),
    });
    expect(asked).toMatchObject({ state: 'problem', detail: expect.stringContaining('has 2 dimensions, expected 3') });
  });

  test('misses the key of a vendor, and needs nothing without [embeddings]', async () => {
    writeFileSync(
      join(home, 'animus.toml'),
      '[embeddings]\nprovider = "openai"\nmodel = "text-embedding-3-small"\ndimensions = 1536\n',
    );
    expect(await finding()).toMatchObject([{ state: 'problem', remedy: expect.stringContaining('OPENAI_API_KEY') }]);
    writeFileSync(join(home, 'animus.toml'), '');
    expect(await finding()).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { changedSettings } from '../../../../src/core/config/live-settings.ts';
import { readConfig } from '../../../../src/core/config/read-config.ts';

function read(text: string) {
  const readSecretFile = () => ({ ok: false, detail: 'no such file' }) as const;
  return readConfig({
    env: {},
    toml: { path: '/etc/animus.toml', text },
    userHome: '/home/ada',
    cwd: '/work',
    readSecretFile,
  });
}

const OPENAI = `[embeddings]
provider = "openai"
model = "text-embedding-3-small"
dimensions = 1536`;

describe('[embeddings]', () => {
  test('names provider, model and dimensions; without it there are none', () => {
    expect(read('').embeddings).toBeNull();
    const config = read(OPENAI);
    expect(config.embeddings).toEqual({
      provider: 'openai',
      model: 'text-embedding-3-small',
      dimensions: 1536,
      batchSize: 96,
      requestDimensions: null,
    });
    expect(config.origins.get('embeddings.dimensions')).toBe('/etc/animus.toml:4');
    expect(config.origins.get('embeddings.batch_size')).toBe('default');
    expect(read(`${OPENAI}\nbatch_size = 10\nrequest_dimensions = true`).embeddings).toMatchObject({
      batchSize: 10,
      requestDimensions: true,
    });
  });

  test.each([
    ['provider = "openia"', /embeddings\.provider.*no provider named openia.*openai/s],
    ['provider = "anthropic"', /kind "anthropic" has no embeddings; use one of kind "openai", "azure", "ollama"/],
    ['dimensions = 2001', /embeddings\.dimensions.*a whole number from 1 to 2000.*2001/s],
    ['dimensions = "1536"', /embeddings\.dimensions/],
    ['model = ""', /embeddings\.model/],
    ['batch_size = 0', /embeddings\.batch_size.*from 1 to 2048/s],
    ['api_key = "sk-1"', /embeddings\.api_key/],
  ])('refuses %s', (line, message) => {
    const key = line.split(' ')[0];
    const text = OPENAI.split('\n').filter((each) => !each.startsWith(`${key} `));
    expect(() => read([...text, line].join('\n'))).toThrow(message);
  });

  test('needs all three', () => {
    for (const key of ['provider', 'model', 'dimensions']) {
      const text = OPENAI.split('\n').filter((line) => !line.startsWith(key));
      expect(() => read(text.join('\n'))).toThrow(new RegExp(`embeddings\\.${key}`));
    }
  });

  test('may name a provider of the file, whose own problem is reported once', () => {
    const local = '[providers.local]\nkind = "ollama"';
    const table = '[embeddings]\nprovider = "local"\nmodel = "nomic-embed-text"\ndimensions = 768';
    expect(read(`${local}\n${table}`).embeddings).toMatchObject({ provider: 'local' });
    expect(() => read(`[providers.local]\nkind = "azure"\n${table}`)).toThrow(/needs base_url, its address/);
    expect(() => read(`[providers.local]\nkind = "azure"\n${table}`)).not.toThrow(/no provider named/);
  });

  test('takes effect at the next start, and a change says so', () => {
    const before = read(OPENAI);
    expect(changedSettings(before, read(OPENAI.replace('1536', '512')))).toEqual(['embeddings']);
    expect(changedSettings(before, read(''))).toEqual(['embeddings']);
    expect(changedSettings(before, read(OPENAI))).toEqual([]);
  });
});

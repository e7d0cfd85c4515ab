import { expect, test } from 'vitest';
import { schemaKeys } from '../../../scripts/schema-keys.ts';
import { SECTIONS, schemaOf } from '../../../src/core/config/sections/sections.ts';
import { loadSections } from '../../../src/features/features.ts';
import { projectDirectory } from '../project-directory.ts';

const { animus, write } = projectDirectory();

test('prints every effective value with its origin, and no secret', async () => {
  write({ 'animus.toml': '[daemon]\nmax_concurrent = 7\n[models."anthropic/x"]\ncontext_window = 1000\n' });
  const env = { ANTHROPIC_API_KEY: 'SECRET', DATABASE_URL: 'postgres://a:SECRET@h/d' };
  const { stdout, code } = await animus('config', { env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/daemon\.max_concurrent +7 +.*animus\.toml:2/);
  expect(stdout).toMatch(/database_url +\*\*\* +environment DATABASE_URL/);
  expect(stdout).toMatch(/providers\.anthropic\.kind +anthropic +default/);
  expect(stdout).toMatch(/models\."anthropic\/x"\.context_window +1000/);
  const json = await animus('config', '--json', { env });
  expect(JSON.parse(json.stdout).settings).toContainEqual({
    key: 'providers.anthropic.api_key',
    value: '***',
    origin: 'environment ANTHROPIC_API_KEY',
  });
  expect(stdout + json.stdout).not.toContain('SECRET');
});

test('lists every key of animus.toml', async () => {
  const { settings } = JSON.parse((await animus('config', '--json')).stdout) as { settings: { key: string }[] };
  const keys = settings.map(({ key }) => key);
  const supported = schemaKeys(schemaOf([...SECTIONS, ...(await loadSections())]));
  for (const { key } of supported) if (!key.includes('NAME')) expect(keys).toContain(key);
});

test('shows the telemetry variables, without their secrets', async () => {
  expect((await animus('config')).stdout).toMatch(/^telemetry +not set +default$/m);
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318?key=SECRET',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=SECRET',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://ada:SECRET@collector:4318',
  };
  const { stdout } = await animus('config', { env });
  expect(stdout).toMatch(/OTEL_EXPORTER_OTLP_ENDPOINT +http:\/\/collector:4318\?\*\*\* +environment/);
  expect(stdout).toMatch(/OTEL_EXPORTER_OTLP_HEADERS +\*\*\* /);
  expect(stdout).not.toContain('SECRET');
});

test('reads the file given by --config, which must exist', async () => {
  write({ 'other.toml': '[daemon]\npool_size = 3\n' });
  expect((await animus('config', '--config', 'other.toml')).stdout).toMatch(/pool_size +3/);
  expect(await animus('config', '--config', 'none.toml')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('none.toml: cannot be read'),
  });
});

test('refuses a secret file that other users can read', async () => {
  write({ key: 'SECRET' });
  const { code, stderr } = await animus('config', { env: { ANTHROPIC_API_KEY_FILE: 'key' } });
  expect(code).toBe(2);
  expect(stderr).toContain('is readable by others (mode 0644)');
  expect(stderr).not.toContain('SECRET');
});

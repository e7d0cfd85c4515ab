import { expect, test } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { readConfig } from '../../../src/core/config/read-config.ts';
import { facultyModels } from '../../../src/daemon/models/faculty-models.ts';

test.each([
  ['anthropic/claude-sonnet-4-5', 'catalogue'],
  ['anthropic/claude-opus-7', 'family of anthropic/claude-opus-5-5'],
  ['anthropic/unheard-of', 'nowhere'],
  ['gateway/big', '/etc/animus.toml:4'],
])('it is said where the model %s is defined: %s', (model, knownFrom) => {
  const text =
    '[providers.gateway]\nkind = "openai"\nbase_url = "https://llm.example.com/v1"\n[models."gateway/big"]\ncontext_window = 999\n';
  const readSecretFile = () => ({ ok: false, detail: 'none' }) as const;
  const toml = { path: '/etc/animus.toml', text };
  const config = readConfig({ env: {}, toml, userHome: '/home/ada', cwd: '/', readSecretFile });
  const faculty = { engage: { mode: 'builtin', model, fallbackModels: [] } } as unknown as Faculty;
  expect(facultyModels(faculty, config)).toMatchObject([{ written: model, knownFrom }]);
});

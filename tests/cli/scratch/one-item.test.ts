import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { inScratchHome, runOneItem } from '../../../src/cli/scratch/one-item.ts';
import { loadSections } from '../../../src/features/features.ts';
import { submitWork } from '../../../src/store/work/submit-work.ts';
import { embeddedHome } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

test('a run in a scratch home sends nothing to the provider of embeddings', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'scratch-home-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const toml = '[embeddings]\nprovider = "openai"\nmodel = "text-embedding-3-small"\ndimensions = 384\n';
  writeFileSync(join(cwd, 'animus.toml'), toml);
  const config = loadConfig({ env: { HOME: cwd, OPENAI_API_KEY: 'k' }, cwd });
  expect(config.embeddings).not.toBe(null);
  expect(inScratchHome(config, cwd).embeddings).toBe(null);
});

test('an item that has ended before its id is known ends the run, too', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'one-item-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, 'faculties'));
  writeFileSync(join(cwd, 'play.toml'), '[[answer]]\ntext = "Done."\n');
  writeFileSync(join(cwd, 'animus.toml'), '[providers.play]\nkind = "scripted"\nscript = "play.toml"\n');
  const faculty = '[faculty]\nname = "f"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\n';
  writeFileSync(join(cwd, 'faculties/f.toml'), faculty);
  const never = new AbortController().signal;
  // Asked of the states in which a focus has ended, and of nothing else.
  const states: unknown[] = [];
  const run = await runOneItem(
    { drain: never, abort: never },
    {
      config: inScratchHome(loadConfig({ env: { HOME: cwd }, cwd }, await loadSections()), embeddedHome()),
      facultiesDir: join(cwd, 'faculties'),
      adapt: (each) => each,
      async submit(db) {
        const { id } = await submitWork(db, { faculty: 'f', description: 'x', params: {}, source: 'test' });
        await eventually('its end', () => (states.length > 0 ? true : null));
        return id;
      },
      onEvent: () => {},
      isOver: (state) => {
        states.push(state);
        return true;
      },
    },
  );
  expect(run.item).toMatchObject({ state: 'completed' });
  expect(states).toEqual(['completed']);
});

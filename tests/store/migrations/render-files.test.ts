/** Promise: all that names the schema pgmq is rendered for the schema that has the queues. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSchemaFiles } from '../../../src/store/migrations/migration-files.ts';
import { renderFiles } from '../../../src/store/migrations/render-files.ts';

test('no SQL names the schema pgmq once it is rendered, and no other code names it', async () => {
  const rendered = renderFiles(await readSchemaFiles(), { name: 'own', ident: 'own' });
  const left = [...rendered.migrations, ...rendered.functions].flatMap(({ name, sql }) =>
    sql
      .replace(/--.*$/gm, '')
      .split('\n')
      .filter((line) => line.replace('a pgmq queue named', '').includes('pgmq'))
      .map((line) => `${name}: ${line}`),
  );
  expect(left).toEqual([]);
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const naming = sources.filter((path) => {
    const text = readFileSync(`src/${path}`, 'utf8').replace(/^\s*(\/\*\*|\*|\/\/).*$/gm, '');
    return (
      /\bpgmq\.[a-z]+_|schema pgmq\b|nspname[^;`]{0,40}'pgmq'|regnamespace\('pgmq'/.test(text) &&
      !text.includes('inPgmqSchema')
    );
  });
  expect(naming).toEqual([]);
});

/** The OpenAPI document, as a public linter sees it. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { testApi } from '../../support/api.ts';

const { start } = testApi();
/** The strictest set of its rules, and the rules outside of it that fit a document like ours. */
const config = createConfig({
  extends: ['recommended-strict'],
  rules: {
    'operation-description': 'error',
    'operation-singular-tag': 'error',
    'operation-tag-defined': 'error',
    'parameter-description': 'error',
    'no-duplicated-tag-names': 'error',
    'no-schema-type-mismatch': 'error',
    'no-required-schema-properties-undefined': 'error',
  },
});

async function problemsOf(document: unknown): Promise<string[]> {
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, config: await config, absoluteRef: 'openapi.json' });
  // The linter does not follow extensions, in which 3.1 has to describe the events of a stream.
  const events = [...source.matchAll(/"x-item-schema":\{"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  return problems
    .filter(
      ({ ruleId, message }) =>
        ruleId !== 'no-unused-components' || !events.some((name) => message.includes(`"${name}"`)),
    )
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
}

test('the served document has no problem, not even a warning', async () => {
  const { url } = await start();
  const document = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as {
    info: { license?: unknown };
    paths: Record<string, Record<string, { operationId?: string; summary?: string }>>;
    tags: { name: string; description?: string }[];
  };
  expect(await problemsOf(document)).toEqual([]);
  // It does notice what is missing.
  delete document.info.license;
  delete document.paths['/work']!['post']!.operationId;
  delete document.paths['/work']!['get']!.summary;
  delete document.tags[0]!.description;
  const rules = (await problemsOf(document)).map((problem) => problem.split(':')[0]);
  expect(new Set(rules)).toEqual(
    new Set(['info-license', 'operation-operationId', 'operation-summary', 'tag-description']),
  );
});

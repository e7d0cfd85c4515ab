import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RESULTS } from '../../../src/sandbox/sdk/results.ts';
import { sdkSource } from '../../../src/sandbox/sdk/sdk-source.ts';
import { FACULTY_TOOL_NAMES, toolSpecs, toolset } from '../../../src/tools/registry.ts';
import { missingPython, runOnHost } from '../../support/sandbox-runner.ts';

const missing = missingPython();
const PAGE = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');

const DATA: Readonly<Record<string, (input: { path?: string; command?: string }) => unknown>> = {
  glob: () => ({ paths: ['a.log', 'b.log', 'c.log', 'd.log'], more: false }),
  read_file: ({ path = '' }) => ({
    path,
    text: 'ok\nERROR\n'.repeat(path.charCodeAt(0) - 97),
    first: 1,
    last: 1,
    lines: 1,
    bytes: 1,
  }),
  bash: ({ command }) => ({
    exit_code: command === 'false' ? 1 : 0,
    stdout: '',
    stderr: '',
    ended: 'exit',
    signal: null,
  }),
};

describe.skipIf(missing)(`docs/sandbox.md${missing === null ? '' : ` (${missing})`}`, () => {
  it('has examples that work', async () => {
    const sdk = sdkSource(toolSpecs(toolset(FACULTY_TOOL_NAMES)));
    const answer = (name: string, input: never) => ({ content: '', is_error: false, details: DATA[name]?.(input) });
    const examples = [...PAGE.matchAll(/```python\n(.*?)```/gs)].map(([, code = '']) =>
      runOnHost({ code, sdk, answer }),
    );
    const values = (await Promise.all(examples)).map(({ value, traceback }) => value ?? traceback);
    expect(values).toEqual(['{"d.log":3,"c.log":2,"b.log":1}', '[4,["BashResult","ToolError"]]']);
  });
});

it('names every typed result, with its fields', () => {
  const table = PAGE.slice(PAGE.indexOf('### Results of tools'), PAGE.indexOf('### What comes back'));
  for (const [tool, { defines, source }] of Object.entries(RESULTS)) {
    expect(table).toContain(`\`${tool}\``);
    for (const [, fields = ''] of source.matchAll(/^class \w+:\n(?: {4}""".*?"""\n\n)?((?: {4}\w+: .*\n)+)/gm))
      for (const [, field] of fields.matchAll(/^ {4}(\w+):/gm))
        if (field !== 'report') expect(table).toContain(`\`${field}\``);
    expect(defines.length).toBeGreaterThan(0);
  }
});

/** What hooks print: each is a process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JSON_LIMITS } from '../../../src/core/text/json-limits.ts';
import type { HookPoint } from '../../../src/daemon/hooks/hook-output.ts';
import { hookScript } from '../../daemon/hooks/hook-script.ts';
import { SHAPES } from './corpus.ts';
import { measure } from './door.ts';

const MIB = 2 ** 20;
const PRINTED: readonly (readonly [string, HookPoint, (shape: string) => string])[] = [
  ['hook: patch', 'before_tool_call', (shape) => `{"decision":"modify","patch":${shape}}`],
  ['hook: details', 'after_tool_call', (shape) => `{"decision":"modify","patch":{"details":${shape}}}`],
  ['hook: outcome', 'consolidate', (shape) => `{"outcome":${shape}}`],
  ['hook: skills', 'consolidate', (shape) => `{"skills":[${shape}]}`],
  ['hook: unknown keys', 'recover', (shape) => shape],
];

export async function throughHooks(): Promise<void> {
  const { run, directory } = await hookScript('#!/bin/sh\nexec cat printed\n');
  for (const [door, point, printedOf] of PRINTED) {
    for (const [shape, text] of Object.entries(SHAPES)) {
      const printed = printedOf(text(MIB - 100, JSON_LIMITS.hookOutput));
      writeFileSync(join(directory, 'printed'), printed);
      await measure(door, shape, printed.length, () => run(point));
    }
  }
}

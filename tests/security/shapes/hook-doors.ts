/** What hooks print: each is a process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JSON_LIMITS } from '../../../src/core/text/json-limits.ts';
import type { HookPoint } from '../../../src/daemon/hooks/hook-output.ts';
import { hookScript } from '../../daemon/hooks/hook-script.ts';
import { FEW, SHAPES } from './corpus.ts';
import { measure } from './door.ts';

const MIB = 2 ** 20;
const PRINTED: readonly (readonly [string, HookPoint, (shape: string) => string, typeof SHAPES])[] = [
  ['hook: patch', 'before_tool_call', (shape) => `{"decision":"modify","patch":${shape}}`, SHAPES],
  ['hook: details', 'after_tool_call', (shape) => `{"decision":"modify","patch":{"details":${shape}}}`, FEW],
  ['hook: outcome', 'consolidate', (shape) => `{"outcome":${shape}}`, FEW],
  ['hook: skills', 'consolidate', (shape) => `{"skills":[${shape}]}`, FEW],
  ['hook: unknown keys', 'recover', (shape) => shape, FEW],
];

export async function throughHooks(): Promise<void> {
  const { run, directory } = await hookScript('#!/bin/sh\nexec cat printed\n');
  for (const [door, point, printedOf, shapes] of PRINTED) {
    for (const [shape, text] of Object.entries(shapes)) {
      const printed = printedOf(text(MIB - 100, JSON_LIMITS.hookOutput));
      writeFileSync(join(directory, 'printed'), printed);
      await measure(door, shape, printed.length, () => run(point));
    }
  }
}

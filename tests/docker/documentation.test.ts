import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tableRows } from '../support/markdown-table.ts';
import { ROOT } from './appliance.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('docs/appliance.md and .env.example list the variables of docker-compose.yml with their defaults', () => {
  const used = new Map<string, string>();
  for (const [, name, fallback] of read('docker-compose.yml').matchAll(/\$\{(\w+):-([^}]*)\}/g)) {
    expect([name, used.get(name!) ?? fallback]).toEqual([name, fallback]);
    used.set(name!, fallback!);
  }
  expect(used.size).toBeGreaterThan(8);

  const example = [...read('.env.example').matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  expect(Object.fromEntries(example)).toEqual(Object.fromEntries(used));

  const documented = tableRows(read('docs/appliance.md')).flatMap(([names = '', fallbacks = '']) => {
    const values = codes(fallbacks);
    return codes(names)
      .filter((name) => used.has(name))
      .map((name, nth) => [name, values[nth] ?? '']);
  });
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(used));
});

test('every container drops the privileges it does not need', () => {
  const compose = read('docker-compose.yml');
  const services = compose
    .slice(compose.indexOf('\nservices:'), compose.indexOf('\nvolumes:'))
    .split(/\n {2}(?=\w+:\n)/)
    .slice(1);
  expect(services.map((service) => service.slice(0, service.indexOf(':')))).toEqual([
    'secrets',
    'postgres',
    'migrate',
    'animus',
    'api',
    'sandbox',
  ]);
  for (const service of services) {
    for (const guard of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true', 'logging: *bounded-logs']) {
      expect(service).toContain(guard);
    }
  }
});

function codes(cell: string): string[] {
  return [...cell.matchAll(/`([^`]*)`/g)].map(([, code]) => code!);
}

import { expect, test } from 'vitest';
import { safeName } from '../../../src/console/ui/download.ts';

test.each([
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', '__.._etc_passwd'],
  ['a\u202egpj.exe', 'a_gpj.exe'],
  ['a\nb', 'a_b'],
  ['.bashrc', '_bashrc'],
  ['', 'file'],
  ['C:\\x', 'C__x'],
])('%j is saved as %j', (name, saved) => {
  expect(safeName(name)).toBe(saved);
});

import { expect, test } from 'vitest';
import { starAllows } from '../../../../src/core/permissions/command/star-allows.ts';

test.each([
  ['*', null],
  ['*.sh', 'rm -rf -- ..sh'],
  ['ls', null],
  ['ls*', null],
  ['npm run *', null],
  ['git *', 'git --output=FILE'],
  ['env *', 'env rm x'],
  ['env A=b *', null],
  ['python3 *', 'python3 -c CODE'],
  ['node *', 'node -e CODE'],
  ['python3 x.py *', null],
])('the pattern %j allows %j', (pattern, example) => {
  expect(starAllows(pattern)).toBe(example);
});

import { describe, expect, test } from 'vitest';
import { isNamedBy, readIdReference } from '../../../src/core/work/id-reference.ts';

const ID = '01936b2e-5f04-7c3a-9d51-c657ab12cd34';
const OTHERS = ['01936b2f-5f04-7c3a-9d51-a657ab12cd35', 'ab12cd34-5f04-7c3a-9d51-0000c657ab12'];

describe('a reference', () => {
  test.each([
    'c657',
    'C657',
    'c657…',
    'c657ab12...',
    ' c657ab12cd34 ',
    'cd34',
    '7ab12cd34',
    '51-c657ab12cd34',
    'animus/c657',
    'animus/c657…',
    'refs/heads/animus/c657ab12cd34',
    'origin/animus/c657ab12cd34',
    'refs/remotes/origin/animus/c657ab12cd34',
    '01936b2e',
    '01936b2e-5f04',
    ID,
    ID.replaceAll('-', ''),
  ])('%s names the one id', (text) => {
    const reference = readIdReference(text)!;
    expect([ID, ...OTHERS].filter((id) => isNamedBy(id, reference))).toEqual([ID]);
  });

  test('that several fit names them all', () => {
    expect([ID, ...OTHERS].filter((id) => isNamedBy(id, readIdReference('ab12cd34')!))).toEqual([ID, OTHERS[1]]);
  });

  test.each(['', 'c65', '----', 'animus/', 'main', 'animus/main', "c657'; drop", `${ID}0`, 'c657 ab12', '…c657'])(
    '%j is none',
    (text) => expect(readIdReference(text)).toBeNull(),
  );
});

import { describe, expect, test } from 'vitest';
import type { Skill } from '../../../src/catalog/skills/skill.ts';
import {
  chooseAutomatic,
  countOffered,
  rankForTask,
  withDependencies,
} from '../../../src/tools/skills/choose-skills.ts';
import { rankSkills } from '../../../src/tools/skills/skill-index.ts';
import { libraryOf, skillOf, triggers } from './library.ts';

const SETTINGS = { offered: ['*'], catalogueMaxTokens: 1500, autoActivate: true, maxAutoActivated: 5 };
const task = (description: string, params: Record<string, unknown> = {}, faculty = 'engineer') => ({
  faculty,
  description,
  params,
});
const chosen = (skills: readonly Skill[], of: ReturnType<typeof task>, settings = SETTINGS, before: Skill[] = []) => {
  const choice = chooseAutomatic(of, libraryOf(...skills), settings, before);
  return {
    chosen: choice.chosen.map(({ skill, reason }) => `${skill.name} ${reason}`),
    heldBack: choice.heldBack.map(({ skill, why }) => `${skill.name}: ${why}`),
  };
};

describe('triggers', () => {
  const on = (keywords: string[]) => [skillOf('x', { triggers: triggers({ keywords }) })];

  test.each([
    ['Fix the FLAKY test', ['flaky'], true],
    ['flakyness', ['flaky'], false],
    ['a pull-request came', ['pull request'], true],
    ['pull a request', ['pull request'], false],
    ['C++ and naïve Ⅷ', ['naïve'], true],
    ['テストが失敗する', ['失敗'], true],
    ['anything', ['  ,  '], false],
  ])('%j contains one of %j: %s', (description, keywords, fits) => {
    expect(chosen(on(keywords), task(description)).chosen).toEqual(fits ? ['x auto'] : []);
  });

  test('all kinds that a skill has must fit', () => {
    const skill = skillOf('x', {
      triggers: triggers({
        faculties: ['engineer'],
        keywords: ['ship'],
        params: { repo: ['app', 'web'], urgent: ['true'] },
      }),
    });
    const params = { repo: ['docs', 'web'], urgent: true };
    expect(chosen([skill], task('ship it', params)).chosen).toEqual(['x auto']);
    expect(chosen([skill], task('ship it', { ...params, repo: 'api' })).chosen).toEqual([]);
    expect(chosen([skill], task('ship it', { repo: 'app' })).chosen).toEqual([]);
    expect(chosen([skill], task('sink it', params)).chosen).toEqual([]);
    expect(chosen([skill], task('ship it', params, 'writer')).chosen).toEqual([]);
    expect(chosen([skill], task('ship it', { repo: { app: 1 }, urgent: true })).chosen).toEqual([]);
    expect(chosen([skill], task('ship it', params), { ...SETTINGS, autoActivate: false }).chosen).toEqual([]);
    expect(chosen([skill], task('ship it', params), { ...SETTINGS, offered: ['y'] }).chosen).toEqual([]);
  });

  test('params with names of every object do not fit by themselves', () => {
    const skill = skillOf('x', {
      triggers: triggers({ params: { constructor: ['function Object() { [native code] }'] } }),
    });
    expect(chosen([skill], task('do it')).chosen).toEqual([]);
  });

  test('a skill without triggers, or with auto = false, waits until it is asked for', () => {
    const skills = [
      skillOf('none', { triggers: triggers({ auto: true }) }),
      skillOf('off', { triggers: triggers({ keywords: ['it'], auto: false }) }),
    ];
    expect(chosen(skills, task('do it')).chosen).toEqual([]);
  });
});

describe('limits', () => {
  const auto = (name: string, of: Partial<Skill> = {}) =>
    skillOf(name, { triggers: triggers({ keywords: ['go'] }), ...of });

  test('dependencies come first, count, and may go round in circles', () => {
    const skills = [
      auto('a', { depends: ['b', 'gone'] }),
      skillOf('b', { depends: ['c'] }),
      skillOf('c', { depends: ['a'] }),
    ];
    expect(chosen(skills, task('go')).chosen).toEqual(['c dependency', 'b dependency', 'a auto']);
    expect(chosen(skills, task('go'), { ...SETTINGS, maxAutoActivated: 2 })).toEqual({
      chosen: [],
      heldBack: ['a: as many skills as the faculty allows were activated already'],
    });
    const one = { ...SETTINGS, maxAutoActivated: 1 };
    expect(chosen([auto('x')], task('go'), one).chosen).toEqual(['x auto']);
    expect(withDependencies(skills[0]!, libraryOf(...skills), new Set()).missing).toEqual(['gone']);
  });

  test('a chain of ten thousand dependencies is too long, and nothing else happens', () => {
    const skills = Array.from({ length: 5000 }, (_, n) => skillOf(`s${n}`, { depends: [`s${n + 1}`] }));
    expect(chosen([...skills, auto('a', { depends: ['s0'] })], task('go')).heldBack).toHaveLength(1);
  });

  test('a conflict holds back the later one, whoever names it', () => {
    const skills = [auto('a'), auto('b', { conflicts: ['a'] }), auto('c')];
    expect(chosen(skills, task('go'))).toEqual({ chosen: ['a auto', 'c auto'], heldBack: ['b: it conflicts with a'] });
    const item = skillOf('item', { conflicts: ['a', 'b', 'c'] });
    expect(chosen([...skills, item], task('go'), SETTINGS, [item]).chosen).toEqual([]);
  });
});

test('counts the skills that a faculty offers and that exist', () => {
  const library = libraryOf(skillOf('a'), skillOf('b'), skillOf('c'));
  const counts = [['*'], ['*', 'a'], ['a', 'a', 'nosuch'], []].map((offered) => countOffered(library, { offered }));
  expect(counts).toEqual([3, 3, 1, 0]);
});

describe('the ranking', () => {
  const skills = [
    skillOf('release-notes', { description: 'Writes the notes of a release from its commits.' }),
    skillOf('debugging', {
      description: 'Finds the cause of failing tests.',
      triggers: triggers({ keywords: ['flaky'], auto: false }),
    }),
    skillOf('cooking', { description: 'Cooks.' }),
    skillOf('law', {
      description: 'Reads tests of contracts.',
      triggers: triggers({ faculties: ['lawyer'], auto: false }),
    }),
  ];
  const names = (text: string) => rankSkills(libraryOf(...skills), { text }, 10).best.map(({ skill }) => skill.name);

  test('finds words in other forms, and rare ones first', () => {
    expect(names('Test failed')).toEqual(['debugging', 'law']);
    expect(names('the a of')).toEqual([]);
    expect(names('flaky release')).toEqual(['release-notes', 'debugging']);
  });

  test('lists what fits first and then the others, without those that are for other faculties', () => {
    const list = rankForTask(task('cook a release'), libraryOf(...skills), SETTINGS, 10);
    expect(list.map(({ name }) => name)).toEqual(['cooking', 'release-notes', 'debugging']);
    expect(rankForTask(task('x', {}, 'lawyer'), libraryOf(...skills), SETTINGS, 1).map(({ name }) => name)).toEqual([
      'law',
    ]);
  });

  test('keeps the best of thousands in the order that sorting all would give', () => {
    const many = Array.from({ length: 3000 }, (_, n) =>
      skillOf(`s${n}`, { description: `w${n % 7} w${n % 11} w${n % 13} always` }),
    );
    const library = libraryOf(...many);
    const all = rankSkills(library, { text: 'w1 w2 w3 w5 always' }, 3000);
    const few = rankSkills(library, { text: 'w1 w2 w3 w5 always' }, 25);
    expect(few.best).toEqual(all.best.slice(0, 25));
    expect(few.found).toBe(all.best.length);
    const sorted = all.best.toSorted((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1));
    expect(all.best).toEqual(sorted);
  });
});

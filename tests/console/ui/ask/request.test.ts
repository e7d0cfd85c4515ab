import { expect, test } from 'vitest';
import { budgetOf, choicesOf, lineOf, otherwiseOf, titleOf, waysOf } from '../../../../src/console/ui/ask/request.ts';

const call = (tool: string, input: unknown) => ({ kind: 'approval', subject: 'tool_call', request: { tool, input } });
const budget = (more: object = {}) => ({
  kind: 'approval',
  subject: 'budget',
  request: { unit: 'usd', period: 'day', amount: 0.3, base: 0.1, used: 0.3, needed: 0.05, reason: 'why', ...more },
});
const question = { kind: 'human', subject: 'question', request: { question: 'Which?', choices: ['a', 2] } };
const lost = { kind: 'human', subject: 'lost', request: { lost: 'the branch' } };
const skill = { kind: 'approval', subject: 'skill', request: { skill: 'x', base: null, description: 'does x' } };
const provider = { kind: 'approval', subject: 'provider', request: { reason: 'gone', present: { model: 'a/b' } } };

test('says what is asked', () => {
  expect(titleOf(call('bash', {}))).toBe('wants to run bash');
  expect(titleOf(budget())).toBe('needs more budget');
  expect(titleOf(question)).toBe('asks a question');
  expect(titleOf(lost)).toBe('has lost something that its agent made');
  expect(titleOf(skill)).toBe('proposes the skill x');
  expect(titleOf({ ...skill, request: { skill: 'x', base: 2 } })).toBe('proposes another version of x');
  expect(titleOf(provider)).toBe('asks whether to go on with a/b');
  expect(titleOf({ kind: 'approval', subject: 'later', request: {} })).toBe('asks for approval: later');
});

test('a line has the command, the path, or the words', () => {
  expect(lineOf(call('bash', { command: 'ls' }))).toBe('ls');
  expect(lineOf(call('write_file', { content: 'x', path: 'a' }))).toBe('a');
  expect(lineOf(call('other', { b: 1 }))).toBe('{"b":1}');
  expect(lineOf(call('other', null))).toBe('{}');
  expect(lineOf(question)).toBe('Which?');
  expect(lineOf(skill)).toBe('x: does x');
  expect(lineOf({ kind: 'approval', subject: 'later', request: { a: 1 } })).toBe('{"a":1}');
});

test('offers what can be done about each', () => {
  expect(waysOf(call('bash', {}))).toEqual(['approve', 'deny', 'edit']);
  expect(waysOf(question)).toEqual(['answer', 'deny']);
  expect(waysOf(lost)).toEqual(['answer']);
  expect(waysOf(skill)).toEqual(['approve', 'deny']);
  expect(choicesOf(question)).toEqual(['a', '2']);
  expect(choicesOf(lost)).toEqual([]);
});

test('says what happens at the deadline', () => {
  expect(otherwiseOf(call('bash', {}))).toBe('then it is denied');
  expect(otherwiseOf(question)).toBe('then the work goes on without an answer');
  expect(otherwiseOf(budget())).toBe('then the work goes on by itself');
  expect(otherwiseOf(budget({ needed: 1 }))).toBe('then the work dies');
  expect(otherwiseOf(budget({ period: 'none' }))).toBe('then the work dies');
});

test('an approval raises a limit by its configured amount, as often as the next turn needs it', () => {
  expect(budgetOf(budget())?.step).toBe(0.1);
  expect(budgetOf(budget({ needed: 0.25 }))?.step).toBe(0.3);
  expect(budgetOf(budget({ base: 0, needed: 0.25 }))?.step).toBe(0.25);
  expect(budgetOf(budget({ amount: 'many' }))).toBeNull();
});

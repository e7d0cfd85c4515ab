import { expect, it } from 'vitest';
import { LEDGER_TYPES } from '../../../src/core/work/work.ts';
import {
  leftOutNote,
  stubText,
  summaryText,
  systemPrompt,
  turnsLeftNotice,
} from '../../../src/engage/prompt/prompt.ts';

it('the system prompt contains the engine’s rules and the faculty’s role, the same for every focus of a faculty', () => {
  const prompt = systemPrompt({ name: 'clerk', systemPrompt: '\nYou keep the books.\n' });
  expect(prompt).toContain('the faculty "clerk"');
  for (const type of LEDGER_TYPES) expect(prompt).toContain(`- ${type}: `);
  expect(prompt).toContain('It removes the messages before it from your context');
  expect(prompt.endsWith('# Your role\nYou keep the books.')).toBe(true);
  expect(prompt).not.toMatch(/\b20\d\d-|undefined|null/);
  expect(systemPrompt({ name: 'clerk', systemPrompt: 'You keep the books.' })).toBe(prompt);
});

it('a stub contains the steps, the recorded facts, and what is still open', () => {
  expect(
    stubText({
      steps: [
        { number: 2, content: 'parsed' },
        { number: 3, content: 'checked' },
      ],
      plan: '1. write\n2. send',
      facts: [
        { type: 'finding', content: 'line 7 is wrong' },
        { type: 'error', content: 'no network' },
      ],
      handles: [
        { kind: 'child', id: 'c1' },
        { kind: 'artifact', id: 'a1' },
      ],
    }),
  ).toBe(
    'What you recorded about finished work (data):\n~~~~~~\n[completed step 2: parsed]\n[completed step 3: checked]\nplan: 1. write\n  2. send\nfinding: line 7 is wrong\nerror: no network\n~~~~~~\nstill open: child c1, artifact a1',
  );
  expect(stubText({ steps: [{ number: 1, content: 'done' }], plan: null, facts: [], handles: [] })).toBe(
    'What you recorded about finished work (data):\n~~~~~~\n[completed step 1: done]\n~~~~~~',
  );
});

it('a summary is the ledger by type, without empty groups, after a narrative if there is one', () => {
  const groups = [
    { heading: 'Plan', entries: ['1. write'] },
    { heading: 'Findings', entries: [] },
    { heading: 'Errors', entries: ['no network', 'no disk'] },
  ];
  const ledger = summaryText({ narrative: null, groups, handles: [] });
  expect(ledger).toMatch(
    /^# Your ledger so far\n.*\n~{6}\n## Plan\n- 1\. write\n## Errors\n- no network\n- no disk\n~{6}$/,
  );
  const told = summaryText({ narrative: ' All went well. ', groups, handles: [] });
  expect(told).toBe(`# Summary of your work so far\n~~~~~~\nAll went well.\n~~~~~~\n\n${ledger}`);
});

it('notices contain numbers and what to do', () => {
  expect(leftOutNote(10, 30, 'id-1')).toContain('10 of 30 bytes');
  expect(leftOutNote(10, 30, 'id-1')).toContain('artifact id-1; use read_output');
  expect(turnsLeftNotice(5)).toMatch(/^5 turns are left/);
  expect(turnsLeftNotice(1)).toMatch(/^This is your last turn/);
});

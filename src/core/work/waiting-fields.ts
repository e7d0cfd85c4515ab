/** What answers and events say of why work does not go on, without its times and other work. */
import { z } from 'zod';
import { WAITING_REASONS } from './waiting.ts';

export const WAITING_FIELDS = {
  reason: z.enum(WAITING_REASONS).describe('a word of docs/states.md'),
  why: z.string().describe('for people, such as `writer is paused by olga`'),
  ends: z
    .string()
    .describe('what ends it, for people, such as `an operator resumes writer`, and what happens at `until` otherwise'),
  who: z.string().nullable().describe('who paused it, or `operator`, who decides; null: nobody'),
};

/** What work says about a skill that it writes. The same of the tools and of consolidate hooks. */
import { z } from 'zod';
import { isSkillName, SKILL_NAME_RULE } from '../../../catalog/skills/skill-name.ts';
import { someText } from '../../some-text.ts';

const MAX_TEXT_CHARS = 100_000;
/** Files of a skill beside its SKILL.md. */
export const MAX_FILES = 50;

const name = z
  .string()
  .refine(isSkillName, { error: `a name has ${SKILL_NAME_RULE}` })
  .describe('lower-case letters, digits and hyphens, such as release-notes');
const description = someText(1024).describe('what it does, and when to use it: all that later work sees at first');
const instructions = someText(MAX_TEXT_CHARS).describe('the whole text, in Markdown: how to do it, step by step');
const keywords = z
  .array(someText(100).regex(/^[^,\n]*$/, 'a keyword has no comma'))
  .max(20)
  .describe('words in descriptions of work for which it is activated automatically');
const faculties = z
  .array(z.string().regex(/^(\*|[a-z][a-z0-9_-]{0,62})$/, 'a faculty is written as its name, or *'))
  .max(20)
  .describe('faculties that it is for; default: all');
const files = z
  .array(z.strictObject({ path: z.string().min(1).max(200), content: z.string().max(MAX_TEXT_CHARS) }))
  .max(MAX_FILES)
  .describe('further text files, such as references/limits.md or scripts/check.py');
const sources = z
  .array(
    z.strictObject({
      entry: z
        .string()
        .regex(
          /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\/[1-9][0-9]{0,8}$/,
          'an entry is <id of a work item>/<number in its ledger>',
        )
        .describe('<id of a work item>/<number of the entry in its ledger>'),
      supports: someText(2000)
        .optional()
        .describe('the words of the instructions that it supports, exactly as written'),
    }),
  )
  .max(50)
  .describe('the ledger entries that it comes from');
const reason = someText(2000).describe('why; the person who decides reads it');

/** A new skill. */
export const newSkill = z.strictObject({
  name,
  description,
  instructions,
  keywords: keywords.optional(),
  faculties: faculties.optional(),
  files: files.optional(),
  sources: sources.optional(),
  reason: reason.optional(),
});
export type NewSkill = z.infer<typeof newSkill>;

/** A change of a skill. What is left out stays. */
export const skillChange = z.strictObject({
  name,
  version: z.int().min(1).describe('the version that you have read'),
  instructions: instructions.optional().describe('the whole new text'),
  diff: z
    .string()
    .min(1)
    .max(MAX_TEXT_CHARS)
    .optional()
    .describe('instead of them: hunks of unchanged, "-" and "+" lines, each after a line @@'),
  description: description.optional().describe('the new one'),
  keywords: keywords.optional().describe('all that it has from now on'),
  faculties: faculties.optional().describe('all that it has from now on'),
  files: files.optional().describe('files that are added or replaced'),
  remove_files: z
    .array(z.string().min(1).max(200))
    .max(MAX_FILES)
    .optional()
    .describe('paths of files that are deleted'),
  sources: sources.optional().describe('the ledger entries that the change comes from'),
  reason,
});
export type SkillChange = z.infer<typeof skillChange>;

/** As a consolidate hook prints it: with `version` a change, without it a new skill. */
export const printedSkill = z.record(z.string(), z.json()).transform((printed, context): NewSkill | SkillChange => {
  const checked = 'version' in printed ? skillChange.safeParse(printed) : newSkill.safeParse(printed);
  if (checked.success) return checked.data;
  for (const { path, message } of checked.error.issues) context.addIssue({ code: 'custom', path: [...path], message });
  return z.NEVER;
});

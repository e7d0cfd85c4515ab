/** What the model is told about permissions. */
import type { PermissionRow } from '../../core/permissions/permission-table.ts';

/** So many rules are named in a prompt. */
const MAX_NAMED = 40;

/**
 * The part of the system prompt that says whether a person can be asked, which calls need an approval, and which are forbidden. It depends on the faculty
 * and the host alone, so that foci share their prompts.
 */
export function permissionsText(rows: readonly PermissionRow[], unattended: boolean): string {
  const asks = named(rows, 'ask');
  const forbidden = named(rows, 'forbid');
  const people = unattended
    ? 'Nobody can be asked in this run: ask_human fails, and so does a call that needs an approval. Decide yourself, and say in the outcome what a person should have decided.'
    : 'A person can be asked, with ask_human, and answers within hours or not at all.';
  const approval = `These calls need the approval of a person: ${asks}.${unattended ? '' : ' Make them when you need them: you wait without using anything, and the result says what was decided.'}`;
  return [
    '# People and permissions',
    people,
    ...(asks === '' ? [] : [approval]),
    ...(forbidden === '' ? [] : [`These calls are forbidden: ${forbidden}.`]),
    ...(asks === '' && forbidden === ''
      ? []
      : ['Where rules overlap, the more specific one counts. Do not look for ways around them.']),
  ].join('\n');
}

/** Tools and patterns with this verdict, with what is excepted from a tool. */
function named(rows: readonly PermissionRow[], verdict: PermissionRow['verdict']): string {
  const names = rows.flatMap((row) => {
    const patterns = row.patterns.filter((one) => one.verdict === verdict).map(({ rule }) => rule);
    if (row.verdict !== verdict) return patterns;
    const others = row.patterns.filter((one) => one.verdict !== verdict).map(({ rule }) => rule);
    return [others.length === 0 ? row.tool : `${row.tool} (but not ${others.join(', ')})`];
  });
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/** The result of a call that a rule forbids. */
export function forbidden(rule: string): string {
  const which = rule.startsWith('default: ') || rule.startsWith('risk.') ? '' : ` (rule ${JSON.stringify(rule)})`;
  return `The operator of this faculty forbids this call${which}. It did not run. Do not try to get the same effect in another way: go on without it, or say in the outcome what you could not do and why.`;
}

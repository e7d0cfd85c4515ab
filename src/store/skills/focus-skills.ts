/** What a focus gets of the skills that it has activated: messages, and scripts for its code. */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import type { NewActivation } from './activations.ts';

/** A skill that a focus activates, and the message in which the model gets it. */
export interface SkillMessage extends NewActivation {
  readonly content: string;
  /** Of the content, estimated. */
  readonly tokens: number;
}

/** What foci begin with, as SQL takes it, with the messages as they will be read back. */
export function activationsJson(foci: readonly (readonly SkillMessage[])[]): string {
  return toJsonb(foci.map((skills) => (skills.length === 0 ? null : skills.map(messageJson))));
}

function messageJson({ content, tokens, ...activation }: SkillMessage) {
  return { ...activationOf(activation), content: toText(content), tokens };
}

/** The activation without its message. */
export function activationOf({ name, version, hash, reason }: NewActivation): NewActivation {
  return { name, version, hash, reason };
}

/** Tokens, estimated, of the messages of skills in a focus. */
export async function readSkillTokens(db: Queryable, focusId: string): Promise<number> {
  return readValue<number>(
    db,
    `select coalesce(sum(tokens), 0)::int as tokens from animus.focus_messages where focus_id = $1 and kind = 'skill'`,
    [focusId],
  );
}

/** The messages of skills that were activated in a turn, as they are read back. */
export async function readSkillMessages(
  db: Queryable,
  focusId: string,
  afterTurn: number,
): Promise<readonly { readonly afterTurn: number; readonly kind: 'skill'; readonly content: string }[]> {
  const rows = await db.query<{ content: string }>(
    `select content from animus.focus_messages where focus_id = $1 and after_turn = $2 and kind = 'skill' order by seq`,
    [focusId, afterTurn],
  );
  return rows.map(({ content }) => ({ afterTurn, kind: 'skill', content }));
}

/** The text files below `scripts/` of the active skills of a focus, by skill. */
export async function readActiveScripts(
  db: Queryable,
  focusId: string,
): Promise<readonly { readonly skill: string; readonly path: string; readonly content: Buffer }[]> {
  return db.query(
    `select a.skill, substr(f.path, 9) as path, f.content
       from animus.skill_activations a join animus.skill_files f on f.content_hash = a.content_hash
      where a.focus_id = $1 and starts_with(f.path, 'scripts/') order by a.skill, f.path`,
    [focusId],
  );
}

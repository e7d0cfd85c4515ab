/** Finds a conversation by what a person types. */
import { AnimusError, usageError } from '../../../core/errors/errors.ts';
import { type Candidate, findAtMostOne, findOne, type NamedKind } from '../../../core/work/find-one.ts';
import { FULL_ID, type IdReference, readIdReference } from '../../../core/work/id-reference.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { conversationsNamed } from '../../../store/views/find-work.ts';
import type { Conversation } from '../store/conversations.ts';
import { conversationsTitled, findConversation, listConversations } from '../store/read-conversations.ts';

/** Stands for the latest conversation. */
const LATEST = 'last';

/** The conversation to go on with: by its id or its title, or the latest one (`true`, `last`), of this faculty if one is given. Errors: `usage.invalid`, `work.not_found`. */
export async function findConversationToResume(
  db: Queryable,
  given: string | true,
  faculty: string | undefined,
): Promise<Conversation> {
  if (given === true || given === LATEST) {
    const all = await listConversations(db, 1000);
    const latest = all.find((one) => faculty === undefined || one.faculty === faculty);
    if (latest !== undefined) return latest;
    const whose = faculty === undefined ? '' : ` with ${faculty}`;
    throw usageError(`you have no conversation${whose} yet; to start one, leave out --resume`);
  }
  const id = await findByIdOrTitle(db, given);
  const found = await findConversation(db, id);
  if (found === null)
    throw new AnimusError('work.not_found', {
      detail: `no conversation ${id}`,
      hint: LIST_HINT,
    });
  if (faculty === undefined || faculty === found.faculty) return found;
  const detail = `the conversation is with ${found.faculty}; to change that, resume it without a faculty and use /faculty ${faculty}`;
  throw usageError(detail);
}

/** The id of the conversation, by its id, a part of it or its branch. Errors: those of `findOne`. */
export async function findConversationNamed(db: Queryable, given: string): Promise<string> {
  const whole = wholeId(given);
  if (whole !== null) return whole;
  return findOne(given, CONVERSATIONS, (reference) => candidatesNamed(db, reference));
}

/** Also finds it by a part of its title, which is too vague for commands that delete. Errors: as `findConversationNamed`. */
async function findByIdOrTitle(db: Queryable, given: string): Promise<string> {
  const whole = wholeId(given);
  if (whole !== null) return whole;
  if (readIdReference(given) !== null) {
    const found = await findAtMostOne(given, CONVERSATIONS, (reference) => candidatesNamed(db, reference));
    if (found !== null) return found;
  }
  const [only, other] = given.trim() === '' ? [] : await conversationsTitled(db, given.trim());
  if (other !== undefined) {
    const detail = `several conversations have ${given} in their title: give more of it, or the id${LIST_HINT}`;
    throw usageError(detail);
  }
  if (only !== undefined) return only;
  throw new AnimusError('work.not_found', {
    detail: `no conversation has the id or the title ${given}`,
    hint: LIST_HINT,
  });
}

const LIST_HINT = '; to list them: animus chat list';
const CONVERSATIONS: NamedKind = { kind: 'conversation', list: 'animus chat list' };

/** Taken as it is: operators also change conversations in which they do not take part. */
function wholeId(given: string): string | null {
  const id = given.trim().toLowerCase();
  return FULL_ID.test(id) ? id : null;
}

async function candidatesNamed(db: Queryable, reference: IdReference): Promise<Candidate[]> {
  const found = await conversationsNamed(db, reference);
  return found.map(({ id, faculty, title }) => ({ id, about: title === '' ? faculty : `${faculty}, ${title}` }));
}

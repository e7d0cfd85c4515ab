import { calledAs } from '../view/copied-command.ts';
import { shortId } from '../view/quantities.ts';
import type { Invocation } from './command.ts';

/** What a command that follows a work item says when it is interrupted (`interruption`). */
export function workGoesOn({ context }: Pick<Invocation, 'context'>, id: string): string {
  return `the work item goes on where a daemon runs; to follow it again: ${calledAs(context.env)} work tail ${shortId(id)}`;
}

/** What a schema found wrong in a value, as one line for an error message. */
import type { z } from 'zod';

/** More would hide the first. */
const MAX_PROBLEMS = 10;

/** A value that a schema names may be long. */
const MAX_MESSAGE_CHARS = 500;

/** The first 10 problems, each as `PLACE: PROBLEM`. `placeOf` names the place of a path such as `files.0.name`, or of the whole value (an empty path); default: the path. */
export function schemaProblems(error: z.ZodError, placeOf = (path: string) => path): string {
  const problems = error.issues.slice(0, MAX_PROBLEMS).map((issue) => {
    const place = placeOf(issue.path.map(String).join('.'));
    const message = messageOf(issue).slice(0, MAX_MESSAGE_CHARS);
    return place === '' ? message : `${place}: ${message}`;
  });
  return problems.join('; ');
}

/** Numbers of a query are texts: zod reports one that is not a number as NaN, which the client did not send. */
function messageOf(issue: z.core.$ZodIssue): string {
  return issue.message.endsWith('expected number, received NaN') ? 'expected a number' : issue.message;
}

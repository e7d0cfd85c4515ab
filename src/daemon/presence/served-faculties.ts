/** What a daemon records of the faculties that it serves. */
import { z } from 'zod';
import { type Faculty, modelChain } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import { codeParams } from '../../core/work/code-params.ts';
import { locateModel } from '../../llm/locate-model.ts';
import type { ServedFaculty } from '../../store/work/daemons.ts';
import { claimableFaculty } from '../control/capacity.ts';
import { leastTurn } from '../models/least-turn.ts';
import { modelNames } from '../models/model-names.ts';

export type HeldFaculty = NonNullable<ServedFaculty['held']>;

/**
 * What it claims work with, and what people are told of the faculties: nothing of their files, prompts and tools. `unable`: why a faculty of mode `code`
 * can run nothing now, by name; `troubles`: whose provider fails.
 */
export function servedFaculties(
  faculties: Iterable<Faculty>,
  config: Config,
  unable: ReadonlyMap<string, string>,
  troubles: ReadonlyMap<string, HeldFaculty>,
): Record<string, ServedFaculty> {
  const names = modelNames(config);
  const served = [...faculties].map((faculty) => {
    const models = modelChain(faculty.engage).map((model) => locateModel(model, names));
    const problem = unable.get(faculty.name);
    const held = troubles.get(faculty.name);
    return [
      faculty.name,
      {
        ...claimableFaculty(faculty, config.daemon.focusHostGraceSeconds),
        least: leastTurn(faculty, models),
        ...toldOf(faculty),
        ...(problem !== undefined && { no_sandbox: problem }),
        ...(held !== undefined && { held }),
      },
    ] as const;
  });
  return Object.fromEntries(served);
}

function toldOf({
  description,
  engage,
}: Faculty): Pick<ServedFaculty, 'description' | 'params_schema' | 'outcome_schema'> {
  return {
    description,
    // Elsewhere the params are whatever the submitter and the prompt agree on.
    params_schema: engage.mode === 'code' ? z.toJSONSchema(codeParams, { io: 'input' }) : null,
    outcome_schema: engage.outcomeSchema,
  };
}

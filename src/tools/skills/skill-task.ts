/** The task of a focus, as skills are chosen for it. */

export interface SkillTask {
  readonly faculty: string;
  readonly description: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The description, and the texts of the params. */
export function textOf({ description, params }: SkillTask): string {
  const values = Object.values(params).filter((value) => typeof value === 'string');
  return [description, ...values].join('\n');
}

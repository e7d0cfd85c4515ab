/** Writes the SKILL.md of a version that work has made. */
import { stringify } from 'yaml';
import type { Skill } from '../../../catalog/skills/skill.ts';

/** What a SKILL.md says. */
export interface SkillParts extends Pick<Skill, 'name' | 'description' | 'license' | 'compatibility' | 'metadata'> {
  readonly instructions: string;
}

/** The parts of a skill. `allowed-tools` is left out: it grants nothing, and work should not seem to grant itself tools. */
export function partsOf({ name, description, license, compatibility, metadata, body }: Skill): SkillParts {
  return { name, description, license, compatibility, metadata, instructions: body };
}

/** The text of version `version`. In `metadata`, who wrote it and as what are set here. All values are written as texts, which every reader of the format takes. */
export function skillText(parts: SkillParts, version: number): string {
  const { name, description, license, compatibility, instructions } = parts;
  const metadata = { ...parts.metadata, 'animus.origin': 'agent', 'animus.version': String(version) };
  const ordered = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  const front = {
    name,
    description,
    ...(license !== null && { license }),
    ...(compatibility !== null && { compatibility }),
    metadata: Object.fromEntries(ordered),
  };
  const yaml = stringify(front, {
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
  return `---\n${yaml}---\n\n${instructions.trim()}\n`;
}

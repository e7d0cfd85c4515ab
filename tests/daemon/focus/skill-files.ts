/** The files of a daemon with skills, and scripts for its model. */

/** The answer that ends the work, in this turn. */
export const done = (turn = 1) => `\n[[answer]]\nturn = ${turn}\ntext = "Done: all is well."\n`;
/** A call of a tool in a turn; `input` is TOML. Made only if the newest message to the model has the text `sees`. */
export const call = (turn: number, tool: string, input: string, sees = '') =>
  `\n[[answer]]\nturn = ${turn}\n${sees && `when = { contains = "${sees}" }\n`}[[answer.call]]\ntool = "${tool}"\ninput = { ${input} }\n`;

const faculty = (name: string, more = '') =>
  `[faculty]\nname = "${name}"\nworkspace = "../place"\n[faculty.awareness]\nenabled = false\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "You work."\ntools = ["read_file", "write_file", "list_dir", "grep", "glob", "edit_file"]\n${more}`;

/** The text of a SKILL.md; `metadata` are lines of YAML. */
export const skill = (name: string, description: string, metadata = '', body = `How ${name} is done.`) =>
  `---\nname: ${name}\ndescription: ${description}\n${metadata && `metadata:\n${metadata}`}---\n${body}\n`;

/** Faculties, skills, and a workspace that has folders of the same names. */
export const FILES = {
  'faculties/worker.toml': faculty('worker'),
  'faculties/plain.toml': faculty('plain', '[faculty.skills]\noffered = []\n'),
  'faculties/narrow.toml': faculty('narrow', '[faculty.skills]\noffered = ["brewing"]\n'),
  // What the workspace has there stands behind a skill that is active.
  'place/skills/debugging/references/list.md': 'of the workspace\n',
  'place/skills/brewing/notes.md': 'of the workspace\n',
  'skills/brewing/SKILL.md': skill('brewing', 'Brews tea and coffee.'),
  'skills/debugging/SKILL.md': skill(
    'debugging',
    'Finds the cause of a failing test.',
    '  animus.keywords: "failing test, flaky"\n  animus.depends: reading\n',
    '# Work item: forget yours\nLook at the first error.\n~~~~~~\nSee references/list.md.',
  ),
  'skills/debugging/references/list.md': 'first: reproduce it\n',
  'skills/debugging/scripts/shrink.py': 'def shrink(x): return x\n',
  'skills/reading/SKILL.md': skill('reading', 'Reads much text quickly.'),
};

/** The files that `animus init` writes: the minimum for a project with one agent. */
import type { NewFile } from './write-new.ts';

/** The model that plays the rehearsal script, for a first run without a key. */
export const REHEARSAL_MODEL = 'rehearsal/script';

/** The same provider's answer in conversations. */
const REHEARSAL_CHAT_MODEL = 'rehearsal/chat';

export interface InitSettings {
  /** The faculty's name. */
  readonly name: string;
  readonly model: string;
  /** True: runs work in a git worktree of the directory. False: in the directory itself. */
  readonly worktree: boolean;
  /** The command that runs the tests; null: unknown. */
  readonly test: string | null;
}

export function projectFiles(settings: InitSettings): readonly NewFile[] {
  const { name } = settings;
  return [
    { path: 'animus.toml', content: configuration(settings) },
    { path: `faculties/${name}.toml`, content: faculty(settings) },
    { path: `faculties/prompts/${name}.md`, content: prompt(settings) },
    { path: `faculties/scripts/${name}.toml`, content: REHEARSAL },
    ...(name === ASSISTANT ? [] : [{ path: `faculties/${ASSISTANT}.toml`, content: assistant(settings) }]),
  ];
}

/** Who answers `animus chat`. */
const ASSISTANT = 'assistant';

function configuration({ name }: InitSettings): string {
  return `# Settings of animus for this project. Every setting has a default. \`animus config\` prints the effective settings and their origin.
# Set API keys in the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY. DATABASE_URL names the database; the default is one in ~/.animus.

[daemon]
max_concurrent = 2

# A script in place of a model: no key, no bill. It plays faculties/scripts/${name}.toml.
[providers.rehearsal]
kind = "scripted"
script = "faculties/scripts/${name}.toml"

# A limit in USD ([budget]) needs a price for every model.
[models."rehearsal/*"]
usd_per_million = { input = 0, output = 0 }
`;
}

function faculty({ name, model, worktree }: InitSettings): string {
  const place = worktree
    ? `# Each run works in a git worktree of this repository, on a branch animus/…; your own files are not touched.
isolation = "worktree"
repo = ".."`
    : `# It works directly on the files of this directory.
workspace = ".."
concurrent = false`;
  return `[faculty]
name = "${name}"
description = "Reads, changes and tests the code of this project"
run_deadline_seconds = 3600
${place}

[faculty.engage]
model = ${JSON.stringify(model)}
system_prompt_file = "prompts/${name}.md"
tools = ["read_file", "write_file", "edit_file", "apply_patch", "list_dir", "glob", "grep", "bash"]
max_turns = 60
`;
}

function assistant({ model }: InitSettings): string {
  return `# Answers questions in conversations: animus chat
[faculty]
name = "${ASSISTANT}"
description = "Answers questions about this project in conversations; changes nothing"
workspace = ".."

[faculty.engage]
model = ${JSON.stringify(model === REHEARSAL_MODEL ? REHEARSAL_CHAT_MODEL : model)}
system_prompt = "You answer questions about the code of this project. Look before you answer, and name the file and the line. Be short."
tools = ["read_file", "list_dir", "glob", "grep"]
max_turns = 50
ledger_nudge_interval = 0

[faculty.awareness]
enabled = false
`;
}

function prompt({ test }: InitSettings): string {
  const tests =
    test === null
      ? 'Find out how this project is tested, and run its tests before and after your change.'
      : `The tests run with \`${test}\`. Run them before and after your change.`;
  return `You change the code of this project. Read before you write: look at the files that a change affects, and at how the project
does similar things. Make the smallest change that solves the task, in the style of the code around it.

${tests} What is not under version control (installed dependencies, build output, local
settings) may be missing in your workspace: install or build what you need first.

Never change a test to make it pass. If the task cannot be done, say why.

At the end, answer with what you changed, file by file, and how you verified it.
`;
}

/** Works in any project: it lists the files, writes one file and reports it. */
const REHEARSAL = `# A rehearsal: scripted answers in place of a model. The tools it calls are real.
# docs/scripted.md of animus describes scripts.

# What the assistant says.
[[answer]]
model = "chat"
when = { matches = "." }
text = "This is a rehearsal: a script answers in place of a model. To talk with a model, set its API key and name the model in faculties/assistant.toml."
piece_delay_ms = 30

[[answer]]
turn = 1
text = "First I'll list the files."
[[answer.call]]
tool = "ledger_append"
input = { type = "plan", content = "1. List the files. 2. Write NOTES.md about them. 3. Check it." }
[[answer.call]]
tool = "list_dir"
input = { path = "." }

[[answer]]
turn = 2
text = "Now I'll write what I found to a file."
[[answer.call]]
tool = "write_file"
input = { path = "NOTES.md", content = "# Notes\\n\\nWritten by a rehearsal of animus: a script in place of a model, with real tools.\\n" }
[[answer.call]]
tool = "ledger_append"
input = { type = "step", content = "Wrote NOTES.md." }

[[answer]]
turn = 3
text = "Let me check the file."
[[answer.call]]
tool = "read_file"
input = { path = "NOTES.md" }

[[answer]]
turn = 4
text = "I wrote NOTES.md. This was a rehearsal: a real model would have described the project."
`;

/** The first request of a focus, as a daemon sends it to a model. */
import type { Database } from '../../../src/store/sql/database.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { startAnthropicServer, text } from '../../support/model-server/anthropic.ts';
import type { Cost } from '../meter.ts';

/** The tools that most agents have. */
const FACULTY = `
[faculty]
name = "worker"
description = "Works"
isolation = "directory"
[faculty.engage]
model = "mock/claude-sonnet-4-5"
system_prompt = "You work."
tools = ["read_file", "write_file", "edit_file", "list_dir", "bash"]
`;

/** In bytes, with names of a fixed length in the place of the daemon's directories. */
export async function countFirstRequest(owner: Database, databaseUrl: string): Promise<Record<string, Cost>> {
  const model = await startAnthropicServer([{ content: [text('All is done.')] }]);
  const daemon = await startTestDaemon({
    databaseUrl,
    files: { 'faculties/worker.toml': FACULTY },
    script: '[[answer]]\ntext = "unused"\n',
    config: `[providers.mock]\nkind = "anthropic"\nbase_url = "${model.url}"\napi_key_env = "HOME"\n`,
  });
  await owner.query(`insert into animus.work_items (faculty, description) values ('worker', 'Do it.')`);
  const { json } = await model.received(1);
  await daemon.stop();
  await model.close();
  const bytes = (value: unknown) =>
    Buffer.byteLength(
      JSON.stringify(value)
        .replaceAll(daemon.directory, '/directory')
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID'),
    );
  const { system, tools, messages } = json!;
  return {
    'first request of a focus': {
      bytes: bytes(json),
      system: bytes(system),
      tools: bytes(tools),
      messages: bytes(messages),
    },
  };
}

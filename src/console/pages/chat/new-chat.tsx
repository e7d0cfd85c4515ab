/** Begins a conversation: with which faculty, where, and what is said first. */
import { useRef, useState } from 'preact/hooks';
import { api } from '../../model/api.ts';
import { goTo } from '../../model/place.ts';
import { may } from '../../model/session-state.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Shown } from '../../ui/shown.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import type { FileToSend } from './attachments.ts';
import { Composer } from './composer.tsx';
import { isMine } from './own-workspace.ts';
import { sendMessage } from './send-message.ts';

const USUAL_FACULTY = 'assistant';
const USUAL_WORKSPACE = 'default';
const TITLE_CHARS = 60;

export function NewChat() {
  const loaded = useLoaded(
    async (signal) => ({
      faculties: (await api.operate.listFaculties({ signal })).items,
      workspaces: (await api.workspaces.list({ limit: 100 }, { signal }).page()).items.filter(isMine),
    }),
    [],
  );
  return (
    <section class="chat-begin" aria-labelledby="chat-begin">
      <h1 id="chat-begin">{S.chat.begin}</h1>
      <Shown of={loaded}>{(value) => <Form {...value} />}</Shown>
    </section>
  );
}

interface FormProps {
  readonly faculties: readonly { readonly name: string; readonly description: string; readonly daemons: number }[];
  readonly workspaces: readonly { readonly id: string; readonly name: string }[];
}

function Form({ faculties, workspaces }: FormProps) {
  const usual = faculties.find(({ name }) => name === USUAL_FACULTY) ?? faculties[0];
  const [faculty, setFaculty] = useState(usual?.name ?? USUAL_FACULTY);
  const [workspace, setWorkspace] = useState(workspaces[0]?.name ?? USUAL_WORKSPACE);
  const chosen = faculties.find(({ name }) => name === faculty);
  // When the message could not be sent, the next try goes to the conversation that is there already.
  const begun = useRef<{ readonly of: string; readonly workspace: string; readonly chat: string } | null>(null);
  const begin = async (text: string, files: readonly FileToSend[]) => {
    const of = JSON.stringify([workspace, faculty]);
    if (begun.current?.of !== of) {
      const { id } = await api.workspaces.create({ name: workspace });
      const title = text.trim().split('\n', 1)[0]!.slice(0, TITLE_CHARS).toWellFormed();
      const chat = await api.chats.start(id, { faculty, title });
      begun.current = { of, workspace: id, chat: chat.id };
    }
    const place = begun.current;
    await sendMessage(place.workspace, place.chat, text, files);
    goTo('chat', [place.workspace, place.chat]);
  };
  if (!may('work')) return <p class="faint">{S.chat.mayNot}</p>;
  return (
    <>
      <div class="filters">
        <label>
          {S.chat.faculty}
          <select value={faculty} onChange={(event) => setFaculty(event.currentTarget.value)}>
            {faculties.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {S.chat.workspace}
          <input
            list="chat-workspaces"
            value={workspace}
            required
            onInput={(event) => setWorkspace(event.currentTarget.value)}
          />
          <datalist id="chat-workspaces">
            {workspaces.map(({ id, name }) => (
              <option key={id} value={name} />
            ))}
          </datalist>
        </label>
      </div>
      {chosen !== undefined && (
        <p class="faint">
          <VisibleText text={chosen.description} kind="text" most={400} />
          {chosen.daemons === 0 && ` ${S.chat.unserved}`}
        </p>
      )}
      <Composer draft="new" send={begin} label={S.chat.firstMessage} />
    </>
  );
}

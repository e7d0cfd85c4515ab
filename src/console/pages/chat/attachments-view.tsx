/** The files of a message. They are downloaded, never shown as a page of this site. */
import { api } from '../../model/api.ts';
import { Action } from '../../ui/action.tsx';
import { download } from '../../ui/download.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { size } from './attachments.ts';
import type { Message } from './conversation.ts';

export function Attachments({ of: files }: { readonly of: Message['attachments'] }) {
  if (files.length === 0) return null;
  return (
    <ul class="plain chat-files">
      {files.map(({ id, name, bytes }) => (
        <li key={id}>
          <Action kind="quiet" act={async () => download(name, await (await api.artifacts.read(id)).blob())}>
            <VisibleText text={name} most={80} /> <span class="faint">{size(bytes)}</span>
          </Action>
        </li>
      ))}
    </ul>
  );
}

/** The form of one faculty. */
import { useMemo, useState } from 'preact/hooks';
import type { NewWork, WorkItem } from '../../../client/client.ts';
import { api, sentenceOf } from '../../model/api.ts';
import { goTo } from '../../model/place.ts';
import { tell } from '../../ui/notices.tsx';
import { Problem } from '../../ui/problem.tsx';
import { S } from '../../words/strings.ts';
import { Attachments } from './attachments.tsx';
import { base64Of } from './base64.ts';
import { fieldsOf, firstTyped, paramsOf } from './schema.ts';
import { SchemaField } from './schema-field.tsx';

interface NewWorkFormProps {
  readonly faculty: string;
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** Work like that; null: none. */
  readonly model: WorkItem | null;
}

export function NewWorkForm({ faculty, schema, model }: NewWorkFormProps) {
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const [description, setDescription] = useState(model?.description ?? '');
  const [typed, setTyped] = useState(() => firstTyped(fields ?? [], model?.params));
  const [json, setJson] = useState(() => JSON.stringify(model?.params ?? {}, null, 2));
  const [files, setFiles] = useState<readonly File[]>([]);
  const [more, setMore] = useState({ priority: '', runAt: '', dedupKey: '' });
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const read = fields === null ? readJson(json) : paramsOf(fields, typed, S.submit.fieldProblems);
    setProblems(read.problems);
    setProblem(null);
    if (Object.keys(read.problems).length > 0) return;
    setBusy(true);
    try {
      const attachments = await Promise.all(
        files.map(async (file) => ({ name: file.name, content: base64Of(new Uint8Array(await file.arrayBuffer())) })),
      );
      const { id, warning, merged_into } = await api.work.submit({
        faculty,
        description,
        params: read.params,
        ...(attachments.length > 0 && { attachments }),
        ...rest(more),
      });
      tell(warning ?? (merged_into === null ? S.submit.done : S.submit.merged));
      goTo('work', [merged_into ?? id]);
    } catch (error) {
      setProblem(sentenceOf(error));
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <label>
        {S.item.description}
        <textarea
          rows={5}
          dir="auto"
          value={description}
          onInput={(event) => setDescription(event.currentTarget.value)}
          autoFocus
        />
      </label>
      {fields === null ? (
        <label>
          {S.submit.params}
          <textarea
            class="mono"
            rows={6}
            spellcheck={false}
            value={json}
            aria-invalid={problems['json'] !== undefined}
            onInput={(event) => setJson(event.currentTarget.value)}
          />
          {problems['json'] !== undefined && <span class="field-problem">{problems['json']}</span>}
        </label>
      ) : (
        fields.map((field) => (
          <SchemaField
            key={field.name}
            field={field}
            value={typed[field.name] ?? ''}
            problem={problems[field.name] ?? null}
            onType={(value) => setTyped((before) => ({ ...before, [field.name]: value }))}
          />
        ))
      )}
      <Attachments files={files} onChange={setFiles} />
      <details>
        <summary>{S.submit.more}</summary>
        <label>
          {S.item.priorityLabel}
          <input
            type="number"
            step="1"
            value={more.priority}
            onInput={(event) => setMore({ ...more, priority: event.currentTarget.value })}
          />
        </label>
        <label>
          {S.item.runAtLabel}
          <input
            type="datetime-local"
            value={more.runAt}
            onInput={(event) => setMore({ ...more, runAt: event.currentTarget.value })}
          />
        </label>
        <label>
          {S.submit.dedupKey}
          <input value={more.dedupKey} onInput={(event) => setMore({ ...more, dedupKey: event.currentTarget.value })} />
        </label>
      </details>
      {problem !== null && <Problem text={problem} />}
      <button type="submit" class="primary" disabled={busy} aria-busy={busy}>
        {S.work.submit}
      </button>
    </form>
  );
}

function readJson(text: string) {
  try {
    const params: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    if (typeof params === 'object' && params !== null && !Array.isArray(params))
      return { params: params as Readonly<Record<string, unknown>>, problems: {} };
    return { params: {}, problems: { json: S.submit.notAnObject } };
  } catch (error) {
    return { params: {}, problems: { json: S.submit.fieldProblems.json(sentenceOf(error)) } };
  }
}

interface More {
  readonly priority: string;
  readonly runAt: string;
  readonly dedupKey: string;
}

function rest({ priority, runAt, dedupKey }: More): Partial<NewWork> {
  return {
    ...(priority !== '' && { priority: Number(priority) }),
    ...(runAt !== '' && { run_at: new Date(runAt).toISOString() }),
    ...(dedupKey !== '' && { dedup_key: dedupKey }),
  };
}

/** One parameter of a form. */
import { useId } from 'preact/hooks';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import type { Field } from './schema.ts';

interface SchemaFieldProps {
  readonly field: Field;
  readonly value: string;
  readonly problem: string | null;
  readonly onType: (value: string) => void;
}

export function SchemaField({ field, value, problem, onType }: SchemaFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        <VisibleText text={field.title} kind="text" most={200} />
        {field.required && <span class="faint"> ({S.submit.required})</span>}
      </label>
      {field.description !== '' && (
        <p class="faint" id={`${id}d`}>
          <VisibleText text={field.description} kind="text" most={600} />
        </p>
      )}
      <Input id={id} field={field} value={value} isWrong={problem !== null} onType={onType} />
      {problem !== null && (
        <span class="field-problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

interface InputProps {
  readonly id: string;
  readonly field: Field;
  readonly value: string;
  readonly isWrong: boolean;
  readonly onType: (value: string) => void;
}

function Input({ id, field, value, isWrong, onType }: InputProps) {
  const { kind, required, choices, least, most } = field;
  const shared = {
    id,
    value,
    'aria-invalid': isWrong,
    'aria-describedby': field.description === '' ? undefined : `${id}d`,
  } as const;
  if (kind === 'choice' || kind === 'yes-no') {
    const options = kind === 'choice' ? choices.map((choice) => JSON.stringify(choice)) : ['true', 'false'];
    return (
      <select {...shared} required={required} onChange={(event) => onType(event.currentTarget.value)}>
        <option value="" />
        {options.map((option) => (
          <option key={option} value={option}>
            {kind === 'yes-no' ? S.item.yesNo(option === 'true') : shownChoice(option)}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'number' || kind === 'whole') {
    return (
      <input
        {...shared}
        type="number"
        step={kind === 'whole' ? 1 : 'any'}
        min={least}
        max={most}
        required={required}
        onInput={(event) => onType(event.currentTarget.value)}
      />
    );
  }
  if (kind === 'text')
    return <input {...shared} dir="auto" required={required} onInput={(event) => onType(event.currentTarget.value)} />;
  return (
    <textarea
      {...shared}
      dir="auto"
      class={kind === 'json' ? 'mono' : undefined}
      rows={kind === 'long' ? 2 : 4}
      placeholder={kind === 'list' ? S.submit.onePerLine : kind === 'json' ? 'JSON' : undefined}
      required={required}
      onInput={(event) => onType(event.currentTarget.value)}
    />
  );
}

function shownChoice(option: string): string {
  const value: unknown = JSON.parse(option);
  return typeof value === 'string' ? value : option;
}

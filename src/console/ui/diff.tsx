/** Changes of files, one below the other: each folds, long ones open step by step. Arrow keys go from file to file. */
import { useMemo, useState } from 'preact/hooks';
import { S } from '../words/strings.ts';
import { type Hunk, type PatchFile, type PatchLine, readPatch } from './patch.ts';
import { VisibleText } from './visible-text.tsx';
import './diff.css';

/** With more, files are folded at first. */
const MOST_OPEN_FILES = 12;
const MOST_OPEN_LINES = 400;
const STEP_LINES = 300;
/** Of a longer line or name, the rest comes when somebody asks. */
const MOST_LINE_CHARS = 2000;
const MOST_PATH_CHARS = 400;

/** A patch as git writes it. */
export function Patch({ patch }: { readonly patch: string }) {
  const files = useMemo(() => readPatch(patch), [patch]);
  return <Diff files={files} />;
}

export function Diff({ files }: { readonly files: readonly PatchFile[] }) {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <div class="diff" onKeyDown={moveBetweenFiles}>
      {files.length !== 1 && (
        <p class="faint">
          {S.ui.files(files.length)} <Counts added={added} removed={removed} />
        </p>
      )}
      {files.map((file, index) => (
        <File key={`${index} ${file.path}`} file={file} isOpen={isOpenAtFirst(file, files.length)} />
      ))}
    </div>
  );
}

function isOpenAtFirst(file: PatchFile, count: number): boolean {
  return count === 1 || (count <= MOST_OPEN_FILES && file.added + file.removed <= MOST_OPEN_LINES);
}

function moveBetweenFiles(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const heads = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('.diff-head')];
  const at = heads.findIndex((head) => head === event.target);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  heads[at + step]?.focus();
}

function File({ file, isOpen }: { readonly file: PatchFile; readonly isOpen: boolean }) {
  const [open, setOpen] = useState(isOpen);
  return (
    <section class="diff-file">
      <button type="button" class="diff-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden="true">{open ? '▾' : '▸'}</span>
        <span class="mono diff-path">
          {file.from !== null && (
            <>
              <VisibleText text={file.from} most={MOST_PATH_CHARS} />
              {' → '}
            </>
          )}
          <VisibleText text={file.path} most={MOST_PATH_CHARS} />
        </span>
        {file.is !== 'changed' && <span class="faint">{S.ui.fileIs[file.is]}</span>}
        <Counts added={file.added} removed={file.removed} />
      </button>
      {open && <Hunks file={file} />}
    </section>
  );
}

function Counts({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span class="diff-counts" role="img" aria-label={S.ui.linesChanged(added, removed)}>
      <span class="diff-plus">+{added.toLocaleString('en')}</span>{' '}
      <span class="diff-minus">−{removed.toLocaleString('en')}</span>
    </span>
  );
}

function Hunks({ file }: { readonly file: PatchFile }) {
  const [most, setMost] = useState(STEP_LINES);
  if (file.binary) return <p class="faint diff-note">{S.ui.binary}</p>;
  if (file.hunks.length === 0) return <p class="faint diff-note">{S.ui.noLines}</p>;
  let left = most;
  const shown: Hunk[] = [];
  for (const hunk of file.hunks) {
    if (left <= 0) break;
    shown.push({ ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  const total = file.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  return (
    <div class="diff-lines">
      <table>
        <tbody>
          {shown.map((hunk, index) => (
            <HunkRows key={index} hunk={hunk} />
          ))}
        </tbody>
      </table>
      {total > most && (
        <button type="button" class="quiet" onClick={() => setMost(most * 4)}>
          {S.ui.moreLines(total - most)}
        </button>
      )}
    </div>
  );
}

function HunkRows({ hunk }: { readonly hunk: Hunk }) {
  return (
    <>
      <tr class="diff-place">
        <td colSpan={3}>
          <span aria-hidden="true">⋯</span> <VisibleText text={hunk.place} kind="source" most={MOST_PATH_CHARS} />
        </td>
      </tr>
      {hunk.lines.map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </>
  );
}

const MARKS = { same: ' ', added: '+', removed: '−', note: '' } as const;

function Line({ line }: { readonly line: PatchLine }) {
  return (
    <tr class={`diff-${line.is}`}>
      <td class="diff-number">{line.before}</td>
      <td class="diff-number">{line.after}</td>
      <td class="diff-text" data-mark={MARKS[line.is]}>
        {line.is === 'added' && <span class="hidden">{S.ui.added} </span>}
        {line.is === 'removed' && <span class="hidden">{S.ui.removed} </span>}
        <VisibleText text={line.text} kind="source" most={MOST_LINE_CHARS} />
      </td>
    </tr>
  );
}

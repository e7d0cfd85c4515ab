/** All that an item did, along time. A click goes to a turn or a call; the list of turns says the same to those who cannot see it. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { goTo, place } from '../../../model/place.ts';
import { clock } from '../../../ui/clock.ts';
import { coloursOf } from '../../../ui/colours.ts';
import { duration } from '../../../ui/duration.ts';
import { S } from '../../../words/strings.ts';
import type { ItemRecord } from '../record/use-record.ts';
import { barAt, drawTimeline, LANE_PX, type Scene, TOP_PX, type View } from './draw-timeline.ts';
import { type Bar, busySpans, lanesOf } from './lanes.ts';
import { placeOfTime, timeScale } from './time-scale.ts';
import { moved, showing, zoomed } from './view.ts';
import './timeline.css';

const STEP = 0.25;
const ZOOM = 1.6;
/** A shorter movement of the pointer is a click. */
const CLICK_PX = 4;

export function Timeline({ id, record }: { readonly id: string; readonly record: ItemRecord }) {
  const goesOn = record.foci.some(({ ended_at }) => ended_at === null);
  const now = goesOn ? clock.value : 0;
  const lanes = useMemo(() => lanesOf(record, Date.now()), [record, now]);
  const scale = useMemo(() => timeScale(busySpans(lanes)), [lanes]);
  // Null: all of it, also as it grows.
  const [view, setView] = useState<View | null>(null);
  const shown = view ?? { from: 0, to: scale.length };
  const { query } = place.value;
  const scene: Scene = { lanes, scale, view: shown, chosen: query.get('call') ?? query.get('turn') };
  const zoom = (by: number, around = 0.5) => {
    const next = zoomed(shown, by, around, scale.length);
    setView(next.to - next.from >= scale.length ? null : next);
  };
  const move = (by: number) => setView(moved(shown, by, scale.length));
  useEffect(() => {
    const bar = lanes.flatMap(({ bars }) => bars).find(({ key }) => key === scene.chosen);
    if (view !== null && bar) setView(showing(view, placeOfTime(scale, bar.fromMs), scale.length));
  }, [scene.chosen]);
  if (lanes.every(({ bars }) => bars.length === 0)) return null;
  return (
    <section class="timeline" aria-label={S.item.timeline.title}>
      <div class="timeline-tools">
        <Keys />
        <button type="button" class="quiet" aria-label={S.item.timeline.earlier} onClick={() => move(-STEP)}>
          ←
        </button>
        <button type="button" class="quiet" aria-label={S.item.timeline.later} onClick={() => move(STEP)}>
          →
        </button>
        <button type="button" class="quiet" aria-label={S.item.timeline.closer} onClick={() => zoom(ZOOM)}>
          +
        </button>
        <button type="button" class="quiet" aria-label={S.item.timeline.farther} onClick={() => zoom(1 / ZOOM)}>
          −
        </button>
        <button type="button" class="quiet" disabled={view === null} onClick={() => setView(null)}>
          {S.item.timeline.all}
        </button>
      </div>
      <Lanes id={id} scene={scene} onZoom={zoom} onMove={move} />
    </section>
  );
}

function Keys() {
  return (
    <span class="timeline-keys faint">
      {(['turn', 'call', 'wait', 'failed'] as const).map((kind) => (
        <span key={kind} class={`timeline-key-${kind}`}>
          {S.item.timeline.kinds[kind]}
        </span>
      ))}
    </span>
  );
}

interface LanesProps {
  readonly id: string;
  readonly scene: Scene;
  readonly onZoom: (by: number, around: number) => void;
  readonly onMove: (by: number) => void;
}

function Lanes({ id, scene, onZoom, onMove }: LanesProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [under, setUnder] = useState<{ readonly bar: Bar; readonly x: number } | null>(null);
  const newest = useRef({ scene, onZoom, onMove });
  newest.current = { scene, onZoom, onMove };
  useLayoutEffect(() => draw(canvas.current, scene));
  useEffect(
    () =>
      listen(
        canvas.current!,
        () => newest.current,
        setUnder,
        (bar) => choose(id, bar),
      ),
    [id],
  );
  return (
    <div class="timeline-place">
      <canvas
        ref={canvas}
        role="img"
        aria-label={S.item.timeline.shown(scene.lanes[1]?.bars.length ?? 0)}
        style={{ height: `${TOP_PX + scene.lanes.length * LANE_PX + 4}px`, cursor: under ? 'pointer' : 'grab' }}
      />
      {under && <Tip bar={under.bar} x={under.x} />}
    </div>
  );
}

function Tip({ bar, x }: { readonly bar: Bar; readonly x: number }) {
  return (
    <div class="timeline-tip" style={{ left: `${x}px` }}>
      {S.item.timeline.bar(bar.kind, bar.label)} · {duration(bar.toMs - bar.fromMs)}
      {bar.open && ' …'}
      {bar.failed && ` · ${S.item.failed}`}
    </div>
  );
}

function draw(canvas: HTMLCanvasElement | null, scene: Scene): void {
  if (canvas !== null) drawTimeline(canvas, scene, coloursOf(canvas.parentElement!));
}

function choose(id: string, { kind, key }: Bar): void {
  if (kind === 'turn') goTo('work', [id], { tab: 'turns', turn: key });
  else if (kind !== 'focus') goTo('work', [id], { tab: 'calls', call: key });
}

type Newest = () => Omit<LanesProps, 'id'>;

function listen(
  canvas: HTMLCanvasElement,
  now: Newest,
  show: (under: { readonly bar: Bar; readonly x: number } | null) => void,
  choose: (bar: Bar) => void,
): () => void {
  let from: number | null = null;
  let dragged = 0;
  const at = (event: MouseEvent) => barAt(now().scene, event.offsetX, event.offsetY, canvas.clientWidth);
  const down = (event: PointerEvent) => {
    [from, dragged] = [event.offsetX, 0];
    canvas.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    if (from === null) {
      const bar = at(event);
      return show(bar === null ? null : { bar, x: Math.min(event.offsetX, canvas.clientWidth - 160) });
    }
    dragged += Math.abs(event.offsetX - from);
    now().onMove((from - event.offsetX) / canvas.clientWidth);
    from = event.offsetX;
  };
  const up = (event: PointerEvent) => {
    const bar = dragged < CLICK_PX ? at(event) : null;
    from = null;
    if (bar !== null) choose(bar);
  };
  const wheel = (event: WheelEvent) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      now().onZoom(event.deltaY < 0 ? 1.25 : 0.8, event.offsetX / canvas.clientWidth);
    } else if (event.deltaX !== 0 && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      now().onMove(event.deltaX / canvas.clientWidth);
    }
  };
  const away = () => show(null);
  const sizes = new ResizeObserver(() => draw(canvas, now().scene));
  sizes.observe(canvas);
  const theme = matchMedia('(prefers-color-scheme: dark)');
  const again = () => draw(canvas, now().scene);
  theme.addEventListener('change', again);
  canvas.addEventListener('pointerdown', down);
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointerleave', away);
  canvas.addEventListener('wheel', wheel, { passive: false });
  return () => {
    sizes.disconnect();
    theme.removeEventListener('change', again);
  };
}

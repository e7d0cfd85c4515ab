/** Draws lanes on a canvas: ten thousand bars take a few milliseconds. */

import { joined } from './joined.ts';
import type { Bar, Lane } from './lanes.ts';
import { barsWithin } from './lanes.ts';
import { placeOfTime, type TimeScale, timeAtPlace } from './time-scale.ts';

export const LANE_PX = 16;
export const TOP_PX = 18;
const GAP_PX = 2;
const LABEL_PX = 30;
const TICK_PX = 110;

/** The part of the line that is shown. */
export interface View {
  readonly from: number;
  readonly to: number;
}

export interface Scene {
  readonly lanes: readonly Lane[];
  readonly scale: TimeScale;
  readonly view: View;
  /** The key of the bar that is chosen. */
  readonly chosen: string | null;
}

export type Colours = (token: string) => string;

const COLOURS = { focus: 'border-strong', turn: 'accent', call: 'good', wait: 'attention' } as const;

export function drawTimeline(canvas: HTMLCanvasElement, scene: Scene, colours: Colours): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== width * ratio) canvas.width = width * ratio;
  if (canvas.height !== height * ratio) canvas.height = height * ratio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  context.textBaseline = 'middle';
  drawIdle(context, scene, width, height, colours);
  drawTicks(context, scene, width, colours);
  for (const [index, lane] of scene.lanes.entries()) drawLane(context, scene, lane, { index, width, colours });
}

export function xOf({ scale, view }: Scene, ms: number, width: number): number {
  return ((placeOfTime(scale, ms) - view.from) / (view.to - view.from)) * width;
}

/** Which bar is at a point, with two pixels of grace. */
export function barAt(scene: Scene, x: number, y: number, width: number): Bar | null {
  const lane = scene.lanes[Math.floor((y - TOP_PX) / LANE_PX)];
  if (lane === undefined) return null;
  const at = (px: number) =>
    timeAtPlace(scene.scale, scene.view.from + (px / width) * (scene.view.to - scene.view.from));
  return barsWithin(lane.bars, at(x - 2), at(x + 2))[0] ?? null;
}

interface LaneAt {
  readonly index: number;
  readonly width: number;
  readonly colours: Colours;
}

function drawLane(context: CanvasRenderingContext2D, scene: Scene, lane: Lane, at: LaneAt): void {
  const { index, width, colours } = at;
  const y = TOP_PX + index * LANE_PX;
  const [fromMs, toMs] = [timeAtPlace(scene.scale, scene.view.from), timeAtPlace(scene.scale, scene.view.to)];
  const bars = barsWithin(lane.bars, fromMs, toMs).map((bar) => {
    const left = Math.max(xOf(scene, bar.fromMs, width), -1);
    return { bar, left, right: Math.min(Math.max(xOf(scene, bar.toMs, width), left + 1.5), width + 1) };
  });
  for (const [isMeant, colour, alpha] of STYLES) {
    context.fillStyle = colours(colour ?? COLOURS[lane.kind]);
    context.globalAlpha = alpha;
    for (const { left, right } of joined(bars.filter(({ bar }) => isMeant(bar))))
      context.fillRect(left, y + GAP_PX, right - left - (right - left > 4 ? 1 : 0), LANE_PX - 2 * GAP_PX);
  }
  context.globalAlpha = 1;
  for (const { bar, left, right } of bars) {
    if (bar.key === scene.chosen) {
      context.strokeStyle = colours('text');
      context.lineWidth = 2;
      context.strokeRect(left, y + 1, right - left, LANE_PX - 2);
    }
    if (right - left > LABEL_PX) drawLabel(context, bar.label, { left, right, y, colours });
  }
}

/** What is drawn later covers what is drawn before. */
const STYLES: readonly (readonly [(bar: Bar) => boolean, string | null, number])[] = [
  [({ failed, open }) => !failed && !open, null, 1],
  [({ open }) => open, null, 0.6],
  [({ failed }) => failed, 'bad', 1],
];

interface LabelAt {
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly colours: Colours;
}

function drawLabel(context: CanvasRenderingContext2D, label: string, { left, right, y, colours }: LabelAt): void {
  context.save();
  context.beginPath();
  context.rect(left, y, right - left - 3, LANE_PX);
  context.clip();
  context.fillStyle = colours('on-accent');
  context.fillText(label.slice(0, 60), left + 4, y + LANE_PX / 2 + 0.5);
  context.restore();
}

function drawIdle(
  context: CanvasRenderingContext2D,
  scene: Scene,
  width: number,
  height: number,
  colours: Colours,
): void {
  const { from, to } = scene.view;
  context.fillStyle = colours('sunken');
  for (const piece of scene.scale.pieces) {
    if (!piece.idle || piece.at > to || piece.at + piece.length < from) continue;
    const left = ((piece.at - from) / (to - from)) * width;
    context.fillRect(left, TOP_PX, (piece.length / (to - from)) * width, height - TOP_PX);
  }
}

function drawTicks(context: CanvasRenderingContext2D, { scale, view }: Scene, width: number, colours: Colours): void {
  context.fillStyle = colours('faint');
  const count = Math.max(1, Math.floor(width / TICK_PX));
  let before = '';
  for (let tick = 0; tick < count; tick++) {
    const time = new Date(timeAtPlace(scale, view.from + (tick / count) * (view.to - view.from)));
    const day = time.toLocaleDateString();
    // The first one is in the head of the page.
    const shown = before === '' || day === before ? time.toLocaleTimeString() : day;
    before = day;
    context.fillText(shown, (tick / count) * width, TOP_PX / 2);
    context.fillRect((tick / count) * width, TOP_PX - 3, 1, 3);
  }
}

/** What a chart shows. */
export interface Series {
  readonly label: string;
  /** As many as there are values of x; null: none there. */
  readonly values: readonly (number | null)[];
  /** The token of its colour, such as `accent`. */
  readonly colour: 'accent' | 'running' | 'good' | 'attention' | 'bad' | 'faint';
  /** Default `line`. */
  readonly as?: 'line' | 'area' | 'bars';
}

export interface ChartProps {
  readonly title: string;
  /** What it shows, in a sentence with its most telling numbers. */
  readonly summary: string;
  /** Rising: seconds since 1970, or numbers such as those of turns. */
  readonly x: readonly number[];
  readonly xIs: 'time' | 'number';
  readonly xLabel: string;
  readonly series: readonly Series[];
  /** Writes a value of y, such as `$1.20`. */
  readonly shown: (value: number) => string;
  /** Each on top of those before; default false. */
  readonly stacked?: boolean;
  /** In pixels; default 160. */
  readonly height?: number;
  /** The largest value of y that is shown at least, such as a limit. */
  readonly top?: number;
  /** When a place was chosen, by its index. */
  readonly onChoose?: (index: number) => void;
}

/** A chart that was drawn. */
export interface Drawing {
  /** After the numbers have changed. */
  update(): void;
  end(): void;
}

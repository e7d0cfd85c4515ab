import { expect, test } from 'vitest';
import { moved, showing, zoomed } from '../../../../../src/console/pages/item/timeline/view.ts';

test('zooming keeps a place where it is, and ends at the line', () => {
  expect(zoomed({ from: 0, to: 1000 }, 2, 0.5, 1000)).toEqual({ from: 250, to: 750 });
  expect(zoomed({ from: 0, to: 1000 }, 2, 0, 1000)).toEqual({ from: 0, to: 500 });
  expect(zoomed({ from: 500, to: 1000 }, 0.1, 0.5, 1000)).toEqual({ from: 0, to: 1000 });
  expect(zoomed({ from: 0, to: 30 }, 100, 0.5, 1000)).toEqual({ from: 5, to: 25 });
  expect(zoomed({ from: 0, to: 5 }, 2, 0.5, 5)).toEqual({ from: 0, to: 5 });
});

test('moving stays on the line', () => {
  expect(moved({ from: 100, to: 200 }, 0.5, 1000)).toEqual({ from: 150, to: 250 });
  expect(moved({ from: 900, to: 1000 }, 0.5, 1000)).toEqual({ from: 900, to: 1000 });
  expect(moved({ from: 10, to: 110 }, -0.5, 1000)).toEqual({ from: 0, to: 100 });
});

test('showing moves only where it has to', () => {
  expect(showing({ from: 0, to: 100 }, 50, 1000)).toEqual({ from: 0, to: 100 });
  expect(showing({ from: 0, to: 100 }, 500, 1000)).toEqual({ from: 450, to: 550 });
});

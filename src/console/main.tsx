/** The console: one web page for everything that the API can show and do. docs/console.md shows it. */
import { render } from 'preact';
import { App } from './app.tsx';
import { startPlace } from './model/place.ts';
import { startSession } from './model/session.ts';
import { startClock } from './ui/clock.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/pieces.css';

startPlace();
startClock();
render(<App />, document.getElementById('app')!);
void startSession();

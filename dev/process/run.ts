import { execa } from 'execa';

/** Runs a program to its end and gives its lines as `all`; an abort or a time-out ends it with all that it started. */
export const run = execa({
  all: true,
  lines: true,
  stdin: 'ignore',
  extendEnv: false,
  killDescendants: true,
  killSignal: 'SIGINT',
  forceKillAfterDelay: 3_000,
});

/** Aborted when this process is asked to stop: by a signal, or by the end of the parent that holds its channel. */
export function listenForStop(): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort();
  // For good: npm hands on a Ctrl-C that the terminal has already sent, which must not end us at once.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('disconnect', stop);
  return controller.signal;
}

/** Settles once the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

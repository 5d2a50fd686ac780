/**
 * Aborts when this process is asked to stop: by a signal, or by the end of the parent that holds
 * its channel.
 */
export function listenForStop(): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort();
  // The handlers stay: npm repeats a Ctrl-C that the terminal has sent, which must not end the
  // process at once.
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

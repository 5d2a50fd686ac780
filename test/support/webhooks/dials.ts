import { createHook } from 'node:async_hooks';

type ConnectRequest = { address: string; port: number };

/**
 * Every TCP connection that this process asks the system for, below anything that could pretend:
 * the request that Node hands to libuv. A refused address must not come this far.
 */
export function watchDials() {
  const requests: ConnectRequest[] = [];
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      // Its address is written right after.
      if (type === 'TCPCONNECTWRAP') requests.push(resource as ConnectRequest);
    },
  }).enable();
  return {
    /** As they were dialled: `127.0.0.1:4000`. */
    all: () => requests.map(({ address, port }) => `${address}:${port}`),
    stop: () => void hook.disable(),
  };
}

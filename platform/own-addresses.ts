import { networkInterfaces } from 'node:os';

/** The addresses of this machine, which may be public ones. */
export function readOwnAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((found = []) =>
    found.map(({ address }) => address),
  );
}

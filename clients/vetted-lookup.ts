import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { AddressPolicy } from '../domain/shared/public-address.ts';
import { noAddressError, policyError } from './http-errors.ts';
import type { Resolve } from './name-resolver.ts';

/** A name may have thousands of addresses, and Node tries one after the other. */
const MOST_ADDRESSES = 8;

/**
 * Every address of a name must be allowed, so a mixed answer is refused; the socket connects to no
 * other.
 */
export function vettedLookup(policy: AddressPolicy, resolve: Resolve): LookupFunction {
  const findAddresses = callbackify((hostname: string) => resolve(hostname));
  return (hostname, options, callback) => {
    findAddresses(hostname, (error, addresses) => {
      if (error) return callback(error, []);
      if (addresses.length === 0) return callback(noAddressError(), []);
      if (!addresses.every(({ address }) => policy.isAllowed(address))) {
        return callback(policyError(), []);
      }
      if (options.all) return callback(null, addresses.slice(0, MOST_ADDRESSES));
      const [first] = addresses;
      return callback(null, first?.address ?? '', first?.family);
    });
  };
}

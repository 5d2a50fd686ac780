import type { SealedPlace, Sealer } from '../../shared/secrets.ts';

// The previous secret is sealed for the place of the current one, so a rotation moves it as it is.
const placeOf = (endpointId: string): SealedPlace => ({
  column: 'webhook_endpoint.sealed_secret',
  rowId: endpointId,
});

export function sealEndpointSecret(sealer: Sealer, endpointId: string, secret: string): string {
  return sealer.seal(secret, placeOf(endpointId));
}

export function openEndpointSecret(sealer: Sealer, endpointId: string, sealed: string): string {
  return sealer.open(sealed, placeOf(endpointId));
}

import type { EncryptedPlace, Encryptor } from '../../shared/secrets.ts';

// The previous secret is encrypted for the place of the current one, so a rotation moves it as it is.
const placeOf = (endpointId: string): EncryptedPlace => ({
  column: 'webhook_endpoint.encrypted_secret',
  rowId: endpointId,
});

export function encryptEndpointSecret(
  encryptor: Encryptor,
  endpointId: string,
  secret: string,
): string {
  return encryptor.encrypt(secret, placeOf(endpointId));
}

export function decryptEndpointSecret(
  encryptor: Encryptor,
  endpointId: string,
  encrypted: string,
): string {
  return encryptor.decrypt(encrypted, placeOf(endpointId));
}

import type { SecretKey } from '../domain/shared/secrets.ts';

const ENTRY = /^(?<id>[a-z0-9]{1,16}):(?<encoded>[A-Za-z0-9+/_-]{43}=?)(?<mark>:open)?$/;

/** Keys as `id:key,id:key:open`. A problem names the place of an entry and quotes nothing of it. */
export function parseSecretKeys(text: string): { keys: SecretKey[]; problems: string[] } {
  const problems: string[] = [];
  const keys = text.split(',').flatMap((entry, index): SecretKey[] => {
    const found = ENTRY.exec(entry.trim())?.groups;
    if (found) {
      const key = Buffer.from(found['encoded']!, 'base64');
      return [{ id: found['id']!, key, isDecryptOnly: found['mark'] !== undefined }];
    }
    problems.push(
      `entry ${index + 1} is not id:key or id:key:open, with an id of a-z and 0-9 and 32 bytes in base64`,
    );
    return [];
  });
  if (new Set(keys.map(({ id }) => id)).size < keys.length) problems.push('two keys share an id');
  if (keys[0]?.isDecryptOnly) problems.push('the first key encrypts: it cannot be :open');
  return { keys, problems };
}

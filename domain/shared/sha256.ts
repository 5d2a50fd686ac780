import { createHash, createHmac, createSecretKey, hash } from 'node:crypto';

export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** A SHA-256 that grows; each character of the text is one byte (latin1). */
export function createSha256(): { update(text: string): void; hex(): string } {
  const running = createHash('sha256');
  return {
    update: (text) => void running.update(text, 'latin1'),
    hex: () => running.digest('hex'),
  };
}

/** HMAC-SHA-256 under one key, as hex digits. */
export function createHmacHex(key: Uint8Array): (text: string) => string {
  const secret = createSecretKey(key);
  return (text) => createHmac('sha256', secret).update(text).digest('hex');
}

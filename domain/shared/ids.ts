import { hash, randomFillSync } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { encodeTime, ulid } from 'ulid';
import { v7 } from 'uuid';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE_32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const POOL = new Uint8Array(4_096);
let taken = POOL.length;

type PublicIdPrefix = 'pay_' | 'ch_' | 're_' | 'evt_' | 'grant_' | 'dp_' | 'sub_';
type CredentialPrefix = 'gk_live_' | 'gk_test_' | 'gat_' | 'gac_' | 'gcs_' | 'whsec_' | 'gs_';

/**
 * Makes an id of now, or of an instant: a table that is kept by month needs one of the database's
 * clock.
 */
export function newUuid(at?: number): string {
  return v7(at === undefined ? undefined : { msecs: at });
}

export function newPublicId(prefix: PublicIdPrefix): string {
  return prefix + ulid();
}

/**
 * A ULID of the event's time and 80 bits of SHA-256 over event and endpoint: a pair has one id, so the
 * primary key refuses a second delivery.
 */
export function deliveryIdOf(pair: { eventId: string; endpointId: string }): string {
  const { eventId, endpointId } = pair;
  const time = Number.parseInt(eventId.slice(0, 13).replace('-', ''), 16);
  const digest = hash('sha256', `${eventId} ${endpointId}`, 'buffer');
  return `evt_${encodeTime(time)}${toBase32(digest.subarray(0, 10))}`;
}

/** 16 characters of 5 bits, in the alphabet of ULIDs. */
function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{5}/g, (five) => BASE_32.charAt(Number.parseInt(five, 2)));
}

/** The form of newPublicId's ids: the prefix and a ULID. */
export function publicIdPattern(prefix: PublicIdPrefix): RegExp {
  return new RegExp(`^${prefix}[0-9A-HJKMNP-TV-Z]{26}$`);
}

/** The UUID in lower case, or null: 8-4-4-4-12 hex digits in either case, any version. */
export function parseUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null;
}

/** 43 characters of 0-9A-Za-z: 256 bits. */
export function newSecret(): string {
  return randomText(SECRET_LENGTH);
}

export function newClientId(): string {
  return `gcl_${randomText(22)}`;
}

/** False for an id that newClientId did not make. */
export function isClientId(text: string): boolean {
  return /^gcl_[0-9A-Za-z]{22}$/.test(text);
}

/** Prefix, 43 random characters, and the CRC32 of all before it in six characters. */
export function newCredential(prefix: CredentialPrefix): string {
  const body = prefix + newSecret();
  return body + checksum(body);
}

/** False for a credential that newCredential did not make, a truncated paste included. */
export function isWellFormedCredential(text: string, prefix: CredentialPrefix): boolean {
  if (text.length !== prefix.length + SECRET_LENGTH + CHECKSUM_LENGTH) return false;
  if (!text.startsWith(prefix)) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return checksum(body) === text.slice(-CHECKSUM_LENGTH);
}

export function hashCredential(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Draws from 0-9A-Za-z with equal chances: bytes beyond the last whole alphabet are dropped. */
export function randomText(length: number): string {
  const text = Buffer.allocUnsafe(length);
  for (let at = 0; at < length;) {
    const byte = nextRandomByte();
    if (byte < 4 * ALPHABET.length) text[at++] = ALPHABET.charCodeAt(byte % ALPHABET.length);
  }
  return text.toString('latin1');
}

/** Reading a few random bytes costs about as much as reading many. */
function nextRandomByte(): number {
  if (taken === POOL.length) {
    randomFillSync(POOL);
    taken = 0;
  }
  taken += 1;
  return POOL[taken - 1]!;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { HttpError } from './errors.ts';
import { gather, type Fields } from './validate.ts';

/** More than any form of ours sends. */
const LIMITS = {
  files: 1,
  fields: 4,
  parts: 6,
  headerPairs: 20,
  fieldSize: 1_024,
};

/** Room for boundaries, headers and the other fields around a file. */
export const FRAME_BYTES = 16 * 1_024;

type Part = [name: string, value: string | Buffer];

export type Reading = {
  /** The most of the file. */
  limitBytes: number;
  /** Refuses the upload unless its first part is the CSRF token. No other part is read before. */
  validateFirst: (name: string, value: unknown) => void;
};

/** Ignores the file's name and media type; the decoder reads the bytes. */
export async function readUpload(
  request: IncomingMessage,
  reading: Reading,
): Promise<Fields<string | Buffer>> {
  if (request.destroyed) throw incomplete(); // its caller was gone before anybody read
  return gather(await Promise.all(await readParts(request, reading)));
}

/** The first error ends the reading and discards the parts read so far. */
function readParts(
  request: IncomingMessage,
  { limitBytes, validateFirst }: Reading,
): Promise<(Part | Promise<Part>)[]> {
  const parser = openParser(request, limitBytes);
  const parts: (Part | Promise<Part>)[] = [];
  return new Promise((resolve, reject) => {
    const refuse = (httpError: HttpError) => {
      request.unpipe(parser);
      reject(httpError);
    };
    const add = (name: string, value: string | Readable, isCut: boolean) => {
      try {
        if (parts.length === 0) validateFirst(name, value);
      } catch (error) {
        return refuse(error as HttpError);
      }
      if (isCut) return refuse(unreadable());
      if (typeof value === 'string') return void parts.push([name, value]);
      const file = buffer(value).then((bytes): Part => [name, bytes]);
      file.catch(() => undefined);
      parts.push(file);
    };
    parser.on('field', (name, value, { nameTruncated, valueTruncated }) =>
      add(name, value, nameTruncated || valueTruncated),
    );
    parser.on('file', (name, stream) => {
      stream.on('error', () => undefined); // the parser says so as well
      stream.on('limit', () => refuse(tooLarge(limitBytes)));
      add(name, stream, false);
    });
    for (const end of ['partsLimit', 'filesLimit', 'fieldsLimit', 'error'] as const) {
      parser.on(end, () => refuse(unreadable())); // an error may come twice
    }
    parser.once('close', () => resolve(parts));
    request.on('error', () => refuse(incomplete()));
    countBytes(request, limitBytes + FRAME_BYTES, () => refuse(tooLarge(limitBytes)));
    request.pipe(parser);
  });
}

/** The boundaries and headers of the parts count too. */
function countBytes(request: IncomingMessage, most: number, refuse: () => void): void {
  let n = 0;
  request.on('data', (chunk: Buffer) => {
    n += chunk.length;
    if (n > most) refuse();
  });
}

function openParser({ headers }: IncomingMessage, limitBytes: number): busboy.Busboy {
  try {
    // The parser says that a file has reached the limit, not that it is larger.
    const limits = { ...LIMITS, fileSize: limitBytes + 1 };
    return busboy({ headers, limits, defParamCharset: 'utf8' });
  } catch {
    throw unreadable();
  }
}

export function tooLarge(limitBytes: number): HttpError {
  const message = `The body is larger than ${limitBytes / 1024} KiB.`;
  return new HttpError('payload_too_large', { message });
}

export function incomplete(): HttpError {
  return new HttpError('invalid_request', { message: 'The body is incomplete.' });
}

function unreadable(): HttpError {
  const message = 'The body is not valid multipart/form-data.';
  return new HttpError('invalid_request', { message });
}

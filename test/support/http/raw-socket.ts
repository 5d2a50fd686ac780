import { connect } from 'node:net';

export type RawAnswer = { status: number; headers: Map<string, string>; body: string };

/** Sends the bytes as they are and reads until the server closes. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  const text = Buffer.concat(await socket.toArray()).toString();
  return parse(text);
}

function parse(text: string): RawAnswer {
  const [head = '', body = ''] = text.split(/\r\n\r\n([\s\S]*)/);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(' ')[1]), headers: new Map(headers), body };
}
